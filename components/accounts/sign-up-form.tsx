"use client";

import { Form, PasswordField, TextField } from "@/components/ui/form";
import { signIn } from "@/lib/client/accounts/sign-in";
import { callApi } from "@/lib/client/api";
import { leaveFor, useForm } from "@/lib/client/use-form";
import { AuthSubmit, PASSWORD_HINT } from "./auth-page";

/** Creates an account, signs in and opens the test environment. */
export function SignUpForm() {
  const form = useForm({ business_name: "", name: "", email: "", password: "" });
  const { values, field } = form;

  async function open() {
    const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
    const body = { ...values, time_zone };
    const { data } = await callApi("POST /api/sign-up", { body });
    const result = await signIn({ ticket: data.ticket });
    // The account exists in any case; a user who can't be signed in now uses the mailed link.
    await leaveFor(result.ok ? "/test" : `/sign-in?email=${encodeURIComponent(values.email)}`);
  }

  return (
    <Form form={form} onSubmit={open}>
      <TextField
        label="Business name"
        {...field("business_name")}
        required
        autoComplete="organization"
        maxLength={100}
      />
      <TextField label="Your name" {...field("name")} required autoComplete="name" maxLength={100} />
      <TextField label="E-mail address" {...field("email")} required type="email" autoComplete="username" />
      <PasswordField
        label="Password"
        hint={PASSWORD_HINT}
        {...field("password")}
        required
        autoComplete="new-password"
        maxLength={200}
      />
      <AuthSubmit pending={form.pending}>Create account</AuthSubmit>
    </Form>
  );
}

type VerifyEmailFormProps = {
  token: string;
  email: string;
  /** The caller isn't signed in as this user, so the account's password is required. */
  asksPassword: boolean;
};

/** Needs a press, because mail scanners open links. */
export function VerifyEmailForm({ token, email, asksPassword }: VerifyEmailFormProps) {
  const form = useForm({ password: "" });
  const { password } = form.values;

  async function confirm() {
    await callApi("POST /api/verify-email", { body: { token, ...(asksPassword && { password }) } });
    const isIn = !asksPassword || (await signIn({ email, password })).ok;
    // With a second factor, the password alone doesn't sign in.
    await leaveFor(isIn ? "/test" : `/sign-in?email=${encodeURIComponent(email)}`);
  }

  return (
    <Form form={form} onSubmit={confirm}>
      <input type="hidden" name="email" autoComplete="username" value={email} />
      {asksPassword && (
        <PasswordField label="Password" {...form.field("password")} autoComplete="current-password" required />
      )}
      <AuthSubmit pending={form.pending}>Confirm</AuthSubmit>
    </Form>
  );
}

type ChoosePasswordFormProps = {
  token: string;
  email: string;
  /** Null hides the field: only new team members enter a name. */
  name: string | null;
};

/** Sets a password with a mailed link, then signs in with it. */
export function ChoosePasswordForm({ token, email, name: known }: ChoosePasswordFormProps) {
  const form = useForm({ name: known ?? "", password: "" });
  const { name, password } = form.values;

  async function choose() {
    const body = { token, password, ...(known !== null && { name }) };
    await callApi("POST /api/reset-password", { body });
    const result = await signIn({ email, password });
    // With a second factor, the password alone doesn't sign in.
    await leaveFor(result.ok ? "/test" : `/sign-in?chosen=1&email=${encodeURIComponent(email)}`);
  }

  return (
    <Form form={form} onSubmit={choose}>
      <input type="hidden" name="email" autoComplete="username" value={email} />
      {known !== null && (
        <TextField label="Your name" {...form.field("name")} autoComplete="name" required maxLength={100} />
      )}
      <PasswordField
        label={known === null ? "New password" : "Password"}
        hint={PASSWORD_HINT}
        {...form.field("password")}
        autoComplete="new-password"
        required
        maxLength={200}
      />
      <AuthSubmit pending={form.pending}>{known === null ? "Change password and sign in" : "Join"}</AuthSubmit>
    </Form>
  );
}
