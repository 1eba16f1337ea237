"use client";

import { useNow, useTimeZone } from "@/lib/client/time-display";
import { dateText, fullTimeText, relativeTimeText, timeText } from "@/lib/contract/format";
import { cn } from "./styles";
import { Tooltip } from "./tooltip";

type TimeProps = {
  /** ISO 8601. */
  at: string;
  style?: "absolute" | "relative" | "date";
  className?: string;
};

/** A moment as the person prefers times; its tooltip has the other form and the zone. */
export function Time({ at, style = "absolute", className }: TimeProps) {
  const zone = useTimeZone();
  return (
    <Tooltip content={() => <TimeDetails at={at} zone={zone} relative={style !== "relative"} />} describes={false}>
      {/* The server knows neither the browser's zone nor its clock. */}
      <time dateTime={at} className={cn("whitespace-nowrap tabular-nums", className)} suppressHydrationWarning>
        {style === "relative" ? (
          <RelativeTime at={at} />
        ) : style === "date" ? (
          dateText(new Date(at), zone)
        ) : (
          timeText(new Date(at), zone)
        )}
      </time>
    </Tooltip>
  );
}

/** Words only, kept current. */
function RelativeTime({ at }: { at: string }) {
  return <>{relativeTimeText(new Date(at), new Date(useNow()))}</>;
}

function TimeDetails({ at, zone, relative }: { at: string; zone: string; relative: boolean }) {
  const date = new Date(at);
  return (
    <>
      <span className="block">{fullTimeText(date, zone)}</span>
      {relative && <span className="block opacity-75">{relativeTimeText(date)}</span>}
      {zone !== "UTC" && <span className="block font-mono text-[11px] opacity-75">{at}</span>}
    </>
  );
}
