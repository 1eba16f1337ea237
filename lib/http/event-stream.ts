import { isDatabaseUnavailable } from "@/db/unavailable";
import { AppError } from "@/lib/contract/errors";
import type { Event } from "@/lib/contract/events/event";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Context } from "@/lib/domain/context";
import { followEvents } from "@/lib/domain/events/read-events";
import { currentService } from "./current-service";

/**
 * Pieces of an endless response. The host aborts `over` when the client disconnects; the stream may abort it,
 * too.
 */
export type Stream = (over: AbortController) => AsyncGenerator<string, void>;

/** Concurrent streams per reader, and per process: each queries the database twice a second. */
const MAX_PER_READER = 5;
const MAX_STREAMS = 100;
/**
 * Concurrent streams of all test environments: accounts are free, and twenty of them must not block live
 * streams.
 */
const MAX_IN_TEST_MODE = 75;
/** Reconnect delay for clients. */
const RETRY_MS = 2_000;

/** Interval at which a rate-limited stream checks whether its client is still connected. */
const CHECK_INTERVAL_MS = 500;

/** A stream that is not read within this time, such as HEAD's, no longer counts. */
const UNREAD_MS = 1_000;

const open = new Map<string, number>();
const openOfAll = { test: 0, live: 0 };

function count(reader: string, mode: Mode, by: 1 | -1): void {
  openOfAll[mode] += by;
  const now = (open.get(reader) ?? 0) + by;
  if (now === 0) open.delete(reader);
  else open.set(reader, now);
}

/**
 * Events as server-sent events. Their bytes count as other responses' do, so a stream pauses while its reader
 * is over the limit. Throws `rate_limited` if the reader has too many streams, and what `followEvents`
 * throws.
 */
export async function openEventStream(ctx: Context, reader: string, lastEventId: string | null): Promise<Stream> {
  const { mode } = ctx.environment;
  if ((open.get(reader) ?? 0) >= MAX_PER_READER)
    throw tooMany(`At most ${MAX_PER_READER} event streams can be open at once. Close one first.`);
  if (openOfAll.test + openOfAll.live >= MAX_STREAMS || (mode === "test" && openOfAll.test >= MAX_IN_TEST_MODE))
    throw tooMany("Too many event streams are open right now. Try again in 5 s.");
  // Counted before the first await, or concurrent requests would all see the same free slot.
  count(reader, mode, 1);
  let isHeld = true;
  const release = () => {
    if (isHeld) count(reader, mode, -1);
    isHeld = false;
  };
  const followed = await followEvents(ctx, lastEventId).catch((error: unknown) => {
    release();
    throw error;
  });
  const limits = currentService().responseLimiter;
  const unread = setTimeout(release, UNREAD_MS);
  return async function* ({ signal }) {
    clearTimeout(unread);
    if (!isHeld) return;
    try {
      // An id without data: a client that is cut off before the first event resumes here, and misses none.
      yield `retry: ${RETRY_MS}\nid: ${followed.startId}\n\n`;
      for await (const event of followed.events(signal)) {
        if (event === null) {
          yield ": still here\n\n";
          continue;
        }
        for (let restMs = limits.waitMs(reader); restMs > 0; restMs = limits.waitMs(reader)) {
          await ctx.service.timer.wait(Math.min(restMs, CHECK_INTERVAL_MS));
          if (signal.aborted) return;
        }
        const frame = frameOf(event);
        limits.charge(reader, Buffer.byteLength(frame));
        yield frame;
      }
    } catch (error) {
      // The client reconnects after its last event, and then gets the error.
      if (error instanceof AppError) return;
      if (isDatabaseUnavailable(error))
        ctx.service.log.warn({ err: error }, "a stream of events ended: the database is unavailable");
      else ctx.service.log.error({ err: error }, "a stream of events failed");
    } finally {
      release();
    }
  };
}

const tooMany = (detail: string) => new AppError("rate_limited", detail, { retryAfterSeconds: 5 });

/** JSON contains no raw line breaks. */
const frameOf = (event: Event) => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
