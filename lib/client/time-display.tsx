"use client";

import { createContext, type ReactNode, useContext, useMemo, useSyncExternalStore } from "react";
import { fullTimeText } from "@/lib/contract/format";

type TimeDisplay = {
  /** How the user wants times: in the business's zone or in UTC. */
  times: "local" | "utc";
  /** The business's: filters, charts and exports have its days. */
  timeZone: string;
};

const TimeDisplayContext = createContext<TimeDisplay>({ times: "local", timeZone: "UTC" });

/** Says how every time below it is shown. */
export function TimeDisplayProvider({ times, timeZone, children }: TimeDisplay & { children: ReactNode }) {
  const value = useMemo(() => ({ times, timeZone }), [times, timeZone]);
  return <TimeDisplayContext value={value}>{children}</TimeDisplayContext>;
}

/** The IANA zone to show times in: the business's, or UTC. The browser's is in the tooltips. */
export function useTimeZone(): string {
  const { times, timeZone } = useContext(TimeDisplayContext);
  return times === "utc" ? "UTC" : timeZone;
}

/** A time in full: in the user's zone and in UTC, and in the displayed zone when that differs. */
export function timeForms(at: Date, zone: string): string[] {
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set([zone, local, "UTC"])];
  return zones.map((name) => `${fullTimeText(at, name)}${name === "UTC" ? "" : ` (${name})`}`);
}

const REFRESH_MS = 30_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const notify of listeners) notify();
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
      // No timer runs while nothing listens.
      if (!timer) now = Date.now();
      return now;
    },
    serverNow,
  );
}
