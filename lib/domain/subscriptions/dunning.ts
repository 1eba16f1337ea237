import type { DeclineCode } from "@/lib/contract/errors";
import type { SubscriptionSettings } from "@/lib/contract/subscriptions/settings";
import { addInterval } from "./periods";

/** Retry schedule of a declined invoice, and what follows its last attempt. */
export type Dunning = Pick<SubscriptionSettings, "dunning_steps" | "after_last_attempt">;

/** Hard declines: the card is not charged again, and the invoice waits for another one. */
const HARD: ReadonlySet<DeclineCode> = new Set([
  "lost_card",
  "stolen_card",
  "fraud_suspected",
  "expired_card",
  "incorrect_number",
]);

/** True if the card must not be charged again. `declineCode`: null if the issuer didn't decline. */
export const isHardDecline = (declineCode: DeclineCode | null): boolean =>
  declineCode !== null && HARD.has(declineCode);

/** The next step after a failed attempt. */
export type NextAttempt =
  | { readonly kind: "later"; readonly at: string; readonly step: number }
  | { readonly kind: "over" };

/**
 * Next step after an automatic attempt with a soft decline at `now`. `step`: dunning steps used up before it.
 */
export function afterSoftDecline(
  { dunning_steps }: Dunning,
  { step, now, timeZone }: { step: number; now: string; timeZone: string },
): NextAttempt {
  const pause = dunning_steps[step];
  if (pause === undefined) return { kind: "over" };
  return { kind: "later", at: addInterval(now, timeZone, { value: pause, unit: "DAYS" }), step: step + 1 };
}

/** Consecutive attempts that reached no issuer, an hour apart; the next one counts as a soft decline. */
const MAX_UNSENT_ATTEMPTS = 24;
const HOUR_MS = 3_600_000;

/**
 * When an attempt that reached no issuer is repeated; null if it counts as a soft decline. `unsent`: earlier
 * ones.
 */
export const afterUnsentAttempt = (unsent: number, now: string): string | null =>
  unsent < MAX_UNSENT_ATTEMPTS ? new Date(Date.parse(now) + HOUR_MS).toISOString() : null;
