"use client";

import { cn } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { useEnvironmentNow } from "@/lib/client/time-display";
import type { Dispute } from "@/lib/contract/disputes/dispute";

const DAY_MS = 86_400_000;
/** From here on the time left is red. */
const URGENT_MS = 2 * DAY_MS;

/** "6 days left", "5 hours left", "Deadline passed". */
function timeLeftText(leftMs: number): string {
  if (leftMs <= 0) return "Deadline passed";
  const [amount, unit] =
    leftMs >= DAY_MS ? [Math.floor(leftMs / DAY_MS), "day"] : [Math.max(1, Math.floor(leftMs / 3_600_000)), "hour"];
  return `${amount} ${unit}${amount === 1 ? "" : "s"} left`;
}

/** The deadline for a response with the time left; nothing while none is needed. */
export function Deadline({ dispute: { status, respond_by } }: { dispute: Pick<Dispute, "status" | "respond_by"> }) {
  const now = useEnvironmentNow();
  if (status !== "NEEDS_RESPONSE" || respond_by === null) return null;
  const left = Date.parse(respond_by) - new Date(now).getTime();
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-2">
      <Time at={respond_by} />
      <span
        suppressHydrationWarning
        className={cn("whitespace-nowrap text-xs", left < URGENT_MS ? "text-red" : "text-soft")}
      >
        {timeLeftText(left)}
      </span>
    </span>
  );
}
