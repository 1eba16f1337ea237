import { listUnsettledGroups, type SettlementBatchRow } from "@/db/queries/settlement";
import type { Service } from "@/lib/domain/context";
import { settleChunk } from "./settle-chunk";

/** One batch: one environment, one currency, at most one chunk of payments. Amounts in minor units. */
export type BatchSummary = SettlementBatchRow;

/** Transactions that one commit settles: small enough that no payment stays locked for long. */
const CHUNK_SIZE = 1_000;

const FIRST_ID = "00000000-0000-0000-0000-000000000000";

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
  for (const group of await listUnsettledGroups(service.db, input.environmentId ?? null)) {
    // The position only moves forward, so a run ends even while payments keep coming in.
    let afterId: string | null = FIRST_ID;
    while (afterId !== null && !input.signal?.aborted) {
      const chunk = await settleChunk(service, { ...group, afterId, limit: input.chunkSize ?? CHUNK_SIZE });
      if (chunk.batch) batches.push(chunk.batch);
      afterId = chunk.lastId;
    }
  }
  return batches;
}
