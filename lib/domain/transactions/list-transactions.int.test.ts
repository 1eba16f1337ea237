import { beforeAll, describe, expect, it } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext, testTenant } from "@/e2e/fixtures/factories";
import { insertManyTransactions } from "@/e2e/fixtures/many-rows";
import {
  expectedIds,
  insertSample,
  PLAN,
  SAMPLE,
  type SampleTransaction,
  START,
  SUBSCRIPTIONS,
} from "@/e2e/fixtures/sample-transactions";
import { encodeId } from "@/lib/contract/ids";
import { type ListTransactionsQuery, transaction } from "@/lib/contract/transactions/transaction";
import { idAt, newId } from "@/lib/ids";
import { getTransaction, listTransactions } from "./read-transactions";

const { db } = await testDatabase({ own: true });
const { merchant, stranger: otherMerchant, call, service } = await testTenant(db);
const foreign: SampleTransaction = { ...(SAMPLE[0] as SampleTransaction), id: idAt(new Date(START)) };

beforeAll(async () => {
  await Promise.all(SAMPLE.map((row) => insertSample(db, merchant.test.id, row)));
  await insertSample(db, otherMerchant.test.id, foreign);
});

const at = (milliseconds: number) => new Date(START + milliseconds).toISOString();
const list = (query: ListTransactionsQuery) => listTransactions(call(), query);

describe("listing", () => {
  it("is newest first, twenty at a time", async () => {
    const page = await list({});
    expect(page.data.map((row) => row.id)).toEqual(expectedIds(() => true).slice(0, 20));
    expect(page).toMatchObject({
      object: "list",
      limit: 20,
      offset: 0,
      has_more: true,
      total: 240,
      total_capped: false,
    });
    for (const row of page.data) expect(transaction.strict().parse(row)).toEqual(row);
  });

  it("treats created_after and created_before as exclusive, and amounts as inclusive", async () => {
    const page = await list({
      created_after: at(10),
      created_before: at(13),
      min_amount: 150,
      max_amount: 600,
      limit: 100,
    });
    const within = (row: SampleTransaction) => row.time > START + 10 && row.time < START + 13 && row.amount >= 150;
    expect(page.data.map((row) => row.id)).toEqual(expectedIds(within));
  });

  it("treats captured_after and captured_before as exclusive, and accepts one currency, plan, type and decline code", async () => {
    const found = async (query: ListTransactionsQuery) =>
      (await list({ ...query, limit: 100 })).data.map(({ id }) => id);
    const captured = { captured_after: at(20), captured_before: at(60) };
    expect(await found(captured)).toEqual(
      expectedIds((row) => row.captured !== null && row.captured > START + 20 && row.captured < START + 60),
    );
    const plan_id = encodeId("plan", PLAN);
    expect(await found({ currency: "EUR", plan_id, type: "CHARGE" })).toEqual(
      expectedIds((row) => row.currency === "EUR" && row.plan_id === PLAN),
    );
    expect(await found({ decline_code: "lost_card" })).toEqual(expectedIds((row) => row.decline_code === "lost_card"));
  });

  it("compares times to the microsecond", async () => {
    const page = await list({
      created_after: "2026-03-01T00:00:00.010999Z",
      created_before: "2026-03-01T00:00:00.012001Z",
      limit: 100,
    });
    const within = (row: SampleTransaction) => row.time === START + 11 || row.time === START + 12;
    expect(page.data.map((row) => row.id)).toEqual(expectedIds(within));
  });

  it("filters by status, brand, customer and subscription together", async () => {
    const subscription_id = encodeId("subscription", SUBSCRIPTIONS[0] as string);
    const query = { status: "SETTLED", card_brand: "visa", customer_id: "anna", subscription_id } as const;
    const matches = (row: SampleTransaction) =>
      row.status === "SETTLED" &&
      row.card_brand === "visa" &&
      row.customer_id === "anna" &&
      row.subscription_id === SUBSCRIPTIONS[0];
    expect((await list(query)).data.map((row) => row.id)).toEqual(expectedIds(matches));
  });

  it("finds nothing for an invalid subscription id", async () => {
    expect(await list({ subscription_id: "nonsense", limit: 5 })).toMatchObject({
      data: [],
      limit: 5,
      total: 0,
      has_more: false,
    });
  });

  it("reports no more pages past the end, with the same total", async () => {
    for (const offset of [240, 1_000_000_000]) {
      expect(await list({ offset })).toMatchObject({ data: [], offset, has_more: false, total: 240 });
    }
    expect(await list({ offset: 220 })).toMatchObject({ has_more: false });
    expect(await list({ offset: 219 })).toMatchObject({ has_more: true });
  });

  it("rejects a cursor that is unknown, malformed or another merchant's", async () => {
    for (const id of [encodeId("transaction", newId()), "nonsense", encodeId("transaction", foreign.id)]) {
      await expect(list({ starting_after: id })).rejects.toMatchObject({
        code: "invalid_parameter",
        param: "starting_after",
      });
    }
  });

  it("shows none of its transactions to another merchant or the other mode", async () => {
    expect((await listTransactions(testContext(service, otherMerchant.test), {})).total).toBe(1);
    expect(await listTransactions(testContext(service, merchant.live), {})).toMatchObject({ data: [], total: 0 });
  });

  it("counts exactly to 10,000 and then reports that there are more", async () => {
    const environmentId = otherMerchant.live.id;
    await insertManyTransactions(db, environmentId, 10_000);
    const count = async () =>
      await listTransactions(testContext(service, otherMerchant.live), { offset: 9_990, limit: 10 });
    expect(await count()).toMatchObject({ total: 10_000, total_capped: false, has_more: false });
    await insertSample(db, environmentId, { ...foreign, id: idAt(new Date(START)) });
    expect(await count()).toMatchObject({ total: 10_000, total_capped: true, has_more: true });
  });
});

describe("getting one", () => {
  it("returns the transaction with its payment's amounts", async () => {
    const row = SAMPLE.find((candidate) => candidate.status === "SETTLED") as SampleTransaction;
    const id = encodeId("transaction", row.id);
    expect(await getTransaction(call(), { id })).toMatchObject({
      id,
      amount: row.amount,
      amount_captured: row.amount,
      amount_refundable: row.amount,
      available_actions: ["refund"],
      created_at: new Date(row.time).toISOString(),
    });
  });

  it("treats unknown, malformed and other merchants' ids alike", async () => {
    for (const id of [encodeId("transaction", newId()), "nonsense", encodeId("transaction", foreign.id)]) {
      await expect(getTransaction(call(), { id })).rejects.toMatchObject({ code: "resource_not_found" });
    }
  });
});
