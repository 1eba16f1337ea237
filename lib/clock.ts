/** The time, passed in so that tests can choose it. What must agree to the moment uses the database's `now()` instead. */
export type Clock = { now(): Date };

/** Durations and pauses, apart from what time it is; passed in so that a simulation can choose them, too. */
export type Timer = {
  /** Milliseconds by a clock that never goes back. */
  elapsedMs(): number;
  wait(ms: number): Promise<void>;
  /** Calls later, unless what it answers is called before. */
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
 * A signal that is aborted after a time, or with another one; to be released. Not by AbortSignal.any and timeout: Node 20 may
 * collect what they are made of, and then nothing ever ends; and each leaves something on the other one for as long as that lasts.
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

/** How far the database's time is ahead of the monotonic clock; on globalThis, as Next's side has a copy of this module. */
const holder = globalThis as { [key: symbol]: number | undefined };
const AHEAD = Symbol.for("cardlane.database-time");

/**
 * Milliseconds since 1970 by the database's clock, continued by the monotonic one: this machine's own clock, and changes
 * to it, play no part. Until the database's time is read for the first time it is this machine's.
 */
export function nowMs(): number {
  const ahead = holder[AHEAD];
  return ahead === undefined ? Date.now() : Math.floor(performance.now() + ahead);
}

export const systemClock: Clock = { now: () => new Date(nowMs()) };

/**
 * Goes by the database's time, which was read at some moment between two of the monotonic clock. A time that may be right is
 * kept, so that it does not jump about.
 */
export function followTime(databaseMs: number, { sentAt, receivedAt }: { sentAt: number; receivedAt: number }): void {
  const [least, most] = [databaseMs - receivedAt, databaseMs - sentAt];
  const known = holder[AHEAD] ?? (least + most) / 2;
  holder[AHEAD] = Math.min(Math.max(known, least), most);
}
