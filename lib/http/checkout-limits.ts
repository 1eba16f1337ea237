import { networkOf } from "@/lib/auth/attempt-limits";
import { AppError } from "@/lib/contract/errors";
import { env } from "@/lib/env";
import { createTokenBuckets } from "@/lib/token-buckets";

/** A card by its issuer, within one merchant's environment. */
export type Bin = { environmentId: string; number: string };

export type CheckoutLimits = {
  /** Counts an attempt. Throws `rate_limited` when the address tries too often, or too many cards of the BIN were declined. */
  takeAttempt(address: string, bin: Bin): void;
  /** Counts a decline of a card of this BIN. */
  noteDecline(bin: Bin): void;
};

const BIN_LENGTH = 6;

/** On globalThis: Next bundles a copy of this module into each route. */
const holder = globalThis as { [key: symbol]: CheckoutLimits | undefined };
const KEY = Symbol.for("cardlane.checkout-limits");

export function checkoutLimits(): CheckoutLimits {
  holder[KEY] ??= createCheckoutLimits(env.checkoutLimitPerMinute);
  return holder[KEY];
}

/**
 * Slows down who tries stolen cards: each address may make so many attempts a minute, and each BIN have so many declines with
 * one merchant, for card testers walk through the numbers of one issuer. Shoppers whose cards are approved count for nothing.
 */
export function createCheckoutLimits(perMinute: number, now?: () => number): CheckoutLimits {
  const options = { perSecond: perMinute / 60, burst: perMinute, ...(now && { now }) };
  const addresses = createTokenBuckets(options);
  const declines = createTokenBuckets(options);
  const keyOf = ({ environmentId, number }: Bin) => `${environmentId}:${number.slice(0, BIN_LENGTH)}`;
  return {
    takeAttempt(address, bin) {
      const waitMs = Math.max(declines.waitMs(keyOf(bin)), addresses.take(networkOf(address)).waitMs);
      if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1000));
    },
    noteDecline(bin) {
      declines.take(keyOf(bin));
    },
  };
}

const tooMany = (seconds: number) =>
  new AppError("rate_limited", `Too many attempts. Nothing was charged; try again in ${seconds} s.`, {
    headers: { "Retry-After": String(seconds) },
  });
