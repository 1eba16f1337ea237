import { findServiceSetting, storeServiceSetting } from "@/db/queries/service/settings";
import { type IndexCursor, indexBefore } from "@/db/queries/transactions/words";
import { isCanceled } from "@/db/refusals";
import type { Service } from "../context";

const DONE = "transactions_indexed";
const FROM_THE_END: IndexCursor = {
  environment_id: "ffffffff-ffff-ffff-ffff-ffffffffffff",
  id: "ffffffff-ffff-ffff-ffff-ffffffffffff",
};
/** Some tenth of a second of the database's time. One that takes longer than a statement may is tried by halves. */
const BATCH = 500;

/**
 * A job that makes transactions found by their words, and their customers known, which are older than that: a trigger sees to all
 * that came since. It goes through them once, from the newest of each environment on, and after a restart once more, which costs
 * little. Answers how many it took on.
 */
export function indexOlderWords(service: Pick<Service, "db">, batch = BATCH): () => Promise<number> {
  let cursor: IndexCursor | null = FROM_THE_END;
  let isFirst = true;
  let size = batch;
  return async () => {
    const { long, orm } = service.db;
    if (isFirst && (await findServiceSetting(orm, DONE)) !== null) cursor = null;
    isFirst = false;
    if (cursor === null) return 0;
    const taken = size;
    try {
      cursor = await indexBefore(long, cursor, taken);
    } catch (error) {
      if (!isCanceled(error) || taken === 1) throw error;
      size = Math.floor(taken / 2);
      return taken;
    }
    size = Math.min(batch, 2 * taken);
    if (cursor !== null) return taken;
    await storeServiceSetting(orm, DONE, "done");
    return 0;
  };
}
