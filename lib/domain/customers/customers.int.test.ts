import { describe, expect, it, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, testContext, testService } from "@/e2e/fixtures/factories";
import { listCustomersQuery } from "@/lib/contract/customers/customer";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { idAt } from "@/lib/ids";
import { findCustomerNames, findCustomerOf, getCustomer, listCustomers, noteCustomers } from "./customers";

const { db } = await testDatabase({ own: true });
const START = Date.parse("2026-01-05T00:00:00Z");
const DAY = 86_400_000;

type Some = {
  id?: string;
  email?: string;
  name?: string;
  status?: "SETTLED" | "DECLINED" | "PARTIALLY_REFUNDED";
  amount?: number;
  refunded?: number;
  currency?: string;
  last4?: string;
  day: number;
};

async function shop() {
  const { test: environment, id: merchantId } = await createTestMerchant(db);
  const ctx = testContext(testService(db), { ...environment, merchantId });
  const pay = async (some: Some) => {
    const { status = "SETTLED", amount = 1_000, refunded = 0, currency = "USD", last4 = "4242" } = some;
    const at = START + some.day * DAY;
    const [id, time] = [idAt(new Date(at)), new Date(at).toISOString()];
    const captured = status === "DECLINED" ? 0 : amount;
    await db.sql`insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, amount_captured,
        amount_refunded, capture_method, customer_id, created_at, updated_at)
      values (${environment.id}, ${id}, ${id}, ${id}, ${status}, ${currency}, ${amount}, ${captured}, ${refunded}, 'automatic',
        ${some.id ?? null}, ${time}, ${time})`;
    await db.sql`insert into transactions (environment_id, id, payment_id, type, status, amount, currency, card_brand, card_last4,
        card_exp_month, card_exp_year, customer_id, customer_email, customer_name, metadata, created_at, updated_at)
      values (${environment.id}, ${id}, ${id}, 'CHARGE', ${status}, ${amount}, ${currency}, 'visa', ${last4}, 12, 2030,
        ${some.id ?? null}, ${some.email ?? null}, ${some.name ?? null}, '{}', ${time}, ${time})`;
  };
  const note = async () => {
    while ((await noteCustomers(testService(db))) > 0);
  };
  const list = (query: Record<string, string> = {}) => listCustomers(ctx, listCustomersQuery.parse(query));
  return { environment, ctx, pay, note, list };
}

it("is identified by customer_id, else by e-mail regardless of case; payments with neither have no customer", async () => {
  const { pay, note, list } = await shop();
  await pay({ id: "c_1", email: "Anna@Example.com", name: "Anna Müller", day: 0 });
  await pay({ id: "c_1", email: "new@example.com", day: 3, last4: "1111" });
  await pay({ email: "Bob@Example.com", name: "Bob", day: 1, amount: 500, currency: "EUR" });
  await pay({ email: "bob@example.COM", day: 2, status: "DECLINED", currency: "EUR" });
  await pay({ email: "anna@example.com", day: 4, status: "PARTIALLY_REFUNDED", refunded: 300 });
  await pay({ id: "c_1", day: 5, amount: 200, currency: "JPY" });
  await pay({ day: 6 });
  await note();
  const time = (day: number) => new Date(START + day * DAY).toISOString();
  const card = (last4: string, day: number) => ({
    brand: "visa",
    last4,
    exp_month: 12,
    exp_year: 2030,
    last_used_at: time(day),
  });
  const { data, ...rest } = await list();
  expect(rest).toEqual({ object: "list", limit: 20, offset: 0, has_more: false, total: 3, total_capped: false });
  expect(data).toEqual([
    {
      id: expect.stringMatching(/^cust_/),
      object: "customer",
      customer_id: "c_1",
      email: "new@example.com",
      name: "Anna Müller",
      first_payment_at: time(0),
      last_payment_at: time(5),
      payments: 3,
      declined: 0,
      currencies: [
        { currency: "USD", captured: 2000, refunded: 0, net: 2000, disputed: 0 },
        { currency: "JPY", captured: 200, refunded: 0, net: 200, disputed: 0 },
      ],
      cards: [card("4242", 5), card("1111", 3)],
    },
    expect.objectContaining({
      customer_id: null,
      email: "anna@example.com",
      name: null,
      payments: 1,
      currencies: [{ currency: "USD", captured: 1000, refunded: 300, net: 700, disputed: 0 }],
    }),
    expect.objectContaining({
      customer_id: null,
      email: "bob@example.com",
      name: "Bob",
      payments: 2,
      declined: 1,
      first_payment_at: time(1),
      last_payment_at: time(2),
      cards: [card("4242", 2)],
      currencies: [{ currency: "EUR", captured: 500, refunded: 0, net: 500, disputed: 0 }],
    }),
  ]);
});

describe("a list", () => {
  it("pages by offset and after a customer, and filters by search terms", async () => {
    const { pay, note, list } = await shop();
    for (const [day, name] of ["Zoë Ångström", "Anna Nowak", "Annabel Smith"].entries()) {
      await pay({ id: `cus_${day}_17`, email: `who${day}@shop.example`, name, day });
    }
    await pay({ id: "---", name: "***", day: -1 });
    await note();
    const names = async (query: Record<string, string>) => (await list(query)).data.map(({ name }) => name);
    expect(await names({})).toEqual(["Annabel Smith", "Anna Nowak", "Zoë Ångström", "***"]);
    expect(await names({ limit: "1", offset: "1" })).toEqual(["Anna Nowak"]);
    const first = (await list({ limit: "1" })).data[0];
    expect(await list({ limit: "1" })).toMatchObject({ total: 4, has_more: true });
    expect(await names({ limit: "1", starting_after: first?.id as string })).toEqual(["Anna Nowak"]);
    for (const [q, found] of [
      ["ann", ["Annabel Smith", "Anna Nowak"]],
      ["zoe ang", ["Zoë Ångström"]],
      ["who1@shop", ["Anna Nowak"]],
      ["cus_2", ["Annabel Smith"]],
      ["nowak smith", []],
      ["%", []],
      ["\u0301", []],
      ["*** nowak", ["Anna Nowak"]],
    ] as const) {
      const { data, total } = await list({ q });
      expect(
        data.map(({ name }) => name),
        q,
      ).toEqual(found);
      expect(total, q).toBe(found.length);
    }
    expect(await list({ offset: "5" })).toMatchObject({ data: [], total: 4 });
    await pay({ id: "cus_0_17", name: "Zora New", day: 9 });
    await note();
    expect(await names({ q: "zora" })).toEqual(["Zora New"]);
    expect(await names({ q: "zoe" })).toEqual([]);
    expect(await names({ q: "who0" })).toEqual(["Zora New"]);
  });

  it("of another environment has no data there, can't be read, and can't be a cursor", async () => {
    const { pay, note, list } = await shop();
    await pay({ id: "c_1", day: 0 });
    await note();
    const id = (await list()).data[0]?.id as string;
    const other = await shop();
    expect(await other.list()).toMatchObject({ data: [], total: 0 });
    await expect(getCustomer(other.ctx, { id })).rejects.toMatchObject({ code: "resource_not_found" });
    await expect(other.list({ starting_after: id })).rejects.toMatchObject({ code: "invalid_parameter" });
    await expect(getCustomer(other.ctx, { id: "cust_none" })).rejects.toMatchObject({ code: "resource_not_found" });
  });
});

test("a customer is identified by its e-mail regardless of case, and found by search terms", async () => {
  const { pay, note, list } = await shop();
  for (const [day, email] of [
    "Ada@Müller.DE",
    "ada@MÜLLER.de",
    "ИВАН@ПРИМЕР.РФ",
    "иван@пример.рф",
    "Foo..@docomo.example",
    "#a&b/c",
  ].entries())
    await pay({ email, day });
  await note();
  expect((await list()).data.map(({ email, payments }) => [email, payments])).toEqual([
    ["#a&b/c", 1],
    ["foo..@docomo.example", 1],
    ["иван@пример.рф", 2],
    ["ada@müller.de", 2],
  ]);
  for (const q of ["иван", "Müller", "docomo"]) expect((await list({ q })).data, q).toHaveLength(1);
});

test("search terms with more matches than the count's cap are paged, combined with rare ones", async () => {
  const { environment, list } = await shop();
  await db.sql`insert into customers (environment_id, id, customer_id, name, words, first_payment_at, last_payment_at)
    select ${environment.id}, gen_random_uuid(), 'c' || i, 'Many ' || case when i % 5000 = 0 then 'Rare' else 'Common' end, '',
      ${new Date(START).toISOString()}, to_timestamp(${START / 1_000}::float8 + i)
    from generate_series(1, 10050) i`;
  const found = async (query: Record<string, string>) => {
    const { data, total, total_capped } = await list(query);
    return [data.map(({ customer_id }) => customer_id), total, total_capped];
  };
  expect(await found({ q: "many", limit: "2" })).toEqual([["c10050", "c10049"], 10_000, true]);
  expect(await found({ q: "many common", limit: "1", offset: "10047" })).toEqual([["c1"], 10_000, true]);
  expect(await found({ q: "many rare" })).toEqual([["c10000", "c5000"], 2, false]);
  expect(await found({ q: "rare", limit: "1", offset: "1" })).toEqual([["c5000"], 2, false]);
  const [last] = (await list({ q: "rare", limit: "1" })).data;
  expect(await found({ q: "rare", starting_after: last?.id as string })).toEqual([["c5000"], 2, false]);
});

test("an id depends only on the identity: it stays when customers are rebuilt, and payments link to it", async () => {
  const { environment, ctx, pay, note, list } = await shop();
  const identity = { customer_id: null, customer_email: "Anna@Example.com" };
  await pay({ email: "Anna@Example.com", day: 0 });
  expect(await findCustomerOf(ctx, identity)).toBeNull();
  await note();
  const id = (await list()).data[0]?.id as string;
  expect(await findCustomerOf(ctx, identity)).toEqual({ id, name: null });
  expect(await findCustomerOf(ctx, { customer_id: null, customer_email: null })).toBeNull();
  expect(encodeId("customer", decodeId("customer", id) as string)).toBe(id);
  await db.sql`delete from customers where environment_id = ${environment.id}`;
  await db.sql`insert into customers_due select environment_id, id from transactions where environment_id = ${environment.id}`;
  await note();
  expect(await getCustomer(ctx, { id })).toMatchObject({ id, email: "anna@example.com", payments: 1 });
});

test("two concurrent payments of one customer do not block, and concurrent jobs count each once", async () => {
  const { pay, list } = await shop();
  await Promise.all(Array.from({ length: 20 }, (_, i) => pay({ id: `c_${i % 2}`, day: i })));
  const taken = await Promise.all(Array.from({ length: 4 }, () => noteCustomers(testService(db))));
  expect(taken.reduce((all, some) => all + some, 0)).toBe(20);
  expect((await list()).data.map(({ customer_id, payments }) => [customer_id, payments])).toEqual([
    ["c_1", 10],
    ["c_0", 10],
  ]);
});

test("names are found in the rows' order, by id before e-mail, and never those of another environment", async () => {
  const { ctx, pay, note } = await shop();
  await pay({ id: "c_1", email: "shared@example.com", name: "Zoë O’Brien", day: 0 });
  await pay({ email: "Shared@example.com", name: "Łukasz", day: 0 });
  await note();
  const rows = [
    { customer_id: null, customer_email: "shared@EXAMPLE.com" },
    { customer_id: "unknown", customer_email: "shared@example.com" },
    { customer_id: "c_1", customer_email: null },
    { customer_id: null, customer_email: null },
  ];
  expect(await findCustomerNames(ctx, rows)).toEqual(["Łukasz", null, "Zoë O’Brien", null]);
  expect(await findCustomerNames((await shop()).ctx, rows)).toEqual([null, null, null, null]);
});
