import { AppError } from "@/lib/contract/errors";

export type RateLimitOptions = {
  /** Requests per second in the long run. */
  perSecond: number;
  /** Requests at once after a pause. */
  burst: number;
  /** Milliseconds on a clock that never goes back. */
  now?: () => number;
};

/** `RateLimit-Policy` and `RateLimit` as in the IETF's draft-ietf-httpapi-ratelimit-headers-10. */
export type RateLimitHeaders = { "RateLimit-Policy": string; RateLimit: string };

export type RateLimiter = {
  /** Counts a request of the key; answers the headers to send, or throws `rate_limited` with them and `Retry-After`. */
  take(keyId: string): RateLimitHeaders;
};

const FIRST_SWEEP_AT = 10_000;

/**
 * One exact token bucket per key, in this process. Own code because rate-limiter-flexible has windows only; its "bursty"
 * pair of windows lets through 2 × the rate at every window's edge, and starts a timer per key and window.
 */
export function createRateLimiter({ perSecond, burst, now = () => performance.now() }: RateLimitOptions): RateLimiter {
  const msPerToken = 1000 / perSecond;
  const capacityMs = burst * msPerToken;
  const policy = `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`;
  /** Key → when its bucket is full again: all that there is to know of a bucket that fills at a known rate. */
  const fullAt = new Map<string, number>();
  let sweepAt = FIRST_SWEEP_AT;

  /** A full bucket is the same as none. So the map holds only the keys of the last few seconds. */
  function sweep(time: number): void {
    for (const [key, full] of fullAt) if (full <= time) fullAt.delete(key);
    sweepAt = Math.max(FIRST_SWEEP_AT, fullAt.size * 2);
  }

  function headers(missingMs: number): RateLimitHeaders {
    // The hair's breadth keeps sums of fractions from costing a whole request.
    const remaining = Math.max(0, Math.floor((capacityMs - missingMs) / msPerToken + 1e-6));
    return { "RateLimit-Policy": policy, RateLimit: `"default";r=${remaining};t=${Math.ceil(missingMs / 1000)}` };
  }

  return {
    take(keyId) {
      const time = now();
      const missingMs = Math.max(0, (fullAt.get(keyId) ?? 0) - time);
      const afterMs = missingMs + msPerToken;
      if (afterMs > capacityMs + 1e-6) {
        const retryAfter = Math.max(1, Math.ceil((afterMs - capacityMs) / 1000));
        throw new AppError(
          "rate_limited",
          `Too many requests with this API key. Try again in ${retryAfter} s, and slow down.`,
          {
            headers: { ...headers(missingMs), "Retry-After": String(retryAfter) },
          },
        );
      }
      fullAt.set(keyId, time + afterMs);
      if (fullAt.size >= sweepAt) sweep(time);
      return headers(afterMs);
    },
  };
}
