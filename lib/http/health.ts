import type { Database } from "@/db/client";
import { testWrite } from "@/db/queries/service/settings";
import { AppError } from "@/lib/contract/errors";
import { followDatabaseTime } from "@/lib/domain/context";
import { currentService } from "./current-service";
import { failureResponse, headersOf, infoOf, problemResponse } from "./pipeline";
import type { ApiRequest } from "./request-parts";
import type { HttpResponse } from "./response";
import { silence } from "./unavailable";

/** Time limit of the database check: monitors expect a response within two seconds. */
const READY_LIMIT_MS = 1_500;
/** Pause after a check without a response: each would wait in the pool forever. */
const RECHECK_AFTER_MS = 5_000;

/** Interval of test writes: each costs a commit, but only a write detects a full disk. */
const WRITE_EVERY_MS = 10_000;
/**
 * A larger difference from the database's clock means that this machine has a problem, although times come
 * from the database.
 */
const MAX_SKEW_MS = 5_000;

/** Shared by the process through globalThis, because Next bundles a copy of this module. */
const holder = globalThis as { [key: symbol]: true | undefined };
const STOPPING = Symbol.for("cardlane.stopping");

/**
 * Makes readiness respond with 503, so that load balancers use other instances; all else is served as before.
 */
export function endReadiness(): void {
  holder[STOPPING] = true;
}

let running: { db: Database; atMs: number; result: Promise<void> } | null = null;
const STOPPED = new AppError(
  "database_unavailable",
  "This instance is stopping. Send the request again in a moment, with the same idempotency key.",
  { retryAfterSeconds: 1 },
);
let wroteAtMs = Number.NEGATIVE_INFINITY;

/**
 * Liveness: the process runs. Checks nothing else, so that an outage of the database does not restart every
 * instance.
 */
export const live = (request: ApiRequest): HttpResponse => healthy(request, "live");

const healthy = (request: ApiRequest, status: "live" | "ready"): HttpResponse => ({
  status: 200,
  headers: { "Content-Type": "application/json", ...headersOf(infoOf(request)) },
  body: JSON.stringify({ status }),
});

/** Readiness: the database responds, accepts writes, and agrees about the time. 503 otherwise. */
export async function ready(request: ApiRequest): Promise<HttpResponse> {
  const { service } = currentService();
  // Not logged: monitors check every second.
  if (holder[STOPPING]) return problemResponse(STOPPED, infoOf(request));
  try {
    await checkDatabase(service.db);
    return healthy(request, "ready");
  } catch (error) {
    return failureResponse(error, infoOf(request));
  }
}

/**
 * A check in progress is shared. The race stays subscribed to it, so that a late failure is not unhandled.
 */
async function checkDatabase(db: Database): Promise<void> {
  if (running?.db !== db || performance.now() - running.atMs > RECHECK_AFTER_MS) {
    const started = { db, atMs: performance.now(), result: examine(db) };
    running = started;
    const forget = () => {
      if (running === started) running = null;
    };
    started.result.then(forget, forget);
  }
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(silence("the database does not respond")), READY_LIMIT_MS);
  });
  try {
    await Promise.race([running.result, limit]);
  } finally {
    clearTimeout(timer);
  }
}

async function examine(db: Database): Promise<void> {
  const { skewMs, readOnly } = await followDatabaseTime(db.sql);
  if (readOnly) throw silence("the database takes no writes");
  if (skewMs > MAX_SKEW_MS) {
    throw silence(`this machine's clock is ${Math.round(skewMs / 1_000)} s apart from the database's`);
  }
  if (performance.now() - wroteAtMs < WRITE_EVERY_MS) return;
  await testWrite(db.orm);
  wroteAtMs = performance.now();
}
