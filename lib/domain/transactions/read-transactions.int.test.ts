import { beforeAll, describe, expect, it } from "vitest";
import { encodeId } from "@/lib/contract/ids";
import {
  type ListTransactionsQuery,
  type SearchTransactionsBody,
  searchTransactionsBody,
  transaction,
} from "@/lib/contract/transaction";
import { idAt, newId } from "@/lib/ids";
import { testDatabase } from "@/lib/testing/database";
import { testContext, testTenant } from "@/lib/testing/factories";
import { getTransaction } from "./get-transaction";
import { listTransactions } from "./list-transactions";
import { searchTransactions } from "./search-transactions";

const { db } = await testDatabase();
const { merchant, stranger, call, service } = await testTenant(db);
const START = Date.parse("2026-03-01T00:00:00.000Z");

type Row = {
  id: string;
  status: "SETTLED" | "DECLINED" | "VOIDED" | "FAILED";
  amount: number;
  card_brand: "visa" | "mastercard" | "amex" | "discover" | null;
  card_last4: string;
  customer_id: string | null;
  customer_email: string | null;
  subscription_id: string | null;
  time: number;
};

const subscriptions = [newId(), newId()];
const pick = <T>(values: readonly T[], index: number): T => values[index % values.length] as T;

/** Few values of everything, so that ties and combinations abound; three transactions share each millisecond. */
const rows: Row[] = Array.from({ length: 240 }, (_, i) => {
  const time = START + Math.floor(i / 3);
  return {
    id: idAt(new Date(time)),
    status: pick(["SETTLED", "DECLINED", "VOIDED", "FAILED"] as const, (i * 7) >> 2),
    amount: 100 + ((i * 37) % 11) * 50,
    card_brand: pick(["visa", "mastercard", "amex", "discover", null] as const, (i * 13) >> 1),
    card_last4: pick(["4242", "0005", "1117"], i),
    customer_id: pick(["anna", "bob", null], (i * 5) >> 1),
    customer_email: pick(["Anna@Example.com", "bob@example.com", null], (i * 5) >> 1),
    subscription_id: pick([subscriptions[0] as string, subscriptions[1] as string, null, null], i),
    time,
  };
});

async function insert(environmentId: string, row: Row): Promise<void> {
  const created_at = new Date(row.time).toISOString();
  const captured = row.status === "SETTLED" ? row.amount : 0;
  const payment_id = idAt(new Date(row.time));
  await db.sql`insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount,
      amount_captured, capture_method, created_at, updated_at)
    values (${environmentId}, ${payment_id}, ${row.id}, ${row.id}, ${row.status}, 'USD', ${row.amount}, ${captured},
      'automatic', ${created_at}, ${created_at})`;
  await db.sql`insert into transactions (environment_id, id, payment_id, type, status, amount, currency, card_brand, card_last4,
      customer_id, customer_email, subscription_id, metadata, created_at, updated_at)
    values (${environmentId}, ${row.id}, ${payment_id}, 'CHARGE', ${row.status}, ${row.amount}, 'USD', ${row.card_brand},
      ${row.card_last4}, ${row.customer_id}, ${row.customer_email}, ${row.subscription_id}, '{}', ${created_at}, ${created_at})`;
}

let foreign: Row;
beforeAll(async () => {
  await Promise.all(rows.map((row) => insert(merchant.test.id, row)));
  foreign = { ...(rows[0] as Row), id: idAt(new Date(START)) };
  await insert(stranger.test.id, foreign);
});

const ids = (found: readonly Row[]) => found.map((row) => encodeId("transaction", row.id));
const search = (body: unknown) =>
  searchTransactions(call(), searchTransactionsBody.parse(body) as SearchTransactionsBody);
const list = (query: ListTransactionsQuery) => listTransactions(call(), query);
const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);

/** What the contract says, in the simplest way: filter all, sort all, cut. */
function expected(
  matches: (row: Row) => boolean,
  field: "created_at" | "amount" | "status" = "created_at",
  order = "desc",
) {
  const key = (row: Row) => (field === "created_at" ? row.time : row[field]);
  const sign = order === "asc" ? 1 : -1;
  return rows.filter(matches).sort((a, b) => sign * (compare(key(a), key(b)) || compare(a.id, b.id)));
}

const filters: [name: string, filter: object, matches: (row: Row) => boolean][] = [
  ["nothing", {}, () => true],
  ["a status", { status: ["DECLINED"] }, (row) => row.status === "DECLINED"],
  [
    "statuses, one of them twice",
    { status: ["VOIDED", "FAILED", "VOIDED"] },
    (row) => ["VOIDED", "FAILED"].includes(row.status),
  ],
  ["a brand", { card_brand: ["amex"] }, (row) => row.card_brand === "amex"],
  [
    "brands and statuses",
    { card_brand: ["visa", "discover"], status: ["SETTLED", "DECLINED"] },
    (row) => ["visa", "discover"].includes(row.card_brand ?? "") && ["SETTLED", "DECLINED"].includes(row.status),
  ],
  ["every brand", { card_brand: ["visa", "mastercard", "amex", "discover"] }, (row) => row.card_brand !== null],
  ["a customer", { customer_id: "anna" }, (row) => row.customer_id === "anna"],
  [
    "an e-mail in other letters",
    { customer_email: "aNNa@example.COM" },
    (row) => row.customer_email === "Anna@Example.com",
  ],
  [
    "a subscription",
    { subscription_id: encodeId("subscription", subscriptions[1] as string) },
    (row) => row.subscription_id === subscriptions[1],
  ],
  [
    "last four digits and a brand",
    { card_last4: "0005", card_brand: ["visa"] },
    (row) => row.card_last4 === "0005" && row.card_brand === "visa",
  ],
  ["amounts, both ends included", { amount: { gte: 150, lte: 300 } }, (row) => row.amount >= 150 && row.amount <= 300],
  [
    "amounts and statuses",
    { amount: { gte: 300 }, status: ["SETTLED"] },
    (row) => row.amount >= 300 && row.status === "SETTLED",
  ],
  [
    "times, both ends included",
    { created_at: { gte: at(10), lte: at(50) } },
    (row) => row.time >= START + 10 && row.time <= START + 50,
  ],
  [
    "times to the microsecond",
    { created_at: { gte: "2026-03-01T00:00:00.010001Z", lte: "2026-03-01T00:00:00.050999Z" } },
    (row) => row.time > START + 10 && row.time <= START + 50,
  ],
  ["a whole day", { created_at: { gte: "2026-03-01", lte: "2026-03-01" } }, () => true],
  [
    "everything",
    { created_at: { gte: at(5) }, status: ["SETTLED", "VOIDED"], card_brand: ["visa", "amex"], amount: { lte: 450 } },
    (row) =>
      row.time >= START + 5 &&
      ["SETTLED", "VOIDED"].includes(row.status) &&
      ["visa", "amex"].includes(row.card_brand ?? "") &&
      row.amount <= 450,
  ],
];

function at(milliseconds: number): string {
  return new Date(START + milliseconds).toISOString();
}

describe("searching finds exactly what matches, in order", () => {
  for (const [name, filter, matches] of filters) {
    for (const field of ["created_at", "amount", "status"] as const) {
      for (const order of ["asc", "desc"] as const) {
        it(`${name}, by ${field} ${order}: pages by offset and by starting_after tell the same`, async () => {
          const all = ids(expected(matches, field, order));
          const byOffset: string[] = [];
          const byCursor: string[] = [];
          for (let offset = 0; offset <= all.length; offset += 50) {
            const sort = { field, order };
            const page = await search({ filters: filter, sort, limit: 50, offset });
            byOffset.push(...page.data.map((row) => row.id));
            const next = await search({
              filters: filter,
              sort,
              limit: 50,
              ...(offset > 0 && { starting_after: byCursor.at(-1) }),
            });
            byCursor.push(...next.data.map((row) => row.id));
            for (const found of [page, next]) {
              expect(found).toMatchObject({
                total: all.length,
                total_capped: false,
                has_more: all.length > offset + 50,
              });
            }
          }
          expect(byOffset).toEqual(all);
          expect(byCursor).toEqual(all);
        });
      }
    }
  }
});

describe("listing", () => {
  it("is newest first, twenty at a time", async () => {
    const page = await list({});
    expect(page.data.map((row) => row.id)).toEqual(ids(expected(() => true).slice(0, 20)));
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

  it("takes created_after and created_before as exclusive, and amounts as inclusive", async () => {
    const page = await list({
      created_after: at(10),
      created_before: at(13),
      min_amount: 150,
      max_amount: 600,
      limit: 100,
    });
    const within = (row: Row) => row.time > START + 10 && row.time < START + 13 && row.amount >= 150;
    expect(page.data.map((row) => row.id)).toEqual(ids(expected(within)));
  });

  it("compares times to the microsecond", async () => {
    const page = await list({
      created_after: "2026-03-01T00:00:00.010999Z",
      created_before: "2026-03-01T00:00:00.012001Z",
      limit: 100,
    });
    const within = (row: Row) => row.time === START + 11 || row.time === START + 12;
    expect(page.data.map((row) => row.id)).toEqual(ids(expected(within)));
  });

  it("filters by status, brand, customer and subscription together", async () => {
    const subscription_id = encodeId("subscription", subscriptions[0] as string);
    const query = { status: "SETTLED", card_brand: "visa", customer_id: "anna", subscription_id } as const;
    const matches = (row: Row) =>
      row.status === "SETTLED" &&
      row.card_brand === "visa" &&
      row.customer_id === "anna" &&
      row.subscription_id === subscriptions[0];
    expect((await list(query)).data.map((row) => row.id)).toEqual(ids(expected(matches)));
  });

  it("finds nothing for a subscription that is none", async () => {
    expect(await list({ subscription_id: "nonsense", limit: 5 })).toMatchObject({
      data: [],
      limit: 5,
      total: 0,
      has_more: false,
    });
  });

  it("says that there is no more past the end, with the same total", async () => {
    for (const offset of [240, 1_000_000_000]) {
      expect(await list({ offset })).toMatchObject({ data: [], offset, has_more: false, total: 240 });
    }
    expect(await list({ offset: 220 })).toMatchObject({ has_more: false });
    expect(await list({ offset: 219 })).toMatchObject({ has_more: true });
  });

  it("refuses to start after what is unknown, malformed or another merchant's", async () => {
    for (const id of [encodeId("transaction", newId()), "nonsense", encodeId("transaction", foreign.id)]) {
      await expect(list({ starting_after: id })).rejects.toMatchObject({
        code: "invalid_parameter",
        param: "starting_after",
      });
    }
  });

  it("shows another merchant and the other mode nothing of it", async () => {
    expect((await listTransactions(testContext(service, stranger.test), {})).total).toBe(1);
    expect(await listTransactions(testContext(service, merchant.live), {})).toMatchObject({ data: [], total: 0 });
  });

  it("counts exactly to 10,000 and then says that there are more", async () => {
    const environmentId = stranger.live.id;
    await db.sql`
      with made as (
        select ('0195a000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid as id, to_timestamp(x'0195a0000000'::bigint / 1000.0)::timestamptz(3) as t
        from generate_series(1, 10000) i
      ), p as (
        insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, capture_method, created_at, updated_at)
        select ${environmentId}, id, id, id, 'FAILED', 'USD', 1, 'automatic', t, t from made returning id
      )
      insert into transactions (environment_id, id, payment_id, type, status, amount, currency, metadata, created_at, updated_at)
      select ${environmentId}, id, id, 'CHARGE', 'FAILED', 1, 'USD', '{}', t, t from made`;
    const count = async () => await listTransactions(testContext(service, stranger.live), { offset: 9_990, limit: 10 });
    expect(await count()).toMatchObject({ total: 10_000, total_capped: false, has_more: false });
    await insert(environmentId, { ...foreign, id: idAt(new Date(START)) });
    expect(await count()).toMatchObject({ total: 10_000, total_capped: true, has_more: true });
  });
});

describe("getting one", () => {
  it("answers the transaction with its payment's money", async () => {
    const row = rows.find((candidate) => candidate.status === "SETTLED") as Row;
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

  it("does not tell an unknown id from a malformed one or another merchant's", async () => {
    for (const id of [encodeId("transaction", newId()), "nonsense", encodeId("transaction", foreign.id)]) {
      await expect(getTransaction(call(), { id })).rejects.toMatchObject({ code: "resource_not_found" });
    }
  });
});
