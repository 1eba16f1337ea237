import { EXPORTS_AT_ONCE } from "@/db/client";
import { AppError } from "@/lib/contract/errors";
import { createRateLimiter } from "./rate-limit";

/** Slower than this, on average since it began, an export makes room when another one waits. */
const FLOOR_BYTES_PER_MS = 100;
/** The first rows of a large search take a moment. */
const GRACE_MS = 5_000;

/** Each writes a line into the account's history, which stays. */
const exportsOf = createRateLimiter({
  ...{ perSecond: 1 / 60, burst: 20, name: "exports" },
  detail: (seconds) => `Your account has made 20 exports in a short time. The next one can begin in ${seconds} s.`,
});

export type ExportSlot = {
  /** Aborted when the place was given to another one. */
  readonly signal: AbortSignal;
  /** Bytes that the reader has taken. */
  note(bytes: number): void;
  release(): void;
};

type Running = { readonly startedMs: number; bytes: number; readonly ended: AbortController };

/** Exports that run, by their merchants' ids. */
const running = new Map<string, Running>();

/**
 * A place among the exports that run at once in this process, each of which holds a database connection. A merchant has one of
 * them, so that none takes all, and few in an hour; and who reads so slowly that it could go on for ever loses it to the next
 * one. Throws 429.
 */
export function takeExportSlot(merchantId: string, now = () => performance.now()): ExportSlot {
  if (running.has(merchantId)) throw busy("An export of your account is running already. Wait until it is done.");
  exportsOf.check(merchantId);
  if (running.size >= EXPORTS_AT_ONCE && !endSlowest(now()))
    throw busy("Other exports are running right now. Try again in a few seconds.");
  exportsOf.take(merchantId);
  const own: Running = { startedMs: now(), bytes: 0, ended: new AbortController() };
  running.set(merchantId, own);
  return {
    signal: own.ended.signal,
    note(bytes) {
      own.bytes += bytes;
    },
    release() {
      if (running.get(merchantId) === own) running.delete(merchantId);
    },
  };
}

function endSlowest(nowMs: number): boolean {
  const rates = [...running].map(([id, { startedMs, bytes }]) => ({
    id,
    tookMs: nowMs - startedMs,
    rate: bytes / Math.max(1, nowMs - startedMs),
  }));
  const slow = rates.filter(({ tookMs, rate }) => tookMs > GRACE_MS && rate < FLOOR_BYTES_PER_MS);
  const [slowest] = slow.toSorted((a, b) => a.rate - b.rate);
  if (!slowest) return false;
  const { ended } = running.get(slowest.id) as Running;
  running.delete(slowest.id);
  ended.abort();
  return true;
}

const busy = (detail: string) => new AppError("rate_limited", detail, { headers: { "Retry-After": "5" } });
