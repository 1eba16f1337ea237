import type { Orm } from "@/db/client";
import { rebuildTotals } from "@/db/queries/daily-totals";

/**
 * Counts one environment's daily figures anew, with days that begin at midnight of `timeZone` (IANA name). Call it for both
 * environments in the very transaction that writes the merchant's new zone, at PostgreSQL's default isolation.
 */
export async function rebuildDailyTotals(tx: Orm, environmentId: string, timeZone: string): Promise<void> {
  await rebuildTotals(tx, environmentId, timeZone);
}
