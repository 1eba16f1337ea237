import { expect } from "vitest";
import type { Database } from "@/db/client";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { faultsOfProcessor } from "./processors";

/** Every book agrees with every other: our payments, the ledger, and the processor's own store. */
export async function expectCleanBooks(db: Database, options: { open?: boolean } = {}): Promise<void> {
  const report = await verifyBooks(db);
  const broken = report.checks.filter((check) => check.count > 0);
  expect(broken, JSON.stringify(broken, null, 1)).toEqual([]);
  expect(await faultsOfProcessor(db)).toEqual([]);
  if (!options.open) expect(report.open_operations, "operations without an outcome").toEqual([]);
}

/** Number of deadlocks that PostgreSQL has resolved in this database. */
export async function countDeadlocks(db: Database): Promise<number> {
  const [row] = await db.sql<{ deadlocks: number }[]>`
    select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()`;
  return row?.deadlocks ?? 0;
}

/** Waits until every operation has an outcome. */
export async function untilNothingIsOpen(db: Database, timeoutMs = 30_000): Promise<void> {
  await expect
    .poll(
      async () => (await db.sql`select id, kind, last_answer from operations where state = 'open'`).map((row) => row),
      {
        timeout: timeoutMs,
        interval: 100,
      },
    )
    .toEqual([]);
}
