"use client";

import { useRouter } from "next/navigation";
import { useEffect, useTransition } from "react";
import { timeForms, useEnvironmentNow, useNow, useTimeZone } from "@/lib/client/time-display";
import { dateText, relativeTimeText, timeText } from "@/lib/contract/format";
import { Tooltip } from "./floating";
import { cn } from "./styles";

type TimeProps = {
  /** ISO 8601. */
  at: string;
  style?: "absolute" | "relative" | "date";
  /** "environment": of what happens in the environment, whose test clock may be ahead. */
  by?: "real" | "environment";
  className?: string;
};

/**
 * A time in the user's preferred format; its tooltip shows the other format, in the user's zone and in UTC.
 */
export function Time({ at, style = "absolute", by = "real", className }: TimeProps) {
  const zone = useTimeZone();
  return (
    <Tooltip content={() => <TimeDetails at={at} zone={zone} relative={style !== "relative"} />} describes={false}>
      {/* Server and browser clocks differ. */}
      <time dateTime={at} className={cn("whitespace-nowrap tabular-nums", className)} suppressHydrationWarning>
        {style === "relative" ? (
          <RelativeTime at={at} by={by} />
        ) : style === "date" ? (
          dateText(new Date(at), zone)
        ) : (
          <AbsoluteTime at={at} zone={zone} />
        )}
      </time>
    </Tooltip>
  );
}

/** With the year, unless that is the current one both in fact and by the test clock. */
function AbsoluteTime({ at, zone }: { at: string; zone: string }) {
  const [real, environment] = [useNow(), useEnvironmentNow()].map((now) => timeText(new Date(at), zone, new Date(now)));
  return <>{(real ?? "").length > (environment ?? "").length ? real : environment}</>;
}

/** Relative time as text, kept current. */
function RelativeTime({ at, by }: Required<Pick<TimeProps, "at" | "by">>) {
  const [real, environment] = [useNow(), useEnvironmentNow()];
  return <>{relativeTimeText(new Date(at), new Date(by === "environment" ? environment : real))}</>;
}

function TimeDetails({ at, zone, relative }: { at: string; zone: string; relative: boolean }) {
  const date = new Date(at);
  return (
    <>
      {timeForms(date, zone).map((text) => (
        <span key={text} className="block whitespace-nowrap tabular-nums">
          {text}
        </span>
      ))}
      {relative && <span className="block opacity-75">{relativeTimeText(date)}</span>}
    </>
  );
}

/** Names the time zone of a table's times. */
export function ZoneNote({ className }: { className?: string }) {
  return <span className={cn("whitespace-nowrap", className)}>Times in {useTimeZone()}</span>;
}

/**
 * Refreshes the page every `ms` and when its tab is shown again. Never while the tab is hidden, nor offline,
 * where Next would respond to a failed refresh by reloading the page; nor during a refresh, because on a slow
 * network each would delay a navigation further.
 */
export function RefreshEvery({ ms }: { ms: number }) {
  const router = useRouter();
  const [isRefreshing, startRefresh] = useTransition();
  useEffect(() => {
    if (isRefreshing) return;
    const look = () => {
      if (document.visibilityState === "visible" && navigator.onLine) startRefresh(() => router.refresh());
    };
    const timer = setInterval(look, ms);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [router, ms, isRefreshing]);
  return null;
}
