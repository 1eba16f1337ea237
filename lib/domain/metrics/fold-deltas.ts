import { foldTotalDeltas } from "@/db/queries/daily-totals";
import type { Service } from "../context";

/** More at once would only make the statement long; what is left is taken a moment later. */
const BATCH = 10_000;

/** Brings the daily figures up to date. Several instances at once are safe. Answers how many changes it counted. */
export async function foldDeltas(service: Service): Promise<number> {
  return await foldTotalDeltas(service.db.sql, BATCH);
}
