import type { Database } from "@/db/client";
import {
  BOOK_CHECKS,
  countOpenOperations,
  countPayments,
  listOffendingRows,
  type OffendingRow,
  type OpenOperationsRow,
  withSnapshot,
} from "@/db/queries/reconciliation/checks";
import type { Secret } from "@/lib/secret";
import { listSealFaults, type SealFault } from "./audit-seals";

export type CheckResult = {
  check: string;
  /** The check's guarantee, as a sentence. */
  proves: string;
  /** Number of offending rows; `rows` has the first of them. */
  count: number;
  rows: OffendingRow[];
};

export type BooksReport = {
  balanced: boolean;
  payments: number;
  checks: CheckResult[];
  /** Operations without a known outcome: normal while the service runs, so not a failure. */
  open_operations: OpenOperationsRow[];
};

const ROWS_SHOWN = 20;

/**
 * Checks all books of all environments against each other in one snapshot, while the service runs. With the
 * service's secret, also checks the seals of the audit logs.
 */
export async function verifyBooks(db: Database, secret: Secret | null = null): Promise<BooksReport> {
  return await withSnapshot(db, async (tx) => {
    const checks: CheckResult[] = [];
    for (const check of BOOK_CHECKS) {
      const { count, rows } = await listOffendingRows(tx, check, ROWS_SHOWN);
      checks.push({ check: check.check, proves: check.proves, count, rows });
    }
    if (secret !== null) checks.push(sealCheck(await listSealFaults(tx, secret)));
    return {
      balanced: checks.every((check) => check.count === 0),
      payments: await countPayments(tx),
      checks,
      open_operations: await countOpenOperations(tx),
    };
  });
}

const sealCheck = (faults: SealFault[]): CheckResult => ({
  check: "audit_seals_hold",
  proves:
    "Each chain of the audit logs is as the service made and sealed it, under a key that is not in the database; no seal is missing.",
  count: faults.length,
  rows: faults.slice(0, ROWS_SHOWN),
});
