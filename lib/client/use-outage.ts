import { useEffect, useState } from "react";

/** What a person is told in place of a page while the database is away. */
export const OUTAGE = {
  title: "The database does not answer",
  detail: "This page cannot be shown right now. Nothing you did is lost. Try again in a moment.",
};

/**
 * Whether the service itself says that it cannot serve. Asked when a page could not be shown: of why, a browser gets to know
 * nothing but a number. False until it has said so.
 */
export function useOutage(): boolean {
  const [isOut, setOut] = useState(false);
  // What is outside of React here is the service.
  useEffect(() => {
    const asked = new AbortController();
    fetch("/health/ready", { cache: "no-store", signal: asked.signal }).then(
      ({ status }) => setOut(status === 503),
      () => {},
    );
    return () => asked.abort();
  }, []);
  return isOut;
}
