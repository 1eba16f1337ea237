import { beforeAll, describe, expect, it } from "vitest";
import type { Database, Sql } from "@/db/client";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import { listPayments } from "@/lib/domain/payments/read-payments";
import { getTransaction, listTransactions, searchTransactions } from "@/lib/domain/transactions/read-transactions";
import { newId } from "@/lib/ids";
import { testDatabase } from "@/lib/testing/database";
import { testContext, testService } from "@/lib/testing/factories";
import { combinations } from "./combinations";
import { genericPlanOf, nodesOf, type Plan, planOf } from "./plans";
import { type SeedEnvironment, seed } from "./seed";

type Statement = { text: string; values: (string | number)[]; prepared: boolean };

const { db } = await testDatabase();
let big: SeedEnvironment;

beforeAll(async () => {
  [big] = (await seed(db.long, { transactions: 40_000, merchants: 20 })) as [SeedEnvironment];
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
  }

  const lists = [
    {},
    { status: "DECLINED" },
    { card_brand: "visa" },
    { customer_id: "cus_0_7" },
    { subscription_id: "sub_01k3000000e00a000000000007" },
    { min_amount: 500, max_amount: 900 },
    { created_after: "2026-01-01" },
    { status: "SETTLED", card_brand: "visa", min_amount: 500, created_before: "2026-06-01" },
  ] as const;
  for (const query of lists) {
    it(`list: ${JSON.stringify(query)}`, async () => {
      await expectIndexesOnly((ctx) => listTransactions(ctx, query));
    });
  }

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
      const { db: small } = await testDatabase();
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
