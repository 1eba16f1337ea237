"use client";

import { useRouter } from "next/navigation";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Form, PasswordField, TextField } from "@/components/ui/form";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useForm } from "@/lib/client/use-form";
import { PASSWORD_HINT } from "./auth-page";

type AccountFormProps = {
  name: string;
  email: string;
  /** The requested address, not yet verified. */
  pendingEmail: string | null;
};

export function AccountForm({ name, email, pendingEmail }: AccountFormProps) {
  const router = useRouter();
  const form = useForm({ name, email, current_password: "" });
  const { values, field } = form;
  const isNewEmail = values.email.trim() !== email;

  async function save() {
    const { current_password, ...body } = values;
    const confirmation = isNewEmail && current_password !== "" && { current_password };
    await callApi("PATCH /api/dashboard/account", { body: { ...body, ...confirmation } });
    form.keep({ name: values.name.trim(), email, current_password: "" });
    if (isNewEmail) {
      toast.success("Almost done", { description: `Open the link that we sent to ${values.email.trim()}.` });
    } else toast.success("Saved");
    router.refresh();
  }

  return (
    <Form form={form} onSubmit={save} guarded>
      {pendingEmail && (
        <Banner tone="blue" title={`${pendingEmail} is not confirmed yet`}>
          Open the link that we sent there. Until then you sign in with {email}.
        </Banner>
      )}
      <TextField label="Your name" {...field("name")} autoComplete="name" maxLength={100} />
      <TextField
        label="E-mail address"
        hint="You sign in with it."
        {...field("email")}
        type="email"
        autoComplete="email"
      />
      {isNewEmail && (
        <PasswordField
          label="Current password"
          hint="To change the address, enter a new one and open the link that we send there."
          {...field("current_password")}
          autoComplete="current-password"
        />
      )}
      <SaveButton pending={form.pending} disabled={!form.dirty} />
    </Form>
  );
}

type SaveButtonProps = { pending: boolean; disabled: boolean; children?: string };

export function SaveButton({ pending, disabled, children = "Save" }: SaveButtonProps) {
  return (
    <Button type="submit" variant="primary" className="self-start" pending={pending} disabled={disabled && !pending}>
      {children}
    </Button>
  );
}

export function PasswordForm({ email }: { email: string }) {
  const form = useForm({ current_password: "", new_password: "" });
  const { values, field } = form;

  async function change() {
    const { data } = await callApi("POST /api/dashboard/account/password", { body: values });
    form.discard();
    toast.success("Password changed", { description: endedText(data.ended_sessions) });
  }

  return (
    <Form form={form} onSubmit={change}>
      <input type="hidden" name="email" autoComplete="username" value={email} />
      <PasswordField label="Current password" {...field("current_password")} autoComplete="current-password" />
      <PasswordField
        label="New password"
        hint={`${PASSWORD_HINT} Every other browser will be signed out.`}
        {...field("new_password")}
        autoComplete="new-password"
        maxLength={200}
      />
      <SaveButton pending={form.pending} disabled={values.current_password === "" || values.new_password === ""}>
        Change password
      </SaveButton>
    </Form>
  );
}

const endedText = (count: number) =>
  count === 0
    ? "No other browser was signed in."
    : `${count} other ${count === 1 ? "session was" : "sessions were"} signed out.`;
