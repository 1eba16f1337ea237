import type { DeclineCode } from "@/lib/contract/errors";
import { addInterval } from "./periods";

/** When a declined invoice is tried again, and what happens after the last try. */
export type DunningPolicy = {
  /** Days from each try to the next. */
  readonly days: readonly number[];
  /** After the last try the subscription is cancelled; otherwise both stay as they are. */
  readonly cancels: boolean;
};

export const DUNNING: DunningPolicy = { days: [3, 5, 7], cancels: true };

/** A card that was refused like this is not tried again: the invoice waits for another card. */
const HARD: ReadonlySet<DeclineCode> = new Set([
  "lost_card",
  "stolen_card",
  "fraud_suspected",
  "expired_card",
  "incorrect_number",
]);

/** What a failed try leads to. */
export type NextTry =
  | { readonly kind: "later"; readonly at: string; readonly step: number }
  /** Not without a new card. */
  | { readonly kind: "waits" }
  | { readonly kind: "over" };

/**
 * What follows a try by the engine that failed at `now`. `step`: steps used up before it. `declineCode`: null if no issuer
 * saw it.
 */
export function afterFailedTry(
  { days }: DunningPolicy,
  {
    step,
    declineCode,
    now,
    timeZone,
  }: { step: number; declineCode: DeclineCode | null; now: string; timeZone: string },
): NextTry {
  if (declineCode !== null && HARD.has(declineCode)) return { kind: "waits" };
  const pause = days[step];
  if (pause === undefined) return { kind: "over" };
  return { kind: "later", at: addInterval(now, timeZone, { value: pause, unit: "DAYS" }), step: step + 1 };
}
