import { beforeAll, describe, expect, it } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext, testTenant } from "@/e2e/fixtures/factories";
import { copyTransaction, moneyTenant } from "@/e2e/fixtures/money";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { MAX_REFUNDS, payment as paymentSchema, SHOWN_REFUNDS } from "@/lib/contract/payments/payment";
import { idAt, newId } from "@/lib/ids";
import { getPayment, listPayments } from "./read-payments";

const { db } = await testDatabase();
const { merchant, stranger, call, service } = await testTenant(db);
const START = Date.parse("2026-03-01T00:00:00.000Z");

type Sample = {
  id: string;
  chargeId: string;
  status: string;
  customer: string | null;
  time: number;
  refunds: string[];
};

const sample: Sample[] = Array.from({ length: 60 }, (_, i) => {
  const at = new Date(START + Math.floor(i / 2));
  return {
    id: idAt(at),
    chargeId: idAt(at),
    status: i % 3 === 0 ? "PARTIALLY_REFUNDED" : "DECLINED",
    customer: i % 4 === 0 ? "anna" : null,
    time: at.getTime(),
    refunds: i % 3 === 0 ? [idAt(new Date(START + 1_000)), idAt(new Date(START + 1_000))] : [],
  };
});

async function insert(environmentId: string, row: Sample): Promise<void> {
  const time = new Date(row.time).toISOString();
  const captured = row.refunds.length > 0 ? 900 : 0;
  await db.sql`insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount,
      amount_captured, amount_refunded, capture_method, customer_id, created_at, updated_at)
    values (${environmentId}, ${row.id}, ${row.chargeId}, ${row.chargeId}, ${row.status}, 'USD', 900, ${captured},
      ${row.refunds.length * 100}, 'automatic', ${row.customer}, ${time}, ${time})`;
  for (const id of [row.chargeId, ...row.refunds]) {
    const isCharge = id === row.chargeId;
    const created = isCharge ? time : new Date(START + 1_000).toISOString();
    await db.sql`insert into transactions (environment_id, id, payment_id, type, status, amount, currency, refund_of,
        customer_id, metadata, created_at, updated_at)
      values (${environmentId}, ${id}, ${row.id}, ${isCharge ? "CHARGE" : "REFUND"}, ${isCharge ? row.status : "SETTLED"},
        ${isCharge ? 900 : 100}, 'USD', ${isCharge ? null : row.chargeId}, ${row.customer}, '{}', ${created}, ${created})`;
  }
}

const elsewhere = { id: idAt(new Date(START)), chargeId: idAt(new Date(START)) };
const foreign: Sample = { ...(sample[0] as Sample), ...elsewhere, refunds: [] };

beforeAll(async () => {
  await Promise.all(sample.map((row) => insert(merchant.test.id, row)));
  await insert(stranger.test.id, foreign);
});

const expected = (matches: (row: Sample) => boolean) =>
  sample
    .filter(matches)
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    .map((row) => encodeId("payment", row.id));

describe("listing payments", () => {
  it("is newest first, each with its charge and then its refunds", async () => {
    const page = await listPayments(call(), { limit: 100 });
    expect(page.data.map((row) => row.id)).toEqual(expected(() => true));
    expect(page).toMatchObject({ limit: 100, offset: 0, has_more: false, total: 60, total_capped: false });
    for (const row of page.data) {
      expect(paymentSchema.strict().parse(row)).toEqual(row);
      const refunded = row.status === "PARTIALLY_REFUNDED";
      expect(row.transactions.map(({ type }) => type)).toEqual(refunded ? ["CHARGE", "REFUND", "REFUND"] : ["CHARGE"]);
      expect(row.amount_refundable).toBe(refunded ? 700 : 0);
    }
  });

  it("filters by status, customer and times, both ends of which are exclusive", async () => {
    const created_after = new Date(START + 3).toISOString();
    const created_before = new Date(START + 20).toISOString();
    const query = { status: "DECLINED", customer_id: "anna", created_after, created_before } as const;
    const within = (row: Sample) => row.time > START + 3 && row.time < START + 20;
    const matches = (row: Sample) => row.status === "DECLINED" && row.customer === "anna" && within(row);
    expect((await listPayments(call(), query)).data.map((row) => row.id)).toEqual(expected(matches));
    const { status, created_after: after } = query;
    const byStatus = (row: Sample) => row.status === "DECLINED" && row.time > START + 3;
    const found = await listPayments(call(), { status, created_after: after, limit: 100 });
    expect(found.data.map((row) => row.id)).toEqual(expected(byStatus));
  });

  it("returns the same payments by offset and by starting_after", async () => {
    const all = expected(() => true);
    const byOffset: string[] = [];
    const byCursor: string[] = [];
    for (let offset = 0; offset < all.length; offset += 25) {
      const page = await listPayments(call(), { limit: 25, offset });
      const starting_after = byCursor.at(-1);
      const next = await listPayments(call(), { limit: 25, ...(starting_after && { starting_after }) });
      byOffset.push(...page.data.map((row) => row.id));
      byCursor.push(...next.data.map((row) => row.id));
      for (const found of [page, next]) expect(found).toMatchObject({ total: 60, has_more: offset + 25 < 60 });
    }
    expect(byOffset).toEqual(all);
    expect(byCursor).toEqual(all);
  });

  it("rejects a cursor that is unknown, malformed or another merchant's", async () => {
    for (const id of [encodeId("payment", newId()), "nonsense", encodeId("payment", foreign.id)]) {
      const refused = listPayments(call(), { starting_after: id });
      await expect(refused).rejects.toMatchObject({ code: "invalid_parameter", param: "starting_after" });
    }
  });

  it("shows none of its payments to another merchant or the other mode", async () => {
    expect((await listPayments(testContext(service, stranger.test), {})).total).toBe(1);
    expect(await listPayments(testContext(service, merchant.live), {})).toMatchObject({ data: [], total: 0 });
  });
});

describe("getting a payment", () => {
  it("returns it as the list does", async () => {
    const [first] = (await listPayments(call(), {})).data;
    expect(await getPayment(call(), { id: first?.id as string })).toEqual(first);
  });

  it("does not distinguish an unknown id from a malformed one or another merchant's", async () => {
    for (const id of [encodeId("payment", newId()), "nonsense", encodeId("payment", foreign.id)]) {
      await expect(getPayment(call(), { id })).rejects.toMatchObject({ code: "resource_not_found" });
    }
  });
});

it("reports that a page would be too long before building it", async () => {
  const shop = await moneyTenant(db);
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, "v".repeat(314)]));
  for (let i = 0; i < 3; i++) {
    const { id } = (await shop.create({ metadata })).body;
    const { body } = await shop.act("refund", id, { amount: 1 });
    const refund = decodeId("transaction", body.transactions[1].id) ?? "";
    await copyTransaction(db, { environmentId: shop.environmentId, id: refund, times: MAX_REFUNDS - 1 });
  }
  const ctx = testContext(shop.service, shop.merchant.test);
  await expect(listPayments(ctx, { limit: 3 })).rejects.toMatchObject({
    code: "invalid_parameter",
    param: "limit",
    readBytes: 2_000_000,
  });
  const page = await listPayments(ctx, { limit: 1 });
  expect(JSON.stringify(page).length).toBeLessThan(2_000_000);
  expect(page.data[0]).toMatchObject({ transactions_has_more: true, transactions: { length: SHOWN_REFUNDS + 1 } });
  expect(page.data[0]?.transactions[0]?.type).toBe("CHARGE");
  expect(page.data[0]?.transactions.every((transaction) => transaction.metadata === page.data[0]?.metadata)).toBe(true);
  expect((await getPayment(ctx, { id: page.data[0]?.id ?? "" })).transactions.at(-1)?.metadata).toEqual(metadata);
});
