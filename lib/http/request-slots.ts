import { AppError } from "@/lib/contract/errors";
import type { Mode } from "@/lib/contract/transactions/words";
import { acquireAll, Semaphore, type Slot } from "@/lib/semaphore";
import { createUploadSlots, type UploadSlot } from "./upload-slots";

/**
 * Limits of concurrent work, per merchant and in all. A `reader` is a group of callers whose responses count
 * together (`readerOf`). Each method throws `rate_limited` if no slot is free in time.
 */
export type RequestSlots = {
  /** For a read that may be long, until its response is rendered. */
  read(reader: string, mode: Mode): Promise<Slot>;
  /** For a write that examines many rows. */
  longWrite(reader: string, mode: Mode): Promise<Slot>;
  /** For an upload, while its file arrives and is stored. */
  upload(merchant: string, mode: Mode): Promise<UploadSlot>;
  /** For a write; `payment`: the payment whose money it moves. */
  write(by: { readonly merchant: string; readonly payment: string | null }): Promise<Slot>;
  /**
   * For a response that may be long, until it is sent: a client that does not receive it delays only its own
   * group.
   */
  unsent(reader: string): Promise<Slot>;
};

/** Waiting reads per reader: a key's burst. */
const MAX_WAITING_READS = 200;
const READ_WAIT_MS = 5_000;
/** Well within the time limit of a request. */
const WRITE_WAIT_MS = 10_000;

/**
 * More than a shop sends for one payment at a time. Each response has the payment and up to 100 of its
 * refunds.
 */
const OF_A_PAYMENT = {
  perKey: 4,
  maxWaiting: 1_000,
  waitMs: WRITE_WAIT_MS,
  refusal: () => tooManyWrites("this payment"),
};
/** One merchant's writes leave room for those of others. */
const OF_A_MERCHANT = {
  perKey: 250,
  maxWaiting: 750,
  waitMs: WRITE_WAIT_MS,
  refusal: () => tooManyWrites("your account"),
};

/**
 * `readsAtOnce`: concurrent reads in all. One reader leaves two slots to others, and test mode leaves one to
 * live mode, so the next reader starts immediately however long a read takes.
 */
export function createRequestSlots(readsAtOnce: number): RequestSlots {
  const [allButOne, allButTwo] = [Math.max(1, readsAtOnce - 1), Math.max(1, readsAtOnce - 2)];
  const waiting = { maxWaiting: MAX_WAITING_READS, waitMs: READ_WAIT_MS, refusal: tooManyReads };
  const reads = new Semaphore({ ...waiting, slots: readsAtOnce, perKey: allButTwo });
  const testReads = new Semaphore({ ...waiting, slots: allButOne });
  const longWrites = new Semaphore({ ...waiting, perKey: 1 });
  const unsent = new Semaphore({ ...waiting, perKey: allButOne });
  const payments = new Semaphore(OF_A_PAYMENT);
  const merchants = new Semaphore(OF_A_MERCHANT);

  function read(reader: string, mode: Mode): Promise<Slot> {
    const read = () => reads.acquire(reader);
    return mode === "test" ? acquireAll([() => testReads.acquire(reader), read]) : read();
  }

  return {
    read,
    longWrite: (reader, mode) => acquireAll([() => longWrites.acquire(reader), () => read(reader, mode)]),
    write: ({ merchant, payment }) =>
      acquireAll([...(payment === null ? [] : [() => payments.acquire(payment)]), () => merchants.acquire(merchant)]),
    unsent: (reader) => unsent.acquire(reader),
    upload: createUploadSlots(),
  };
}

function tooManyReads(reason: "full" | "late"): AppError {
  const detail =
    reason === "full"
      ? `${MAX_WAITING_READS} of your list requests are already waiting.`
      : "Too much is being read right now, or you haven't received earlier responses yet.";
  return new AppError("rate_limited", `${detail} Try again in 2 s.`, { retryAfterSeconds: 2 });
}

const tooManyWrites = (of: string) =>
  new AppError(
    "rate_limited",
    `Too many requests for ${of} are in progress. Nothing was done: send this one again in 2 s with the same key.`,
    { retryAfterSeconds: 2 },
  );
