import { AppError } from "@/lib/contract/errors";
import type { Mode } from "@/lib/contract/transactions/words";
import { Roster } from "@/lib/roster";
import { createTokenBuckets } from "@/lib/token-buckets";
import { createRateLimiter } from "./rate-limit";

/**
 * What a merchant keeps multiplies into its answers: a hundred payments with all the metadata there may be are 5 MB, and each
 * megabyte takes the process some 10 ms in which it answers nobody. So bytes of answers are counted, and long reads get turns.
 */
export type AnswerLimits = {
  /** Throws `rate_limited` while the reader has still to wait for what it was answered. */
  check(reader: string): void;
  /** For how long `check` would throw, in milliseconds; 0 when it would not. */
  waitMs(reader: string): number;
  /** Counts bytes of an answer, and how many of them were made for it; never refuses. */
  charge(reader: string, bytes: number, made?: number): void;
  /** Resolves when the reader may begin what may be long; throws `rate_limited` when too much of its work waits already. */
  turn(reader: string, options?: TurnOptions): Promise<Turn>;
};

export type TurnOptions = {
  /** Test mode never has the last turn. */
  readonly mode?: Mode;
  /** Work that is always long: its reader has one turn at a time for it. */
  readonly isLong?: boolean;
};

export type Turn = {
  /** The answer is made: others may read. */
  made(): void;
  /** It is sent, or nobody wants it any more; until then it takes memory, and its reader has one turn less. */
  sent(): void;
};

export type AnswerLimitOptions = {
  /** Bytes a second for each reader in the long run, ten times as many at once. */
  bytesPerSecond: number;
  /** Reads at once of all readers. */
  atOnce: number;
  now?: () => number;
};

const BURST_SECONDS = 10;
/** All who read much share so many times what each may have: a fifth of the process or so at 5 MB/s. */
const READERS_AT_FULL_SPEED = 4;
/** Whose share of it is this small reads little. */
const LITTLE = 20;
/** As many as a key may ask for at once. */
const MOST_WAITING = 200;
/** How long a read waits for its turn. */
export const PATIENCE_MS = 5_000;
/** A reader is alone when no other has begun or asked for a turn for this long. */
const ALONE_MS = 2_000;

type Waiting = { begin(): void; readonly isLong: boolean; readonly giveUp: NodeJS.Timeout };
/** `turns`: of which the answers are not sent; `running`: of which they are not made. */
type Reader = { turns: number; running: number; readonly isTest: boolean; readonly queue: Roster<Waiting> };

/**
 * Turns go round the readers, few at once. One reader never has all of them, nor have all test environments together, and beside
 * others it leaves two: however long its turns are, the next reader has one at once. Whoever reads much waits, too, until all such
 * readers together have not had more than their share; who reads little never waits for that.
 */
export function createAnswerLimits({
  bytesPerSecond,
  atOnce,
  now = () => performance.now(),
}: AnswerLimitOptions): AnswerLimits {
  const clock = { now };
  const limiter = createRateLimiter({
    ...{ perSecond: bytesPerSecond, burst: BURST_SECONDS * bytesPerSecond, name: "answers", unit: "content-bytes" },
    detail: (seconds) =>
      `Your responses exceeded ${amount(bytesPerSecond)} bytes per second. Try again in ${seconds} s. A smaller limit makes smaller responses.`,
    ...clock,
  });
  const lately = createTokenBuckets({ perSecond: bytesPerSecond / LITTLE, burst: bytesPerSecond, ...clock });
  const share = READERS_AT_FULL_SPEED * bytesPerSecond;
  const together = createTokenBuckets({ perSecond: share, burst: share / 4, ...clock });
  const [allButOne, allButTwo] = [Math.max(1, atOnce - 1), Math.max(1, atOnce - 2)];
  /** When each reader last asked for a turn, the latest last. */
  const askedMs = new Map<string, number>();
  /** Those who read or wait, who had a turn longest ago first. */
  const readers = new Map<string, Reader>();
  let running = 0;
  let runningTests = 0;
  let isResting = false;

  function restFor(ms: number): void {
    if (isResting) return;
    isResting = true;
    setTimeout(() => {
      isResting = false;
      proceed();
    }, ms);
  }

  function isAlone(): boolean {
    for (const [name, atMs] of askedMs) {
      if (atMs > now() - ALONE_MS) break;
      askedMs.delete(name);
    }
    return askedMs.size <= 1;
  }

  function mayBegin(reader: Reader, { isLong }: Waiting): boolean {
    if (reader.turns >= allButOne || (reader.isTest && runningTests >= allButOne)) return false;
    return reader.running < (isLong ? 1 : isAlone() ? allButOne : allButTwo);
  }

  function proceed(): void {
    for (const [name, reader] of readers) {
      if (running >= atOnce) return;
      const next = reader.queue.first;
      if (!next || !mayBegin(reader, next)) continue;
      const restMs = lately.waitMs(name) > 0 ? together.waitMs("all") : 0;
      if (restMs > 0) {
        restFor(restMs);
        continue;
      }
      reader.queue.delete(next);
      clearTimeout(next.giveUp);
      // It goes to the end of the line, and comes again in this loop when nobody else wants to.
      readers.delete(name);
      readers.set(name, reader);
      running++;
      if (reader.isTest) runningTests++;
      reader.turns++;
      reader.running++;
      next.begin();
    }
  }

  function turnOf(name: string, reader: Reader): Turn {
    let isMade = false;
    let isSent = false;
    const made = () => {
      if (isMade) return;
      isMade = true;
      running--;
      reader.running--;
      if (reader.isTest) runningTests--;
      proceed();
    };
    return {
      made,
      sent() {
        if (isSent) return;
        isSent = true;
        reader.turns--;
        if (reader.turns === 0 && reader.queue.size === 0) readers.delete(name);
        made();
        proceed();
      },
    };
  }

  return {
    check: limiter.check,
    waitMs: limiter.waitMs,
    charge(name, bytes, made = bytes) {
      limiter.charge(name, bytes);
      lately.charge(name, made);
      together.charge("all", made);
    },
    async turn(name, { mode = "live", isLong = false } = {}) {
      const reader = readers.get(name) ?? { turns: 0, running: 0, isTest: mode === "test", queue: new Roster() };
      if (reader.queue.size >= MOST_WAITING) throw busy(`${MOST_WAITING} of your list requests are already waiting.`);
      readers.set(name, reader);
      askedMs.delete(name);
      askedMs.set(name, now());
      return new Promise((resolve, reject) => {
        const waiting: Waiting = {
          isLong,
          begin() {
            const turn = turnOf(name, reader);
            try {
              // Those before it may have used up what there was.
              limiter.check(name);
              resolve(turn);
            } catch (error) {
              reject(error);
              queueMicrotask(turn.sent);
            }
          },
          giveUp: setTimeout(() => {
            reader.queue.delete(waiting);
            if (reader.turns === 0 && reader.queue.size === 0) readers.delete(name);
            reject(busy("Too much is being read right now, or you haven't received earlier responses yet."));
          }, PATIENCE_MS),
        };
        reader.queue.add(waiting);
        proceed();
      });
    },
  };
}

const busy = (reason: string) => new AppError("rate_limited", `${reason} Try again in 2 s.`, { retryAfterSeconds: 2 });

const amount = (bytes: number) => bytes.toLocaleString("en-US");
