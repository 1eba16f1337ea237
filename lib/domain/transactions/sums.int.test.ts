import { beforeAll, describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext, testTenant } from "@/e2e/fixtures/factories";
import { insertManyTransactions } from "@/e2e/fixtures/many-rows";
import { moneyTenant } from "@/e2e/fixtures/money";
import { insertSample, SAMPLE, type SampleTransaction } from "@/e2e/fixtures/sample-transactions";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { getPaymentDetail } from "../payments/payment-detail";
import { sumChosenTransactions, sumTransactions } from "./read-transactions";

const { db } = await testDatabase({ own: true });
const { call, stranger: otherMerchant, service } = await testTenant(db);

beforeAll(async () => {
  for (const row of SAMPLE) await insertSample(db, call().environment.id, row);
});

const search = (filters: object = {}, sort: object = {}) => searchTransactionsBody.parse({ filters, sort });

/** Adds up the rows one by one; no sample is a refund. */
function expected(matches: (row: SampleTransaction) => boolean) {
  const rows = SAMPLE.filter(matches);
  const sums = [...new Set(rows.map(({ currency }) => currency))].toSorted().map((currency) => {
    const captured = rows.filter((row) => row.currency === currency && row.status === "SETTLED");
    const gross = captured.reduce((sum, { amount }) => sum + amount, 0);
    return { currency, gross, refunded: 0, fees: 0, net: gross };
  });
  return { rows: rows.length, capped: false, sums };
}

describe("the sums of a list", () => {
  test("add up all rows that the filters match, by currency, whatever the sort", async () => {
    for (const field of ["created_at", "amount", "status"])
      expect(await sumTransactions(call(), search({}, { field, order: "asc" }))).toEqual(expected(() => true));
    const some = search({ card_brand: ["visa", "amex"], status: ["SETTLED", "DECLINED"], currency: ["EUR"] });
    expect(await sumTransactions(call(), some)).toEqual(
      expected(
        (row) =>
          ["visa", "amex"].includes(row.card_brand ?? "") &&
          ["SETTLED", "DECLINED"].includes(row.status) &&
          row.currency === "EUR",
      ),
    );
    expect(await sumTransactions(call(), search({ plan_id: "nonsense" }))).toEqual({
      rows: 0,
      capped: false,
      sums: [],
    });
  });

  test("count captured amounts and paid refunds, before and after settlement", async () => {
    const tenant = await moneyTenant(db);
    const ctx = testContext(tenant.service, tenant.merchant.test);
    const { body: held } = await tenant.create({ capture_method: "manual", amount: 5_000 });
    expect(await sumTransactions(ctx, search())).toMatchObject({ rows: 1, sums: [{ gross: 0, refunded: 0, net: 0 }] });
    await tenant.act("capture", held.id, { amount: 3_000 });
    await tenant.act("refund", held.id, { amount: 1_000 });
    const sums = [{ currency: held.currency, gross: 3_000, refunded: 1_000, fees: 0, net: 2_000 }];
    expect(await sumTransactions(ctx, search())).toEqual({ rows: 2, capped: false, sums });
    await runSettlement(tenant.service, { environmentId: tenant.environmentId });
    expect(await sumTransactions(ctx, search())).toEqual({ rows: 2, capped: false, sums });
    expect(await sumTransactions(ctx, search({ type: ["REFUND"] }))).toMatchObject({
      rows: 1,
      sums: [{ gross: 0, refunded: 1_000, net: -1_000 }],
    });
  });

  test("deduct the ledger's fees, also for selected rows and on the payment's page", async () => {
    const tenant = await moneyTenant(db);
    const ctx = testContext(tenant.service, tenant.merchant.test);
    await db.sql`update environments set fee_basis_points = 290 where id = ${tenant.environmentId}`;
    const { body: held } = await tenant.create({ capture_method: "manual", amount: 5_000 });
    await tenant.act("capture", held.id, { amount: 3_000 });
    await tenant.act("refund", held.id, { amount: 1_000 });
    const { body: other } = await tenant.create({ amount: 10_000 });
    const both = [{ currency: held.currency, gross: 13_000, refunded: 1_000, fees: 87 + 290, net: 11_623 }];
    expect(await sumTransactions(ctx, search())).toEqual({ rows: 3, capped: false, sums: both });
    const ids = [other.transactions[0]?.id ?? "", "txn_nonsense"];
    expect(await sumChosenTransactions(ctx, ids)).toMatchObject({ rows: 1, sums: [{ fees: 290, net: 9_710 }] });
    expect(await sumChosenTransactions(call(), ids)).toEqual({ rows: 0, capped: false, sums: [] });
    expect(await sumChosenTransactions(call(), ["txn_nonsense"])).toEqual({ rows: 0, capped: false, sums: [] });
    expect(await getPaymentDetail(ctx, { id: held.id })).toMatchObject({ fee: 87 });
  });

  test("count refunded amounts of charges if only charges are listed", async () => {
    const tenant = await moneyTenant(db);
    const ctx = testContext(tenant.service, tenant.merchant.test);
    const { body: paid } = await tenant.create({ amount: 5_000 });
    await tenant.act("refund", paid.id, { amount: 1_000 });
    const sums = [{ gross: 5_000, refunded: 1_000, net: 4_000 }];
    for (const filters of [
      { type: ["CHARGE"] },
      { status: ["PARTIALLY_REFUNDED"] },
      { status: ["REFUNDED", "PARTIALLY_REFUNDED"] },
    ])
      expect(await sumTransactions(ctx, search(filters))).toMatchObject({ rows: 1, sums });
    expect(await sumTransactions(ctx, search({ status: ["CAPTURED"] }))).toMatchObject({
      rows: 1,
      sums: [{ gross: 0, refunded: 1_000, net: -1_000 }],
    });
  });

  test("follow the rows found, not the search", async () => {
    const tenant = await moneyTenant(db);
    const ctx = testContext(tenant.service, tenant.merchant.test);
    const { body: euros } = await tenant.create({ amount: 5_000, currency: "EUR" });
    const { body: dollars } = await tenant.create({ amount: 4_000, currency: "USD" });
    await tenant.act("refund", euros.id, { amount: 1_000 });
    await tenant.act("refund", dollars.id, { amount: 2_000 });
    const sum = async (min: number, filters: object = {}) =>
      (await sumTransactions(ctx, search({ amount: { gte: min }, ...filters }))).sums;
    const charges = [
      { currency: "EUR", gross: 5_000, refunded: 1_000, fees: 0, net: 4_000 },
      { currency: "USD", gross: 4_000, refunded: 2_000, fees: 0, net: 2_000 },
    ];
    expect(await sum(3_000)).toEqual(charges);
    expect(await sum(3_000, { type: ["CHARGE", "REFUND"] })).toEqual(charges);
    // With a refund of any currency among the rows, refunds count as rows of their own.
    expect(await sum(2_000)).toEqual([{ currency: "EUR", gross: 5_000, refunded: 0, fees: 0, net: 5_000 }, charges[1]]);
    expect(await sum(1)).toEqual(charges);
  });

  test("include nothing of another merchant", async () => {
    expect(await sumTransactions(testContext(service, otherMerchant.test), search())).toMatchObject({ rows: 0 });
  });

  test("stop at the list's count limit, and report that", async () => {
    const ctx = testContext(service, otherMerchant.live);
    await insertManyTransactions(db, otherMerchant.live.id, TOTAL_CAP);
    expect(await sumTransactions(ctx, search())).toMatchObject({ rows: TOTAL_CAP, capped: false });
    await insertManyTransactions(db, otherMerchant.live.id, 1);
    expect(await sumTransactions(ctx, search())).toMatchObject({ rows: TOTAL_CAP, capped: true });
  });
});
