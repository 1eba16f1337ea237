"use client";

import { useState } from "react";
import { FormFailure } from "@/components/ui/banner";
import { Field, Input } from "@/components/ui/field";
import { signIn } from "@/lib/client/accounts/sign-in";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";
import { PasswordInput, SubmitButton } from "./auth-fields";
import { PASSWORD_HINT } from "./auth-page";

const FIELDS = ["business_name", "name", "email", "password"] as const;
type FieldName = (typeof FIELDS)[number];

/** Opens an account, signs in, and goes to the test environment. */
export function SignUpForm() {
  const [values, setValues] = useState<Record<FieldName, string>>({
    business_name: "",
    name: "",
    email: "",
    password: "",
  });
  const { pending, failure, run } = useSubmit(FIELDS);
  const [leaving, setLeaving] = useState(false);
  const bind = (name: FieldName) => ({
    name,
    value: values[name],
    required: true,
    onChange: (event: { target: { value: string } }) =>
      setValues((before) => ({ ...before, [name]: event.target.value })),
  });

  async function open() {
    const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
    const body = { ...values, time_zone };
    const { data } = await callApi<{ ticket: string }>({ method: "POST", path: "/api/sign-up", body });
    const answer = await signIn({ ticket: data.ticket });
    setLeaving(true);
    // The account is there in any case; whoever cannot be signed in at once opens the link in the mail and signs in.
    window.location.assign(answer.ok ? "/test" : `/sign-in?email=${encodeURIComponent(values.email)}`);
  }

  return (
    <form method="post" onSubmit={(event) => run(open, event)} noValidate className="flex flex-col gap-4">
      <FormFailure failure={failure} />
      <Field label="Business name" error={failure.fields.business_name}>
        {(props) => <Input {...props} {...bind("business_name")} autoComplete="organization" maxLength={100} />}
      </Field>
      <Field label="Your name" error={failure.fields.name}>
        {(props) => <Input {...props} {...bind("name")} autoComplete="name" maxLength={100} />}
      </Field>
      <Field label="E-mail address" error={failure.fields.email}>
        {(props) => <Input {...props} {...bind("email")} type="email" autoComplete="username" />}
      </Field>
      <Field label="Password" hint={PASSWORD_HINT} error={failure.fields.password}>
        {(props) => <PasswordInput {...props} {...bind("password")} autoComplete="new-password" maxLength={200} />}
      </Field>
      <SubmitButton pending={pending || leaving}>Open account</SubmitButton>
    </form>
  );
}

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
