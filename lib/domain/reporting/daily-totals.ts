import type { Orm } from "@/db/client";
import { foldTotalDeltas, rebuildTotals } from "@/db/queries/reporting/daily-totals";
import type { Service } from "../context";

// Apart from the overview, whose calendar is a package that only the pages load: this runs in the service.

/** More at once would only make the statement long; what is left is taken a moment later. */
const BATCH = 10_000;

/** Brings the daily figures up to date. Several instances at once are safe. Returns how many changes it counted. */
export async function foldDeltas(service: Service): Promise<number> {
  return await foldTotalDeltas(service.db.sql, BATCH);
}

/**
 * Recounts one environment's daily figures, with days that begin at midnight of `timeZone` (IANA name). Call it for both
 * environments in the very transaction that writes the merchant's new zone, at PostgreSQL's default isolation.
 */
export async function rebuildDailyTotals(tx: Orm, environmentId: string, timeZone: string): Promise<void> {
  await rebuildTotals(tx, environmentId, timeZone);
}
