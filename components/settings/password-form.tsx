"use client";

import { useState } from "react";
import { PASSWORD_HINT } from "@/components/auth/auth-heading";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { FormFailure } from "@/components/ui/form-failure";
import { PasswordInput } from "@/components/ui/password-input";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";

export function PasswordForm({ email }: { email: string }) {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const { pending, failure, run } = useSubmit(["current_password", "new_password"]);

  async function change() {
    const { data } = await callApi<{ ended_sessions: number }>({
      method: "POST",
      path: "/api/dashboard/account/password",
      body: { current_password: current, new_password: next },
    });
    setCurrent("");
    setNext("");
    toast.success("Password changed", { description: endedText(data.ended_sessions) });
  }

  return (
    <form method="post" noValidate onSubmit={(event) => run(change, event)} className="flex flex-col gap-4">
      <FormFailure failure={failure} />
      <input type="hidden" name="email" autoComplete="username" value={email} />
      <Field label="Current password" error={failure.fields.current_password}>
        {(props) => (
          <PasswordInput
            {...props}
            name="current_password"
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        )}
      </Field>
      <Field
        label="New password"
        hint={`${PASSWORD_HINT} Every other browser will be signed out.`}
        error={failure.fields.new_password}
      >
        {(props) => (
          <PasswordInput
            {...props}
            name="new_password"
            autoComplete="new-password"
            maxLength={200}
            value={next}
            onChange={(event) => setNext(event.target.value)}
          />
        )}
      </Field>
      <Button
        type="submit"
        variant="primary"
        className="self-start"
        pending={pending}
        disabled={(current === "" || next === "") && !pending}
      >
        Change password
      </Button>
    </form>
  );
}

const endedText = (count: number) =>
  count === 0
    ? "No other browser was signed in."
    : `${count} other ${count === 1 ? "session was" : "sessions were"} signed out.`;
