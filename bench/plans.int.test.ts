import { beforeAll, describe, expect, it, test } from "vitest";
import type { Database, Sql } from "@/db/client";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, testContext, testService } from "@/e2e/fixtures/factories";
import { insertManyTransactions } from "@/e2e/fixtures/many-transactions";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import { getCustomer, listCustomers, noteCustomers } from "@/lib/domain/customers/customers";
import { listPayments } from "@/lib/domain/payments/read-payments";
import {
  getTransaction,
  listTransactions,
  searchTransactions,
  sumTransactions,
} from "@/lib/domain/transactions/read-transactions";
import { idTime, newId } from "@/lib/ids";
import { combinations } from "./combinations";
import { genericPlanOf, nodesOf, type Plan, planOf } from "./plans";
import { type SeedEnvironment, seed } from "./seed";

type Statement = { text: string; values: (string | number)[]; prepared: boolean };

const { db } = await testDatabase({ own: true });
let big: SeedEnvironment;

beforeAll(async () => {
  [big] = (await seed(db.long, { transactions: 40_000, merchants: 20, words: true })) as [SeedEnvironment];
}, 120_000);

/** Runs a read and returns the statements that it sent. */
async function statementsOf(read: (ctx: ReturnType<typeof testContext>) => Promise<unknown>): Promise<Statement[]> {
  return statementsIn(db, big, read);
}

async function statementsIn(
  db: Database,
  big: SeedEnvironment,
  read: (ctx: ReturnType<typeof testContext>) => Promise<unknown>,
): Promise<Statement[]> {
  const sent: Statement[] = [];
  const sql = new Proxy(db.within(big.id).sql, {
    get(target, property, receiver) {
      if (property !== "unsafe") return Reflect.get(target, property, receiver);
      return (text: string, values: (string | number)[], options: { prepare: boolean }) => {
        sent.push({ text, values, prepared: options.prepare });
        return target.unsafe(text, values, options);
      };
    },
  }) as Sql;
  const service = testService({ ...db, sql, within: (id) => ({ ...db.within(id), sql }) });
  // Once with the total, and once when it is known.
  Reflect.deleteProperty(globalThis, Symbol.for("cardlane.known-totals"));
  for (let i = 0; i < 2; i++) {
    await read(testContext(service, { id: big.id, mode: "test", merchantId: big.merchantId }));
  }
  return sent;
}

/** The plans it can get: the one for these values and, where the plan is kept, the one for any. */
async function plansOf(statement: Statement, sql: Sql): Promise<Plan[]> {
  const own = await sql.unsafe(`explain (format json) ${statement.text}`, statement.values, { prepare: false });
  if (!statement.prepared) return [planOf(own[0])];
  return [planOf(own[0]), await genericPlanOf(sql, statement.text)];
}

/** What a plan reads, and by which conditions of which indexes; the wall's own condition left out. */
function readsOf(plan: Plan): string[] {
  return nodesOf(plan)
    .filter((node) => node["Relation Name"] !== undefined)
    .map((node) => {
      const conditions = (node["Index Cond"] ?? "").match(/\((?!environment_id|AND)[a-z]\w+[^()]*/g) ?? [];
      return [node["Relation Name"], node["Index Name"], ...conditions].join(" ");
    })
    .sort();
}

async function expectIndexesOnly(read: (ctx: ReturnType<typeof testContext>) => Promise<unknown>) {
  const statements = await statementsOf(read);
  expect(statements.length).toBeGreaterThan(0);
  for (const statement of statements) {
    const walled = await plansOf(statement, db.within(big.id).sql);
    // A condition that the wall would not let an index answer shows here, as one that the owner's plan has.
    expect(walled.map(readsOf)).toEqual((await plansOf(statement, db.sql)).map(readsOf));
    for (const plan of walled) {
      const scans = nodesOf(plan).filter((node) => node["Relation Name"] !== undefined);
      expect(scans.length).toBeGreaterThan(0);
      expect(scans.filter((node) => node["Node Type"] === "Seq Scan")).toEqual([]);
    }
  }
}

describe("no read scans a whole table, whatever it filters and sorts by", () => {
  for (const { name, body } of combinations(new Date())) {
    it(`search: ${name}`, async () => {
      await expectIndexesOnly((ctx) => searchTransactions(ctx, searchTransactionsBody.parse(body)));
    });
    it(`sums: ${name}`, async () => {
      await expectIndexesOnly((ctx) => sumTransactions(ctx, searchTransactionsBody.parse(body)));
    });
  }

  const lists = [
    {},
    { status: "DECLINED" },
    { card_brand: "visa" },
    { customer_id: "cus_0_7" },
    { subscription_id: "sub_01k3000000e00a000000000007" },
    { min_amount: 500, max_amount: 900 },
    { created_after: "2026-01-01" },
    { plan_id: "plan_01k3000000e00a000000000007" },
    { decline_code: "insufficient_funds" },
    { currency: "EUR" },
    { currency: "JPY" },
    { type: "REFUND" },
    { captured_after: "2026-01-01", captured_before: "2026-01-03" },
    { attention: "unknown_outcome" },
    { attention: "failed_refund" },
    { attention: "expiring" },
    { status: "SETTLED", card_brand: "visa", min_amount: 500, created_before: "2026-06-01" },
  ] as const;
  for (const query of lists) {
    it(`list: ${JSON.stringify(query)}`, async () => {
      await expectIndexesOnly((ctx) => listTransactions(ctx, query));
    });
  }

  const words = { common: "customer", rare: "customer17", both: "customer order 17", amount: "49.90", none: "nobody" };
  for (const [name, q] of Object.entries(words)) {
    it(`words, ${name}: alone, in both orders, with a filter, by amount, after a transaction`, async () => {
      for (const body of [
        { filters: { q } },
        { filters: { q }, sort: { order: "asc" } },
        { filters: { q, status: ["SETTLED"] } },
        { filters: { q, created_at: { gte: "2026-01-01" } }, sort: { field: "amount" } },
      ]) {
        await expectIndexesOnly((ctx) => searchTransactions(ctx, searchTransactionsBody.parse(body)));
      }
      const statements = await statementsOf(async (ctx) => {
        const { data } = await searchTransactions(ctx, searchTransactionsBody.parse({ filters: { q } }));
        await listTransactions(ctx, { q, starting_after: data[0]?.id });
      });
      const plans = await Promise.all(statements.map((statement) => plansOf(statement, db.within(big.id).sql)));
      const ranges = plans
        .flat(2)
        .flatMap(readsOf)
        .filter((read) => read.startsWith("transaction_words"));
      expect(ranges).not.toEqual([]);
      expect(ranges.filter((read) => !/_pk(?!.*day$)/.test(read))).toEqual([]);
    });
  }

  it("words that very many have, beside a filter: no more rows are asked for them than a total counts, and one page is read", async () => {
    for (const filters of [
      { q: "customer", currency: ["USD"] as const },
      { q: "customer shop0", amount: { gte: 1_000 } },
    ]) {
      const statements = await statementsOf((ctx) =>
        searchTransactions(ctx, searchTransactionsBody.parse({ filters, sort: { field: "amount" } })),
      );
      for (const { text, values } of statements) {
        const analyzed = `explain (analyze, buffers, timing off, format json) ${text}`;
        const [row] = await db.within(big.id).sql.unsafe(analyzed, values, { prepare: false });
        // A row that is asked costs four pages, and nearly every row has these words.
        expect(planOf(row)["Shared Hit Blocks"], text).toBeLessThan(60_000);
      }
      expect(statements.some(({ text }) => text.includes("transaction_texts"))).toBe(true);
    }
  });

  it("get, and a page after a transaction, in each sort", async () => {
    for (const field of ["created_at", "amount", "status"] as const) {
      await expectIndexesOnly(async (ctx) => {
        const first = await searchTransactions(ctx, searchTransactionsBody.parse({ sort: { field } }));
        const starting_after = first.data[19]?.id as string;
        await searchTransactions(ctx, searchTransactionsBody.parse({ sort: { field }, starting_after }));
        await getTransaction(ctx, { id: starting_after });
      });
    }
  });

  it("customers: the list, by words, after one, and one", async () => {
    while ((await noteCustomers({ db })) > 0);
    await db.sql`vacuum (analyze) customers`;
    await db.sql`vacuum (analyze) customer_words`;
    await expectIndexesOnly(async (ctx) => {
      const { data } = await listCustomers(ctx, { limit: 5 });
      const id = data[1]?.id as string;
      await listCustomers(ctx, { limit: 5, q: "customer17 shop" });
      await listCustomers(ctx, { limit: 5, starting_after: id });
      await getCustomer(ctx, { id });
    });
  });

  it("payments: all, by status, by customer, by both", async () => {
    for (const query of [
      {},
      { status: "DECLINED" },
      { customer_id: "cus_0_7" },
      { status: "SETTLED", customer_id: "cus_0_7" },
    ] as const) {
      await expectIndexesOnly((ctx) => listPayments(ctx, query));
    }
  });
});

describe("a plan made while the tables are empty or small, and kept, looks up each row of a page by its key", () => {
  const nobody: SeedEnvironment = { id: newId(), merchantId: newId() };
  const states = {
    "never analyzed": async () => {},
    "analyzed while empty": (sql: Sql) => sql`analyze`,
    "analyzed with a few rows": async (sql: Sql) => {
      await seed(sql, { transactions: 160, merchants: 4 });
      await sql`analyze`;
    },
  };
  for (const [state, bring] of Object.entries(states)) {
    it(state, async () => {
      const { db: small } = await testDatabase({ own: true });
      await bring(small.long);
      for (const query of [{}, { status: "DECLINED" }, { customer_id: "cus_0_7" }] as const) {
        for (const statement of await statementsIn(small, nobody, (ctx) => listTransactions(ctx, query))) {
          const plans = await plansOf(statement, small.within(nobody.id).sql);
          const found = plans.flatMap(nodesOf).map((node) => node["Node Type"]);
          const readsAll = found.filter((type) => /Seq Scan|Hash|Merge Join|Materialize/.test(type));
          expect(readsAll, JSON.stringify(query)).toEqual([]);
        }
      }
    });
  }
});

test("ten thousand new rows that statistics do not tell of yet cost a page little more than its own", async () => {
  const { db: small } = await testDatabase({ own: true });
  const { test: shop } = await createTestMerchant(small);
  await seed(small.long, { transactions: 160, merchants: 20 });
  await small.long`analyze`;
  await insertManyTransactions(small, shop.id, 1);
  const ids = Array.from({ length: 9_999 }, newId);
  await small.sql`
    insert into transactions (environment_id, id, payment_id, type, status, amount, currency, card_brand, card_last4,
      metadata, created_at, updated_at)
    select t.environment_id, copy.id, t.payment_id, t.type, t.status, t.amount, t.currency, t.card_brand,
      t.card_last4, t.metadata, copy.at, copy.at
    from transactions t, unnest(${ids}::uuid[], ${ids.map(idTime)}::timestamptz[]) as copy (id, at)
    where t.environment_id = ${shop.id}`;
  const environment: SeedEnvironment = { id: shop.id, merchantId: shop.merchantId };
  for (const filters of [{}, { card_brand: ["mastercard"] }, { status: ["SETTLED"] }, { currency: ["USD"] }]) {
    const search = searchTransactionsBody.parse({ filters });
    for (const { text, values } of await statementsIn(small, environment, (ctx) => searchTransactions(ctx, search))) {
      // Each row that is counted is a page read, as no vacuum has been there.
      const analyzed = `explain (analyze, buffers, timing off, format json) ${text}`;
      const [row] = await small.within(shop.id).sql.unsafe(analyzed, values, { prepare: false });
      expect(planOf(row)["Shared Hit Blocks"], text).toBeLessThan(12_000);
    }
  }
});
