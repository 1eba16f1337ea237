import { networkOf } from "@/lib/auth/attempt-limits";
import { AppError } from "@/lib/contract/errors";
import { createTokenBuckets, secondsToWait, type TokenBucketOptions } from "@/lib/token-buckets";

export type RateLimitOptions = TokenBucketOptions & {
  /** How the headers call it. */
  name?: string;
  /** What it counts, as the headers call it; requests when left out. */
  unit?: "content-bytes";
  /** What a refusal says; a sentence about requests a second when left out. */
  detail?: (retryAfterSeconds: number) => string;
};

/** `RateLimit-Policy` and `RateLimit` as in the IETF's draft-ietf-httpapi-ratelimit-headers-10. */
type RateLimitHeaders = { "RateLimit-Policy": string; RateLimit: string };

export type RateLimiter = {
  /** Counts a request of the key; answers the headers to send, or throws `rate_limited` with them and `Retry-After`. */
  take(keyId: string): RateLimitHeaders;
  /** The same refusal without counting a request. */
  check(keyId: string): void;
  /** For how long it would be refused, in milliseconds; 0 when it would not. */
  waitMs(keyId: string): number;
  /** Counts so much that has already happened; never refuses. */
  charge(keyId: string, amount: number): void;
};

/** The limit of each API key, or of each merchant, and how its state is told. */
export function createRateLimiter(options: RateLimitOptions): RateLimiter {
  const { perSecond, burst, name = "default", unit, detail = tooFast } = options;
  const msPerToken = 1000 / perSecond;
  const capacityMs = burst * msPerToken;
  const policy = `"${name}";q=${burst}${unit ? `;qu="${unit}"` : ""};w=${Math.ceil(burst / perSecond)}`;
  const buckets = createTokenBuckets(options);

  function headers(missingMs: number): RateLimitHeaders {
    // The hair's breadth keeps sums of fractions from costing a whole request.
    const remaining = Math.max(0, Math.floor((capacityMs - missingMs) / msPerToken + 1e-6));
    return { "RateLimit-Policy": policy, RateLimit: `"${name}";r=${remaining};t=${Math.ceil(missingMs / 1000)}` };
  }

  function refusal({ missingMs, waitMs }: { missingMs: number; waitMs: number }): AppError {
    const retryAfter = secondsToWait({ waitMs });
    return new AppError("rate_limited", detail(retryAfter), {
      headers: { ...headers(missingMs), "Retry-After": String(retryAfter) },
    });
  }

  return {
    take(keyId) {
      const taken = buckets.take(keyId);
      if (taken.waitMs > 0) throw refusal(taken);
      return headers(taken.missingMs);
    },
    check(keyId) {
      const waitMs = buckets.waitMs(keyId);
      if (waitMs > 0) throw refusal({ missingMs: buckets.missingMs(keyId), waitMs });
    },
    waitMs: buckets.waitMs,
    charge: buckets.charge,
  };
}

const RESPONSE_SECONDS = 10;

/**
 * Bytes of responses for each reader. A list of a hundred payments with all the metadata that they can have is megabytes, and each
 * takes the process some 10 ms.
 */
export const createResponseLimiter = (bytesPerSecond: number): RateLimiter =>
  createRateLimiter({
    ...{ perSecond: bytesPerSecond, burst: RESPONSE_SECONDS * bytesPerSecond, name: "answers", unit: "content-bytes" },
    detail: (seconds) =>
      `Your responses exceeded ${bytesPerSecond.toLocaleString("en-US")} bytes per second. Try again in ${seconds} s. A smaller limit makes smaller responses.`,
  });

const tooFast = (retryAfter: number) => `Too many requests. Try again in ${retryAfter} s, and slow down.`;

/** Requests without a key or session that works, by the address they come from: strangers guess, and each guess is a look-up. */
export type UnauthorizedLimiter = {
  /** Throws `rate_limited` while the address has failed too often. */
  check(by: Credential, address: string): void;
  /** Counts a failure. Throws `rate_limited` instead of what the caller would throw, once there are too many. */
  note(by: Credential, address: string): void;
};

/**
 * What did not work, or was not asked for. Counted apart: a page left open after its session ended must not keep the office's new
 * keys out.
 */
type Credential = "key" | "session" | "nothing";

export function createUnauthorizedLimiter(perMinute: number): UnauthorizedLimiter {
  const limiter = createRateLimiter({ perSecond: perMinute / 60, burst: perMinute, name: "unauthorized" });
  return {
    check: (by, address) => limiter.check(`${by} ${networkOf(address)}`),
    note: (by, address) => void limiter.take(`${by} ${networkOf(address)}`),
  };
}
