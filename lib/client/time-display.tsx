"use client";

import { createContext, type ReactNode, useContext, useMemo, useSyncExternalStore } from "react";
import { fullTimeText } from "@/lib/contract/format";
import { type ClientClock, clockMs } from "./test-clock/clock";

type TimeDisplay = {
  /** The user's preference: the business's zone or UTC. */
  times: "local" | "utc";
  /** The business's zone, which defines the days of filters, charts and exports. */
  timeZone: string;
  /** The environment's test clock; null = real time. */
  clock?: ClientClock;
};

const TimeDisplayContext = createContext<TimeDisplay>({ times: "local", timeZone: "UTC" });

/** Sets the time display for everything below. */
export function TimeDisplayProvider({
  times,
  timeZone,
  clock = null,
  children,
}: TimeDisplay & { children: ReactNode }) {
  const value = useMemo(() => ({ times, timeZone, clock }), [times, timeZone, clock]);
  return <TimeDisplayContext value={value}>{children}</TimeDisplayContext>;
}

/** IANA zone of displayed times: the business's, or UTC. Tooltips show the browser's. */
export function useTimeZone(): string {
  const { times, timeZone } = useContext(TimeDisplayContext);
  return times === "utc" ? "UTC" : timeZone;
}

/** A time in full: in the user's zone and in UTC, and in the displayed zone if that differs. */
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

/** The server runs for a long time; a browser starts with one fixed moment. */
const serverNow = () => (typeof document === "undefined" ? Date.now() : now);

/** Milliseconds since 1970, updated every half minute: one clock for all relative times of a page. */
export function useNow(): number {
  return useSyncExternalStore(
    subscribe,
    () => {
      // No timer runs without subscribers.
      if (!timer) now = Date.now();
      return now;
    },
    serverNow,
  );
}

/** The same by the environment's clock, for times of what happens in it. */
export function useEnvironmentNow(): number {
  const { clock = null } = useContext(TimeDisplayContext);
  return clockMs(clock, useNow());
}
