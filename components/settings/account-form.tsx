"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { UnsavedGuard } from "@/components/forms/unsaved-guard";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { FormFailure } from "@/components/ui/form-failure";
import { Input } from "@/components/ui/input";
import { PasswordInput } from "@/components/ui/password-input";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";

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
