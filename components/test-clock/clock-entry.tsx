"use client";

import { Clock } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { missingPart } from "@/components/ui/missing-part";
import { RefreshEvery } from "@/components/ui/time";
import { useDashboard } from "@/lib/client/dashboard-context";
import { type ClientClock, clockMs } from "@/lib/client/test-clock/clock";
import { useEnvironmentNow, useTimeZone } from "@/lib/client/time-display";
import { dateText } from "@/lib/contract/format";

/** Loaded on demand, because few visits advance the clock. */
const AdvanceDialog = dynamic(() => import("./advance-dialog").then((module) => module.AdvanceDialog, missingPart));

type ClockEntryProps = { clock: ClientClock; mayAdvance: boolean };

/** The sandbox's date if a test clock moved it, and a button that advances it. */
export function ClockEntry({ clock, mayAdvance }: ClockEntryProps) {
  const { merchant } = useDashboard();
  const [openedMs, setOpenedMs] = useState<number | null>(null);
  const zone = useTimeZone();
  const now = useEnvironmentNow();
  const isAdvancing = clock?.frozenAt != null;
  if (clock === null && !mayAdvance) return null;
  const label = isAdvancing ? "Advancing…" : clock === null ? "Advance time…" : "Advance…";
  const date = clock !== null && (
    <span className="flex items-center gap-1.5 tabular-nums">
      <Clock aria-hidden="true" className="size-3.5 text-amber" />
      <span className="sr-only">Test clock:</span>
      <time dateTime={new Date(now).toISOString()} suppressHydrationWarning>
        {dateText(new Date(now), zone)}
      </time>
    </span>
  );
  return (
    <span className="test-clock">
      {date}
      {mayAdvance && (
        <button
          type="button"
          // Contains the visible text, which voice control uses.
          aria-label={`${label} (test clock)`}
          onClick={() => setOpenedMs(clockMs(clock, Date.now()))}
        >
          {label}
        </button>
      )}
      {isAdvancing && <RefreshEvery ms={2_000} />}
      {openedMs !== null && (
        <AdvanceDialog
          nowMs={openedMs}
          timeZone={merchant.timeZone}
          isAdvancing={isAdvancing}
          onClose={() => setOpenedMs(null)}
        />
      )}
    </span>
  );
}
