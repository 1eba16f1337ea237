import type { Database, Transaction } from "@/db/client";
import type { OperationKind } from "@/db/schema/operations";
import { AUDIT_CHECKS } from "./audit-chain";
import type { BookCheck } from "./book-check";
import { CREDIT_NOTE_CHECKS } from "./credit-notes";
import { DISPUTE_CHECKS } from "./disputes";
import { ACCOUNT_CHECKS, FIGURE_CHECKS, REPORT_CHECKS } from "./figures";
import { LEDGER_CHECKS } from "./ledger";
import { OPERATION_CHECKS } from "./operations";
import { PAYMENT_CHECKS } from "./payments";
import { PROCESSOR_CHECKS } from "./processor";
import { SUBSCRIPTION_CHECKS } from "./subscriptions";

/** The checks of `npm run verify`. */
export const BOOK_CHECKS: readonly BookCheck[] = [
  ...PAYMENT_CHECKS,
  ...OPERATION_CHECKS,
  ...LEDGER_CHECKS,
  ...DISPUTE_CHECKS,
  ...PROCESSOR_CHECKS,
  ...SUBSCRIPTION_CHECKS,
  ...CREDIT_NOTE_CHECKS,
  ...FIGURE_CHECKS,
  ...REPORT_CHECKS,
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
