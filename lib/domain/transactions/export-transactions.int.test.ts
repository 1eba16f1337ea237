import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeAll, describe, expect, test } from "vitest";
import { insertBookedPayment } from "@/e2e/fixtures/books";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext, testTenant } from "@/e2e/fixtures/factories";
import { insertManyTransactions } from "@/e2e/fixtures/many-rows";
import { expectedIds, insertSample, SAMPLE, SUBSCRIPTIONS } from "@/e2e/fixtures/sample-transactions";
import { encodeId } from "@/lib/contract/ids";
import type { ExportedTransaction } from "@/lib/contract/transactions/export";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import { sheetParts } from "@/lib/http/spreadsheet";
import { columnsForPeople, columnsForPrograms } from "@/lib/http/transaction-sheet";
import { exportTransactions } from "./export-transactions";
import { sumTransactions } from "./read-transactions";

const { db } = await testDatabase({ own: true });
const { call, stranger: otherMerchant, service } = await testTenant(db);
const MANY = 100_000;
const many = await testTenant(db);

beforeAll(async () => {
  for (const row of SAMPLE) await insertSample(db, call().environment.id, row);
  await insertManyTransactions(db, many.call().environment.id, MANY);
}, 120_000);

const search = (filters: object = {}, sort: object = {}) => searchTransactionsBody.parse({ filters, sort });

async function idsOf(ctx: ReturnType<typeof call>, ...of: Parameters<typeof search>): Promise<string[]> {
  const found = await exportTransactions(ctx, search(...of));
  const ids: string[] = [];
  for await (const batch of found.batches) ids.push(...batch.map(({ id }) => id));
  expect(found.total).toBe(ids.length);
  return ids;
}

/** Reachable bytes only, as the amount of garbage depends on everything else in the process. */
function memoryInUse(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}

describe("an export of transactions", () => {
  test("is the whole result of the search, in its order, whatever the filters and the sort", async () => {
    expect(await idsOf(call())).toEqual(expectedIds(() => true));
    expect(await idsOf(call(), { status: ["DECLINED", "VOIDED"], card_brand: ["visa", "amex"] })).toEqual(
      expectedIds(
        (row) => ["DECLINED", "VOIDED"].includes(row.status) && ["visa", "amex"].includes(row.card_brand ?? ""),
      ),
    );
    for (const field of ["created_at", "amount", "status"] as const) {
      for (const order of ["asc", "desc"] as const) {
        expect(await idsOf(call(), { card_last4: "4242" }, { field, order })).toEqual(
          expectedIds((row) => row.card_last4 === "4242", field, order),
        );
      }
    }
    const subscription = SUBSCRIPTIONS[0] as string;
    expect(await idsOf(call(), { subscription_id: encodeId("subscription", subscription) })).toEqual(
      expectedIds((row) => row.subscription_id === subscription),
    );
    expect(await idsOf(call(), { subscription_id: "no such thing" })).toEqual([]);
    expect(await idsOf(call(), { amount: { gte: 300, lte: 500 }, customer_email: "ANNA@example.com" })).toEqual(
      expectedIds((row) => row.amount >= 300 && row.amount <= 500 && row.customer_email === "Anna@Example.com"),
    );
  });

  test("has nothing of another merchant", async () => {
    expect(await idsOf(testContext(service, otherMerchant.test))).toEqual([]);
  });

  test.each(["csv", "xlsx"] as const)(
    "of 100,000 rows as %s is complete, and memory stays flat",
    {
      timeout: 120_000,
    },
    async (format) => {
      const ctx = many.call();
      const found = await exportTransactions(ctx, search());
      expect(found.total).toBe(MANY);
      const hash: string[] = [];
      let largest = 0;
      const before = memoryInUse();
      let peak = before;
      async function* counted() {
        for await (const batch of found.batches) {
          largest = Math.max(largest, batch.length);
          hash.push(...batch.map(({ id, amount }) => `${id}:${amount}`));
          if (hash.length % 20_000 === 0) peak = Math.max(peak, memoryInUse());
          yield batch;
        }
      }
      const fields = ["id", "status", "amount_minor", "currency", "fee", "net", "created_at"] as const;
      const columns = (format === "csv" ? columnsForPrograms : columnsForPeople)(fields);
      let bytes = 0;
      const options = { format, locale: "en-US", timeZone: "Europe/Berlin", title: "Transactions" };
      for await (const piece of sheetParts(counted(), columns, options)) bytes += Buffer.byteLength(piece);
      expect(hash).toHaveLength(MANY);
      expect(bytes).toBeGreaterThan(format === "csv" ? 5_000_000 : 500_000);
      expect(largest).toBeLessThanOrEqual(1_000);
      const stored = await db.sql<{ id: string; amount: number }[]>`
      select id, amount from transactions where environment_id = ${ctx.environment.id} order by id desc`;
      expect(hash).toEqual(stored.map(({ id, amount }) => `${encodeId("transaction", id)}:${amount}`));
      // Includes 100,000 short strings of the test itself.
      expect(peak - before).toBeLessThan(60_000_000);
    },
  );

  test("has the fee of each charge from the ledger and the net of each row, which add up to the list's sums", async () => {
    const { call } = await testTenant(db);
    const ctx = call();
    const environmentId = ctx.environment.id;
    await insertBookedPayment(db, { environmentId, amount: 10_000, refunded: 2_500, feeBasisPoints: 290 });
    await insertBookedPayment(db, { environmentId, amount: 333, feeBasisPoints: 290 });
    await insertBookedPayment(db, { environmentId, amount: 700, captured: 0 });
    const found = await exportTransactions(ctx, search());
    const rows: ExportedTransaction[] = [];
    for await (const batch of found.batches) rows.push(...batch);
    const sums = await sumTransactions(ctx, search());
    expect(rows.filter(({ fee }) => fee === null).length).toBe(1);
    const total = (name: "fee" | "net") => rows.reduce((sum, row) => sum + (row[name] ?? 0), 0);
    expect(sums.sums.map(({ fees, net }) => [fees, net])).toContainEqual([total("fee"), total("net")]);
    expect(total("fee")).toBeGreaterThan(0);
  });

  test("is as fast for an environment without statistics", async () => {
    await db.sql`analyze`;
    const { call: unknown } = await testTenant(db);
    await insertManyTransactions(db, unknown().environment.id, 30_000);
    const started = performance.now();
    expect(await idsOf(unknown())).toHaveLength(30_000);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test("is one snapshot: changes while it is read are not in it", async () => {
    const { call } = await testTenant(db);
    const ctx = call();
    await insertManyTransactions(db, ctx.environment.id, 3_500);
    const found = await exportTransactions(ctx, search());
    let rows = 0;
    for await (const batch of found.batches) {
      if (rows === 0) await insertManyTransactions(db, ctx.environment.id, 10);
      rows += batch.length;
    }
    expect([rows, found.total]).toEqual([3_500, 3_500]);
  });

  test("a reader that disconnects, before or while reading, releases the connection", async () => {
    for (let times = 0; times < 6; times++) {
      const unread = await exportTransactions(many.call(), search());
      await unread.close();
      const begun = await exportTransactions(many.call(), search());
      await begun.batches.next();
      await begun.batches.return();
      await begun.close();
    }
    // Twelve exports with a pool of four: each has released its connection.
    const open =
      await db.sql`select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
    expect(open).toHaveLength(0);
  });

  test("if the connection is lost midway, it throws and does not end normally", async () => {
    const found = await exportTransactions(many.call(), search());
    const read = async () => {
      let rows = 0;
      for await (const batch of found.batches) {
        if (rows === 0) {
          await db.sql`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`;
        }
        rows += batch.length;
      }
      return rows;
    };
    await expect(read()).rejects.toThrow(/terminat|closed|connection|ECONNRESET/i);
    await found.close();
  });
});
