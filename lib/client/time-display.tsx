"use client";

import { createContext, type ReactNode, useContext, useMemo, useSyncExternalStore } from "react";

type TimeDisplay = {
  /** How the person wants times: in the browser's zone or in UTC. */
  times: "local" | "utc";
  /** Best guess of the browser's zone, for what the server renders. */
  timeZone: string;
};

const TimeDisplayContext = createContext<TimeDisplay>({ times: "local", timeZone: "UTC" });

/** Says how every time below it is shown. */
export function TimeDisplayProvider({ times, timeZone, children }: TimeDisplay & { children: ReactNode }) {
  const value = useMemo(() => ({ times, timeZone }), [times, timeZone]);
  return <TimeDisplayContext value={value}>{children}</TimeDisplayContext>;
}

const never = () => () => {};
const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The IANA zone to show times in: UTC, the browser's, or, until the page is alive, the merchant's. */
export function useTimeZone(): string {
  const { times, timeZone } = useContext(TimeDisplayContext);
  const local = useSyncExternalStore(never, browserZone, () => timeZone);
  return times === "utc" ? "UTC" : local;
}

const REFRESH_MS = 30_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const tell of listeners) tell();
  }, REFRESH_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The server renders for many hours; a browser starts with one moment. */
const serverNow = () => (typeof document === "undefined" ? Date.now() : now);

/** Milliseconds since 1970, moving on every half minute: one clock for all relative times of a page. */
export function useNow(): number {
  return useSyncExternalStore(
    subscribe,
    () => {
      // Nobody ticked while no one listened.
      if (!timer) now = Date.now();
      return now;
    },
    serverNow,
  );
}
