import { beforeAll, describe, expect, it } from "vitest";
import type { Sql } from "@/db/client";
import { foldDeltas } from "@/db/queries/reporting/daily-totals";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, testContext, testService } from "@/e2e/fixtures/factories";
import type { ListMovementsQuery } from "@/lib/contract/settlement/endpoints";
import type { Environment } from "@/lib/domain/context";
import { getBalance, listMovements } from "@/lib/domain/settlement/balance";
import { newId } from "@/lib/ids";
import { genericPlanOf, nodesOf } from "./plans";

const { db } = await testDatabase({ own: true });
const service = testService(db);
const LINES = 40_000;
let shop: Environment;

/** Captures and fees of two months, mostly in one currency; of 40 merchants, one of which has half of them. */
beforeAll(async () => {
  shop = (await createTestMerchant(db)).test;
  const others = await Promise.all(Array.from({ length: 39 }, async () => (await createTestMerchant(db)).test.id));
  const ids = Array.from({ length: LINES / 2 }, newId);
  await db.long`
    insert into ledger_entries (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency, created_at)
    select case when n % 2 = 0 then ${shop.id}::uuid else (${others}::uuid[])[1 + n % 39] end, id, line, id,
      case line when 1 then 'processor_receivable' else 'merchant_payable' end,
      case line when 1 then 'merchant_payable' else 'fees' end, case line when 1 then 1000 else 29 end,
      case when n % 100 = 0 then 'EUR' else 'USD' end, now() - make_interval(mins => n::int * 4)
    from unnest(${ids}::uuid[]) with ordinality as made(id, n), unnest(array[1, 2]::smallint[]) line`;
  while ((await foldDeltas(service.db.sql)) > 0);
  await db.long`analyze`;
}, 120_000);

type Answered = { statement: { string: string } };

/** Texts of the statements that a read sends, as PostgreSQL gets them. */
async function textsOf(read: (ctx: ReturnType<typeof testContext>) => Promise<unknown>): Promise<string[]> {
  const sent: Promise<Answered>[] = [];
  const sql = new Proxy(db.within(shop.id).sql, {
    apply(target, that, given) {
      const query: Promise<Answered> = Reflect.apply(target as never, that, given);
      const wait = query.then.bind(query);
      // Parts of statements are never waited for.
      const value = (...args: Parameters<typeof wait>) => {
        const result = wait(...args);
        sent.push(wait((rows) => rows));
        return result;
      };
      // biome-ignore lint/suspicious/noThenProperty: it is a promise, and stays one
      return Object.defineProperty(query, "then", { value }); // oxlint-disable-line unicorn/no-thenable
    },
  }) as Sql;
  const service = testService({ ...db, within: (id) => ({ ...db.within(id), sql }) });
  await read(testContext(service, shop));
  return (await Promise.all(sent)).map((rows) => rows.statement.string);
}

describe("behind the wall no read of the balance scans a table, whatever it filters by", () => {
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
    const texts = await textsOf((ctx) => listMovements(ctx, query));
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
    const texts = await textsOf((ctx) => getBalance(ctx));
    expect(texts).toHaveLength(1);
    const plan = await genericPlanOf(db.within(shop.id).sql, texts[0] as string);
    const read = nodesOf(plan).flatMap((node) => node["Relation Name"] ?? []);
    expect(read.sort()).toEqual(["daily_totals", "total_deltas"]);
  });
});
