import type { Database, Transaction } from "@/db/client";
import type { OperationKind } from "@/db/schema/operations";
import { AUDIT_CHECKS } from "./audit-chain";
import type { BookCheck } from "./check";
import { ACCOUNT_CHECKS, FIGURE_CHECKS } from "./figures";
import { LEDGER_CHECKS } from "./ledger";
import { OPERATION_CHECKS } from "./operations";
import { PAYMENT_CHECKS } from "./payments";
import { PROCESSOR_CHECKS } from "./processor";

export const BOOK_CHECKS: readonly BookCheck[] = [
  ...PAYMENT_CHECKS,
  ...OPERATION_CHECKS,
  ...LEDGER_CHECKS,
  ...PROCESSOR_CHECKS,
  ...FIGURE_CHECKS,
  ...AUDIT_CHECKS,
  ...ACCOUNT_CHECKS,
];

export type OffendingRow = Record<string, unknown>;

/** Runs `work` on one snapshot of the database while others write. */
export async function withSnapshot<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return (await db.long.begin("isolation level repeatable read read only", async (tx) => {
    // Reconciliation scans whole tables; this pool's other statements never do.
    await tx`set local enable_seqscan = on`;
    return work(tx);
  })) as T;
}

/** Skips abandoned environments; `ACCOUNT_CHECKS` checks which environments may be marked so. */
const NOT_ABANDONED = `not exists (
  select from environments e where e.id = offending.environment_id and e.abandoned_at is not null)`;

/** The first rows that break a rule, and their total. Scans whole tables; for reconciliation runs only. */
export async function listOffendingRows(
  tx: Transaction,
  check: BookCheck,
  limit: number,
): Promise<{ count: number; rows: OffendingRow[] }> {
  const found = await tx.unsafe<(OffendingRow & { offending_rows: number })[]>(
    `select count(*) over () as offending_rows, offending.* from (${check.sql}) offending
      where ${check.evenAbandoned ? "true" : NOT_ABANDONED} limit ${limit}`,
  );
  const count = found[0]?.offending_rows ?? 0;
  return { count, rows: found.map(({ offending_rows: _, ...row }) => row) };
}

export type OpenOperationsRow = { kind: OperationKind; count: number; oldest: string };

/** Operations without a known outcome. Index: `operations_open`. */
export async function countOpenOperations(tx: Transaction): Promise<OpenOperationsRow[]> {
  return await tx<OpenOperationsRow[]>`
    select kind, count(*) as count, min(created_at) as oldest
    from operations where state = 'open'
    group by kind order by kind`;
}

export async function countPayments(tx: Transaction): Promise<number> {
  const [row] = await tx<{ count: number }[]>`select count(*) as count from payments`;
  return row?.count ?? 0;
}

/** Ledger totals of one payment, in minor units. */
type LedgerOfPayment = { payment_id: string; currency: string; captured: number; refunded: number };

/** Indexes: `operations_payment`, the primary key of the ledger. Payments without a line are absent. */
export async function listLedgerOfPayments(
  db: Database,
  environmentId: string,
  paymentIds: string[],
): Promise<LedgerOfPayment[]> {
  return await db.sql<LedgerOfPayment[]>`
    select o.payment_id, l.currency,
      coalesce(sum(l.amount) filter (where l.debit_account = 'processor_receivable' and l.line = 1), 0)::bigint as captured,
      (coalesce(sum(l.amount) filter (where l.credit_account = 'processor_receivable'), 0)
        - coalesce(sum(l.amount) filter (where l.debit_account = 'processor_receivable' and l.line = 2), 0))::bigint as refunded
    from operations o
    join ledger_entries l on l.environment_id = o.environment_id and l.operation_id = o.id
    where o.environment_id = ${environmentId} and o.payment_id = any(${paymentIds}::uuid[])
    group by o.payment_id, l.currency`;
}

/** The environments of these payments: one if all were created with one API key. */
export async function listEnvironmentsOfPayments(db: Database, paymentIds: string[]): Promise<string[]> {
  const rows = await db.sql<{ environment_id: string }[]>`
    select distinct p.environment_id
    from environments e
    join payments p on p.environment_id = e.id and p.id = any(${paymentIds}::uuid[])`;
  return rows.map((row) => row.environment_id);
}

/**
 * Number of charges per order since a point in time. Scans the environment's latest charges; for the replay
 * only.
 */
export async function listChargesPerReplayKey(
  db: Database,
  environmentId: string,
  input: { fromId: string; keys: string[] },
): Promise<{ replay_key: string; count: number }[]> {
  return await db.sql<{ replay_key: string; count: number }[]>`
    select metadata->>'replay_key' as replay_key, count(*) as count
    from transactions
    where environment_id = ${environmentId} and id >= ${input.fromId} and type = 'CHARGE'
      and status <> 'FAILED' and metadata->>'replay_key' = any(${input.keys}::text[])
    group by 1`;
}
