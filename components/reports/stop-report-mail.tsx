"use client";

import { useState } from "react";
import { AuthHeading, AuthSubmit } from "@/components/accounts/auth-page";
import { Form } from "@/components/ui/form";
import { callApi } from "@/lib/client/api";
import { useForm } from "@/lib/client/use-form";

/** Needs a press, because mail scanners open links. */
export function StopReportMail({ token, label }: { token: string; label: string }) {
  const form = useForm({});
  const [isStopped, setIsStopped] = useState(false);

  async function stop() {
    await callApi("POST /api/stop-report-mails", { body: { token } });
    setIsStopped(true);
  }

  if (isStopped) {
    return (
      <AuthHeading title="No longer e-mailed">
        You won’t get the report “{label}” by e-mail. To turn it on again, open the report.
      </AuthHeading>
    );
  }
  return (
    <>
      <AuthHeading title="Stop this report?">The report “{label}” will no longer be e-mailed to you.</AuthHeading>
      <Form form={form} onSubmit={stop}>
        <AuthSubmit pending={form.pending}>Stop e-mails</AuthSubmit>
      </Form>
    </>
  );
}
