import { AppError } from "@/lib/contract/errors";
import { networkOf } from "@/lib/network";
import { createBuckets, LIMITS, type LimitOptions } from "@/lib/rate-limits";
import { secondsToWait } from "@/lib/token-buckets";

export type AttemptSource = {
  address: string;
  /** The card's BIN within one environment. */
  bin: { environmentId: string; number: string };
  /** True for the session's first attempt. */
  isFirst: boolean;
};

type CheckoutLimits = {
  /**
   * Counts an attempt. Throws `rate_limited` if the address has too many attempts or declines, or its BIN is
   * under attack.
   */
  takeAttempt(source: AttemptSource): void;
  /** Counts a declined attempt. */
  noteDecline(source: AttemptSource): void;
};

const BIN_LENGTH = 6;

/** On globalThis: Next bundles a copy of this module into each route. */
const holder = globalThis as { [key: symbol]: CheckoutLimits | undefined };
const KEY = Symbol.for("cardlane.checkout-limits");

export function checkoutLimits(): CheckoutLimits {
  holder[KEY] ??= createCheckoutLimits();
  return holder[KEY];
}

/**
 * Slows down card testing. While a BIN has many declines at a merchant, its cards
 * get no second attempt, neither in the session nor from a network with a decline.
 * First attempts always pass, so that no one can block other shoppers' cards.
 */
export function createCheckoutLimits(options: LimitOptions = {}): CheckoutLimits {
  const attempts = createBuckets("cardAttempts", options);
  const declines = createBuckets("cardDeclines", options);
  const declinesOfBin = createBuckets("binDeclines", options);
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
  new AppError("rate_limited", LIMITS.cardAttempts.refusal(seconds), {
    retryAfterSeconds: seconds,
  });
