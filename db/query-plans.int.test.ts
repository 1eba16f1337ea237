import { beforeAll, describe, expect, it, test } from "vitest";
import { type SeedEnvironment, seed } from "@/bench/seed";
import { combinations } from "@/e2e/fixtures/combinations";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant } from "@/e2e/fixtures/factories";
import { insertManyTransactions } from "@/e2e/fixtures/many-rows";
import {
  DUE,
  genericPlanOf,
  insertDueOperations,
  insertMovements,
  lookUpsOf,
  nodesOf,
  type Plan,
  planOf,
  plansOf,
  readsOf,
  statementsIn,
  textsIn,
} from "@/e2e/fixtures/query-plans";
import type { ListMovementsQuery } from "@/lib/contract/settlement/endpoints";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import type { Context, Environment } from "@/lib/domain/context";
import { getCustomer, listCustomers, noteCustomers } from "@/lib/domain/customers/customers";
import { listPayments } from "@/lib/domain/payments/read-payments";
import { getBalance, listMovements } from "@/lib/domain/settlement/balance";
import {
  getTransaction,
  listTransactions,
  searchTransactions,
  sumTransactions,
} from "@/lib/domain/transactions/read-transactions";
import { BEFORE_ALL, newId } from "@/lib/ids";
import { connect, type Sql } from "./client";
import {
  listAbandonedChallenges,
  listExpiredAuthorizations,
  listUnvoidedApprovals,
} from "./queries/payments/due-payments";
import { type TakeoverRound, takeDueOperations } from "./queries/payments/operations";
import { failDueSandboxRefunds, listSandboxReports } from "./queries/sandbox/reports";
import { listUnsettledGroups } from "./queries/settlement/settle";

/** Shared by all suites here, which use different tables or environments. */
const { db, url } = await testDatabase({ own: true });
/** A database never written to or analyzed. */
const { db: fresh } = await testDatabase({ own: true });
let big: SeedEnvironment;
let shop: Environment;

beforeAll(async () => {
  [big] = (await seed(db.long, { transactions: 40_000, merchants: 20 })) as [SeedEnvironment];
  shop = await insertMovements(db, 40_000);
  await insertDueOperations(db);
  await db.sql`vacuum (analyze) operations`;
  await db.long`analyze ledger_entries, daily_totals, total_deltas`;
}, 120_000);

/** Runs a read and returns the statements it sent. */
const statementsOf = (read: (ctx: Context) => Promise<unknown>) => statementsIn(db, big, read);

async function expectIndexesOnly(read: (ctx: Context) => Promise<unknown>) {
  const statements = await statementsOf(read);
  expect(statements.length).toBeGreaterThan(0);
  for (const statement of statements) {
    const isolated = await plansOf(statement, db.within(big.id).sql);
    // A condition that row-level security keeps from using an index shows here as a difference from the
    // owner's plan.
    expect(isolated.map(readsOf)).toEqual((await plansOf(statement, db.sql)).map(readsOf));
    for (const plan of isolated) {
      const scans = nodesOf(plan).filter((node) => node["Relation Name"] !== undefined);
      expect(scans.length).toBeGreaterThan(0);
      expect(scans.filter((node) => node["Node Type"] === "Seq Scan")).toEqual([]);
    }
  }
}

describe("no read scans a whole table, whatever its filters and sort order", () => {
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
    { attention: "capture_reversed" },
    { attention: "expiring" },
    { status: "SETTLED", card_brand: "visa", min_amount: 500, created_before: "2026-06-01" },
  ] as const;
  for (const query of lists) {
    it(`list: ${JSON.stringify(query)}`, async () => {
      await expectIndexesOnly((ctx) => listTransactions(ctx, query));
    });
  }

  const words = {
    common: "customer",
    rare: "customer17",
    both: "customer order 17",
    spellings: "cüstomer17",
    amount: "49.90",
    none: "nobody",
  };
  for (const [name, q] of Object.entries(words)) {
    it(`search terms, ${name}: alone, in both orders, with a filter, by amount, after a transaction`, async () => {
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

  it("very common terms with a filter: no more rows are checked than a total counts, and one page is read", async () => {
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
        // Each row checked costs four pages, and nearly every row matches these search terms.
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

test("the seeded search terms are those of the trigger", async () => {
  const sorted = (words: string) => `(select array_agg(word order by word collate "C") from unnest(${words}) word)`;
  const [row] = await db.long.unsafe(`
    select count(*)::int as n from transactions t
    join transaction_texts x on x.environment_id = t.environment_id and x.transaction_id = t.id
    where ${sorted("search_words_of(t)")} <> ${sorted("string_to_array(trim(x.words), ' ')")}`);
  expect(row?.n).toBe(0);
});

describe("a plan cached while the tables were empty or small looks up each row of a page by its key", () => {
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

test("10,000 new rows missing from the statistics cost a page little more than its own rows", async () => {
  const { db: small } = await testDatabase({ own: true });
  const { test: shop } = await createTestMerchant(small);
  await seed(small.long, { transactions: 160, merchants: 20 });
  await small.long`analyze`;
  await insertManyTransactions(small, shop.id, 10_000);
  const environment: SeedEnvironment = { id: shop.id, merchantId: shop.merchantId };
  for (const filters of [{}, { card_brand: ["mastercard"] }, { status: ["SETTLED"] }, { currency: ["USD"] }]) {
    const search = searchTransactionsBody.parse({ filters });
    for (const { text, values } of await statementsIn(small, environment, (ctx) => searchTransactions(ctx, search))) {
      // Each counted row is a page read, because no vacuum has run.
      const analyzed = `explain (analyze, buffers, timing off, format json) ${text}`;
      const [row] = await small.within(shop.id).sql.unsafe(analyzed, values, { prepare: false });
      expect(planOf(row)["Shared Hit Blocks"], text).toBeLessThan(12_000);
    }
  }
});

test("autovacuum does not wait for a fifth of the tables whose rows change", async () => {
  const tables = ["operations", "payments", "transactions"];
  const rows = await db.sql<{ table: string; option: string }[]>`
    select relname as table, unnest(reloptions) as option from pg_class
    where relname in ${db.sql(tables)} and relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`;
  const options = ["vacuum_scale_factor", "vacuum_insert_scale_factor", "analyze_scale_factor"];
  expect(rows.map(({ table, option }) => [table, option])).toEqual(
    tables.flatMap((table) => options.map((option) => [table, `autovacuum_${option}=0.02`])),
  );
});

test("what is to be settled is found without reading all that is", async () => {
  const groups = await listUnsettledGroups(db, null);
  const unsettled = await db.sql<{ environment_id: string; currency: string; count: number }[]>`
    select environment_id, currency, count(*) from transactions
    where settled_at is null and captured_at is not null and status <> 'FAILED' group by 1, 2 order by 1, 2`;
  expect(groups).toEqual(unsettled.map(({ environment_id, currency }) => ({ environment_id, currency })));
  expect(groups.length).toBeGreaterThan(20);
  expect(unsettled.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(3_000);
  const { string: text } = (groups as unknown as { statement: { string: string } }).statement;
  const [row] = await db.sql.unsafe(`explain (analyze, buffers, timing off, format json) ${text}`);
  const plan = planOf(row);
  expect(nodesOf(plan).filter((node) => node["Node Type"] === "Seq Scan")).toEqual([]);
  expect(plan["Shared Hit Blocks"]).toBeLessThan(20 * groups.length);
});

describe("no read of the balance scans a table under row-level security, whatever its filter", () => {
  const lists: ListMovementsQuery[] = [
    {},
    { type: "capture" },
    { type: "payout" },
    { currency: "EUR" },
    { currency: "EUR", type: "fee" },
    { created_after: "2026-01-01", created_before: "2026-01-03" },
    { limit: 100, offset: 1_000 },
  ];
  it.each(lists)("movements: %j", async (query) => {
    const texts = await textsIn(db, shop, (ctx) => listMovements(ctx, query));
    expect(texts).toHaveLength(2);
    for (const text of texts) {
      const scans = nodesOf(await genericPlanOf(db.within(shop.id).sql, text)).filter((node) => node["Relation Name"]);
      expect(
        scans.filter((node) => node["Node Type"] === "Seq Scan" && node["Relation Name"] === "ledger_entries"),
      ).toEqual([]);
      const ledger = scans.filter((node) => node["Relation Name"] === "ledger_entries");
      expect(ledger.map((node) => node["Index Name"])).toEqual(["ledger_entries_movements"]);
      for (const column of ["currency", "debit_account", "credit_account", "line"]) {
        expect(ledger[0]?.["Index Cond"]).toContain(column);
      }
    }
  });

  it("the balance, from a day's totals and not from its lines", async () => {
    const texts = await textsIn(db, shop, (ctx) => getBalance(ctx));
    expect(texts).toHaveLength(1);
    const plan = await genericPlanOf(db.within(shop.id).sql, texts[0] as string);
    const read = nodesOf(plan).flatMap((node) => node["Relation Name"] ?? []);
    expect(read.sort()).toEqual(["daily_totals", "total_deltas"]);
  });
});

const ROUND: TakeoverRound = { after: BEFORE_ALL, limit: 0, skippedEnvironments: [], busyPayments: [] };
const LEASE = { sendWithinMs: 8_000, heldForMs: 10_000 };
type Sent = { text: string; parameters: unknown[] };

/**
 * The recovery worker runs this after every operation: its cost must not depend on one environment with very
 * many operations that are due, skipped or abandoned.
 */
async function statementOf(work: (sql: Sql) => Promise<unknown>): Promise<Sent> {
  const recording = connect(url, { max: 1 });
  const sent: Sent[] = [];
  recording.sql.options.debug = (_connection, text, parameters) => void sent.push({ text, parameters });
  await work(recording.sql);
  await recording.close();
  const found = sent.find(({ text }) => text.includes("with recursive") || text.includes("lateral"));
  if (!found) throw new Error("no statement was sent");
  return found;
}

/** Takes nothing by default (`limit: 0`). */
const taking = (round: Partial<TakeoverRound>) => (sql: Sql) => takeDueOperations(sql, { ...ROUND, ...round }, LEASE);

const PAGE = { after: BEFORE_ALL, perEnvironment: 25, limit: 100 };
const REPORTS = { after: BEFORE_ALL, share: 25, limit: 100 };

/** Index lookups of each statement; due payments also check whether they were tried recently. */
describe.each([
  [
    "operations",
    taking({}),
    [
      "environments_pkey: id =",
      "operations_environment_id_id_pk: environment_id =, id =",
      "operations_open: environment_id =, next_attempt_at >, next_attempt_at <=, created_at >",
      "operations_open: environment_id >",
      "operations_open: environment_id >",
    ],
  ],
  [
    "authorizations",
    (sql: Sql) => listExpiredAuthorizations(sql, PAGE),
    [
      "environments_pkey: id =",
      "payments_expiring: environment_id =, capture_before <=",
      "payments_expiring: environment_id >",
      "payments_expiring: environment_id >",
    ],
  ],
  [
    "challenges",
    (sql: Sql) => listAbandonedChallenges(sql, 30, PAGE),
    [
      "environments_pkey: id =",
      "payments_waiting: environment_id =, updated_at <=",
      "payments_waiting: environment_id >",
      "payments_waiting: environment_id >",
    ],
  ],
  [
    "late approvals",
    (sql: Sql) => listUnvoidedApprovals(sql, PAGE),
    [
      "environments_pkey: id =",
      "operations_late_approvals: environment_id >",
      "payments_environment_id_id_pk: environment_id =, id =",
    ],
  ],
  [
    "reports",
    (sql: Sql) => listSandboxReports(sql, REPORTS),
    ["sandbox_reports_open: account =", "sandbox_reports_open: account >", "sandbox_reports_open: account >"],
  ],
  [
    "failing refunds",
    (sql: Sql) => failDueSandboxRefunds(sql, REPORTS),
    [
      "charges_pkey: reference =",
      "charges_pkey: reference =",
      "operations_pkey: reference =",
      "reports_pkey: reference =",
      "sandbox_reports_open: account =",
      "sandbox_reports_open: account >",
      "sandbox_reports_open: account >",
    ],
  ],
])("%s that are due, planned for any values", (_, work, expected) => {
  it.each([
    ["empty", fresh],
    ["large", db],
  ])("on %s tables, are walked to, and found by their keys", async (_name, { sql }) => {
    const { text } = await statementOf(work);
    const plan = await genericPlanOf(sql, text);
    const own = (lookUp: string) => !lookUp.startsWith("operations_payment: ");
    expect(lookUpsOf(plan).filter(own).toSorted()).toEqual(expected);
  });
});

it.each([
  ["the first of 100,000 and the only one", {}, [DUE.large, DUE.small]],
  [
    "the only one, past 100,000 of an environment that has its share",
    { skippedEnvironments: [DUE.large] },
    [DUE.small],
  ],
  ["the only one, in the turn after that of 100,000", { after: DUE.large }, [DUE.small]],
  ["none, past 100,000 abandoned ones", { after: DUE.small }, []],
])("%s: reads few pages", async (_, round, expected) => {
  const { text, parameters } = await statementOf(taking(round));
  const undone = new Error("undone");
  const work = db.sql.begin(async (tx) => {
    const literal = (value: unknown) => (String(value) === "0" ? "'20'" : `'${value}'`);
    const own = text.replace(/\$(\d+)/g, (_all, number) => literal(parameters[Number(number) - 1]));
    const [row] = await tx.unsafe(`explain (analyze, buffers, format json) ${own}`);
    expect(pagesOf(row)).toBeLessThan(1_500);
    const taken = await tx`select environment_id from operations where epoch > 1 order by 1`;
    expect(taken.map((one) => one.environment_id)).toEqual(expected);
    throw undone;
  });
  await expect(work).rejects.toBe(undone);
});

/** Pages read; the table has 8,000, not counting its index. */
function pagesOf(row: unknown): number {
  const plan = planOf(row) as Plan & Record<"Shared Hit Blocks" | "Shared Read Blocks", number>;
  return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
}
