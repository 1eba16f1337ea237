"use client";

import { type SubmitEvent, useState } from "react";
import { PasswordInput } from "@/components/accounts/auth-fields";
import { FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Field, Input } from "@/components/ui/field";
import { signIn } from "@/lib/client/accounts/sign-in";
import type { SignInError } from "@/lib/contract/accounts/proof";

const ERRORS: Record<SignInError, string> = {
  wrong: "The e-mail address or the password is wrong.",
  locked: "Too many failed sign-ins: this account is locked for up to 30 minutes. Try again later.",
  code_required: "Enter the code of your authenticator app, too.",
  codes_locked: "Too many wrong codes: codes are refused for up to 30 minutes. Wait, then try again.",
  code_wrong: "That code is wrong, too old or was used already. Enter the one that your app shows now.",
  too_many: "Too many sign-ins. Wait a minute and try again.",
  unavailable: "The service could not be reached. Check your connection and try again.",
};

/** All three at once: nobody on the staff is without a second factor. */
export function StaffSignInForm({ next }: { next: string }) {
  const [error, setError] = useState<string | null>(null);
  const [pending, setPending] = useState(false);

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (pending) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    const read = (name: string) => String(data.get(name) ?? "");
    if (read("email").trim() === "" || read("password") === "" || read("code").trim() === "") {
      return setError("Enter your e-mail address, your password and a code.");
    }
    setPending(true);
    setError(null);
    const answer = await signIn({
      audience: "staff",
      email: read("email"),
      password: read("password"),
      code: read("code"),
    });
    if (answer.ok) return window.location.assign(next);
    setPending(false);
    setError(ERRORS[answer.error]);
    // A code works once, right or wrong.
    const code = form.elements.namedItem("code");
    if (code instanceof HTMLInputElement) code.value = "";
  }

  return (
    <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
      <FormFailure failure={{ text: error }} />
      <Field label="E-mail address">
        {(props) => <Input {...props} type="email" name="email" autoComplete="username" required />}
      </Field>
      <Field label="Password">
        {(props) => <PasswordInput {...props} name="password" autoComplete="current-password" required />}
      </Field>
      <Field label="Code" hint="Six digits from your authenticator app, or one of your recovery codes.">
        {(props) => (
          <Input
            {...props}
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="off"
            spellCheck={false}
            required
            maxLength={40}
            className="font-mono tabular-nums tracking-wider"
          />
        )}
      </Field>
      <Button type="submit" variant="primary" pending={pending} className="h-9">
        Sign in
      </Button>
    </form>
  );
}
