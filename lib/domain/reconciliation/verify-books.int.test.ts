import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "@/db/client";
import { BOOK_CHECKS } from "@/db/queries/reconciliation/checks";
import { bookCorruptions } from "@/e2e/fixtures/book-corruptions";
import {
  type BookedIds,
  booksService,
  failSettledRefund,
  insertBookedPayment,
  insertEnvironment,
  type PaidBack,
} from "@/e2e/fixtures/books";
import { emptyTables, testDatabase } from "@/e2e/fixtures/database";
import { runPayouts } from "@/lib/domain/settlement/payouts";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { verifyBooks } from "./verify-books";

const { db } = await testDatabase({ own: true });

const CORRUPTIONS = bookCorruptions(db);

describe("verifyBooks", () => {
  it("finds nothing wrong with payments in every state, before and after settlement", async () => {
    await using(db, async (environmentId) => {
      await insertBookedPayment(db, { environmentId, captured: 0 });
      await insertBookedPayment(db, { environmentId, currency: "KWD" });
      await insertBookedPayment(db, { environmentId, automatic: true, refunded: 5 });
      await insertBookedPayment(db, { environmentId, automatic: true, captured: 0 });
      const report = await verifyBooks(db);
      expect(report.checks.filter((check) => check.count > 0)).toEqual([]);
      await insertBookedPayment(db, { environmentId, amount: 10_017, feeBasisPoints: 290 });
      expect((await verifyBooks(db)).balanced).toBe(true);
      expect(report).toMatchObject({ balanced: true, payments: 6, open_operations: [] });
    });
  });

  it("has a corruption test with a unique name for every check", () => {
    const names = BOOK_CHECKS.map((check) => check.check);
    expect(new Set(names).size).toBe(names.length);
    expect([...new Set(CORRUPTIONS.map((corruption) => corruption.check))].sort()).toEqual([...names].sort());
  });

  describe("fires on", () => {
    // Constraints and triggers refuse manual corruption, so they are dropped here.
    beforeAll(() => dropGuards(db));

    it.each(CORRUPTIONS)("$how ($check)", async ({ check, corrupt }) => {
      await using(db, async (environmentId, ids, batchId, paidBack) => {
        await corrupt(environmentId, ids, batchId, paidBack);
        const report = await verifyBooks(db);
        expect(report.balanced).toBe(false);
        expect(report.checks.filter((result) => result.count > 0).map((result) => result.check)).toContain(check);
        expect(report.checks.find((result) => result.check === check)?.rows[0]).toMatchObject({
          environment_id: environmentId,
        });
      });
    });
  });

  it("shows at most 20 offending rows and counts them all", async () => {
    await using(db, async (environmentId) => {
      for (let i = 0; i < 25; i++) await insertBookedPayment(db, { environmentId });
      await db.sql`update payments set refund_pending = 1 where environment_id = ${environmentId}`;
      const report = await verifyBooks(db);
      const result = report.checks.find((check) => check.check === "reservations_are_open_operations");
      expect([result?.count, result?.rows.length]).toEqual([27, 20]);
    });
  });

  it("reports operations without a known outcome as information, not as a failure", async () => {
    await using(db, async (environmentId) => {
      const { payment, charge, capture } = await insertBookedPayment(db, { environmentId, captured: 0 });
      await db.sql`insert into operations (environment_id, id, payment_id, transaction_id, kind, state, amount, currency, actor,
          lease_until, send_until, next_attempt_at)
        values (${environmentId}, ${capture}, ${payment}, ${charge}, 'capture', 'open', 10000, 'EUR',
          '{"type":"system","id":null}', now(), now(), now())`;
      await db.sql`update payments set open_operation_id = ${capture} where id = ${payment}`;
      const report = await verifyBooks(db);
      expect(report.balanced).toBe(true);
      expect(report.open_operations).toMatchObject([{ kind: "capture", count: 1 }]);
    });
  });

  afterEach(() => emptyTables(db));
});

/**
 * An environment with two settled payments in payouts: one
 * partly refunded, one whose failed refund was paid back.
 */
async function using(
  database: Database,
  work: (environmentId: string, ids: BookedIds, batchId: string, paidBack: PaidBack) => Promise<void>,
): Promise<void> {
  const environmentId = await insertEnvironment(database);
  const ids = await insertBookedPayment(database, { environmentId, amount: 10_000, captured: 9_000, refunded: 1_000 });
  const failing = await insertBookedPayment(database, { environmentId, amount: 500, refunded: 400 });
  const [batch] = await runSettlement(booksService(database), { environmentId });
  await failSettledRefund(database, environmentId, failing);
  const [second] = await runSettlement(booksService(database), { environmentId });
  if (!batch || !second) throw new Error("nothing was settled");
  if ((await runPayouts(booksService(database))) === 0) throw new Error("nothing was paid out");
  await work(environmentId, ids, batch.id, { refund: failing.refund, batchId: second.id });
}

async function dropGuards(database: Database): Promise<void> {
  const guards = await database.sql<{ statement: string }[]>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement
    from pg_constraint where contype = 'c' and conrelid::regclass::text ~ '^(payments|transactions|ledger_entries|settlement_batches|payouts|sandbox_processor\\.)'
    union all
    select format('drop trigger %I on %s', tgname, tgrelid::regclass) from pg_trigger where not tgisinternal and tgname !~ '_delta|_queue'`;
  for (const { statement } of guards) await database.sql.unsafe(statement);
}
