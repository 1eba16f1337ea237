"use client";

import { useState } from "react";
import { Banner, FormFailure } from "@/components/ui/banner";
import { Field, Input } from "@/components/ui/field";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";
import type { MailRoute } from "@/lib/contract/accounts/fields";
import { SubmitButton } from "./auth-fields";
import { AuthLink } from "./auth-page";

export function ForgotPasswordForm({ mail }: { mail: MailRoute }) {
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
      <div aria-live="polite" className="empty:hidden">
        {sentTo && <Sent to={sentTo} mail={mail} />}
      </div>
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
      <SubmitButton pending={pending}>Send me a link</SubmitButton>
    </form>
  );
}

function Sent({ to, mail }: { to: string; mail: MailRoute }) {
  if (mail === "console") {
    return (
      <Banner tone="amber" title="No mail server is set up">
        If {to} has an account, the link is on the console of this service: ask whoever runs it.
      </Banner>
    );
  }
  return (
    <Banner tone="green" title={mail === "sent" ? "Look into your mail" : "Look into the outbox"}>
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
