import type { Sql } from "@/db/client";
import type { OperationKind } from "@/db/schema/operations";

/** A page's worth of rows that need somebody, and how many there are in all. */
export type Found<Row> = { count: number; rows: Row[] };

type Counted<Row> = Row & { total: number };

function found<Row>(rows: readonly Counted<Row>[]): Found<Row> {
  return { count: rows[0]?.total ?? 0, rows: rows.map(({ total: _, ...row }) => row as unknown as Row) };
}

type ExpiringRow = { payment_id: string; amount: number; currency: string; at: string };

/** Authorizations that run out before `until`, the first one first. Index: `payments_expiring`. */
export async function findExpiring(
  sql: Sql,
  environmentId: string,
  input: { until: string; limit: number },
): Promise<Found<ExpiringRow>> {
  const rows = await sql<Counted<ExpiringRow>[]>`
    select id as payment_id, amount, currency, capture_before as at, count(*) over () as total
    from payments
    where environment_id = ${environmentId}::uuid and status = 'AUTHORIZED' and capture_before < ${input.until}::timestamptz
    order by capture_before
    limit ${input.limit}::int`;
  return found(rows);
}

type FailedRefundRow = {
  transaction_id: string;
  payment_id: string;
  amount: number;
  currency: string;
  at: string;
};

/** Refunds that failed, or were paid back for it, since a moment; the latest first. Index: `transactions_failed_refunds`. */
export async function findFailedRefunds(
  sql: Sql,
  environmentId: string,
  input: { since: string; limit: number },
): Promise<Found<FailedRefundRow>> {
  const rows = await sql<Counted<FailedRefundRow>[]>`
    select id as transaction_id, payment_id, amount, currency, updated_at as at, count(*) over () as total
    from transactions
    where environment_id = ${environmentId}::uuid and type = 'REFUND' and status = 'FAILED'
      and updated_at >= ${input.since}::timestamptz
    order by updated_at desc
    limit ${input.limit}::int`;
  return found(rows);
}

type UnknownRow = { payment_id: string; kind: OperationKind; amount: number; currency: string; at: string };

/**
 * Operations whose last call ended without a known outcome, the oldest first. One that the processor said it works on is
 * waited for without alarm for a day. Index: `operations_unknown`.
 */
export async function findUnknown(
  sql: Sql,
  environmentId: string,
  input: { limit: number },
): Promise<Found<UnknownRow>> {
  const rows = await sql<Counted<UnknownRow>[]>`
    select payment_id, kind, amount, currency, unknown_at as at, count(*) over () as total
    from operations
    where environment_id = ${environmentId}::uuid and state = 'open' and unknown_at is not null
      and (accepted_at is null or accepted_at < now() - interval '1 day')
    order by unknown_at
    limit ${input.limit}::int`;
  return found(rows);
}
