import { useEffect, useState } from "react";

type Trouble = { title: string; detail: string };

const OUTAGE: Trouble = {
  title: "The database does not respond",
  detail: "This page cannot be shown right now. Nothing you did is lost. Try again in a moment.",
};
const OFFLINE: Trouble = {
  title: "No connection to Cardlane",
  detail: "Check your internet connection and try again. Nothing you did is lost.",
};

/**
 * Reason why a page couldn't be shown; the browser gets only an error's number. Checks the service's health:
 * without a response the network is down. `fault` is shown until then, and if the service is healthy, with
 * the error's number in the service's log.
 */
export function useTrouble(fault: Trouble, error: unknown): Trouble & { requestId: string | null } {
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  // The external system here is the service.
  useEffect(() => {
    const request = new AbortController();
    fetch("/health/ready", { cache: "no-store", signal: request.signal }).then(
      ({ status }) => setTrouble(status === 503 ? OUTAGE : null),
      () => {
        if (!request.signal.aborted) setTrouble(OFFLINE);
      },
    );
    return () => request.abort();
  }, []);
  return trouble ? { ...trouble, requestId: null } : { ...fault, requestId: digestOf(error) };
}

function digestOf(error: unknown): string | null {
  return error instanceof Error && "digest" in error && typeof error.digest === "string" ? error.digest : null;
}
