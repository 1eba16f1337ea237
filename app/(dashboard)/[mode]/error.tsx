"use client";

import { ErrorState } from "@/components/ui/error-state";
import { useTrouble } from "@/lib/client/use-trouble";

const FAULT = {
  title: "This page could not be loaded",
  detail: "Nothing is lost. Try again. If it happens again, give support the id below.",
};

type ErrorPageProps = { error: unknown; retry: () => void };

export default function DashboardErrorPage({ error, retry }: ErrorPageProps) {
  const text = useTrouble(FAULT);
  return <ErrorState page {...text} requestId={text === FAULT ? digestOf(error) : null} onRetry={retry} />;
}

/** The name of the error in the service's log. */
function digestOf(error: unknown): string | null {
  return error instanceof Error && "digest" in error && typeof error.digest === "string" ? error.digest : null;
}
