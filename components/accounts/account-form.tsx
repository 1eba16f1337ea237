"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { Banner, FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Field, Input } from "@/components/ui/field";
import { UnsavedGuard } from "@/components/ui/form";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";
import { PasswordInput } from "./auth-fields";
import { PASSWORD_HINT } from "./auth-page";

type AccountFormProps = {
  name: string;
  email: string;
  /** The address that was asked for and is not confirmed yet. */
  pendingEmail: string | null;
};

export function AccountForm(saved: AccountFormProps) {
  const router = useRouter();
  const [name, setName] = useState(saved.name);
  const [email, setEmail] = useState(saved.email);
  const [password, setPassword] = useState("");
  const { pending, failure, run } = useSubmit(["name", "email", "current_password"]);
  const isNewEmail = email.trim() !== saved.email;
  const dirty = isNewEmail || name.trim() !== saved.name;

  async function save() {
    const body = { name, email, ...(isNewEmail && password !== "" && { current_password: password }) };
    await callApi({ method: "PATCH", path: "/api/dashboard/account", body });
    setName(name.trim());
    setEmail(saved.email);
    setPassword("");
    if (isNewEmail) toast.success("Almost done", { description: `Open the link that we sent to ${email.trim()}.` });
    else toast.success("Saved");
    router.refresh();
  }

  return (
    <form method="post" noValidate onSubmit={(event) => run(save, event)} className="flex flex-col gap-4">
      <UnsavedGuard dirty={dirty && !pending} />
      <FormFailure failure={failure} />
      {saved.pendingEmail && (
        <Banner tone="blue" title={`${saved.pendingEmail} is not confirmed yet`}>
          Open the link that we sent there. Until then you sign in with {saved.email}.
        </Banner>
      )}
      <Field label="Your name" error={failure.fields.name}>
        {(props) => (
          <Input
            {...props}
            name="name"
            autoComplete="name"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label="E-mail address" hint="You sign in with it." error={failure.fields.email}>
        {(props) => (
          <Input
            {...props}
            type="email"
            name="email"
            autoComplete="email"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      {isNewEmail && (
        <Field
          label="Current password"
          hint="To change the address. It counts once you open the link that we send there."
          error={failure.fields.current_password}
        >
          {(props) => (
            <PasswordInput
              {...props}
              name="current_password"
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
      )}
      <Button type="submit" variant="primary" className="self-start" pending={pending} disabled={!dirty && !pending}>
        Save
      </Button>
    </form>
  );
}

export function PasswordForm({ email }: { email: string }) {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const { pending, failure, run } = useSubmit(["current_password", "new_password"]);

  async function change() {
    const { data } = await callApi<{ ended_sessions: number }>({
      method: "POST",
      path: "/api/dashboard/account/password",
      body: { current_password: current, new_password: next },
    });
    setCurrent("");
    setNext("");
    toast.success("Password changed", { description: endedText(data.ended_sessions) });
  }

  return (
    <form method="post" noValidate onSubmit={(event) => run(change, event)} className="flex flex-col gap-4">
      <FormFailure failure={failure} />
      <input type="hidden" name="email" autoComplete="username" value={email} />
      <Field label="Current password" error={failure.fields.current_password}>
        {(props) => (
          <PasswordInput
            {...props}
            name="current_password"
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        )}
      </Field>
      <Field
        label="New password"
        hint={`${PASSWORD_HINT} Every other browser will be signed out.`}
        error={failure.fields.new_password}
      >
        {(props) => (
          <PasswordInput
            {...props}
            name="new_password"
            autoComplete="new-password"
            maxLength={200}
            value={next}
            onChange={(event) => setNext(event.target.value)}
          />
        )}
      </Field>
      <Button
        type="submit"
        variant="primary"
        className="self-start"
        pending={pending}
        disabled={(current === "" || next === "") && !pending}
      >
        Change password
      </Button>
    </form>
  );
}

const endedText = (count: number) =>
  count === 0
    ? "No other browser was signed in."
    : `${count} other ${count === 1 ? "session was" : "sessions were"} signed out.`;
