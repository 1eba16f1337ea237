import { listUnsettledGroups, type SettlementBatchRow } from "@/db/queries/settlement";
import { isDatabaseUnavailable } from "@/db/unavailable";
import type { Service } from "@/lib/domain/context";
import { forgetTotals } from "@/lib/domain/known-totals";
import { BEFORE_ALL } from "@/lib/ids";
import { settleChunk } from "./settle-chunk";

/** One batch: one environment, one currency, at most one chunk of payments. Amounts in minor units. */
export type BatchSummary = SettlementBatchRow;

/** Transactions that one commit settles: small enough that no payment stays locked for long. */
const CHUNK_SIZE = 1_000;

export type SettlementInput = {
  /** Only this environment; all of them when left out. */
  environmentId?: string;
  chunkSize?: number;
  /** Between two chunks: stop here, the rest is for the next run. */
  signal?: AbortSignal;
};

/**
 * Settles everything that is captured and not settled yet, and what failed since it was settled, as of now. Each chunk is a batch and a commit of its own, so a
 * run that is killed loses nothing, and any number of runs may go on at once.
 */
export async function runSettlement(service: Service, input: SettlementInput = {}): Promise<BatchSummary[]> {
  const batches: BatchSummary[] = [];
  // A chunk of each in turn: nobody's waits until all of the largest is settled.
  let groups = (await listUnsettledGroups(service.db, input.environmentId ?? null)).map((group) => ({
    ...group,
    afterId: BEFORE_ALL,
  }));
  const failures: unknown[] = [];
  while (groups.length > 0) {
    const unfinished: typeof groups = [];
    for (const group of groups) {
      if (input.signal?.aborted) return batches;
      try {
        const chunk = await settleChunk(service, { ...group, limit: input.chunkSize ?? CHUNK_SIZE }).finally(() =>
          forgetTotals(group.environment_id),
        );
        if (chunk.batch) batches.push(chunk.batch);
        // The position only moves forward, so a run ends even while payments keep coming in.
        if (chunk.lastId !== null) unfinished.push({ ...group, afterId: chunk.lastId });
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        failures.push(error);
      }
    }
    groups = unfinished;
  }
  // After the others are settled: the run is not done, and is made again.
  if (failures.length > 0) throw failures[0];
  return batches;
}
