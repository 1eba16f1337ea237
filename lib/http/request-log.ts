import { setImmediate as letOthersGo } from "node:timers/promises";
import type { Sql } from "@/db/client";
import { isRefused } from "@/db/refusals";
import type { RequestLogRow } from "@/db/schema/request-log";
import { type Endpoint, writes } from "@/lib/contract/endpoint";
import { countRequestsLeftOut } from "@/lib/counts";
import { type CompletedRequest, recordRequests, rowOf } from "@/lib/domain/request-log/record-requests";
import { createBuckets } from "@/lib/rate-limits";
import type { Caller } from "./caller";

const FLUSH_MS = 1_000;
/** Requests and bytes in memory, waiting or being written. */
const MAX_WAITING = 4_000;
const MAX_BYTES = 16_000_000;
/** Max. bytes of a logged response; of a longer one, the row has a mark instead of the body. */
const MAX_HELD = 256_000;
/** Memory of a row without its bodies. */
const ROW_BYTES = 1_500;
/**
 * Factors from text to memory: for a body that its endpoint accepts, and for a refused one, such as many
 * empty objects.
 */
const [ACCEPTED_WEIGHT, REFUSED_WEIGHT] = [3, 20];
/** Rows per statement. */
const BATCH = 100;
/** Yield to the event loop after this many ms. */
const MAKING_MS = 2;

type RequestLogService = {
  readonly db: { readonly sql: Sql };
  readonly log: { warn(details: object, message: string): void };
};

/** `bytes`: of both bodies. */
export type NotedRequest = Omit<CompletedRequest, "environmentId" | "actor"> & { caller: Caller | null; bytes: number };

/** A waiting entry: as noted, and as a row once rendered. */
type Waiting = { readonly request: CompletedRequest; readonly bytes: number; row?: RequestLogRow };

export type RequestLog = ReturnType<typeof createRequestLog>;

/** Logged: requests by API keys, and users' writes and refusals. Reads by users would be noise. */
export const isLogged = ({ actor }: Caller, endpoint: Endpoint, status: number) =>
  actor.type === "api_key" || writes(endpoint) || status >= 400;

/** True if a response is short enough to be logged. */
export const mayHold = (bytes: number): boolean => bytes <= MAX_HELD;

/**
 * Collects requests in memory and writes them every second, in batches. No request waits for it or fails
 * because of it: entries without room are dropped and counted, and the environment's next row reports how
 * many.
 */
export function createRequestLog(service: RequestLogService) {
  let waiting: Waiting[] = [];
  let count = 0;
  let bytes = 0;
  const leftOut = new Map<string, number>();
  let lost = 0;
  const plain = createBuckets("loggedRequests");
  const unverified = createBuckets("loggedRequestsOfUnverified");
  let flushing: Promise<void> = Promise.resolve();

  const isEnough = ({ environment, verified }: Caller) =>
    environment.mode === "test" && !verified && unverified.take(environment.id).waitMs > 0;
  const isOneOfMany = ({ environment }: Caller, { endpoint, status }: NotedRequest) =>
    (status >= 400 || !writes(endpoint)) && plain.take(environment.id).waitMs > 0;

  function leaveOut(environmentId: string, some = 1): void {
    leftOut.set(environmentId, (leftOut.get(environmentId) ?? 0) + some);
    lost += some;
    countRequestsLeftOut(some);
  }

  /** The request's row, which reports how many were dropped before it. */
  function render(one: Waiting): RequestLogRow {
    const { environmentId } = one.request;
    const row = one.row ?? rowOf(one.request, leftOut.get(environmentId) ?? 0);
    if (!one.row) leftOut.delete(environmentId);
    one.row = row;
    return row;
  }

  /** Renders the rows. An entry that cannot be rendered is dropped; the others are kept. */
  async function withRows(batch: readonly Waiting[]): Promise<Waiting[]> {
    const able: Waiting[] = [];
    let startedMs = performance.now();
    for (const one of batch) {
      try {
        render(one);
        able.push(one);
      } catch (error) {
        leaveOut(one.request.environmentId);
        service.log.warn({ err: error, request_id: one.request.id }, "a request could not be logged");
        done([one]);
      }
      if (performance.now() - startedMs < MAKING_MS) continue;
      await letOthersGo();
      startedMs = performance.now();
    }
    return able;
  }

  function done(batch: readonly Waiting[]): void {
    count -= batch.length;
    for (const one of batch) bytes -= one.bytes;
  }

  /** Writes a batch that the database refused row by row, so that only the bad row is lost. */
  async function writeBatch(taken: readonly Waiting[]): Promise<void> {
    const batch = await withRows(taken);
    const rows = batch.map(render);
    try {
      await recordRequests(service, rows);
      done(batch);
      return;
    } catch (error) {
      if (!isRefused(error)) throw error;
    }
    for (const [i, one] of batch.entries()) {
      try {
        await recordRequests(service, [rows[i] as RequestLogRow]);
      } catch (error) {
        if (!isRefused(error)) {
          waiting = [...batch.slice(i), ...waiting];
          return Promise.reject(new Requeued(error));
        }
        leaveOut(one.request.environmentId, 1 + (one.row?.left_out ?? 0));
        service.log.warn({ err: error, request_id: one.request.id }, "a request could not be logged");
      }
      done([one]);
    }
  }

  async function write(): Promise<void> {
    if (lost > 0) service.log.warn({ left_out: lost }, "some requests were not logged, because there were too many");
    lost = 0;
    for (let left = waiting.length; left > 0 && waiting.length > 0; left -= BATCH) {
      const batch = waiting.slice(0, Math.min(BATCH, left));
      waiting = waiting.slice(batch.length);
      try {
        await writeBatch(batch);
      } catch (error) {
        // Retried with the next batch. New entries have the room that is left.
        if (!(error instanceof Requeued)) waiting = [...batch.filter(({ row }) => row !== undefined), ...waiting];
        service.log.warn({ err: error instanceof Requeued ? error.cause : error }, "could not log requests");
        return;
      }
    }
  }

  const flush = (): Promise<void> => {
    flushing = flushing.then(write);
    return flushing;
  };
  const timer = setInterval(() => {
    if (waiting.length > 0) void flush();
  }, FLUSH_MS).unref();

  return {
    note(noted: NotedRequest): void {
      const { caller, bytes: bodies, ...rest } = noted;
      if (caller === null || !isLogged(caller, noted.endpoint, noted.status)) return;
      const { environment, actor } = caller;
      const held = noted.status >= 400 ? REFUSED_WEIGHT : ACCEPTED_WEIGHT;
      const weight = ROW_BYTES + bodies * (rest.sent !== undefined || isObject(rest.response) ? held : 1);
      if (count >= MAX_WAITING || bytes + weight > MAX_BYTES || isOneOfMany(caller, noted) || isEnough(caller)) {
        leaveOut(environment.id);
        return;
      }
      count++;
      bytes += weight;
      waiting.push({ request: { environmentId: environment.id, actor, ...rest }, bytes: weight });
    },
    flush,
    stop(): Promise<void> {
      clearInterval(timer);
      return flush();
    },
  };
}

class Requeued extends Error {
  constructor(cause: unknown) {
    super("some of a batch waits again", { cause });
  }
}

const isObject = (response: CompletedRequest["response"]) =>
  response !== null && response !== "left out" && "value" in response;
