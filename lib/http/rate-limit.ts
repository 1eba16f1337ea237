import { AppError } from "@/lib/contract/errors";
import { networkOf } from "@/lib/network";
import { LIMITS, type Limit, type LimitName, type LimitOptions, rateOf } from "@/lib/rate-limits";
import { createTokenBuckets, secondsToWait, type TokenBucketOptions } from "@/lib/token-buckets";

export type RateLimitOptions = TokenBucketOptions & {
  /** The limit's name in the headers. */
  name?: string;
  /** Unit in the headers; requests by default. */
  unit?: "content-bytes";
  /** Sentence of a refusal. */
  detail?: (retryAfterSeconds: number) => string;
};

/** `RateLimit-Policy` and `RateLimit` as in the IETF's draft-ietf-httpapi-ratelimit-headers-10. */
type RateLimitHeaders = { "RateLimit-Policy": string; RateLimit: string };

export type RateLimiter = {
  /** Counts a request. Returns the headers to send, or throws `rate_limited` with them and `Retry-After`. */
  take(keyId: string): RateLimitHeaders;
  /** Throws the same without counting a request. */
  check(keyId: string): void;
  /** Milliseconds until a request would pass; 0 when it would now. */
  waitMs(keyId: string): number;
  /** Counts work that is already done; never refuses. */
  charge(keyId: string, amount: number): void;
};

/** A limit whose state callers see in headers. */
export function createRateLimiter(options: RateLimitOptions): RateLimiter {
  const { perSecond, burst, name = "default", unit, detail = LIMITS.requests.refusal } = options;
  const msPerToken = 1000 / perSecond;
  const capacityMs = burst * msPerToken;
  const policy = `"${name}";q=${burst}${unit ? `;qu="${unit}"` : ""};w=${Math.ceil(burst / perSecond)}`;
  const buckets = createTokenBuckets(options);

  function headers(missingMs: number): RateLimitHeaders {
    // Epsilon for floating-point error.
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

/** The limiter for a row of the table of limits. `hint` is appended to its refusal. */
export function createLimiter(
  name: LimitName,
  { setting, now, hint = "" }: LimitOptions & { hint?: string } = {},
): RateLimiter {
  const { policy, refusal, setting: current }: Limit = LIMITS[name];
  const value = setting ?? current?.() ?? 0;
  return createRateLimiter({
    ...rateOf(name, value),
    ...policy,
    ...(now && { now }),
    ...(refusal && { detail: (seconds: number) => refusal(seconds, value) + hint }),
  });
}

/** Requests without a valid key or session, by network. */
export type UnauthorizedLimiter = {
  /** Throws `rate_limited` while the address has failed too often. */
  check(by: Credential, address: string): void;
  /** Counts a failure. Throws `rate_limited` in place of the caller's error once there are too many. */
  note(by: Credential, address: string): void;
};

/** Counted apart: a page left open after its session ended must not lock out the keys of the same office. */
type Credential = "key" | "session" | "nothing";

export function createUnauthorizedLimiter(perMinute?: number): UnauthorizedLimiter {
  const limiter = createLimiter("unauthorized", perMinute === undefined ? {} : { setting: perMinute });
  return {
    check: (by, address) => limiter.check(`${by} ${networkOf(address)}`),
    note: (by, address) => void limiter.take(`${by} ${networkOf(address)}`),
  };
}
