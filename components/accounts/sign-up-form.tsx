"use client";

import { Form, PasswordField, TextField } from "@/components/ui/form";
import { signIn } from "@/lib/client/accounts/sign-in";
import { callApi } from "@/lib/client/api";
import { leaveFor, useForm } from "@/lib/client/use-form";
import { AuthSubmit, PASSWORD_HINT } from "./auth-page";

/** Opens an account, signs in, and goes to the test environment. */
export function SignUpForm() {
  const form = useForm({ business_name: "", name: "", email: "", password: "" });
  const { values, field } = form;

  async function open() {
    const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
    const body = { ...values, time_zone };
    const { data } = await callApi("POST /api/sign-up", { body });
    const answer = await signIn({ ticket: data.ticket });
    // The account is there in any case; whoever cannot be signed in at once opens the link in the mail and signs in.
    await leaveFor(answer.ok ? "/test" : `/sign-in?email=${encodeURIComponent(values.email)}`);
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
  /** Nobody is signed in here, or another user: the account's password shows that the account is theirs. */
  asksPassword: boolean;
};

/** A button, and not the page itself: mail scanners open links. */
export function VerifyEmailForm({ token, email, asksPassword }: VerifyEmailFormProps) {
  const form = useForm({ password: "" });
  const { password } = form.values;

  async function confirm() {
    await callApi("POST /api/verify-email", { body: { token, ...(asksPassword && { password }) } });
    const isIn = !asksPassword || (await signIn({ email, password })).ok;
    // With a second factor the password alone does not sign in.
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
  /** Null asks for no name: only new members of a team are asked. */
  name: string | null;
};

/** Chooses a password with a mailed link, and signs in with it. */
export function ChoosePasswordForm({ token, email, name: known }: ChoosePasswordFormProps) {
  const form = useForm({ name: known ?? "", password: "" });
  const { name, password } = form.values;

  async function choose() {
    const body = { token, password, ...(known !== null && { name }) };
    await callApi("POST /api/reset-password", { body });
    const answer = await signIn({ email, password });
    // With a second factor the password alone does not sign in.
    await leaveFor(answer.ok ? "/test" : `/sign-in?chosen=1&email=${encodeURIComponent(email)}`);
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
