/**
 * The time, injected so that tests can choose it. Code that needs exact agreement uses the database's `now()`
 * instead.
 */
export type Clock = { now(): Date };

/**
 * Durations and pauses, separate from the time of day; injected so that a simulation can choose them, too.
 */
export type Timer = {
  /** Milliseconds on a monotonic clock. */
  elapsedMs(): number;
  wait(ms: number): Promise<void>;
  /** Calls `call` after `ms`, unless the returned function is called first. */
  after(ms: number, call: () => void): () => void;
};

export const systemTimer: Timer = {
  elapsedMs: () => performance.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * A signal that aborts after a time, or with another signal; must be released. AbortSignal.any and
 * AbortSignal.timeout are no alternative: Node 20 may collect their sources, so that they never abort, and
 * each leaks a listener on a long-lived signal.
 */
export function abortAfter(ms: number, other?: AbortSignal): { readonly signal: AbortSignal; release(): void } {
  const own = new AbortController();
  const follow = () => own.abort(other?.reason);
  const timer = setTimeout(() => own.abort(new DOMException(`Not within ${ms} ms`, "TimeoutError")), ms);
  if (other?.aborted) follow();
  other?.addEventListener("abort", follow, { once: true });
  return {
    signal: own.signal,
    release() {
      clearTimeout(timer);
      other?.removeEventListener("abort", follow);
    },
  };
}

/**
 * Offset of the database's time from the monotonic clock. On globalThis, because Next bundles a copy of this
 * module.
 */
const holder = globalThis as { [key: symbol]: number | undefined };
const AHEAD = Symbol.for("cardlane.database-time");

/**
 * Milliseconds since 1970 by the database's clock, continued by the monotonic clock, so that changes to this
 * machine's clock have no effect. This machine's clock counts until the database's is first read.
 */
export function nowMs(): number {
  const ahead = holder[AHEAD];
  return ahead === undefined ? Date.now() : Math.floor(performance.now() + ahead);
}

export const systemClock: Clock = { now: () => new Date(nowMs()) };

/**
 * Follows the database's time, which was read between the two monotonic times. An offset that is within their
 * bounds is kept, so that the time doesn't jump.
 */
export function followTime(databaseMs: number, { sentAt, receivedAt }: { sentAt: number; receivedAt: number }): void {
  const [earliest, latest] = [databaseMs - receivedAt, databaseMs - sentAt];
  const known = holder[AHEAD] ?? (earliest + latest) / 2;
  holder[AHEAD] = Math.min(Math.max(known, earliest), latest);
}
