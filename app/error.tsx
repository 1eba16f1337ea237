"use client";

import { ErrorState } from "@/components/ui/error-state";

type ErrorPageProps = { error: unknown; retry: () => void };

export default function ErrorPage({ error, retry }: ErrorPageProps) {
  const digest = error instanceof Error && "digest" in error && typeof error.digest === "string" ? error.digest : null;
  return (
    <main id="content" className="flex min-h-[70dvh] items-center justify-center">
      <ErrorState
        page
        title="This page could not be shown"
        detail="Something went wrong on our side. Nothing you did is lost. If it happens again, tell support the id below."
        requestId={digest}
        onRetry={retry}
      />
    </main>
  );
}
