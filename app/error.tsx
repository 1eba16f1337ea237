"use client";

import { OUTAGE, useOutage } from "@/lib/client/use-outage";

type ErrorPageProps = { error: unknown; retry: () => void };

/** Stands on nothing of components: it is loaded with every page. */
export default function ErrorPage({ error, retry }: ErrorPageProps) {
  const isOut = useOutage();
  const digest = error instanceof Error && "digest" in error && typeof error.digest === "string" ? error.digest : null;
  return (
    <main id="content" className="flex min-h-[70dvh] flex-col items-center justify-center px-4 text-center">
      <h1 className="font-semibold text-sm">{isOut ? OUTAGE.title : "This page could not be shown"}</h1>
      <p className="mt-1 max-w-xl text-[13px] text-soft">
        {isOut ? OUTAGE.detail : "Something went wrong on our side. Nothing you did is lost."}
        {digest && !isOut && (
          <>
            {" "}
            If it happens again, quote <code className="tick text-ink">{digest}</code> to support.
          </>
        )}
      </p>
      <button type="button" onClick={retry} className="button button-secondary mt-4">
        Try again
      </button>
    </main>
  );
}
