import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { insertSample, SAMPLE, type SampleTransaction, START } from "@/e2e/fixtures/sample-transactions";
import { holds } from "@/e2e/fixtures/scripted-processor";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import { listPayments } from "@/lib/domain/payments/read-payments";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { idAt } from "@/lib/ids";
import { listTransactions, searchTransactions } from "./read-transactions";

const { db } = await testDatabase();

/** Totals by filter, for a new tenant. */
async function totalsOf(tenant: Awaited<ReturnType<typeof moneyTenant>>) {
  const ctx = testContext(tenant.service, tenant.merchant.test);
  const found = async (filters: object) =>
    (await searchTransactions(ctx, searchTransactionsBody.parse({ filters, limit: 1 }))).total;
  return {
    all: (await listTransactions(ctx, { limit: 1 })).total,
    payments: (await listPayments(ctx, { limit: 1 })).total,
    partly: (await listPayments(ctx, { status: "PARTIALLY_REFUNDED", limit: 1 })).total,
    pending: await found({ status: ["PENDING"] }),
    captured: await found({ status: ["CAPTURED"] }),
    paid: await found({ status: ["CAPTURED", "SETTLED"], card_brand: ["visa"] }),
    settled: await found({ status: ["SETTLED"] }),
  };
}

test("no total is older than this process's own changes", async () => {
  const tenant = await moneyTenant(db);
  const none = { all: 0, payments: 0, partly: 0, pending: 0, captured: 0, paid: 0, settled: 0 };
  expect(await totalsOf(tenant)).toEqual(none);
  const { body: held } = await tenant.create({ capture_method: "manual" });
  expect(await totalsOf(tenant)).toEqual({ ...none, all: 1, payments: 1 });
  await tenant.act("capture", held.id);
  expect(await totalsOf(tenant)).toEqual({ ...none, all: 1, payments: 1, captured: 1, paid: 1 });
  await tenant.act("refund", held.id, { amount: 1_000 });
  expect(await totalsOf(tenant)).toEqual({ ...none, all: 2, payments: 1, partly: 1, captured: 1, paid: 1 });
  await runSettlement(tenant.service, { environmentId: tenant.environmentId });
  expect(await totalsOf(tenant)).toEqual({ ...none, all: 2, payments: 1, partly: 1, paid: 1, settled: 1 });
});

test("nor than those in progress, before their outcome is known", async () => {
  const tenant = await moneyTenant(db);
  // A page corrects a total that its own rows exceed, so one payment more than a page shows is not enough.
  await tenant.create();
  await tenant.create();
  expect(await totalsOf(tenant)).toMatchObject({ all: 2, pending: 0, captured: 2 });
  const held = holds();
  tenant.script.next(held.step);
  const created = tenant.create();
  await held.reached;
  expect(await totalsOf(tenant)).toMatchObject({ all: 3, pending: 1, captured: 2 });
  held.release();
  await created;
  expect(await totalsOf(tenant)).toMatchObject({ all: 3, pending: 0, captured: 3 });
});

test("a page's total includes its own rows, even if others were written since the count", async () => {
  const tenant = await moneyTenant(db);
  const ctx = testContext(tenant.service, tenant.merchant.test);
  const one = (time: number) => ({ ...(SAMPLE[0] as SampleTransaction), id: idAt(new Date(time)), time });
  // Simulates another process, whose writes this one does not notice.
  await insertSample(db, tenant.environmentId, one(START));
  expect(await listTransactions(ctx, { limit: 1 })).toMatchObject({ total: 1, has_more: false });
  expect(await listPayments(ctx, { limit: 1 })).toMatchObject({ total: 1, has_more: false });
  await insertSample(db, tenant.environmentId, one(START + 1));
  expect(await listTransactions(ctx, { limit: 1 })).toMatchObject({ total: 2, has_more: true });
  expect(await listPayments(ctx, { limit: 1 })).toMatchObject({ total: 2, has_more: true });
});
