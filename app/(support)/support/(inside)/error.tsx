"use client";

import { ErrorState } from "@/components/ui/error-state";
import { OUTAGE, useOutage } from "@/lib/client/use-outage";

const FAULT = {
  title: "This page could not be loaded",
  detail: "Something went wrong on our side. What cannot be written to the audit log is not shown either.",
};

type ErrorPageProps = { error: unknown; retry: () => void };

export default function SupportErrorPage({ error, retry }: ErrorPageProps) {
  const text = useOutage() ? OUTAGE : FAULT;
  return <ErrorState page {...text} requestId={text === FAULT ? digestOf(error) : null} onRetry={retry} />;
}

/** The name of the error in the service's log. */
function digestOf(error: unknown): string | null {
  return error instanceof Error && "digest" in error && typeof error.digest === "string" ? error.digest : null;
}
