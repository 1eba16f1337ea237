import { type Sql, type Transaction, withLimit } from "@/db/client";
import { isOver } from "../payments/operations";
import { UNSETTLED, UNSETTLED_REVERSAL } from "../settlement/settle";

export const OPERATION_AGES = ["under_1m", "1m_to_10m", "10m_to_1h", "1h_to_24h", "over_24h"] as const;
type OpenOperations = {
  /**
   * `under_way`: held by its first process. `unknown`: a call ended without an outcome, or the process died.
   */
  outcome: "under_way" | "unknown";
  age: (typeof OPERATION_AGES)[number];
  count: number;
  oldest_seconds: number;
};

export const QUEUES = ["mail", "mail_given_up", "processor_reports", "daily_totals", "audit_chain"] as const;
type QueueFigures = { queue: (typeof QUEUES)[number]; depth: number; oldest_seconds: number };

export type ServiceFigures = { operations: OpenOperations[]; queues: QueueFigures[] };

/** No request waits for these figures; a slower statement is canceled to leave the database to payments. */
const LIMIT_MS = 1_000;
const LEDGER_LIMIT_MS = 2_000;

/** Open operations and queue depths over all environments, by partial indexes and without reading history. */
export function readServiceFigures(sql: Sql): Promise<ServiceFigures> {
  return withLimit(sql, LIMIT_MS, async (tx) => ({
    operations: await listOpenOperations(tx),
    queues: await listQueues(tx),
  }));
}

/** Index: operations_open, which holds open operations only. */
async function listOpenOperations(tx: Transaction): Promise<OpenOperations[]> {
  return await tx<OpenOperations[]>`
    select case when unknown_at is not null or ${isOver(tx as unknown as Sql, "lease_until")} then 'unknown' else 'under_way' end as outcome,
      case when created_at > now() - interval '1 minute' then 'under_1m'
        when created_at > now() - interval '10 minutes' then '1m_to_10m'
        when created_at > now() - interval '1 hour' then '10m_to_1h'
        when created_at > now() - interval '24 hours' then '1h_to_24h' else 'over_24h' end as age,
      count(*) as count, greatest(0, extract(epoch from now() - min(created_at)))::float8 as oldest_seconds
    from operations where state = 'open'
    group by 1, 2`;
}

/** Indexes: mail_outbox_due, sandbox_reports_open; the other two tables are queues, and soon empty. */
async function listQueues(tx: Transaction): Promise<QueueFigures[]> {
  return await tx<QueueFigures[]>`
    select queue, count(since) as depth, greatest(0, coalesce(extract(epoch from now() - min(since)), 0))::float8 as oldest_seconds
    from (
      select case when next_attempt_at < '9999-01-01 00:00+00' then 'mail' else 'mail_given_up' end as queue, created_at as since
      from mail_outbox where sent_at is null
      union all
      select 'processor_reports', due_at from sandbox_processor.reports where acknowledged_at is null and due_at <= now()
      union all
      select 'daily_totals', occurred_at from total_deltas
      union all
      select 'audit_chain', queued_at from audit_pending
    ) waiting
    group by queue`;
}

/**
 * Receivables by the daily figures, minus settled batches and unsettled money, in one statement: 0 while the
 * books balance. In minor units, as a sum of absolute values per environment and currency, so that errors do
 * not cancel out. Reads one row per day and unsettled rows; `npm run verify` reads every line.
 */
export function readLedgerDifference(sql: Sql): Promise<number> {
  return withLimit(sql, LEDGER_LIMIT_MS, async (tx) => {
    const [row] = await tx<{ difference: number }[]>`
      with kept as (
        select environment_id, currency, measure, amount from daily_totals
        union all
        select environment_id, currency, measure, amount from total_deltas
      ), sides as (
        select environment_id, currency, sum(case measure when 'refunded' then -amount else amount end) as amount
        from kept where measure in ('captured', 'refunded', 'refund_failed') group by 1, 2
        union all
        select environment_id, currency, -sum(charge_amount - refund_amount + reversal_amount) from settlement_batches group by 1, 2
        union all
        select t.environment_id, t.currency, -sum(case t.type when 'CHARGE' then p.amount_captured else -t.amount end)
        from transactions t
        join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
        where ${tx.unsafe(UNSETTLED)}
        group by 1, 2
        union all
        select environment_id, currency, -sum(amount) from transactions t
        where ${tx.unsafe(UNSETTLED_REVERSAL)}
        group by 1, 2
      )
      select coalesce(sum(abs(difference)), 0)::float8 as difference
      from (select environment_id, sum(amount) as difference from sides group by environment_id, currency) each
      where not exists (select from environments e where e.id = each.environment_id and e.abandoned_at is not null)`;
    return row?.difference ?? 0;
  });
}

/** Database size on disk, in bytes. Checks every file, which takes about 10 ms. */
export function readDatabaseSize(sql: Sql): Promise<number> {
  return withLimit(sql, LIMIT_MS, async (tx) => {
    const [row] = await tx<[{ bytes: number }]>`select pg_database_size(current_database()) as bytes`;
    return row.bytes;
  });
}
