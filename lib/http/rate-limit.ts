import { AppError } from "@/lib/contract/errors";
import { createTokenBuckets, type TokenBucketOptions } from "@/lib/token-buckets";

export type RateLimitOptions = TokenBucketOptions;

/** `RateLimit-Policy` and `RateLimit` as in the IETF's draft-ietf-httpapi-ratelimit-headers-10. */
export type RateLimitHeaders = { "RateLimit-Policy": string; RateLimit: string };

export type RateLimiter = {
  /** Counts a request of the key; answers the headers to send, or throws `rate_limited` with them and `Retry-After`. */
  take(keyId: string): RateLimitHeaders;
};

/** The limit of each API key, and how its state is told. */
export function createRateLimiter(options: RateLimitOptions): RateLimiter {
  const { perSecond, burst } = options;
  const msPerToken = 1000 / perSecond;
  const capacityMs = burst * msPerToken;
  const policy = `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`;
  const buckets = createTokenBuckets(options);

  function headers(missingMs: number): RateLimitHeaders {
    // The hair's breadth keeps sums of fractions from costing a whole request.
    const remaining = Math.max(0, Math.floor((capacityMs - missingMs) / msPerToken + 1e-6));
    return { "RateLimit-Policy": policy, RateLimit: `"default";r=${remaining};t=${Math.ceil(missingMs / 1000)}` };
  }

  return {
    take(keyId) {
      const { missingMs, waitMs } = buckets.take(keyId);
      if (waitMs > 0) {
        const retryAfter = Math.max(1, Math.ceil(waitMs / 1000));
        throw new AppError("rate_limited", `Too many requests. Try again in ${retryAfter} s, and slow down.`, {
          headers: { ...headers(missingMs), "Retry-After": String(retryAfter) },
        });
      }
      return headers(missingMs);
    },
  };
}
