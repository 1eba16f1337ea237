"use client";

import { useState } from "react";
import { Field } from "@/components/ui/field";
import { FormFailure } from "@/components/ui/form-failure";
import { PasswordInput } from "@/components/ui/password-input";
import { callApi } from "@/lib/client/api";
import { signIn } from "@/lib/client/sign-in";
import { useSubmit } from "@/lib/client/use-submit";
import { SubmitButton } from "./submit-button";

type VerifyEmailFormProps = {
  token: string;
  email: string;
  /** Nobody is signed in here, or somebody else: the account's password shows that the account is theirs. */
  asksPassword: boolean;
};

/** A button, and not the page itself: mail scanners open links. */
export function VerifyEmailForm({ token, email, asksPassword }: VerifyEmailFormProps) {
  const [password, setPassword] = useState("");
  const { pending, failure, run } = useSubmit(["password"]);
  const [leaving, setLeaving] = useState(false);

  async function confirm() {
    await callApi({ method: "POST", path: "/api/verify-email", body: { token, ...(asksPassword && { password }) } });
    const isIn = !asksPassword || (await signIn({ email, password })).ok;
    setLeaving(true);
    // With a second factor the password alone does not sign in.
    window.location.assign(isIn ? "/test" : `/sign-in?email=${encodeURIComponent(email)}`);
  }

  return (
    <form method="post" onSubmit={(event) => run(confirm, event)} noValidate className="flex flex-col gap-4">
      <FormFailure failure={failure} />
      <input type="hidden" name="email" autoComplete="username" value={email} />
      {asksPassword && (
        <Field label="Password" error={failure.fields.password}>
          {(props) => (
            <PasswordInput
              {...props}
              name="password"
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
      )}
      <SubmitButton pending={pending || leaving}>Confirm</SubmitButton>
    </form>
  );
}
