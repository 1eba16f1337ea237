import type { Sql } from "@/db/client";
import { readDatabaseTime } from "@/db/queries/service-settings";
import { followTime } from "@/lib/clock";

export type DatabaseTime = {
  /** How far this machine's own clock is surely apart from the database's, in milliseconds; negative while it may agree. */
  readonly skewMs: number;
  readonly readOnly: boolean;
};

/**
 * Asks the database for the time, by which this process goes from then on: of two processes none writes a moment that the
 * other takes for long past. What the machine's clock says of it is for readiness alone.
 */
export async function followDatabaseTime(sql: Sql): Promise<DatabaseTime> {
  const [sentAt, sentAtMs] = [performance.now(), Date.now()];
  const { ms, readOnly } = await readDatabaseTime(sql);
  const [receivedAt, receivedAtMs] = [performance.now(), Date.now()];
  followTime(ms, { sentAt, receivedAt });
  // It was read at some moment in between: what is surely wrong is further out than both ends.
  return { skewMs: Math.max(sentAtMs - ms, ms - receivedAtMs), readOnly };
}
