"use client";

type ErrorPageProps = { error: Error & { digest?: string }; reset: () => void };

export default function ErrorPage({ error, reset }: ErrorPageProps) {
  return (
    <main className="mx-auto max-w-[84rem] px-4 py-20 sm:px-6">
      <h1 className="font-semibold text-2xl tracking-tight">This page could not be shown</h1>
      <p className="mt-3 max-w-lg text-soft">
        Something went wrong on our side. Nothing you did is lost.
        {error.digest && (
          <>
            {" "}
            If it happens again, quote <code className="tick">{error.digest}</code> to support.
          </>
        )}
      </p>
      <button
        type="button"
        onClick={reset}
        className="mt-6 rounded-md bg-accent px-3.5 py-2 font-medium text-[13px] text-on-accent hover:opacity-90"
      >
        Try again
      </button>
    </main>
  );
}
