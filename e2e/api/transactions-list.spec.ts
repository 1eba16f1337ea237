import { listPayments, refundPayment } from "@/lib/contract/payments/endpoints";
import { listTransactions, searchTransactions } from "@/lib/contract/transactions/endpoints";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { idTime, newId } from "@/lib/ids";
import type { Api } from "../client";
import { expect, type Tenant, test } from "../fixtures/playwright";
import { aCard, authorized, CARDS, captured, chargeOf } from "../samples";

const list = async (api: Api, query: Record<string, unknown> | string = {}) =>
  (await api.call(listTransactions, { query })).ok();
const ids = async (api: Api, query: Record<string, unknown> | string = {}) =>
  (await list(api, query)).data.map(({ id }) => id);

test("an empty list is a list", async ({ api }) => {
  expect(await list(api)).toEqual({
    object: "list",
    data: [],
    limit: 20,
    offset: 0,
    has_more: false,
    total: 0,
    total_capped: false,
  });
});

test("charges and refunds are listed newest first, with the same data as when fetched alone", async ({ api }) => {
  const first = await captured(api);
  const second = await authorized(api);
  const refunded = (await api.call(refundPayment, { id: first.id, body: { amount: 1 } })).ok();
  const [charge, refund] = refunded.transactions;
  const { data, total } = await list(api);
  expect(data).toEqual([refund, chargeOf(second), charge]);
  expect(total).toBe(3);
});

test("each filter finds its matches, and filters can be combined", async ({ tenant, api }) => {
  const settled = chargeOf(await captured(api, { customer_id: "ann", amount: 100 }));
  await runSettlement(tenant.context().service, { environmentId: tenant.merchant.test.id });
  const amex = chargeOf(await captured(api, { customer_id: "ann", amount: 200, card: aCard(CARDS.amex) }));
  const held = chargeOf(await authorized(api, { customer_id: "bob", amount: 300 }));

  expect(await ids(api, { status: "SETTLED" })).toEqual([settled.id]);
  expect(await ids(api, { status: "AUTHORIZED" })).toEqual([held.id]);
  expect(await ids(api, { status: "FAILED" })).toEqual([]);
  expect(await ids(api, { customer_id: "ann" })).toEqual([amex.id, settled.id]);
  expect(await ids(api, { customer_id: "an" })).toEqual([]);
  expect(await ids(api, { card_brand: "amex" })).toEqual([amex.id]);
  expect(await ids(api, { card_brand: "visa" })).toEqual([held.id, settled.id]);
  expect(await ids(api, { subscription_id: "sub_01jz0000000000000000000000" })).toEqual([]);
  expect(await ids(api, { plan_id: "plan_01jz0000000000000000000000" })).toEqual([]);
  expect(await ids(api, { currency: "USD" })).toEqual([held.id, amex.id, settled.id]);
  expect(await ids(api, { currency: "EUR" })).toEqual([]);
  expect(await ids(api, { type: "CHARGE", decline_code: "lost_card" })).toEqual([]);
  expect(await ids(api, { captured_after: "2020-01-01" })).toEqual([amex.id, settled.id]);
  expect(await ids(api, { captured_before: "2020-01-01" })).toEqual([]);
  expect(await ids(api, { min_amount: 200 })).toEqual([held.id, amex.id]);
  expect(await ids(api, { max_amount: 200 })).toEqual([amex.id, settled.id]);
  expect(await ids(api, { min_amount: 200, max_amount: 200 })).toEqual([amex.id]);
  expect(await ids(api, { customer_id: "ann", card_brand: "visa", status: "SETTLED", min_amount: 1 })).toEqual([
    settled.id,
  ]);
  expect(await ids(api, { customer_id: "bob", card_brand: "amex" })).toEqual([]);
  expect((await list(api, { customer_id: "ann" })).total).toBe(2);
});

test("created_after and created_before leave out the moment itself", async ({ api }) => {
  const one = chargeOf(await captured(api));
  const two = chargeOf(await captured(api));
  expect(await ids(api, { created_after: one.created_at })).toEqual([two.id]);
  expect(await ids(api, { created_before: two.created_at })).toEqual([one.id]);
  expect(await ids(api, { created_after: one.created_at, created_before: two.created_at })).toEqual([]);
});

test("times with any offset are accepted, and a bare date is the start of that day in UTC", async ({ api }) => {
  const charge = chargeOf(await captured(api));
  const day = charge.created_at.slice(0, 10);
  const later = new Date(Date.parse(charge.created_at) + 1);
  const inTokyo = `${new Date(later.getTime() + 9 * 3_600_000).toISOString().slice(0, -1)}+09:00`;
  expect(await ids(api, { created_before: inTokyo })).toEqual([charge.id]);
  expect(await ids(api, { created_after: inTokyo })).toEqual([]);
  expect(await ids(api, { created_after: day })).toEqual([charge.id]);
  expect(await ids(api, { created_before: day })).toEqual([]);
  expect(await ids(api, { created_after: `${day}T00:00:00Z` })).toEqual([charge.id]);
});

test("paging by limit and offset misses and repeats nothing", async ({ api }) => {
  const all: string[] = [];
  for (let i = 0; i < 5; i++) all.unshift(chargeOf(await captured(api)).id);
  expect(await list(api, { limit: 2 })).toMatchObject({ limit: 2, offset: 0, has_more: true, total: 5 });
  expect(await ids(api, { limit: 2 })).toEqual(all.slice(0, 2));
  expect(await ids(api, { limit: 2, offset: 2 })).toEqual(all.slice(2, 4));
  expect(await list(api, { limit: 2, offset: 4 })).toMatchObject({ offset: 4, has_more: false });
  expect(await ids(api, { offset: 3 })).toEqual(all.slice(3));
  expect(await list(api, { limit: 5 })).toMatchObject({ has_more: false });
  expect(await list(api, { offset: 100 })).toMatchObject({ data: [], has_more: false, total: 5 });
});

test("paging by starting_after misses and repeats nothing", async ({ api }) => {
  const all: string[] = [];
  for (let i = 0; i < 5; i++) all.unshift(chargeOf(await captured(api, { customer_id: i % 2 ? "odd" : "even" })).id);
  const seen: string[] = [];
  for (let page = await list(api, { limit: 2 }); ; page = await list(api, { limit: 2, starting_after: seen.at(-1) })) {
    seen.push(...page.data.map(({ id }) => id));
    expect(page.total).toBe(5);
    if (!page.has_more) break;
  }
  expect(seen).toEqual(all);
  expect(await ids(api, { starting_after: all[1], customer_id: "even" })).toEqual([all[2], all[4]]);
  expect(
    (await api.call(listTransactions, { query: { starting_after: all[0], offset: 1 } })).problem("invalid_parameter")
      .param,
  ).toBe("starting_after");
});

for (const query of [
  "limit=0",
  "limit=101",
  "limit=-1",
  "limit=1.5",
  "limit=ten",
  "limit=",
  "limit=1e1",
  "limit=%2B5",
  "limit=99999999999999999999",
  "offset=-1",
  "offset=0.5",
  "offset=x",
  "status=PAID",
  "status=settled",
  "card_brand=jcb",
  "currency=usd",
  "type=FEE",
  "decline_code=bad_luck",
  "captured_after=yesterday",
  "captured_after=2026-02-02&captured_before=2026-02-01",
  "card_brand=VISA",
  "min_amount=",
  "min_amount=-1",
  "min_amount=1.5",
  "max_amount=x",
  "min_amount=2&max_amount=1",
  "created_after=yesterday",
  "created_after=2026-02-30",
  "created_after=2026-13-01T00:00:00Z",
  "created_after=2026-01-01T00:00:00",
  "created_before=1700000000",
  "created_after=2026-02-02&created_before=2026-02-01",
]) {
  test(`out of range is 400, never clamped: ${query}`, async ({ api }) => {
    const refusal = (await api.call(listTransactions, { query })).problem("invalid_parameter");
    expect(query).toContain(refusal.param ?? "nothing");
  });
}

test("an empty filter is absent", async ({ api }) => {
  for (const query of ["status=", "plan_id=%20", "customer_id=", "q=%E2%80%8B"]) await list(api, query);
});

test("limit=1, limit=100 and offset=0 are in range", async ({ api }) => {
  for (const query of ["limit=1", "limit=100", "offset=0", "limit=100&offset=1000000"]) await list(api, query);
});

/** Clones the environment's only transaction, since a test can't create this many one by one. */
async function multiply({ context, merchant }: Tenant, count: number): Promise<void> {
  const ids = Array.from({ length: count }, newId);
  await context().service.db.sql`
    insert into transactions (environment_id, id, payment_id, type, status, amount, currency, card_brand, card_last4,
      metadata, created_at, updated_at)
    select t.environment_id, copy.id, t.payment_id, t.type, t.status, t.amount, t.currency, t.card_brand, t.card_last4,
      t.metadata, copy.created_at, copy.created_at
    from transactions t, unnest(${ids}::uuid[], ${ids.map(idTime)}::timestamptz[]) as copy (id, created_at)
    where t.environment_id = ${merchant.test.id}`;
}

test("totals are exact up to 10,000 and capped above, and pages go on", async ({ tenant, api }) => {
  await authorized(api);
  await multiply(tenant, 9_999);
  expect((await api.call(listTransactions)).ok()).toMatchObject({ total: 10_000, total_capped: false, has_more: true });
  const one = await captured(api);
  expect((await api.call(listTransactions)).ok()).toMatchObject({ total: 10_000, total_capped: true, has_more: true });
  const capped = (await api.call(searchTransactions, { body: { filters: { card_brand: ["visa"] } } })).ok();
  expect(capped).toMatchObject({ total: 10_000, total_capped: true });
  const few = (await api.call(searchTransactions, { body: { filters: { status: ["CAPTURED"] } } })).ok();
  expect(few).toMatchObject({ total: 1, total_capped: false });
  expect(few.data[0]?.payment_id).toBe(one.id);

  const last = (await api.call(listTransactions, { query: { limit: 100, offset: 9_950 } })).ok();
  expect([last.data.length, last.has_more, last.total_capped]).toEqual([51, false, true]);
  const oldest = last.data.at(-1);
  const beyond = (await api.call(listTransactions, { query: { starting_after: oldest?.id } })).ok();
  expect([beyond.data, beyond.has_more]).toEqual([[], false]);
  expect((await api.call(listPayments)).ok()).toMatchObject({ total: 2, total_capped: false });
});
