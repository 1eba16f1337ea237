"use client";

import { useState } from "react";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { CodeField, Form, PasswordField, TextField } from "@/components/ui/form";
import { SIGN_IN_ERROR_TEXTS, signIn } from "@/lib/client/accounts/sign-in";
import { callApi } from "@/lib/client/api";
import { FormRefusal, leaveFor, useForm } from "@/lib/client/use-form";
import type { MailRoute } from "@/lib/contract/accounts/fields";
import { AuthHeading, AuthLink, AuthSubmit } from "./auth-page";

type SignInFormProps = {
  /** Path to open after sign-in; always on this site. */
  next: string;
  /** Prefilled after a password was chosen. */
  email?: string | undefined;
  notice?: string | undefined;
};

/** E-mail address and password, then the code of a second factor, in one form. */
export function SignInForm({ next, email: known = "", notice }: SignInFormProps) {
  const form = useForm({ email: known, password: "", code: "" });
  const { values, field, pending, failure } = form;
  const [step, setStep] = useState<"password" | "code">("password");

  async function submit() {
    const { email, password, code } = values;
    if (email.trim() === "" || password === "") {
      throw new FormRefusal("Enter your e-mail address and your password.");
    }
    const result = await signIn({ email, password, ...(step === "code" && { code }) });
    if (result.ok) return leaveFor(next);
    if (result.error === "code_required") {
      if (step === "code") throw new FormRefusal("Enter the code.");
      return setStep("code");
    }
    // A lockout doesn't reveal if the code was right, so it starts over with the password.
    if (result.error === "wrong" || result.error === "locked") setStep("password");
    form.set({ code: "" });
    throw new FormRefusal(SIGN_IN_ERROR_TEXTS[result.error]);
  }

  return (
    <>
      <AuthHeading title={step === "code" ? "Enter your code" : "Sign in"}>
        {step === "code" ? (
          <>Signing in as {values.email}</>
        ) : (
          <>
            New here? <AuthLink href="/sign-up">Create an account</AuthLink>
          </>
        )}
      </AuthHeading>
      <Form form={form} onSubmit={submit}>
        {notice && failure.text === null && step === "password" && <Banner tone="green">{notice}</Banner>}
        {step === "password" ? (
          <>
            <TextField
              label="E-mail address"
              {...field("email")}
              type="email"
              autoComplete="username"
              required
              ref={known === "" ? takeFocus : undefined}
            />
            <PasswordField
              label="Password"
              {...field("password")}
              autoComplete="current-password"
              required
              ref={known === "" ? undefined : takeFocus}
            />
            <p className="-mt-2 text-[13px]">
              <AuthLink href="/forgot-password">Forgot your password?</AuthLink>
            </p>
          </>
        ) : (
          <CodeField label="Code" hint={CODE_HINT} {...field("code")} required ref={takeFocus} />
        )}
        <AuthSubmit pending={pending}>{step === "code" ? "Verify" : "Sign in"}</AuthSubmit>
        {step === "code" && (
          <Button
            variant="ghost"
            onClick={() => {
              setStep("password");
              form.clearFailure();
              form.set({ code: "" });
            }}
          >
            Use another account
          </Button>
        )}
      </Form>
    </>
  );
}

const CODE_HINT = "The six-digit code from your authenticator app, or a recovery code.";

/** Focuses the first field. */
const takeFocus = (input: HTMLInputElement | null) => input?.focus();

const STAFF_ERRORS = {
  ...SIGN_IN_ERROR_TEXTS,
  wrong: "The e-mail address or the password is wrong.",
  locked: "Too many failed sign-ins: this account is locked for up to 30 minutes. Try again later.",
  code_required: "Enter the code from your authenticator app, too.",
};

/** One step for all three, because every staff member has a second factor. */
export function StaffSignInForm({ next }: { next: string }) {
  const form = useForm({ email: "", password: "", code: "" });
  const { values, field, pending } = form;

  async function submit() {
    if (values.email.trim() === "" || values.password === "" || values.code.trim() === "") {
      throw new FormRefusal("Enter your e-mail address, your password and a code.");
    }
    const result = await signIn({ audience: "staff", ...values });
    if (result.ok) return leaveFor(next);
    // A code works only once, even a wrong one.
    form.set({ code: "" });
    throw new FormRefusal(STAFF_ERRORS[result.error]);
  }

  return (
    <Form form={form} onSubmit={submit} live className="flex flex-col gap-4">
      <TextField
        label="E-mail address"
        {...field("email")}
        type="email"
        autoComplete="username"
        required
        ref={takeFocus}
      />
      <PasswordField label="Password" {...field("password")} autoComplete="current-password" required />
      <CodeField label="Code" hint={CODE_HINT} {...field("code")} required />
      <AuthSubmit pending={pending}>Sign in</AuthSubmit>
    </Form>
  );
}

export function ForgotPasswordForm({ mail }: { mail: MailRoute }) {
  const form = useForm({ email: "" });
  const [sentTo, setSentTo] = useState<string | null>(null);

  async function request() {
    setSentTo(null);
    const { email } = form.values;
    await callApi("POST /api/forgot-password", { body: { email } });
    setSentTo(email.trim());
  }

  return (
    <Form form={form} onSubmit={request}>
      <div aria-live="polite" className="empty:hidden">
        {sentTo && <Sent to={sentTo} mail={mail} />}
      </div>
      <TextField label="E-mail address" {...form.field("email")} type="email" autoComplete="username" required />
      <AuthSubmit pending={form.pending}>Send me a link</AuthSubmit>
    </Form>
  );
}

function Sent({ to, mail }: { to: string; mail: MailRoute }) {
  if (mail === "console") {
    return (
      <Banner tone="amber" title="No mail server is set up">
        If {to} has an account, the link is in this service’s console: ask its operator.
      </Banner>
    );
  }
  return (
    <Banner tone="green" title={mail === "sent" ? "Check your e-mail" : "Check the outbox"}>
      If {to} has an account, a link to choose a new password is on its way. It works for an hour, and only the latest
      one works.
      {mail === "outbox" && (
        <>
          {" "}
          No mail server is set up here: it is in the <AuthLink href="/outbox">outbox</AuthLink>.
        </>
      )}
    </Banner>
  );
}
