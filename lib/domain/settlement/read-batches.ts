import {
  countBatches,
  findBatches,
  listBatches,
  openBatchExport,
  type ShownBatchRow,
  listBatchItems as selectItems,
} from "@/db/queries/settlement/batches";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId, encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import type { ListSettlementBatchesQuery } from "@/lib/contract/settlement/endpoints";
import type { SettlementBatch } from "@/lib/contract/settlement/settlement-batch";
import { API_ENVIRONMENTS, type Mode } from "@/lib/contract/transactions/words";
import { type Context, resourceNotFound } from "../context";
import { openWhole } from "../cursor-list";
import { type ListResult, presentList, toMillisecondRange, unknownCursor } from "../lists";

/** One batch. Throws `resource_not_found` for unknown, malformed and foreign ids alike. */
export async function getSettlementBatch(ctx: Context, input: { id: string }): Promise<SettlementBatch> {
  const row = await findRow(ctx, input.id);
  if (!row) throw resourceNotFound("settlement batch", input.id);
  return presentSettlementBatch(row, ctx.environment.mode);
}

async function findRow(ctx: Context, publicId: string): Promise<ShownBatchRow | null> {
  const id = decodeId("settlementBatch", publicId);
  if (id === null) return null;
  const [row] = await findBatches(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, [id]);
  return row ?? null;
}

/** Newest first. Throws `invalid_parameter` if `starting_after` is not a batch of this environment. */
export async function listSettlementBatches(
  ctx: Context,
  query: ListSettlementBatchesQuery,
): Promise<ListResult<SettlementBatch>> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const { limit = 20, offset = 0, starting_after } = query;
  const after = starting_after === undefined ? null : await findRow(ctx, starting_after);
  if (starting_after !== undefined && !after) throw unknownCursor("settlement batch", starting_after);
  const filter = filterOf(query);
  const [rows, total] = await Promise.all([
    listBatches(sql, ctx.environment.id, filter, { limit: limit + 1, offset, afterId: after?.id ?? null }),
    countBatches(sql, ctx.environment.id, filter, TOTAL_CAP + 1),
  ]);
  const data = rows.slice(0, limit).map((row) => presentSettlementBatch(row, ctx.environment.mode));
  return presentList(data, { hasMore: rows.length > limit, total }, limit, offset);
}

function filterOf({ currency, created_after, created_before }: ListSettlementBatchesQuery) {
  const { gte, lt } = toMillisecondRange({ after: created_after, before: created_before });
  return { currency, from: gte, before: lt };
}

/** Everything that the query matches, in one snapshot. `close` must be called. */
export const exportSettlementBatches = (ctx: Context, query: ListSettlementBatchesQuery) =>
  openWhole(ctx, filterOf(query), openBatchExport, (rows) =>
    rows.map((row) => presentSettlementBatch(row, ctx.environment.mode)),
  );

/** A payout's batches, oldest first. */
export async function listBatchesOfPayout(
  ctx: Context,
  input: { settlement_batch_ids: string[] },
): Promise<SettlementBatch[]> {
  const ids = input.settlement_batch_ids.flatMap((id) => decodeId("settlementBatch", id) ?? []);
  const rows = await findBatches(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, ids);
  return rows.map((row) => presentSettlementBatch(row, ctx.environment.mode));
}

/** A transaction in a batch; `amount` is its share before the fee, in minor units. */
export type BatchItem = {
  transaction_id: string;
  payment_id: string;
  kind: "charge" | "refund" | "reversal";
  /** The payer's name, e-mail address or the merchant's id for them. */
  customer: string | null;
  amount: number;
  fee: number;
  created_at: string;
};

/** The transactions that batches settled, oldest first. */
export async function listBatchItems(
  ctx: Context,
  input: { batchIds: readonly string[]; limit: number; offset: number },
): Promise<BatchItem[]> {
  const ids = input.batchIds.map((batchId) => {
    const id = decodeId("settlementBatch", batchId);
    if (id === null) throw resourceNotFound("settlement batch", batchId);
    return id;
  });
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const rows = await selectItems(sql, ctx.environment.id, ids, input);
  return rows.map(({ id, payment_id, kind, customer, amount, fee, created_at }) => ({
    transaction_id: encodeId("transaction", id),
    payment_id: encodeId("payment", payment_id),
    kind,
    customer,
    amount,
    fee,
    created_at,
  }));
}

export function presentSettlementBatch(row: ShownBatchRow, mode: Mode): SettlementBatch {
  const { charge_count, charge_amount, refund_count, refund_amount, reversal_count, reversal_amount, net_amount } = row;
  return {
    id: encodeId("settlementBatch", row.id),
    object: "settlement_batch",
    currency: row.currency,
    charge_count,
    charge_amount,
    refund_count,
    refund_amount,
    reversal_count,
    reversal_amount,
    fee_amount: charge_amount - refund_amount + reversal_amount - net_amount,
    net_amount,
    transaction_count: charge_count + refund_count + reversal_count,
    payout_id: encodeIdOrNull("payout", row.payout_id),
    environment: API_ENVIRONMENTS[mode],
    created_at: row.created_at,
  };
}
