import { AppError } from "@/lib/contract/errors";
import type { Mode } from "@/lib/contract/transactions/words";
import { acquireAll, Semaphore, type Slot } from "@/lib/semaphore";

/** Slot of an upload, held from its first byte until its file is stored. */
export type UploadSlot = Pick<Slot, "release"> & {
  /** Aborts when the slot is needed for another upload and this one arrives too slowly. */
  readonly signal: AbortSignal;
  /** Adds bytes that arrived. */
  note(bytes: number): void;
  /** Call once the whole body has arrived: storing it has no minimum rate. */
  arrived(): void;
};

/** Files of 5 MB in memory. */
const MAX_UPLOADS = 6;
/** Test mode, where accounts cost nothing, leaves two slots to live mode. */
const MAX_TEST_UPLOADS = 4;
const WAITING = { maxWaiting: 20, waitMs: 10_000, refusal: () => busy("Too many uploads are in progress.") };

/** A slower upload loses its slot to one that waits. At this rate 5 MB take as long as a request may, 30 s. */
const FLOOR_BYTES_PER_MS = 170;
/** Time before the rate counts, and between two checks. */
const [GRACE_MS, CHECK_MS] = [1_500, 500];

/** Merchants are served round-robin, so that each waits for at most one upload of each other one. */
export function createUploadSlots() {
  const all = new Semaphore({ ...WAITING, slots: MAX_UPLOADS, perKey: 2 });
  const test = new Semaphore({ ...WAITING, slots: MAX_TEST_UPLOADS, perKey: 2 });

  return async (merchant: string, mode: Mode): Promise<UploadSlot> => {
    const acquire = () => all.acquire(merchant);
    const slot = await (mode === "test" ? acquireAll([() => test.acquire(merchant), acquire]) : acquire());
    const isWanted = () => all.isShort || (mode === "test" && test.isShort);
    const tooSlow = new AbortController();
    const startedMs = performance.now();
    let bytes = 0;
    const check = setInterval(() => {
      const tookMs = performance.now() - startedMs;
      if (tookMs < GRACE_MS || bytes >= tookMs * FLOOR_BYTES_PER_MS || !isWanted()) return;
      clearInterval(check);
      tooSlow.abort(busy("This upload arrived too slowly while others were waiting."));
    }, CHECK_MS);
    check.unref();
    return {
      signal: tooSlow.signal,
      note(more) {
        bytes += more;
      },
      arrived: () => clearInterval(check),
      release() {
        clearInterval(check);
        slot.release();
      },
    };
  };
}

const busy = (reason: string) =>
  new AppError("rate_limited", `${reason} Nothing was stored: send the file again in 2 s with the same key.`, {
    retryAfterSeconds: 2,
  });
