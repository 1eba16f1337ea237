import type { Sql } from "@/db/client";
import { openPages, UNCAPPED } from "../export";
import type { SettlementBatchRow } from "./settle";

/** A batch as shown to merchants. */
export type ShownBatchRow = SettlementBatchRow & { payout_id: string | null };

type BatchFilter = {
  readonly currency?: string | undefined;
  /** First millisecond of the range, and the first one past it. */
  readonly from?: Date | undefined;
  readonly before?: Date | undefined;
};

/** A batch's net amount is its line 4, in either direction; without that line it is 0. */
const shown = (sql: Sql) => sql`
  b.environment_id, b.id, b.currency, b.charge_count, b.charge_amount, b.refund_count, b.refund_amount, b.reversal_count,
  b.reversal_amount, b.payout_id, b.created_at, coalesce((
    select case l.credit_account when 'merchant_available' then l.amount else -l.amount end
    from ledger_entries l
    where l.environment_id = b.environment_id and l.operation_id = b.id and l.line = 4), 0) as net_amount`;

const matching = (sql: Sql, environmentId: string, { currency, from, before }: BatchFilter) => sql`
  b.environment_id = ${environmentId}
  ${currency === undefined ? sql`` : sql`and b.currency = ${currency}`}
  ${from === undefined ? sql`` : sql`and b.created_at >= ${from}`}
  ${before === undefined ? sql`` : sql`and b.created_at < ${before}`}`;

/**
 * Newest first. Indexes: the primary key, `settlement_batches_currency`; for the net amounts the ledger's
 * primary key.
 */
export async function listBatches(
  sql: Sql,
  environmentId: string,
  filter: BatchFilter,
  page: { limit: number; offset: number; afterId: string | null },
): Promise<ShownBatchRow[]> {
  return await sql<ShownBatchRow[]>`
    select ${shown(sql)} from settlement_batches b
    where ${matching(sql, environmentId, filter)} ${page.afterId === null ? sql`` : sql`and b.id < ${page.afterId}`}
    order by b.id desc limit ${page.limit} offset ${page.offset}`;
}

export const openBatchExport = (sql: Sql, environmentId: string, filter: BatchFilter) =>
  openPages<ShownBatchRow>(sql, {
    count: (tx) => countBatches(tx, environmentId, filter, UNCAPPED),
    page: (tx, last, limit) => listBatches(tx, environmentId, filter, { limit, offset: 0, afterId: last?.id ?? null }),
  });

/** Number of matches, counted no further than `limit`. */
export async function countBatches(
  sql: Sql,
  environmentId: string,
  filter: BatchFilter,
  limit: number,
): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count from (
      select from settlement_batches b where ${matching(sql, environmentId, filter)} limit ${limit}) found`;
  return row.count;
}

/** In id order; missing ones are omitted. */
export async function findBatches(sql: Sql, environmentId: string, ids: readonly string[]): Promise<ShownBatchRow[]> {
  return await sql<ShownBatchRow[]>`
    select ${shown(sql)} from settlement_batches b
    where b.environment_id = ${environmentId} and b.id = any(${[...ids]}::uuid[]) order by b.id`;
}

/** A transaction in a batch, and what it adds to the batch's amounts, in minor units. */
export type BatchItemRow = {
  id: string;
  payment_id: string;
  kind: "charge" | "refund" | "reversal";
  /** The payer's name, e-mail address or the merchant's id for them. */
  customer: string | null;
  amount: number;
  /** Fee charged at the capture; refunds and reversals have none. */
  fee: number;
  created_at: string;
};

/**
 * In id order. Indexes: `transactions_batch`, `transactions_reversal_batch`, the primary key of payments; for
 * fees `operations_payment`, then the primary key of the ledger.
 */
export async function listBatchItems(
  sql: Sql,
  environmentId: string,
  batchIds: readonly string[],
  page: { limit: number; offset: number },
): Promise<BatchItemRow[]> {
  const ids = [...batchIds];
  return await sql<BatchItemRow[]>`
    select id, payment_id, kind, customer, amount, created_at, case kind when 'charge' then (
      select coalesce(sum(l.amount), 0) from operations o
      join ledger_entries l
        on l.environment_id = o.environment_id and l.operation_id = o.id and l.line = 2 and l.credit_account = 'fees'
      where o.environment_id = ${environmentId} and o.payment_id = items.payment_id) else 0 end::bigint as fee
    from (select * from (
      select t.id, t.payment_id, t.created_at, coalesce(t.customer_name, t.customer_email, t.customer_id) as customer,
        case t.type when 'CHARGE' then 'charge' else 'refund' end as kind,
        case t.type when 'CHARGE' then p.amount_captured else -t.amount end as amount
      from transactions t
      join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
      where t.environment_id = ${environmentId} and t.settlement_batch_id = any(${ids}::uuid[])
      union all
      select t.id, t.payment_id, t.created_at, coalesce(t.customer_name, t.customer_email, t.customer_id), 'reversal',
        t.amount
      from transactions t
      where t.environment_id = ${environmentId} and t.reversal_batch_id = any(${ids}::uuid[])
    ) found order by id limit ${page.limit} offset ${page.offset}) items
    order by id`;
}
