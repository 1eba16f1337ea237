import type { Sql } from "@/db/client";
import type { OperationKind } from "@/db/schema/operations";
import { clockNow } from "../clock";
import { WAITING_WHERE } from "../invoices/search";
import type { Fragment } from "../statement-text";

/**
 * Rows that need attention: table, condition, and the column with their transaction; for the overview and the
 * list filter. `{now}` is the environment's time; operations have real time.
 */
export const NEEDS_ATTENTION = {
  /**
   * No known outcome: the last call had none, or its process died and nothing took it over. Operations that
   * the processor confirmed to be processing count only after 24 hours. Index: `operations_open`.
   */
  unknown_outcome: {
    from: "operations",
    id: "transaction_id",
    where:
      "state = 'open' and (unknown_at is not null or lease_until < now()) and (accepted_at is null or accepted_at < now() - interval '1 day')",
  },
  /** Index: `transactions_failed_refunds`. */
  failed_refund: {
    from: "transactions",
    id: "id",
    where: "type = 'REFUND' and status = 'FAILED' and updated_at >= {now} - interval '30 days'",
  },
  /** Index: `payments_capture_reversed`. */
  capture_reversed: {
    from: "payments",
    id: "charge_id",
    where: "capture_reversed_at is not null and capture_reversed_at >= {now} - interval '30 days'",
  },
  /** Index: `payments_expiring`. */
  expiring: {
    from: "payments",
    id: "charge_id",
    where: "status = 'AUTHORIZED' and capture_before < {now} + interval '24 hours'",
  },
} as const;

/** The condition's text. `environment`: an expression, such as a placeholder. */
export const attentionWhere = (kind: keyof typeof NEEDS_ATTENTION, environment: string): string =>
  NEEDS_ATTENTION[kind].where.replace("{now}", `(select clock_now(${environment}))`);

function needs(sql: Sql, kind: keyof typeof NEEDS_ATTENTION, environmentId: string): Fragment {
  const [before = "", after] = NEEDS_ATTENTION[kind].where.split("{now}");
  if (after === undefined) return sql`${sql.unsafe(before)}`;
  return sql`${sql.unsafe(before)} ${clockNow(sql, environmentId)} ${sql.unsafe(after)}`;
}

/** A page of rows that need attention, and their total. */
export type FoundRows<Row> = { count: number; rows: Row[] };

type CountedRow<Row> = Row & { total: number };

function found<Row>(rows: readonly CountedRow<Row>[]): FoundRows<Row> {
  return { count: rows[0]?.total ?? 0, rows: rows.map(({ total: _, ...row }) => row as unknown as Row) };
}

type ExpiringRow = { payment_id: string; amount: number; currency: string; at: string };

/** Authorizations that expire soon, soonest first. */
export async function findExpiring(
  sql: Sql,
  environmentId: string,
  input: { limit: number },
): Promise<FoundRows<ExpiringRow>> {
  const rows = await sql<CountedRow<ExpiringRow>[]>`
    select id as payment_id, amount, currency, capture_before as at, count(*) over () as total
    from payments
    where environment_id = ${environmentId}::uuid and ${needs(sql, "expiring", environmentId)}
    order by capture_before
    limit ${input.limit}::int`;
  return found(rows);
}

/**
 * Number of uncaptured authorizations, counted no further than `limit`. Index:
 * `payments_expiring`.
 */
export async function countToCapture(sql: Sql, environmentId: string, limit: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from (
      select from payments where environment_id = ${environmentId}::uuid and status = 'AUTHORIZED' limit ${limit}::int
    ) held`;
  return row.count;
}

type FailedRefundRow = {
  transaction_id: string;
  payment_id: string;
  amount: number;
  currency: string;
  at: string;
};

/** Recently failed refunds, latest first. */
export async function findFailedRefunds(
  sql: Sql,
  environmentId: string,
  input: { limit: number },
): Promise<FoundRows<FailedRefundRow>> {
  const rows = await sql<CountedRow<FailedRefundRow>[]>`
    select id as transaction_id, payment_id, amount, currency, updated_at as at, count(*) over () as total
    from transactions
    where environment_id = ${environmentId}::uuid and ${needs(sql, "failed_refund", environmentId)}
    order by updated_at desc
    limit ${input.limit}::int`;
  return found(rows);
}

/** Captures that the processor recently reversed, latest first. */
export async function findReversedCaptures(
  sql: Sql,
  environmentId: string,
  input: { limit: number },
): Promise<FoundRows<ExpiringRow>> {
  const rows = await sql<CountedRow<ExpiringRow>[]>`
    select id as payment_id, amount_captured as amount, currency, capture_reversed_at as at, count(*) over () as total
    from payments
    where environment_id = ${environmentId}::uuid and ${needs(sql, "capture_reversed", environmentId)}
    order by capture_reversed_at desc
    limit ${input.limit}::int`;
  return found(rows);
}

type WaitingInvoiceRow = { invoice_id: string; amount: number; currency: string; at: string };

/** Open invoices without a planned attempt, oldest first. Index: `invoices_status`. */
export async function findWaitingInvoices(
  sql: Sql,
  environmentId: string,
  input: { limit: number },
): Promise<FoundRows<WaitingInvoiceRow>> {
  const rows = await sql<CountedRow<WaitingInvoiceRow>[]>`
    select id as invoice_id, amount_due as amount, currency, updated_at as at, count(*) over () as total
    from invoices r
    where environment_id = ${environmentId}::uuid and event_sequence > 0 and ${sql.unsafe(WAITING_WHERE)}
    order by id
    limit ${input.limit}::int`;
  return found(rows);
}

type UnknownOutcomeRow = { payment_id: string; kind: OperationKind; amount: number; currency: string; at: string };

/** Operations without a known outcome, oldest first. `at` is when that started. */
export async function findUnknown(
  sql: Sql,
  environmentId: string,
  input: { limit: number },
): Promise<FoundRows<UnknownOutcomeRow>> {
  const rows = await sql<CountedRow<UnknownOutcomeRow>[]>`
    select payment_id, kind, amount, currency, coalesce(unknown_at, created_at) as at, count(*) over () as total
    from operations
    where environment_id = ${environmentId}::uuid and ${needs(sql, "unknown_outcome", environmentId)}
    order by coalesce(unknown_at, created_at)
    limit ${input.limit}::int`;
  return found(rows);
}

type ToRespondRow = ExpiringRow & { dispute_id: string };

/** Disputes that need a response and whose deadline has not passed, the next one first. Index: `disputes_status`. */
export async function findToRespond(
  sql: Sql,
  environmentId: string,
  input: { limit: number },
): Promise<FoundRows<ToRespondRow>> {
  const rows = await sql<CountedRow<ToRespondRow>[]>`
    select payment_id, id as dispute_id, amount, currency, coalesce(respond_by, created_at) as at, count(*) over () as total
    from disputes
    where environment_id = ${environmentId}::uuid and status = 'NEEDS_RESPONSE'
      and (respond_by is null or respond_by >= ${clockNow(sql, environmentId)})
    order by respond_by, id
    limit ${input.limit}::int`;
  return found(rows);
}
