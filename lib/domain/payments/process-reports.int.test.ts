import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { losesAnswer } from "@/e2e/fixtures/scripted-processor";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { processReports } from "./process-reports";

const { db } = await testDatabase();
const CARD = { card: { number: "4000000000005126", exp_month: 12, exp_year: 2040, cvv: "123" } };

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

const makeDue = (tenant: MoneyTenant) =>
  db.sql`update sandbox_processor.reports set due_at = now() - interval '1 ms' where account = ${tenant.environmentId}`;
const process = (tenant: MoneyTenant) => Promise.all(Array.from({ length: 3 }, () => processReports(tenant.service)));

test("an accepted refund that fails later is reversed, and its stored response stays", async () => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create(CARD);
  const refund = await tenant.act("refund", payment.transactions[0].id, { amount: 4_000 }, { key: "k" });
  expect(refund).toMatchObject({ status: 201, body: { status: "CAPTURED" } });
  await process(tenant);
  expect((await tenant.get(payment.id)).amount_refunded).toBe(4_000);
  await makeDue(tenant);
  await process(tenant);
  await process(tenant);
  const after = await tenant.get(payment.id);
  expect(after).toMatchObject({
    status: "CAPTURED",
    amount_refunded: 0,
    amount_refundable: 10_000,
    available_actions: ["refund"],
  });
  expect(after.transactions[1]).toMatchObject({ status: "FAILED", refunded_at: null });
  expect(await tenant.act("refund", payment.transactions[0].id, { amount: 4_000 }, { key: "k" })).toMatchObject({
    text: refund.text,
    replayed: true,
  });
  const lines = await db.sql`select line, debit_account, credit_account, amount from ledger_entries l
    where environment_id = ${tenant.environmentId} and debit_account <> 'merchant_payable' order by created_at, line`;
  expect(lines.map((row) => `${row.line} ${row.debit_account} ${row.amount}`)).toEqual([
    "1 processor_receivable 10000",
    "2 processor_receivable 4000",
  ]);
  await expectClean();
});

test.each(["before", "after", "between"])(
  "a refund that fails %s settlement leaves the charge settled and the books clean",
  async (when) => {
    const tenant = await moneyTenant(db);
    const { body: payment } = await tenant.create(CARD);
    if (when === "between") await runSettlement(tenant.service, { environmentId: tenant.environmentId });
    await tenant.act("refund", payment.id);
    if (when === "after") await runSettlement(tenant.service, { environmentId: tenant.environmentId });
    await makeDue(tenant);
    await process(tenant);
    await runSettlement(tenant.service, { environmentId: tenant.environmentId });
    await process(tenant);
    const after = await tenant.get(payment.id);
    expect(after).toMatchObject({ status: "SETTLED", amount_refunded: 0 });
    expect(after.transactions[1]).toMatchObject({ status: "FAILED" });
    await expectClean();
  },
);

test("one of several refunds that fails reverses only its own amount", async () => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create(CARD);
  await tenant.act("refund", payment.id, { amount: 1_000 });
  await makeDue(tenant);
  await tenant.act("refund", payment.id, { amount: 9_000 });
  expect((await tenant.get(payment.id)).status).toBe("REFUNDED");
  await process(tenant);
  await process(tenant);
  expect(await tenant.get(payment.id)).toMatchObject({
    status: "PARTIALLY_REFUNDED",
    amount_refunded: 9_000,
    amount_refundable: 1_000,
  });
  await makeDue(tenant);
  await process(tenant);
  await process(tenant);
  expect(await tenant.get(payment.id)).toMatchObject({ status: "CAPTURED", amount_refunded: 0 });
  await expectClean();
});

test("a failure reported before the acceptance is known waits until the refund is released", async () => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create(CARD);
  tenant.script.next(losesAnswer);
  await tenant.act("refund", payment.id, {}, { key: "k" });
  await makeDue(tenant);
  await db.sql`update operations set lease_until = now() + interval '1 minute'
    where environment_id = ${tenant.environmentId} and state = 'open'`;
  await process(tenant);
  expect(await tenant.get(payment.id)).toMatchObject({ status: "CAPTURED", amount_refundable: 0 });
  await tenant.endLeases();
  await process(tenant);
  expect(await tenant.get(payment.id)).toMatchObject({
    status: "CAPTURED",
    amount_refunded: 0,
    amount_refundable: 10_000,
  });
  await expectClean();
});
