import { EventEmitter, once } from "node:events";
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
const slots = new EventEmitter<{ free: [] }>().setMaxListeners(0);
/** One that is given up ends when its last rows are read and its connection is closed. */
const PATIENCE_MS = 5_000;

/**
 * A place among the exports that run at once in this process, each of which holds a database connection. A merchant has one of
 * them, so that none takes all, and few in an hour; and who reads so slowly that it could go on for ever loses it to the next
 * one. Who cancels an export and begins another at once waits for the end of the first. Throws 429.
 */
export async function takeExportSlot(
  merchantId: string,
  { now = () => performance.now(), gone, patienceMs = PATIENCE_MS }: TakeOptions = {},
): Promise<ExportSlot> {
  const impatient = AbortSignal.any([...(gone ? [gone] : []), AbortSignal.timeout(patienceMs)]);
  for (;;) {
    exportsOf.check(merchantId);
    const refusal = refusalOf(merchantId, now());
    if (!refusal) break;
    if (impatient.aborted || patienceMs === 0) throw refusal;
    await once(slots, "free", { signal: impatient }).catch((error) => {
      if (!impatient.aborted) throw error;
    });
  }
  exportsOf.take(merchantId);
  const own: Running = { startedMs: now(), bytes: 0, ended: new AbortController() };
  running.set(merchantId, own);
  return {
    signal: own.ended.signal,
    note(bytes) {
      own.bytes += bytes;
    },
    release() {
      if (running.get(merchantId) !== own) return;
      running.delete(merchantId);
      slots.emit("free");
    },
  };
}

type TakeOptions = {
  now?: () => number;
  /** Aborted when the caller has gone. */
  gone?: AbortSignal;
  patienceMs?: number;
};

function refusalOf(merchantId: string, nowMs: number): AppError | null {
  if (running.has(merchantId)) return busy("An export of your account is running already. Wait until it is done.");
  if (running.size < EXPORTS_AT_ONCE || endSlowest(nowMs)) return null;
  return busy("Other exports are running right now. Try again in a few seconds.");
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
