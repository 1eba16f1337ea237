import type { DeclineCode } from "@/lib/contract/errors";
import { addInterval } from "./periods";

/** Retry schedule of a declined invoice, and what follows its last attempt. */
export type DunningPolicy = {
  /** Days from each attempt to the next. */
  readonly days: readonly number[];
  /**
   * True: the last failed attempt cancels the subscription. False: it stays past due, and the invoice open.
   */
  readonly cancels: boolean;
};

export const DUNNING: DunningPolicy = { days: [3, 5, 7], cancels: true };

/** Hard declines: the card is not charged again, and the invoice waits for another one. */
const HARD: ReadonlySet<DeclineCode> = new Set([
  "lost_card",
  "stolen_card",
  "fraud_suspected",
  "expired_card",
  "incorrect_number",
]);

/** The next step after a failed attempt. */
export type NextTry =
  | { readonly kind: "later"; readonly at: string; readonly step: number }
  /** No further attempt until the subscription has another card. */
  | { readonly kind: "waits" }
  | { readonly kind: "over" };

/**
 * What follows an automatic attempt that failed at `now`. `step`: dunning steps used up before it.
 * `declineCode`: null if it reached no issuer.
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
