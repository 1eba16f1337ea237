"use client";

import { useState } from "react";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { FormFailure } from "@/components/ui/form-failure";
import { Input } from "@/components/ui/input";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";
import { AuthLink } from "./auth-link";

type ForgotPasswordFormProps = {
  /** Whether mail waits in the outbox of this machine instead of being sent. */
  hasOutbox: boolean;
};

export function ForgotPasswordForm({ hasOutbox }: ForgotPasswordFormProps) {
  const [email, setEmail] = useState("");
  const [sentTo, setSentTo] = useState<string | null>(null);
  const { pending, failure, run } = useSubmit(["email"]);

  async function ask() {
    await callApi({ method: "POST", path: "/api/forgot-password", body: { email } });
    setSentTo(email.trim());
  }

  return (
    <form
      method="post"
      onSubmit={(event) => {
        setSentTo(null);
        void run(ask, event);
      }}
      noValidate
      className="flex flex-col gap-4"
    >
      {sentTo && (
        <Banner tone="green" role="status" title="Look into your mail">
          If {sentTo} has an account, a link to choose a new password is on its way. It works for an hour.
          {hasOutbox && (
            <>
              {" "}
              No mail server is set up here: it is in the <AuthLink href="/outbox">outbox</AuthLink>.
            </>
          )}
        </Banner>
      )}
      <FormFailure failure={failure} />
      <Field label="E-mail address" error={failure.fields.email}>
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
      <Button type="submit" variant="primary" pending={pending} className="h-9">
        Send me a link
      </Button>
    </form>
  );
}
