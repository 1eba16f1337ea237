"use client";

import { useTrouble } from "@/lib/client/use-trouble";

const FAULT = { title: "This page could not be loaded", detail: "Nothing you did is lost. Try again in a moment." };

type ErrorPageProps = { error: unknown; retry: () => void };

/** Imports no components, because every page loads it. */
export default function ErrorPage({ error, retry }: ErrorPageProps) {
  const { title, detail, requestId } = useTrouble(FAULT, error);
  return (
    <main id="content" className="flex min-h-[70dvh] flex-col items-center justify-center px-4 text-center">
      <h1 className="font-semibold text-sm">{title}</h1>
      <p className="mt-1 max-w-xl text-[13px] text-soft">
        {detail}
        {requestId && (
          <>
            {" "}
            If it happens again, give support this id: <code className="tick text-ink">{requestId}</code>
          </>
        )}
      </p>
      <button type="button" onClick={retry} className="button button-secondary mt-4">
        Try again
      </button>
    </main>
  );
}
