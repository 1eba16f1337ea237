"use client";

import { useState } from "react";
import { FormFailure } from "@/components/ui/banner";
import { Field, Input } from "@/components/ui/field";
import { signIn } from "@/lib/client/accounts/sign-in";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";
import { PasswordInput, SubmitButton } from "./auth-fields";
import { PASSWORD_HINT } from "./auth-page";

type ChoosePasswordFormProps = {
  token: string;
  email: string;
  /** Null asks for no name: only new members of a team are asked. */
  name: string | null;
};

/** Chooses a password with a mailed link, and signs in with it. */
export function ChoosePasswordForm({ token, email, name: known }: ChoosePasswordFormProps) {
  const [name, setName] = useState(known ?? "");
  const [password, setPassword] = useState("");
  const { pending, failure, run } = useSubmit(["name", "password"]);
  const [leaving, setLeaving] = useState(false);

  async function choose() {
    const body = { token, password, ...(known !== null && { name }) };
    await callApi({ method: "POST", path: "/api/reset-password", body });
    const answer = await signIn({ email, password });
    setLeaving(true);
    // With a second factor the password alone does not sign in.
    window.location.assign(answer.ok ? "/test" : `/sign-in?chosen=1&email=${encodeURIComponent(email)}`);
  }

  return (
    <form method="post" onSubmit={(event) => run(choose, event)} noValidate className="flex flex-col gap-4">
      <FormFailure failure={failure} />
      <input type="hidden" name="email" autoComplete="username" value={email} />
      {known !== null && (
        <Field label="Your name" error={failure.fields.name}>
          {(props) => (
            <Input
              {...props}
              name="name"
              autoComplete="name"
              required
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
      )}
      <Field label="New password" hint={PASSWORD_HINT} error={failure.fields.password}>
        {(props) => (
          <PasswordInput
            {...props}
            name="password"
            autoComplete="new-password"
            required
            maxLength={200}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      <SubmitButton pending={pending || leaving}>
        {known === null ? "Change password and sign in" : "Join"}
      </SubmitButton>
    </form>
  );
}
