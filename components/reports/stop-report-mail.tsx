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
      <AuthHeading title="No longer mailed">
        You won’t get the report “{label}” by mail again. The report’s page can turn it on.
      </AuthHeading>
    );
  }
  return (
    <>
      <AuthHeading title="Stop this report?">The report “{label}” won’t be mailed to you any more.</AuthHeading>
      <Form form={form} onSubmit={stop}>
        <AuthSubmit pending={form.pending}>Stop mails</AuthSubmit>
      </Form>
    </>
  );
}
