import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "@/db/client";
import { BOOK_CHECKS } from "@/db/queries/reconciliation";
import { runSettlement } from "@/lib/domain/settlement/run-settlement";
import { newId } from "@/lib/ids";
import { type BookedIds, booksService, insertBookedPayment, insertEnvironment } from "@/lib/testing/books";
import { testDatabase } from "@/lib/testing/database";
import { verifyBooks } from "./verify-books";

const { db } = await testDatabase();

type Corruption = {
  /** The check that must fire; others may fire as well. */
  check: string;
  how: string;
  corrupt(environmentId: string, ids: BookedIds, batchId: string): Promise<unknown>;
};

const { sql } = db;

const CORRUPTIONS: Corruption[] = [
  {
    check: "counters_match_operations",
    how: "a captured amount that no operation captured",
    corrupt: (env, ids) => sql`update payments set amount_captured = amount_captured - 1 where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "counters_match_ledger",
    how: "a refunded amount that the ledger does not know",
    corrupt: (env, ids) => sql`update payments set amount_refunded = amount_refunded + 1 where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "limits_hold",
    how: "more refunded than captured",
    corrupt: (env, ids) => sql`update payments set amount_refunded = amount_captured + 1 where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "reservations_are_open_operations",
    how: "a refund reservation that belongs to nothing",
    corrupt: (env, ids) => sql`update payments set refund_pending = 5 where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "reservations_are_open_operations",
    how: "a payment held by an operation that is over",
    corrupt: (env, ids) => sql`update payments set open_operation_id = ${ids.capture} where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "status_follows_from_money",
    how: "a status that the counters contradict",
    corrupt: (env, ids) => sql`update payments set status = 'REFUNDED' where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "charge_has_payment_status",
    how: "a charge with another status than its payment",
    corrupt: (env, ids) => sql`update transactions set status = 'CAPTURED' where environment_id = ${env} and id = ${ids.charge}`,
  },
  {
    check: "created_with_id",
    how: "a payment created at another time than its id says",
    corrupt: (env, ids) => sql`update payments set created_at = created_at + interval '1 ms' where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "operation_has_transaction",
    how: "an operation whose transaction does not exist",
    corrupt: (env, ids) => sql`update operations set transaction_id = ${newId()} where environment_id = ${env} and id = ${ids.capture}`,
  },
  {
    check: "operation_has_transaction",
    how: "a transaction that no operation made",
    corrupt: (env, ids) => sql`update operations set kind = 'void' where environment_id = ${env} and id = ${ids.authorize}`,
  },
  {
    check: "refund_status_follows_from_operation",
    how: "a refund that failed while its operation succeeded",
    corrupt: (env, ids) => sql`update transactions set status = 'FAILED' where environment_id = ${env} and id = ${ids.refund}`,
  },
  {
    check: "operation_has_ledger_lines",
    how: "a capture without its ledger line",
    corrupt: (env, ids) => sql`delete from ledger_entries where environment_id = ${env} and operation_id = ${ids.capture}`,
  },
  {
    check: "operation_has_ledger_lines",
    how: "a ledger line with another amount than its refund",
    corrupt: (env, ids) => sql`update ledger_entries set amount = amount + 1 where environment_id = ${env} and operation_id = ${ids.refundOperation}`,
  },
  {
    check: "outcome_has_one_event",
    how: "an outcome that nobody was told of",
    corrupt: (env, ids) => sql`delete from events where environment_id = ${env} and operation_id = ${ids.capture}`,
  },
  {
    check: "outcome_has_one_event",
    how: "an outcome that was told twice",
    corrupt: (env, ids) => sql`insert into events (environment_id, id, type, operation_id, object_id, payload)
      values (${env}, ${newId()}, 'payment.captured', ${ids.capture}, ${ids.payment}, '{}')`,
  },
  {
    check: "outcome_has_audit_row",
    how: "an outcome that is missing in the audit log",
    corrupt: (env, ids) => sql`delete from audit_log where environment_id = ${env} and object_id = ${ids.payment} and action = 'payment.refund'`,
  },
  {
    check: "answered_keys_are_completed",
    how: "a stored answer to an operation whose outcome is not known",
    corrupt: (env, ids) => sql`update operations set state = 'open' where environment_id = ${env} and id = ${ids.refundOperation}`,
  },
  {
    check: "answered_keys_are_completed",
    how: "a stored success without an operation",
    corrupt: (env, ids) => sql`update idempotency_keys set operation_id = ${newId()} where environment_id = ${env} and key = ${ids.capture}`,
  },
  {
    check: "ledger_balances",
    how: "a ledger line of an operation that does not exist",
    corrupt: (env) => sql`insert into ledger_entries
      (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency)
      values (${env}, ${newId()}, 1, null, 'bank', 'suspense', 1, 'EUR')`,
  },
  {
    check: "ledger_balances",
    how: "a ledger line in another currency than its operation",
    corrupt: (env, ids) => sql`update ledger_entries set currency = 'USD' where environment_id = ${env} and operation_id = ${ids.capture}`,
  },
  {
    check: "receivable_is_unsettled_money",
    how: "a charge marked as settled without a batch's ledger line",
    corrupt: (env, _ids, batchId) => sql`delete from ledger_entries where environment_id = ${env} and operation_id = ${batchId} and line = 1`,
  },
  {
    check: "batch_is_sum_of_items",
    how: "a batch that counts more than its items",
    corrupt: (env, _ids, batchId) => sql`update settlement_batches set charge_amount = charge_amount + 1 where environment_id = ${env} and id = ${batchId}`,
  },
  {
    check: "batch_is_sum_of_items",
    how: "a transaction settled in a batch that does not exist",
    corrupt: (env, ids) => sql`update transactions set settlement_batch_id = ${newId()} where environment_id = ${env} and id = ${ids.refund}`,
  },
  {
    check: "batch_has_ledger_lines",
    how: "a batch whose ledger line has another amount",
    corrupt: (env, _ids, batchId) => sql`update ledger_entries set amount = amount + 1 where environment_id = ${env} and operation_id = ${batchId} and line = 2`,
  },
  {
    check: "settled_means_in_a_batch",
    how: "a settled transaction without a batch",
    corrupt: (env, ids) => sql`update transactions set settlement_batch_id = null where environment_id = ${env} and id = ${ids.charge}`,
  },
  {
    check: "processor_knows_our_operations",
    how: "a capture that the processor never saw",
    corrupt: (_env, ids) => sql`delete from sandbox_processor.operations where reference = ${ids.capture}`,
  },
  {
    check: "we_know_the_processors_operations",
    how: "a refund at the processor that we never sent",
    corrupt: (env, ids) => sql`insert into sandbox_processor.operations (reference, account, kind, charge, amount, currency, outcome)
      values (${newId()}, ${env}, 'refund', ${ids.authorize}, 1, 'EUR', 'approved')`,
  },
  {
    check: "we_know_the_processors_operations",
    how: "a capture that we take for failed and the processor did",
    corrupt: (env, ids) => sql`update operations set state = 'failed' where environment_id = ${env} and id = ${ids.capture}`,
  },
  {
    check: "processor_moved_the_same_money",
    how: "a charge of which the processor returned more than we say",
    corrupt: (_env, ids) => sql`update sandbox_processor.charges set amount_refunded = amount_refunded + 1 where reference = ${ids.authorize}`,
  },
];

describe("verifyBooks", () => {
  it("finds nothing wrong with payments in every state, before and after settlement", async () => {
    await using(db, async (environmentId) => {
      await insertBookedPayment(db, { environmentId, captured: 0 });
      await insertBookedPayment(db, { environmentId, currency: "KWD" });
      const report = await verifyBooks(db);
      expect(report.checks.filter((check) => check.count > 0)).toEqual([]);
      expect(report).toMatchObject({ balanced: true, payments: 3, open_operations: [] });
    });
  });

  it("has a corruption test for every check, and a name of its own for each", () => {
    const names = BOOK_CHECKS.map((check) => check.check);
    expect(new Set(names).size).toBe(names.length);
    expect([...new Set(CORRUPTIONS.map((corruption) => corruption.check))].sort()).toEqual([...names].sort());
  });

  describe("fires on", () => {
    // Corruption by hand is what constraints and triggers refuse, so they are out of the way here.
    beforeEach(() => dropGuards(db));

    it.each(CORRUPTIONS)("$how ($check)", async ({ check, corrupt }) => {
      await using(db, async (environmentId, ids, batchId) => {
        await corrupt(environmentId, ids, batchId);
        const report = await verifyBooks(db);
        expect(report.balanced).toBe(false);
        expect(report.checks.filter((result) => result.count > 0).map((result) => result.check)).toContain(check);
        expect(report.checks.find((result) => result.check === check)?.rows[0]).toMatchObject({ environment_id: environmentId });
      });
    });
  });

  it("shows at most 20 offending rows and counts them all", async () => {
    await using(db, async (environmentId) => {
      for (let i = 0; i < 25; i++) await insertBookedPayment(db, { environmentId });
      await sql`update payments set refund_pending = 1 where environment_id = ${environmentId}`;
      const report = await verifyBooks(db);
      const result = report.checks.find((check) => check.check === "reservations_are_open_operations");
      expect([result?.count, result?.rows.length]).toEqual([26, 20]);
    });
  });

  it("reports operations without a known outcome as information, not as a failure", async () => {
    await using(db, async (environmentId) => {
      const { payment, charge, capture } = await insertBookedPayment(db, { environmentId, captured: 0 });
      await sql`insert into operations (environment_id, id, payment_id, transaction_id, kind, state, amount, currency, actor,
          lease_until, next_attempt_at)
        values (${environmentId}, ${capture}, ${payment}, ${charge}, 'capture', 'open', 10000, 'EUR',
          '{"type":"system","id":null}', now(), now())`;
      await sql`update payments set open_operation_id = ${capture} where id = ${payment}`;
      const report = await verifyBooks(db);
      expect(report.balanced).toBe(true);
      expect(report.open_operations).toMatchObject([{ kind: "capture", count: 1 }]);
    });
  });

  afterEach(async () => {
    await sql`truncate merchants, payments, transactions, operations, ledger_entries, settlement_batches, events, audit_log,
      idempotency_keys, environments, sandbox_processor.charges, sandbox_processor.operations cascade`;
  });
});

/** An environment with one partly refunded and settled payment. */
async function using(
  database: Database,
  work: (environmentId: string, ids: BookedIds, batchId: string) => Promise<void>,
): Promise<void> {
  const environmentId = await insertEnvironment(database);
  const ids = await insertBookedPayment(database, { environmentId, amount: 10_000, captured: 9_000, refunded: 1_000 });
  const [batch] = await runSettlement(booksService(database), { environmentId });
  if (!batch) throw new Error("nothing was settled");
  await work(environmentId, ids, batch.id);
}

async function dropGuards(database: Database): Promise<void> {
  const guards = await database.sql<{ statement: string }[]>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement
    from pg_constraint where contype = 'c' and conrelid::regclass::text ~ '^(payments|transactions|ledger_entries|settlement_batches|sandbox_processor\\.)'
    union all
    select format('drop trigger %I on %s', tgname, tgrelid::regclass) from pg_trigger where not tgisinternal`;
  for (const { statement } of guards) await database.sql.unsafe(statement);
}
