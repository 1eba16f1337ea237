import { refundPayment } from "@/lib/contract/payments/endpoints";
import type { Payment } from "@/lib/contract/payments/payment";
import { getTransaction, listTransactions, searchTransactions } from "@/lib/contract/transactions/endpoints";
import { runSettlement } from "@/lib/domain/settlement/settle";
import type { Api } from "../client";
import { expect, test } from "../fixtures/playwright";
import { aCard, authorized, CARDS, captured, chargeOf } from "../samples";

const search = async (api: Api, body: object = {}) => (await api.call(searchTransactions, { body })).ok();
const ids = async (api: Api, body: object = {}) => (await search(api, body)).data.map(({ id }) => id);
const found = async (api: Api, filters: object) => ids(api, { filters });
const chargeIds = (...payments: Payment[]) => payments.map((payment) => chargeOf(payment).id);

test("without a body everything is found, newest first", async ({ api }) => {
  const [one, two] = [await captured(api), await captured(api)];
  expect((await api.call(searchTransactions)).ok()).toEqual({
    object: "list",
    data: [chargeOf(two), chargeOf(one)],
    limit: 20,
    offset: 0,
    has_more: false,
    total: 2,
    total_capped: false,
  });
});

test("each filter finds its matches, and filters can be combined", async ({ tenant, api }) => {
  const settled = await captured(api, { customer_id: "ann", customer_email: "Ann@Shop.example", amount: 100 });
  await runSettlement(tenant.context().service, { environmentId: tenant.merchant.test.id });
  const amex = await captured(api, { customer_id: "ann", amount: 200, card: aCard(CARDS.amex) });
  const held = await authorized(api, { customer_id: "bob", customer_email: "bob@shop.example", amount: 300 });
  const master = await captured(api, { amount: 400, card: aCard("5555555555554444") });

  expect(await found(api, { status: ["SETTLED"] })).toEqual(chargeIds(settled));
  expect(await found(api, { status: ["SETTLED", "AUTHORIZED"] })).toEqual(chargeIds(held, settled));
  expect(await found(api, { status: ["FAILED"] })).toEqual([]);
  expect(await found(api, { customer_id: "ann" })).toEqual(chargeIds(amex, settled));
  expect(await found(api, { customer_email: "ANN@shop.EXAMPLE" })).toEqual(chargeIds(settled));
  expect(await found(api, { customer_email: "shop.example" })).toEqual([]);
  expect(await found(api, { subscription_id: "sub_01jz0000000000000000000000" })).toEqual([]);
  expect(await found(api, { card_brand: ["amex", "mastercard"] })).toEqual(chargeIds(master, amex));
  expect(await found(api, { card_last4: "4444" })).toEqual(chargeIds(master));
  expect(await found(api, { amount: { gte: 200 } })).toEqual(chargeIds(master, held, amex));
  expect(await found(api, { amount: { lte: 200 } })).toEqual(chargeIds(amex, settled));
  expect(await found(api, { amount: { gte: 200, lte: 300 } })).toEqual(chargeIds(held, amex));
  expect(await found(api, { amount: {} })).toHaveLength(4);
  expect(await found(api, { customer_id: "ann", card_brand: ["visa"], amount: { lte: 100 } })).toEqual(
    chargeIds(settled),
  );
  expect(await found(api, { customer_id: "bob", card_last4: "4444" })).toEqual([]);
});

test("search terms match prefixes of customer and order data, or an id, last four digits or an amount", async ({
  api,
}) => {
  const anna = await captured(api, {
    customer_name: "Anna Müller",
    customer_email: "anna.mueller@shop.example",
    amount: 1990,
    description: "Order 1001, gold",
    metadata: { gift: "Été" },
  });
  const bob = await captured(api, {
    customer_id: "bob_17",
    customer_name: "Bob",
    card: aCard(CARDS.amex),
    amount: 4242_00,
  });
  const bobId = chargeOf(bob).id;
  for (const [q, payments] of [
    ["anna", [anna]],
    ["ANN mull", [anna]],
    ["mueller shop.ex", [anna]],
    ["gold 1001 ete", [anna]],
    ["19.90", [anna]],
    ["0005", [bob]],
    ["$4,242.00", [bob]],
    ["17", [bob]],
    [bob.id, [bob]],
    [bobId, [bob]],
    ["nna", []],
    ["anna bob", []],
    ["%", []],
  ] as const) {
    const expected = chargeIds(...payments);
    expect(await found(api, { q }), q).toEqual(expected);
    const listed = (await api.call(listTransactions, { query: { q } })).ok();
    expect(
      listed.data.map(({ id }) => id),
      q,
    ).toEqual(expected);
    expect(listed.total, q).toBe(expected.length);
  }
  expect(await found(api, { q: "anna", card_brand: ["amex"] })).toEqual([]);
});

test("words that are too many or too long are refused", async ({ api }) => {
  for (const q of ["a b c d e f g h i", "x".repeat(201)]) {
    (await api.call(searchTransactions, { body: { filters: { q } } })).problem("invalid_parameter");
    (await api.call(listTransactions, { query: { q } })).problem("invalid_parameter");
  }
});

test("created_at is inclusive at both ends, and a bare date as lte is the end of that day", async ({ api }) => {
  const [one, two] = [await captured(api), await captured(api)];
  const [first, second] = [chargeOf(one).created_at, chargeOf(two).created_at];
  const day = first.slice(0, 10);
  const dayBefore = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
  expect(await found(api, { created_at: { gte: first } })).toEqual(chargeIds(two, one));
  expect(await found(api, { created_at: { lte: first } })).toEqual(chargeIds(one));
  expect(await found(api, { created_at: { gte: first, lte: second } })).toEqual(chargeIds(two, one));
  expect(await found(api, { created_at: { gte: second, lte: second } })).toEqual(chargeIds(two));
  expect(await found(api, { created_at: { gte: day, lte: second.slice(0, 10) } })).toEqual(chargeIds(two, one));
  expect(await found(api, { created_at: { lte: dayBefore } })).toEqual([]);
});

test("sorts by time, amount and status, both ways, ties by id", async ({ api }) => {
  const cheap = await captured(api, { amount: 100 });
  const held = await authorized(api, { amount: 300 });
  const alsoCheap = await captured(api, { amount: 100 });
  const sorted = (field: string, order: string) => ids(api, { sort: { field, order } });
  expect(await sorted("created_at", "desc")).toEqual(chargeIds(alsoCheap, held, cheap));
  expect(await sorted("created_at", "asc")).toEqual(chargeIds(cheap, held, alsoCheap));
  expect(await sorted("amount", "desc")).toEqual(chargeIds(held, alsoCheap, cheap));
  expect(await sorted("amount", "asc")).toEqual(chargeIds(cheap, alsoCheap, held));
  expect(await sorted("status", "asc")).toEqual(chargeIds(held, cheap, alsoCheap));
  expect(await sorted("status", "desc")).toEqual(chargeIds(alsoCheap, cheap, held));
  expect(await ids(api, { sort: { field: "amount" } })).toEqual(chargeIds(held, alsoCheap, cheap));
  expect(await ids(api, { sort: { order: "asc" } })).toEqual(chargeIds(cheap, held, alsoCheap));
});

for (const [field, order] of [
  ["created_at", "desc"],
  ["created_at", "asc"],
  ["amount", "desc"],
  ["amount", "asc"],
  ["status", "desc"],
  ["status", "asc"],
] as const) {
  test(`pages by offset and by starting_after agree: ${field} ${order}`, async ({ api }) => {
    for (const amount of [300, 100, 200, 100, 300]) await (amount === 200 ? authorized : captured)(api, { amount });
    const sort = { field, order };
    const all = await ids(api, { sort });
    expect(new Set(all).size).toBe(5);
    const byOffset: string[] = [];
    const byCursor: string[] = [];
    for (let i = 0; i < 5; i += 2) {
      byOffset.push(...(await ids(api, { sort, limit: 2, offset: i })));
      const after = byCursor.at(-1);
      const page = await search(api, { sort, limit: 2, ...(after && { starting_after: after }) });
      expect(page.has_more).toBe(i < 4);
      byCursor.push(...page.data.map(({ id }) => id));
    }
    expect([byOffset, byCursor]).toEqual([all, all]);
  });
}

test("refunds are found with the customer and card of their charge", async ({ api }) => {
  const payment = await captured(api, { customer_email: "a@b.example" });
  const [, refund] = (await api.call(refundPayment, { id: payment.id })).ok().transactions;
  const found = await search(api, {
    filters: { customer_email: "a@b.example", card_last4: "4242", card_brand: ["visa"] },
  });
  expect(found.data[0]).toEqual(refund);
  expect(await ids(api, { filters: { type: ["REFUND"], currency: ["USD", "EUR"] } })).toEqual([refund?.id]);
  expect(found.data[0]).toEqual((await api.call(getTransaction, { id: refund?.id ?? "" })).ok());
});

for (const [body, param] of [
  [{ limit: 0 }, "limit"],
  [{ limit: 101 }, "limit"],
  [{ limit: "10" }, "limit"],
  [{ limit: 1.5 }, "limit"],
  [{ offset: -1 }, "offset"],
  [{ sort: { field: "customer_id" } }, "sort.field"],
  [{ sort: { order: "up" } }, "sort.order"],
  [{ sort: "created_at" }, "sort"],
  [{ filters: [] }, "filters"],
  [{ filters: { status: [] } }, "filters.status"],
  [{ filters: { status: "SETTLED" } }, "filters.status"],
  [{ filters: { status: ["PAID"] } }, "filters.status.0"],
  [{ filters: { card_brand: [] } }, "filters.card_brand"],
  [{ filters: { card_brand: ["visa", "jcb"] } }, "filters.card_brand.1"],
  [{ filters: { card_last4: "123" } }, "filters.card_last4"],
  [{ filters: { card_last4: 1234 } }, "filters.card_last4"],
  [{ filters: { customer_id: ["a"] } }, "filters.customer_id"],
  [{ filters: { currency: ["usd"] } }, "filters.currency.0"],
  [{ filters: { type: [] } }, "filters.type"],
  [{ filters: { decline_code: ["bad_luck"] } }, "filters.decline_code.0"],
  [{ filters: { captured_at: { gte: "2026-02-02", lte: "2026-02-01" } } }, "filters.captured_at.gte"],
  [{ filters: { amount: { gte: -1 } } }, "filters.amount.gte"],
  [{ filters: { amount: { gte: 2, lte: 1 } } }, "filters.amount.gte"],
  [{ filters: { amount: { lte: "5" } } }, "filters.amount.lte"],
  [{ filters: { created_at: { gte: "soon" } } }, "filters.created_at.gte"],
  [{ filters: { created_at: { gte: "2026-02-02", lte: "2026-02-01" } } }, "filters.created_at.gte"],
  [{ starting_after: "txn_x", offset: 1 }, "starting_after"],
] as const) {
  test(`is refused: ${JSON.stringify(body)}`, async ({ api }) => {
    const refusal = (await api.call(searchTransactions, { body })).problem("invalid_parameter");
    expect(refusal.param).toBe(param);
  });
}

for (const [body, param] of [
  [{ filter: {} }, "filter"],
  [{ filters: { min_amount: 1 } }, "filters.min_amount"],
  [{ filters: { amount: { gt: 1 } } }, "filters.amount.gt"],
  [{ sort: { by: "amount" } }, "sort.by"],
] as const) {
  test(`is unknown: ${JSON.stringify(body)}`, async ({ api }) => {
    expect((await api.call(searchTransactions, { body })).problem("unknown_parameter").param).toBe(param);
  });
}
