import { describe, expect, it } from "vitest";
import { connect } from "@/db/client";
import { booksService } from "@/e2e/fixtures/books";
import { testDatabase } from "@/e2e/fixtures/database";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { decodeId } from "@/lib/contract/ids";
import { processReports } from "@/lib/domain/payments/process-reports";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { type BatchSummary, runSettlement } from "./settle";

const { db, url } = await testDatabase();
const service = booksService(db);

const offences = async () => (await verifyBooks(db)).checks.filter((check) => check.count > 0);

describe("runSettlement, of refunds that fail after they were settled,", () => {
  it("pays a refund back that failed after it was settled, once, in the next batch", async () => {
    const tenant = await moneyTenant(db);
    const { environmentId } = tenant;
    const payment = await settledRefund(tenant, 4_000);
    await failRefunds(tenant);
    expect(await receivable(environmentId)).toBe(4_000);
    expect(await offences()).toEqual([]);
    const before = await paymentAndRefund(environmentId, payment);

    const [batch, ...others] = await runSettlement(service, { environmentId });

    expect(batch).toMatchObject({ charge_count: 0, refund_count: 0, reversal_count: 1, reversal_amount: 4_000 });
    expect(others).toEqual([]);
    expect(await receivable(environmentId)).toBe(0);
    const lines = await db.sql`select line, debit_account, credit_account, amount from ledger_entries
      where environment_id = ${environmentId} and operation_id = ${batch?.id as string} order by line`;
    expect([...lines]).toEqual([
      { line: 3, debit_account: "bank", credit_account: "processor_receivable", amount: 4_000 },
      { line: 4, debit_account: "merchant_payable", credit_account: "merchant_available", amount: 4_000 },
    ]);
    expect(await paymentAndRefund(environmentId, payment)).toEqual({
      ...before,
      version: (before?.version as number) + 1,
      reversal_batch_id: batch?.id,
    });
    const events = await db.sql`select type, data->'object'->'reversal_amount' as amount from events
      where environment_id = ${environmentId} and operation_id = ${batch?.id as string}`;
    expect([...events]).toEqual([{ type: "settlement_batch.created", amount: 4_000 }]);
    expect(await offences()).toEqual([]);
    expect(await runSettlement(service, { environmentId })).toEqual([]);
  });

  it("settles a new charge and a failed refund in one batch, and skips refunds that failed before their batch", async () => {
    const tenant = await moneyTenant(db);
    const { environmentId } = tenant;
    await settledRefund(tenant, 4_000);
    const { body: payment } = await tenant.create({ amount: 3_000, card: REFUNDS_FAIL_LATE });
    await tenant.act("refund", payment.id, { amount: 1_000 });
    await failRefunds(tenant);

    expect(await runSettlement(service, { environmentId })).toMatchObject([
      { charge_amount: 3_000, refund_count: 0, refund_amount: 0, reversal_count: 1, reversal_amount: 4_000 },
    ]);
    expect(await receivable(environmentId)).toBe(0);
    expect(await offences()).toEqual([]);
  });

  it("pays each failed refund back once with two concurrent runs on two pools", async () => {
    const tenant = await moneyTenant(db);
    const { environmentId } = tenant;
    for (let i = 0; i < 12; i++) await settledRefund(tenant, 100 + i);
    await failRefunds(tenant);
    const pools = [1, 2].map(() => connect(url, { max: 2 }));
    try {
      const runs = await Promise.all(
        pools.map((pool) => runSettlement(booksService(pool), { environmentId, chunkSize: 2 })),
      );
      const total = (pick: (batch: BatchSummary) => number) => runs.flat().reduce((sum, batch) => sum + pick(batch), 0);
      expect(total((batch) => batch.reversal_count)).toBe(12);
      expect(total((batch) => batch.reversal_amount)).toBe(1_266);
    } finally {
      await Promise.all(pools.map((pool) => pool.close()));
    }
    expect(await receivable(environmentId)).toBe(0);
    expect(await offences()).toEqual([]);
  });
});

/** The sandbox accepts this card's refunds and fails them later. */
const REFUNDS_FAIL_LATE = { number: "4000000000005126", exp_month: 12, exp_year: 2040, cvv: "123" };

/** A payment of 10000 with a refund, both settled; returns its id. */
async function settledRefund(tenant: MoneyTenant, amount: number): Promise<string> {
  const { body: payment } = await tenant.create({ amount: 10_000, card: REFUNDS_FAIL_LATE });
  await tenant.act("refund", payment.id, { amount });
  await runSettlement(service, { environmentId: tenant.environmentId });
  return decodeId("payment", payment.id) as string;
}

/** Makes the sandbox's later reports due, and processes them. */
async function failRefunds(tenant: MoneyTenant): Promise<void> {
  await db.sql`update sandbox_processor.reports set due_at = now() - interval '1 ms' where account = ${tenant.environmentId}`;
  await expect.poll(() => processReports(tenant.service)).toBe(0);
  const [row] = await db.sql<{ left: number }[]>`select count(*) as left from sandbox_processor.reports
    where account = ${tenant.environmentId} and acknowledged_at is null`;
  expect(row?.left).toBe(0);
}

async function receivable(environmentId: string): Promise<number> {
  const [row] = await db.sql<{ balance: number }[]>`
    select sum(case 'processor_receivable' when debit_account then amount when credit_account then -amount else 0 end)::bigint
      as balance
    from ledger_entries where environment_id = ${environmentId}`;
  return row?.balance as number;
}

async function paymentAndRefund(environmentId: string, payment: string) {
  const [row] = await db.sql`
    select p.status, p.version, p.amount_refunded, t.status as refund_status, t.settled_at, t.settlement_batch_id,
      t.reversal_batch_id
    from payments p join transactions t on t.payment_id = p.id and t.type = 'REFUND'
    where p.environment_id = ${environmentId} and p.id = ${payment}`;
  return row;
}
