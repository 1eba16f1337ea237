export type TokenBucketOptions = {
  /** Tokens per second in the long run. */
  perSecond: number;
  /** Tokens available after a pause. */
  burst: number;
  /** Milliseconds on a monotonic clock. */
  now?: () => number;
};

/**
 * `missingMs`: how long the bucket takes to be full again. `waitMs`: until a token is available; 0 if one was
 * taken.
 */
export type Taken = { readonly missingMs: number; readonly waitMs: number };

export type TokenBuckets = {
  take(key: string): Taken;
  /** Takes tokens that are already used up, even more than the bucket has: it may go into debt. */
  charge(key: string, tokens: number): void;
  /** Milliseconds until the bucket is full again. */
  missingMs(key: string): number;
  /** Milliseconds until a token is available, without taking it; 0 if there is one. */
  waitMs(key: string): number;
};

/** Whole seconds that a caller has to wait, at least one; 0 if a token was taken. */
export const secondsToWait = ({ waitMs }: Pick<Taken, "waitMs">): number =>
  waitMs > 0 ? Math.max(1, Math.ceil(waitMs / 1000)) : 0;

const FIRST_SWEEP_AT = 10_000;

/**
 * One exact token bucket per key, in this process. Our own, because rate-limiter-flexible has windows only:
 * its "bursty" pair of windows admits 2 × the rate at every window's edge, and starts a timer per key and
 * window.
 */
export function createTokenBuckets(options: TokenBucketOptions): TokenBuckets {
  const { perSecond, burst, now = () => performance.now() } = options;
  const msPerToken = 1000 / perSecond;
  const capacityMs = burst * msPerToken;
  /** Key → when its bucket is full again, which is the whole state of a bucket that fills at a fixed rate. */
  const fullAt = new Map<string, number>();
  let sweepAt = FIRST_SWEEP_AT;

  /**
   * Deletes full buckets, which equal absent ones, so the map holds only the keys of the last few seconds.
   */
  function sweep(time: number): void {
    for (const [key, full] of fullAt) if (full <= time) fullAt.delete(key);
    sweepAt = Math.max(FIRST_SWEEP_AT, fullAt.size * 2);
  }

  const missing = (key: string, time: number) => Math.max(0, (fullAt.get(key) ?? 0) - time);

  return {
    take(key) {
      const time = now();
      const missingMs = missing(key, time);
      const afterMs = missingMs + msPerToken;
      if (afterMs > capacityMs + 1e-6) return { missingMs, waitMs: afterMs - capacityMs };
      fullAt.set(key, time + afterMs);
      if (fullAt.size >= sweepAt) sweep(time);
      return { missingMs: afterMs, waitMs: 0 };
    },
    charge(key, tokens) {
      const time = now();
      fullAt.set(key, time + missing(key, time) + tokens * msPerToken);
      if (fullAt.size >= sweepAt) sweep(time);
    },
    missingMs: (key) => missing(key, now()),
    waitMs(key) {
      const afterMs = missing(key, now()) + msPerToken;
      return afterMs > capacityMs + 1e-6 ? afterMs - capacityMs : 0;
    },
  };
}
