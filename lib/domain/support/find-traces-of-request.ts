import type { Sql } from "@/db/client";
import { findKeysOfRequest, findOperationsOfRequest, findRequestErrors } from "@/db/queries/support-search";
import { firstIdAt, idTime } from "@/lib/ids";
import type { Found } from "./found";

/** How long after its arrival a request may still write its intent; its body may come slowly. */
const WINDOW_MS = 30_000;
/** How far the clock that made the request's id and the database's may be apart. */
const CLOCK_SKEW_MS = 5_000;
const NO_TIME_MS = Date.UTC(9999, 0);

/** What a request left behind: what it began, the keys it used first, its refusal. One that only read leaves nothing. */
export async function findTracesOfRequest(sql: Sql, requestId: string, limit: number): Promise<Found[]> {
  const time = Date.parse(idTime(requestId));
  // Ids hold times up to the year 10889; no request was made then, and the database knows no such time.
  if (time + WINDOW_MS + CLOCK_SKEW_MS >= NO_TIME_MS) return [];
  const at = (offsetMs: number) => new Date(time + offsetMs);
  const window = { from: at(-CLOCK_SKEW_MS).toISOString(), until: at(WINDOW_MS + CLOCK_SKEW_MS).toISOString() };
  return [
    { kind: "operation", rows: await findOperationsOfRequest(sql, requestId, firstIdAt(at(WINDOW_MS)), limit) },
    { kind: "idempotency_key", rows: await findKeysOfRequest(sql, requestId, window, limit) },
    { kind: "request", rows: await findRequestErrors(sql, requestId, limit) },
  ];
}
