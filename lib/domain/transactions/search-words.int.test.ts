import { beforeAll, describe, expect, it, test } from "vitest";
import { connect } from "@/db/client";
import { inRolesOf, testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, testContext, testService, testTenant } from "@/e2e/fixtures/factories";
import { CURRENCIES, formatMinor } from "@/lib/contract/currencies";
import { encodeId } from "@/lib/contract/ids";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import { listCustomers, noteCustomers } from "@/lib/domain/customers/customers";
import { idAt } from "@/lib/ids";
import { exportTransactions } from "./export-transactions";
import { listTransactions, searchTransactions, sumTransactions } from "./read-transactions";

const { db, url } = await testDatabase({ own: true });
const { merchant, call } = await testTenant(db);

type Some = {
  name?: string;
  email?: string;
  customer?: string;
  description?: string;
  metadata?: Record<string, string | number>;
  amount?: number;
  currency?: string;
  last4?: string;
};
const START = Date.parse("2026-01-05T00:00:00Z");
const DAY = 86_400_000;

/** The first is the oldest; each is a day younger than the one before. */
const SAMPLE: Some[] = [
  { name: "Anna-Marie O’Brien", email: "anna.smith+shop@Example.com", customer: "cus_0_17", amount: 1990 },
  { name: "Jürgen Müller", email: "juergen@example.org", description: "Order 55 of gold", last4: "4242" },
  { name: "Søren Straße", metadata: { order: "ord-5512", note: "Rue de l’Été" }, amount: 123450 },
  { name: "anna nowak", description: "gold", metadata: { gift: 4242 }, amount: 5000, currency: "JPY" },
  { customer: "17", description: "100% 50_50 a\\b", amount: 424200 },
  { name: "Łukasz Nowak", email: "lukasz@example.com", description: "gold gold gold" },
];
/** Names as people write them, each matched by all of its queries. */
const SPELLED: [name: string, queries: string[]][] = [
  [
    "Siobhán O’Brien",
    ["O'Brien", "O’Brien", "OʼBrien", "O`Brien", "obrien", "o'br", "O'Brien,", "(O'Brien)", "brien", "SIOBHAN"],
  ],
  ["Sean O'Neil", ["O’Neil", "oneil", "“O'Neil”"]],
  ["Jean\u2011Luc Picard", ["Jean-Luc", "jeanluc", "jean luc", "JEAN–LUC", "luc", "Picard,Jean"]],
  ["Smith\u2013Jones Kit", ["Smith-Jones", "smithjones", "jones"]],
  ["Kar\u00adlsson Bo", ["Karlsson", "kar\u00adls"]],
  ["Zoe\u200bGrand", ["ZoeGrand", "zoe\u200dgra"]],
  ["Jörg Müller", ["Mueller", "muller", "Müller", "joerg", "Mu\u0308ller"]],
  ["Mueller Ana", ["Müller"]],
  ["Åsa Bjørn Straße", ["aasa", "asa", "bjoern", "bjorn", "björn", "strasse"]],
  ["Æther Ölçer", ["aether", "oelcer", "olcer"]],
  ["山田 太郎", ["太郎", "山田太郎", "田太", "郎", "山田　太郎"]],
  ["ﾔﾏﾀﾞ ﾊﾅｺ", ["ヤマダ", "やまだはなこ", "はな", "ﾏﾀﾞ"]],
  ["佐々木・スミス", ["佐々木", "スミス", "佐々木すみす"]],
  ["김 철수", ["철수", "김철수", "수"]],
  ["สมชาย ใจดี", ["ชาย", "ใจดี", "สมชายใจดี"]],
  ['("Quoted"), Inc.', ["quoted", "inc", "quoted,inc"]],
];
const paymentIds = SAMPLE.map((_, i) => idAt(new Date(START + i * DAY)));
const ids = SAMPLE.map((_, i) => idAt(new Date(START + i * DAY)));

async function insert(environmentId: string, some: Some, id: string, paymentId: string, at: number) {
  const created_at = new Date(at).toISOString();
  const { amount = 777, currency = "USD", last4 = "1111" } = some;
  await db.sql`insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, amount_captured,
      capture_method, created_at, updated_at)
    values (${environmentId}, ${paymentId}, ${id}, ${id}, 'SETTLED', ${currency}, ${amount}, ${amount}, 'automatic', ${created_at}, ${created_at})`;
  await db.sql`insert into transactions (environment_id, id, payment_id, type, status, amount, currency, card_brand, card_last4,
      customer_name, customer_email, customer_id, description, metadata, created_at, updated_at)
    values (${environmentId}, ${id}, ${paymentId}, 'CHARGE', 'SETTLED', ${amount}, ${currency}, 'visa', ${last4},
      ${some.name ?? null}, ${some.email ?? null}, ${some.customer ?? null}, ${some.description ?? null},
      ${db.sql.json(some.metadata ?? {})}, ${created_at}, ${created_at})`;
}

beforeAll(async () => {
  for (const [i, some] of SAMPLE.entries()) {
    await insert(merchant.test.id, some, ids[i] as string, paymentIds[i] as string, START + i * DAY);
  }
});

/** Indexes of the matching samples, newest first. */
async function found(q: string, body: object = {}, ctx = call()): Promise<number[]> {
  const { filters, ...rest } = body as { filters?: object };
  const { data, total } = await searchTransactions(
    ctx,
    searchTransactionsBody.parse({ filters: { q, ...filters }, ...rest }),
  );
  if (!("limit" in rest) && !("starting_after" in rest)) expect(total).toBe(data.length);
  return data.map(({ id }) => ids.findIndex((some) => encodeId("transaction", some) === id));
}

describe("each word begins a word of", () => {
  test.each<[what: string, q: string, matches: number[]]>([
    ["the name", "anna", [3, 0]],
    ["a part of the name", "marie", [0]],
    ["a part of the name after an apostrophe", "brien", [0]],
    ["the name in other letters", "ANNA NOW", [3]],
    ["the name without its accents", "jurgen muller", [1]],
    ["the name with accents of its own", "Ännà", [3, 0]],
    ["letters that are no accents", "soren strasse lukasz", []],
    ["ø and ß", "soren strasse", [2]],
    ["ł", "lukasz", [5]],
    ["the e-mail", "anna.smith+shop@example.com", [0]],
    ["parts of the e-mail", "smith exam", [0]],
    ["an e-mail from its middle", "smith+shop@ex", [0]],
    ["the domain", "example.com", [5, 0]],
    ["the customer’s id", "cus_0_17", [0]],
    ["a part of the customer’s id", "17", [4, 0]],
    ["the description", "gold", [5, 3, 1]],
    ["metadata", "ord-55", [2]],
    ["metadata with an accent", "ete", [2]],
    ["a number in metadata, and a card and an amount", "4242", [4, 3, 1]],
    ["several texts", "gold nowak luk", [5]],
    ["the same word twice", "gold gold", [5, 3, 1]],
    ["nothing: the middle of a word", "old", []],
    ["nothing: some words do, one does not", "gold silver", []],
    ["nothing: signs alone", "!!! %", []],
    ["nothing: an accent alone", "\u0301", []],
    ["words, and isolated symbols", "gold & !!!", [5, 3, 1]],
    ["signs that mean something to SQL", "100%", [4]],
    ["an underscore, which is no wildcard", "50_5", [4]],
    ["a backslash", "a\\b", [4]],
  ])("%s: %s", async (_, q, matches) => {
    expect(await found(q)).toEqual(matches);
  });
});

describe("a name is found as people type it", async () => {
  const { test: spelled, id: merchantId } = await createTestMerchant(db);
  const ctx = testContext(testService(db), { ...spelled, merchantId });
  const own = SPELLED.map((_, i) => idAt(new Date(START + i * DAY)));
  beforeAll(async () => {
    for (const [i, [name]] of SPELLED.entries()) {
      await insert(spelled.id, { name, customer: `c${i}` }, own[i] as string, own[i] as string, START + i * DAY);
    }
    while ((await noteCustomers({ db })) > 0);
  });

  test.each(SPELLED)("%s", async (name, queries) => {
    for (const q of queries) {
      const search = searchTransactionsBody.parse({ filters: { q } });
      const { data } = await searchTransactions(ctx, search);
      expect(
        data.map((row) => row.customer_name),
        q,
      ).toContain(name);
      expect(
        (await listCustomers(ctx, { q })).data.map((row) => row.name),
        q,
      ).toContain(name);
    }
  });

  test.each(["jona", "riley", "川", "さん", "ยช", "joel", "-", "’", "\u200b"])("and not by %j", async (q) => {
    expect((await searchTransactions(ctx, searchTransactionsBody.parse({ filters: { q } }))).data).toEqual([]);
  });
});

describe("a word may be, as a whole,", () => {
  test.each<[what: string, q: string, matches: number[]]>([
    ["an amount", "19.90", [0]],
    ["an amount with its sign", "$19.90", [0]],
    ["an amount without its last zero", "19.9", [0]],
    ["an amount with thousands", "1,234.50", [2]],
    ["an amount with a decimal comma", "19,90", [0]],
    ["an amount with its sign behind it", "19,90€", [0]],
    ["an amount that can be two", "1,990", []],
    ["an amount of another country", "1.234,50", [2]],
    ["an amount with an apostrophe", "1'234.50", [2]],
    ["an amount of a currency without decimals", "5000", [3]],
    ["not the beginning of an amount", "19.", []],
    ["not the beginning of last digits", "424", [3]],
    ["the id of a transaction", encodeId("transaction", ids[2] as string), [2]],
    ["the id of a payment", encodeId("payment", paymentIds[3] as string), [3]],
    ["an id in capitals, and another word", `${encodeId("payment", paymentIds[3] as string).toUpperCase()} anna`, [3]],
    ["an id and a word that does not match", `${encodeId("payment", paymentIds[3] as string)} silver`, []],
  ])("%s: %s", async (_, q, matches) => {
    expect(await found(q)).toEqual(matches);
  });

  it("an amount as it is printed, in every currency", async () => {
    for (const code of CURRENCIES) {
      const [row] = await db.sql<{ stored: string; wholes: string[] }[]>`
        select '=' || amount_word(123456, ${code}) as stored, wholes from asked_words(${formatMinor(123456, code).split(" ")[0] as string})`;
      expect(row?.wholes, code).toContain(row?.stored);
    }
  });
});

describe("terms combine with", () => {
  it("either order, pages by offset and after a transaction", async () => {
    expect(await found("gold", { sort: { order: "asc" } })).toEqual([1, 3, 5]);
    expect(await found("gold", { limit: 1, offset: 1 })).toEqual([3]);
    expect(await found("gold", { starting_after: encodeId("transaction", ids[3] as string) })).toEqual([1]);
    expect(await found("nowak gold", { sort: { order: "asc" } })).toEqual([3, 5]);
    expect(await found("nowak gold", { limit: 1, offset: 1 })).toEqual([3]);
    expect(await found("nowak gold", { starting_after: encodeId("transaction", ids[5] as string) })).toEqual([3]);
    expect(
      await found("nowak gold", { filters: { created_at: { lte: new Date(START + 4 * DAY).toISOString() } } }),
    ).toEqual([3]);
    const page = searchTransactionsBody.parse({ filters: { q: "gold" }, limit: 2 });
    expect(await searchTransactions(call(), page)).toMatchObject({ total: 3, has_more: true, total_capped: false });
  });

  it("times, other filters and other sorts", async () => {
    const since = new Date(START + 3 * DAY).toISOString();
    expect(await found("gold", { filters: { created_at: { gte: since } } })).toEqual([5, 3]);
    expect(await found("gold", { filters: { created_at: { lte: since } } })).toEqual([3, 1]);
    expect(await found("gold", { filters: { currency: ["JPY"] } })).toEqual([3]);
    expect(await found("gold", { filters: { status: ["DECLINED"] } })).toEqual([]);
    expect(await found("gold", { sort: { field: "amount", order: "desc" } })).toEqual([5, 1, 3]);
  });

  it("an export", async () => {
    const search = searchTransactionsBody.parse({ filters: { q: "gold" } });
    const { total, batches, close } = await exportTransactions(call(), search);
    const rows = [];
    for await (const batch of batches) rows.push(...batch);
    await close();
    expect(total).toBe(3);
    expect(rows.map(({ id }) => id)).toEqual([5, 3, 1].map((i) => encodeId("transaction", ids[i] as string)));
  });
});

describe("for any text,", () => {
  it.each(["a.", "é.", "\u2474", "\uFDFA", "a\u00A8", "\u0F73", "Ֆ ", "太", "ä", "ใจ "])(
    "a payment's search terms are few and quickly computed, even from 50 metadata values of %j",
    async (part) => {
      const value = part.repeat(500).slice(0, 500);
      const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, value]));
      const some = db.sql.json({ customer_name: "Anna Nowak", amount: 100, currency: "USD", metadata });
      const make = async () => {
        const [row] = await db.sql<{ words: string[]; ms: number }[]>`
          with made as materialized (select clock_timestamp() as at, jsonb_populate_record(null::transactions, ${some}) as t),
          found as materialized (select at, search_words_of(t) as words from made)
          select words, extract(epoch from clock_timestamp() - at)::float8 * 1000 as ms from found`;
        return row as { words: string[]; ms: number };
      };
      const { words } = await make();
      expect(words).toEqual(expect.arrayContaining(["anna", "nowak", "=1"]));
      expect(words.length).toBeLessThan(203);
      // Takes about 5 ms on an idle machine.
      await expect.poll(async () => (await make()).ms, { interval: 0 }).toBeLessThan(40);
    },
  );

  it("short ASCII texts have the same words as next to a non-ASCII character", async () => {
    // Without y, which replaces the sign.
    const signs = "aAbBcCxX0129  .,-@_'!\t\n/~{";
    const [row] = await db.sql<{ texts: number; different: string[] }[]>`
      with texts as materialized (
        select string_agg(substr(${signs}, 1 + floor(random() * ${signs.length})::int, 1), '') as text
        from generate_series(1, 2000) g cross join lateral generate_series(1, 1 + (random() * 189)::int + 0 * g) group by g
        union all select unnest(${["", " ", "a", "a.a a", "!a".repeat(95), "a ".repeat(95), "a".repeat(190)]}::text[])
        union all select string_agg(chr(97 + i / 20) || chr(97 + i % 20), ' ') from generate_series(0, 62) i)
      select count(*)::int as texts, coalesce(array_agg(text) filter (
        where search_words(text) || '{y}'::text[] is distinct from search_words(text || ' \u00ff')), '{}') as different
      from texts`;
    expect(row?.texts).toBeGreaterThan(1_900);
    expect(row?.different).toEqual([]);
  });

  it.each(["a\u00A8".repeat(100), "\uFDFA".repeat(200), "a b c d e f g h\u00A8i\u00A8j a"])(
    "eight words are looked for at most, each once: %j",
    async (q) => {
      const asked = await db.sql<{ word: string }[]>`select unnest(starts) as word from asked_words(${q})`;
      expect(asked.length).toBeLessThanOrEqual(8);
      expect(new Set(asked.map(({ word }) => word)).size).toBe(asked.length);
    },
  );

  it("the normalization does not depend on the database's locale", async () => {
    const [row] = await db.sql`
      select searchable(text collate "C") as c, searchable(text collate "und-x-icu") as icu
      from (values ('ÄSOP Łódź ÆTHER STRAẞE İstanbul ΟΔΟΣ ЩЁКИ ЇЖАК Ֆ')) texts (text)`;
    const spelled = "asop lodz aether strasse istanbul οδοσ щеки іжак ֆ";
    expect(row).toEqual({ c: spelled, icu: spelled });
  });
});

it("terms that exceed the statement timeout are a caller's error, and only those", async () => {
  const impatient = connect(inRolesOf(url), { max: 4, parameters: { statement_timeout: "100" } });
  const ctx = call({ service: testService(impatient) });
  const search = searchTransactionsBody.parse({ filters: { q: "gold", currency: ["USD"] } });
  const plain = searchTransactionsBody.parse({ filters: { currency: ["USD"] } });
  const refused = (param: string) => ({ code: "invalid_parameter", errors: [{ param }] });
  await db.sql.begin(async (tx) => {
    await tx`lock table transaction_words, customers in access exclusive mode`;
    await expect(listTransactions(ctx, { q: "gold" })).rejects.toMatchObject(refused("q"));
    await expect(searchTransactions(ctx, search)).rejects.toMatchObject(refused("filters.q"));
    await expect(sumTransactions(ctx, search)).rejects.toMatchObject(refused("filters.q"));
    await expect(exportTransactions(ctx, search)).rejects.toMatchObject(refused("filters.q"));
    await expect(listCustomers(ctx, { q: "gold" })).rejects.toMatchObject(refused("q"));
    await expect(listCustomers(ctx, {})).rejects.toMatchObject({ code: "57014" });
    await tx`lock table transactions in access exclusive mode`;
    await expect(searchTransactions(ctx, plain)).rejects.toMatchObject({ code: "57014" });
  });
  await impatient.close();
});

it("words of one environment find nothing in another", async () => {
  const { test: other, id: merchantId } = await createTestMerchant(db);
  const ctx = testContext(testService(db), { ...other, merchantId });
  expect(await found("gold", {}, ctx)).toEqual([]);
  expect(await found("gold nowak", {}, ctx)).toEqual([]);
  expect(await found(encodeId("payment", paymentIds[1] as string), {}, ctx)).toEqual([]);
});

it("counts up to the cap, and pages through all, if many transactions match", async () => {
  const { test: many, id: merchantId } = await createTestMerchant(db);
  const ctx = testContext(testService(db), { ...many, merchantId });
  const made = Array.from({ length: 10_050 }, (_, i) => START + i * 600_000);
  const newIds = made.map((at) => idAt(new Date(at)));
  const times = made.map((at) => new Date(at).toISOString());
  await db.sql`insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, amount_captured,
      capture_method, created_at, updated_at)
    select ${many.id}, id, id, id, 'SETTLED', 'USD', 100, 100, 'automatic', at, at
    from unnest(${newIds}::uuid[], ${times}::timestamptz[]) made (id, at)`;
  await db.sql`insert into transactions (environment_id, id, payment_id, type, status, amount, currency, description, metadata,
      created_at, updated_at)
    select ${many.id}, id, id, 'CHARGE', 'SETTLED', 100, 'USD', 'common common2 ' || case when n % 2 = 0 then 'even' else 'odd' end,
      '{}', at, at
    from unnest(${newIds}::uuid[], ${times}::timestamptz[]) with ordinality made (id, at, n)`;
  const search = async (body: object) => searchTransactions(ctx, searchTransactionsBody.parse(body));
  const newest = newIds.toReversed().map((id) => encodeId("transaction", id));
  for (const filters of [{ q: "com" }, { q: "com common2" }]) {
    const first = await search({ filters, limit: 3 });
    expect(first).toMatchObject({ total: 10_000, total_capped: true, has_more: true });
    expect(first.data.map(({ id }) => id)).toEqual(newest.slice(0, 3));
    expect(await search({ filters, offset: 1_000_000_000 })).toMatchObject({ total: 10_000, data: [] });
    const last = await search({ filters, offset: 10_040 });
    expect(last.data.map(({ id }) => id)).toEqual(newest.slice(10_040));
    const after = await search({ filters, limit: 2, starting_after: newest[9_999] });
    expect(after.data.map(({ id }) => id)).toEqual(newest.slice(10_000, 10_002));
    const settled = await search({
      filters: { ...filters, status: ["SETTLED"] },
      sort: { field: "amount", order: "asc" },
      limit: 2,
    });
    // Search terms only, so they have been counted.
    const byAmount = { filters, sort: { field: "amount" }, limit: 2 };
    expect(await search(byAmount)).toMatchObject({ total: 10_000, total_capped: true });
    expect(settled).toMatchObject({ total: 10_000, total_capped: true, has_more: true });
    expect(settled.data.map(({ id }) => id)).toEqual(newest.slice(-2).toReversed());
  }
  expect(await search({ filters: { q: "even com" } })).toMatchObject({ total: 5_025, total_capped: false });
  expect(await search({ filters: { q: "even odd" } })).toMatchObject({ total: 0, data: [] });
});
