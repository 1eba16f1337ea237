"use client";

import { type SubmitEvent, useState } from "react";
import { Banner, FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Field, Input } from "@/components/ui/field";
import { SIGN_IN_ERROR_TEXTS, signIn } from "@/lib/client/accounts/sign-in";
import { PasswordInput, SubmitButton } from "./auth-fields";
import { AuthHeading, AuthLink } from "./auth-page";

type SignInFormProps = {
  /** Where to go afterwards: a path of our own. */
  next: string;
  /** Filled in already, after a password was chosen. */
  email?: string | undefined;
  notice?: string | undefined;
};

/** E-mail address and password; then, for those who have a second factor, its code. Both steps are one form. */
export function SignInForm({ next, email: known = "", notice }: SignInFormProps) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [step, setStep] = useState<"password" | "code">("password");
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (pending) return;
    if (email.trim() === "" || password === "") return setError("Enter your e-mail address and your password.");
    setPending(true);
    setError(null);
    const answer = await signIn({ email, password, ...(step === "code" && { code }) });
    if (answer.ok) return window.location.assign(next);
    setPending(false);
    if (answer.error === "code_required") {
      setStep("code");
      return setError(step === "code" ? "Enter the code." : null);
    }
    setError(SIGN_IN_ERROR_TEXTS[answer.error]);
    // A lock says nothing about the code: it begins anew with the password.
    if (answer.error === "wrong" || answer.error === "locked") setStep("password");
    setCode("");
  }

  return (
    <>
      <AuthHeading title={step === "code" ? "Enter your code" : "Sign in"}>
        {step === "code" ? (
          <>Signing in as {email}</>
        ) : (
          <>
            New here? <AuthLink href="/sign-up">Open an account</AuthLink>
          </>
        )}
      </AuthHeading>
      <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
        {notice && !error && step === "password" && <Banner tone="green">{notice}</Banner>}
        <FormFailure failure={{ text: error }} />
        {step === "password" ? (
          <PasswordStep email={email} setEmail={setEmail} password={password} setPassword={setPassword} />
        ) : (
          <CodeStep code={code} setCode={setCode} />
        )}
        <SubmitButton pending={pending}>{step === "code" ? "Verify" : "Sign in"}</SubmitButton>
        {step === "code" && (
          <Button
            variant="ghost"
            onClick={() => {
              setStep("password");
              setError(null);
              setCode("");
            }}
          >
            Use another account
          </Button>
        )}
      </form>
    </>
  );
}

type PasswordStepProps = {
  email: string;
  setEmail: (email: string) => void;
  password: string;
  setPassword: (password: string) => void;
};

function PasswordStep({ email, setEmail, password, setPassword }: PasswordStepProps) {
  return (
    <>
      <Field label="E-mail address">
        {(props) => (
          <Input
            {...props}
            type="email"
            name="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <Field label="Password">
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
      <p className="-mt-2 text-[13px]">
        <AuthLink href="/forgot-password">Forgot your password?</AuthLink>
      </p>
    </>
  );
}

/** The step before ended with the button that led here. */
const takeFocus = (input: HTMLInputElement | null) => input?.focus();

function CodeStep({ code, setCode }: { code: string; setCode: (code: string) => void }) {
  return (
    <Field label="Code" hint="Six digits from your authenticator app, or one of your recovery codes.">
      {(props) => (
        <Input
          {...props}
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="off"
          spellCheck={false}
          required
          ref={takeFocus}
          maxLength={40}
          value={code}
          onChange={(event) => setCode(event.target.value)}
          className="font-mono tabular-nums tracking-wider"
        />
      )}
    </Field>
  );
}
