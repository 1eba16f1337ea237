import { countPayouts, findPayout, listPayouts as selectPayouts } from "@/db/queries/settlement/payouts";
import type { PayoutRow } from "@/db/schema/payouts";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { ListPayoutsQuery } from "@/lib/contract/settlement/endpoints";
import type { Payout } from "@/lib/contract/settlement/payout";
import { API_ENVIRONMENTS, type Mode } from "@/lib/contract/transactions/words";
import { type Context, resourceNotFound } from "../context";
import { type ListAnswer, listAnswer, millisecondsOf, unknownCursor } from "../lists";

/** One payout. Throws `resource_not_found` for unknown, malformed and foreign ids alike. */
export async function getPayout(ctx: Context, input: { id: string }): Promise<Payout> {
  const row = await findRow(ctx, input.id);
  if (!row) throw resourceNotFound("payout", input.id);
  return presentPayout(row, ctx.environment.mode);
}

async function findRow(ctx: Context, publicId: string): Promise<PayoutRow | null> {
  const id = decodeId("payout", publicId);
  return id === null ? null : findPayout(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id);
}

/** Newest first. Throws `invalid_parameter` when `starting_after` is none of ours. */
export async function listPayouts(ctx: Context, query: ListPayoutsQuery): Promise<ListAnswer<Payout>> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const { limit = 20, offset = 0, starting_after } = query;
  const after = starting_after === undefined ? null : await findRow(ctx, starting_after);
  if (starting_after !== undefined && !after) throw unknownCursor("payout", starting_after);
  const { gte, lt } = millisecondsOf({ after: query.created_after, before: query.created_before });
  const filter = { currency: query.currency, status: query.status, from: gte, before: lt };
  const [rows, total] = await Promise.all([
    selectPayouts(sql, ctx.environment.id, filter, { limit: limit + 1, offset, afterId: after?.id ?? null }),
    countPayouts(sql, ctx.environment.id, filter, TOTAL_CAP + 1),
  ]);
  const data = rows.slice(0, limit).map((row) => presentPayout(row, ctx.environment.mode));
  return listAnswer(data, { hasMore: rows.length > limit, total }, limit, offset);
}

export function presentPayout(row: PayoutRow, mode: Mode): Payout {
  return {
    id: encodeId("payout", row.id),
    object: "payout",
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    arrival_date: row.arrival_date,
    settlement_batch_ids: row.settlement_batch_ids.map((id) => encodeId("settlementBatch", id)),
    failure_reason: row.failure_reason,
    bank_account: { bank_name: row.bank_name, country: row.bank_country, last4: row.bank_last4 },
    environment: API_ENVIRONMENTS[mode],
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
