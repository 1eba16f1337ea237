import type { Sql } from "@/db/client";
import type { Operation } from "@/lib/contract/operation";
import { type RequestError, recordRequestErrors } from "@/lib/domain/request-log/request-errors";
import { idTime } from "@/lib/ids";
import { createTokenBuckets } from "@/lib/token-buckets";
import type { Caller } from "./caller";

const FLUSH_MS = 1_000;
/** In memory at most, in all; a caller in a loop must not fill the table either, so of one environment so many a second. */
const MAX_BUFFERED = 1_000;
const MAX_PER_ENVIRONMENT = 20;
/** Of an account that cost nobody anything to open, in a day: they are kept for a month. */
const MAX_UNPROVED_PER_DAY = 2_000;

type RequestErrorLogService = {
  readonly db: { readonly sql: Sql };
  readonly log: { warn(details: object, message: string): void };
};

/** A request that was answered with an error. `caller` is null as long as nobody knows whose it is: that is not kept. */
export type AnsweredRequest = {
  /** UUID. */
  id: string;
  path: string;
  operation: Operation;
  caller: Caller | null;
  status: number;
  /** The answer's body: problem details. */
  body: string;
};

export type RequestErrorLog = ReturnType<typeof createRequestErrorLog>;

/** Collects refused and failed requests in memory and writes them every second. No request waits for it, or fails by it. */
export function createRequestErrorLog(service: RequestErrorLogService) {
  let buffered: RequestError[] = [];
  let ofEnvironment = new Map<string, number>();
  let dropped = 0;
  const unproved = createTokenBuckets({ perSecond: MAX_UNPROVED_PER_DAY / 86_400, burst: MAX_UNPROVED_PER_DAY });
  const isEnough = ({ environment, verified }: Caller) =>
    environment.mode === "test" && !verified && unproved.take(environment.id).waitMs > 0;
  let flushing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const taken = buffered;
    buffered = [];
    ofEnvironment = new Map();
    if (dropped > 0) service.log.warn({ dropped }, "more requests failed than are written down");
    dropped = 0;
    try {
      await recordRequestErrors(service, taken);
    } catch (error) {
      // Another try with the next ones, as far as there is room.
      buffered = [...taken, ...buffered].slice(0, MAX_BUFFERED);
      service.log.warn({ err: error }, "could not write down refused requests");
    }
  }

  const flush = (): Promise<void> => {
    flushing = flushing.then(write);
    return flushing;
  };
  const timer = setInterval(() => {
    if (buffered.length > 0) void flush();
  }, FLUSH_MS).unref();

  return {
    note({ id, path, operation, caller, status, body }: AnsweredRequest): void {
      if (caller === null) return;
      const { environment, actor } = caller;
      const count = (ofEnvironment.get(environment.id) ?? 0) + 1;
      if (buffered.length >= MAX_BUFFERED || count > MAX_PER_ENVIRONMENT || isEnough(caller)) {
        dropped++;
        return;
      }
      ofEnvironment.set(environment.id, count);
      buffered.push({
        environment_id: environment.id,
        id,
        actor,
        operation: operation.name,
        method: operation.method,
        path,
        status,
        ...problemOf(body),
        created_at: idTime(id),
      });
    },
    flush,
    stop(): Promise<void> {
      clearInterval(timer);
      return flush();
    },
  };
}

/** What an error's body says. It was made here, or stored under an idempotency key, so it is always problem details. */
function problemOf(body: string): Pick<RequestError, "code" | "detail" | "param"> {
  const { code, detail, param } = JSON.parse(body) as { code: string; detail: string; param: string | null };
  return { code, detail, param };
}
