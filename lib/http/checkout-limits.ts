import { networkOf } from "@/lib/auth/attempt-limits";
import { AppError } from "@/lib/contract/errors";
import { env } from "@/lib/env";
import { createTokenBuckets, secondsToWait } from "@/lib/token-buckets";

export type AttemptSource = {
  address: string;
  /** The card by its issuer, within one merchant's environment. */
  bin: { environmentId: string; number: string };
  /** Whether nothing was tried in the session yet. */
  isFirst: boolean;
};

export type CheckoutLimits = {
  /** Counts an attempt. Throws `rate_limited` when the address has tried, or failed, too often, or its BIN is being tested. */
  takeAttempt(source: AttemptSource): void;
  /** Counts an attempt that was declined. */
  noteDecline(source: AttemptSource): void;
};

const BIN_LENGTH = 6;
/** Many shoppers may share one address; many declines of one address are somebody with a list of cards. */
const ATTEMPTS_PER_DECLINE = 10;
/** Honest shoppers of a large issuer are declined, too. */
const BIN_DECLINES_PER_DECLINE = 2;

/** On globalThis: Next bundles a copy of this module into each route. */
const holder = globalThis as { [key: symbol]: CheckoutLimits | undefined };
const KEY = Symbol.for("cardlane.checkout-limits");

export function checkoutLimits(): CheckoutLimits {
  holder[KEY] ??= createCheckoutLimits(env.checkoutLimitPerMinute);
  return holder[KEY];
}

/**
 * Slows down who tries stolen cards; `perMinute` declines of one address. Testers who come from many addresses walk through
 * the numbers of one issuer: while a BIN has many declines with a merchant, its cards get no second try, neither in a session
 * nor from an address that was declined. A first try always passes, so that nobody can keep other people's cards away.
 */
export function createCheckoutLimits(perMinute: number, now?: () => number): CheckoutLimits {
  const bucketsOf = (burst: number) => createTokenBuckets({ perSecond: burst / 60, burst, ...(now && { now }) });
  const attempts = bucketsOf(perMinute * ATTEMPTS_PER_DECLINE);
  const declines = bucketsOf(perMinute);
  const declinesOfBin = bucketsOf(perMinute * BIN_DECLINES_PER_DECLINE);
  const keyOf = ({ environmentId, number }: AttemptSource["bin"]) => `${environmentId}:${number.slice(0, BIN_LENGTH)}`;
  return {
    takeAttempt({ address, bin, isFirst }) {
      const network = networkOf(address);
      const isAgain = !isFirst || declines.missingMs(network) > 0;
      const waitMs = Math.max(
        attempts.take(network).waitMs,
        declines.waitMs(network),
        isAgain ? declinesOfBin.waitMs(keyOf(bin)) : 0,
      );
      if (waitMs > 0) throw tooMany(secondsToWait({ waitMs }));
    },
    noteDecline({ address, bin }) {
      declines.take(networkOf(address));
      declinesOfBin.take(keyOf(bin));
    },
  };
}

const tooMany = (seconds: number) =>
  new AppError("rate_limited", `Too many attempts. Nothing was charged; try again in ${seconds} s.`, {
    headers: { "Retry-After": String(seconds) },
  });
