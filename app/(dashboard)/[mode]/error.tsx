"use client";

import { ErrorState } from "@/components/ui/error-state";
import { useTrouble } from "@/lib/client/use-trouble";

const FAULT = {
  title: "This page could not be loaded",
  detail: "Nothing is lost. Try again. If it keeps happening, contact support.",
};

type ErrorPageProps = { error: unknown; retry: () => void };

export default function DashboardErrorPage({ error, retry }: ErrorPageProps) {
  return <ErrorState page {...useTrouble(FAULT, error)} onRetry={retry} />;
}
