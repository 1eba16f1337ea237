"use client";

import { ErrorState } from "@/components/ui/error-state";
import { useTrouble } from "@/lib/client/use-trouble";

const FAULT = {
  title: "This page could not be loaded",
  detail: "Try again. If it keeps happening, report it. Nothing is shown that could not be recorded in the audit log.",
};

type ErrorPageProps = { error: unknown; retry: () => void };

export default function SupportErrorPage({ error, retry }: ErrorPageProps) {
  return <ErrorState page {...useTrouble(FAULT, error)} onRetry={retry} />;
}
