export type TokenBucketOptions = {
  /** Tokens per second in the long run. */
  perSecond: number;
  /** Tokens at once after a pause. */
  burst: number;
  /** Milliseconds on a clock that never goes back. */
  now?: () => number;
};

/** `missingMs`: how long the bucket takes to be full again. `waitMs`: until there is a token; 0 when one was taken. */
export type Taken = { readonly missingMs: number; readonly waitMs: number };

export type TokenBuckets = {
  take(key: string): Taken;
  /** Takes so many tokens that are already used up, however few there are: a bucket may owe some. */
  charge(key: string, tokens: number): void;
  /** How long the bucket takes to be full again, in milliseconds; 0 when nothing was taken lately. */
  missingMs(key: string): number;
  /** Until when there is a token, in milliseconds, without taking it; 0 when there is one. */
  waitMs(key: string): number;
};

/** How long a caller is to wait: whole seconds, at least one; 0 when a token was taken. */
export const secondsToWait = ({ waitMs }: Pick<Taken, "waitMs">): number =>
  waitMs > 0 ? Math.max(1, Math.ceil(waitMs / 1000)) : 0;

const FIRST_SWEEP_AT = 10_000;

/**
 * One exact token bucket per key, in this process. Own code because rate-limiter-flexible has windows only; its "bursty"
 * pair of windows lets through 2 × the rate at every window's edge, and starts a timer per key and window.
 */
export function createTokenBuckets(options: TokenBucketOptions): TokenBuckets {
  const { perSecond, burst, now = () => performance.now() } = options;
  const msPerToken = 1000 / perSecond;
  const capacityMs = burst * msPerToken;
  /** Key → when its bucket is full again: all that there is to know of a bucket that fills at a known rate. */
  const fullAt = new Map<string, number>();
  let sweepAt = FIRST_SWEEP_AT;

  /** A full bucket is the same as none. So the map holds only the keys of the last few seconds. */
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
