import { expect, test } from "vitest";
import { foldDeltas } from "@/db/queries/reporting/daily-totals";
import { failSettledRefund, insertBookedPayment } from "@/e2e/fixtures/books";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, testContext, testService } from "@/e2e/fixtures/factories";
import { dayInstants } from "@/lib/contract/transactions/time-range";
import { getBalance, getStatement, listMovements } from "./balance";
import { runPayouts } from "./payouts";
import { runSettlement } from "./settle";

const { db } = await testDatabase();
const service = testService(db);

async function busyShop() {
  const { test: environment } = await createTestMerchant(db);
  const environmentId = environment.id;
  const ctx = testContext(service, environment);
  await insertBookedPayment(db, { environmentId, amount: 1_000, feeBasisPoints: 290 });
  const refunded = await insertBookedPayment(db, { environmentId, amount: 500, refunded: 200 });
  await insertBookedPayment(db, { environmentId, amount: 90, currency: "JPY" });
  await runSettlement(service, { environmentId });
  await failSettledRefund(db, environmentId, refunded);
  await runPayouts(service);
  await runPayouts(service);
  await db.sql`update payouts set due_at = now() - interval '1 second', bank_last4 = '0000' where environment_id = ${environmentId} and currency = 'JPY'`;
  await runPayouts(service);
  return { ctx };
}

test("manual corrections can be listed, and there are none yet", async () => {
  const { ctx } = await busyShop();
  expect(await listMovements(ctx, { type: "adjustment" })).toMatchObject({ data: [], total: 0 });
});

test("the movements match the ledger: their sums are pending and available", async () => {
  const { ctx } = await busyShop();
  const { data, total, has_more } = await listMovements(ctx, { limit: 100 });
  expect([data.length, total, has_more]).toEqual([11, 11, false]);
  expect(data.map(({ type, currency, amount }) => `${type} ${currency} ${amount}`).sort()).toEqual([
    "capture EUR 1000",
    "capture EUR 500",
    "capture JPY 90",
    "fee EUR -29",
    "payout EUR -1271",
    "payout JPY -90",
    "payout_failure JPY 90",
    "refund EUR -200",
    "refund_reversal EUR 200",
    "settlement EUR 1271",
    "settlement JPY 90",
  ]);
  const times = data.map(({ created_at }) => created_at);
  expect(times).toEqual([...times].sort().reverse());
  for (const { type, transaction_id, settlement_batch_id, payout_id } of data) {
    const names = [transaction_id !== null, settlement_batch_id !== null, payout_id !== null];
    expect(names, type).toEqual(
      type === "settlement"
        ? [false, true, false]
        : type.startsWith("payout")
          ? [false, false, true]
          : [true, false, false],
    );
  }
  const { currencies } = await getBalance(ctx);
  expect(currencies).toEqual([
    { currency: "EUR", pending: 200, available: 0, in_payout: 1_271, in_dispute: 0 },
    { currency: "JPY", pending: 0, available: 90, in_payout: 0, in_dispute: 0 },
  ]);
});

test("pages of one movement follow each other without a gap, and filters exclude the rest", async () => {
  const { ctx } = await busyShop();
  const { data } = await listMovements(ctx, { limit: 100 });
  const ids: string[] = [];
  for (let starting_after: string | undefined; ids.length < 20; ) {
    const page = await listMovements(ctx, { limit: 1, starting_after });
    ids.push(...page.data.map(({ id }) => id));
    starting_after = page.data[0]?.id;
    if (!page.has_more) break;
  }
  expect(ids).toEqual(data.map(({ id }) => id));
  const second = await listMovements(ctx, { limit: 3, offset: 3 });
  expect(second.data).toEqual(data.slice(3, 6));
  const yen = await listMovements(ctx, { currency: "JPY" });
  expect([yen.data, yen.total]).toEqual([data.filter(({ currency }) => currency === "JPY"), 4]);
  const fees = await listMovements(ctx, { type: "fee" });
  expect(fees.data.map(({ amount }) => amount)).toEqual([-29]);
  const at = data[4]?.created_at as string;
  const later = await listMovements(ctx, { created_after: at });
  expect(later.data).toEqual(data.filter(({ created_at }) => created_at > at));
  const earlier = await listMovements(ctx, { created_before: at });
  expect(earlier.data).toEqual(data.filter(({ created_at }) => created_at < at));
  const otherMerchant = testContext(service, (await createTestMerchant(db)).test);
  expect((await listMovements(otherMerchant, {})).data).toEqual([]);
  for (const starting_after of [data[0]?.id as string, "mov_x", "mov_00000000000000000000000000"]) {
    await expect(listMovements(otherMerchant, { starting_after })).rejects.toMatchObject({ code: "invalid_parameter" });
  }
});

test("a period's opening balance and movements add up to its closing balance, folded or not", async () => {
  const { ctx } = await busyShop();
  const days = {
    today: new Date().toISOString().slice(0, 10),
    tomorrow: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
  };
  const check = async () => {
    const [euro] = await getStatement(ctx, dayInstants({ from: "2020-01-01", to: days.tomorrow }, "UTC"));
    expect(euro).toMatchObject({
      currency: "EUR",
      opening_pending: 0,
      opening_available: 0,
      opening_in_payout: 0,
      captures: 1_500,
      fees: 29,
      refunds: 200,
      refund_reversals: 200,
      settlements: 1_271,
      payouts: 1_271,
      payout_failures: 0,
      payouts_paid: 0,
    });
    const [later] = await getStatement(ctx, dayInstants({ from: days.tomorrow, to: days.tomorrow }, "UTC"));
    expect(later).toMatchObject({ opening_pending: 200, opening_available: 0, opening_in_payout: 1_271, captures: 0 });
  };
  await check();
  while ((await foldDeltas(service.db.sql)) > 0);
  await check();
});
