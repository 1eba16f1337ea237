import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Database } from "@/db/client";
import { listOffendingRows, withSnapshot } from "@/db/queries/reconciliation/checks";
import { FIGURE_CHECKS } from "@/db/queries/reconciliation/figures";
import { foldDeltas, rebuildTotals } from "@/db/queries/reporting/daily-totals";
import { readLedgerDifference } from "@/db/queries/service/figures";
import { sumVolume } from "@/db/queries/support/merchants";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, type TestMerchant, testContext, testService } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { addDays } from "@/lib/contract/reporting/period";
import { idAt, idTime, newId } from "@/lib/ids";
import { getOverview } from "./overview";

const { db } = await testDatabase();
const service = testService(db);

const ZONES = ["Pacific/Auckland", "America/Sao_Paulo", "Asia/Kathmandu", "Europe/Berlin", "America/New_York", "UTC"];
/** Around clock changes: Auckland 2026, New York and Berlin 2026, São Paulo's last one in 2019. */
const CHANGES = [
  "2026-04-04T14:00:00Z",
  "2026-09-26T14:00:00Z",
  "2026-03-08T07:00:00Z",
  "2026-10-25T01:00:00Z",
  "2019-02-17T02:00:00Z",
];
const HOUR_MS = 3_600_000;

const KINDS = ["capture", "refund", "reversal", "fee", "approved", "declined", "failed"] as const;
const fact = fc.record({
  kind: fc.constantFrom(...KINDS),
  at: fc
    .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -60 * HOUR_MS, max: 60 * HOUR_MS }))
    .map(([change, offset]) => new Date(Date.parse(change) + offset).toISOString()),
  amount: fc.integer({ min: 1, max: 9_999_999 }),
  currency: fc.constantFrom("USD", "JPY"),
  code: fc.constantFrom("insufficient_funds", "lost_card", "generic_decline"),
});
type Fact = { kind: (typeof KINDS)[number]; at: string; amount: number; currency: string; code: string };

const LINES = {
  capture: [1, "processor_receivable", "merchant_payable"],
  fee: [2, "merchant_payable", "fees"],
  refund: [1, "merchant_payable", "processor_receivable"],
  reversal: [2, "processor_receivable", "merchant_payable"],
} as const;

async function insertFact(database: Database, environmentId: string, payment: string, given: Fact): Promise<void> {
  const { kind, at, amount, currency } = given;
  if (kind === "capture" || kind === "fee" || kind === "refund" || kind === "reversal") {
    const [line, debit, credit] = LINES[kind];
    await database.sql`
      insert into ledger_entries (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency, created_at)
      values (${environmentId}, ${newId()}, ${line}, ${payment}, ${debit}, ${credit}, ${amount}, ${currency}, ${at})`;
    return;
  }
  const id = idAt(new Date(at));
  await database.sql`
    insert into transactions (environment_id, id, payment_id, type, status, amount, currency, metadata, created_at, updated_at)
    values (${environmentId}, ${id}, ${payment}, 'CHARGE', 'PENDING', ${amount}, ${currency}, '{}', ${at}, ${at})`;
  await database.sql`
    update transactions set status = ${{ approved: "AUTHORIZED", declined: "DECLINED", failed: "FAILED" }[kind]},
      decline_code = ${kind === "declined" ? given.code : null}
    where environment_id = ${environmentId} and id = ${id}`;
}

async function insertPayment(database: Database, environmentId: string): Promise<string> {
  const id = newId();
  await database.sql`
    insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, capture_method, created_at, updated_at)
    values (${environmentId}, ${id}, ${newId()}, ${newId()}, 'PENDING', 'USD', 1, 'manual', ${idTime(id)}, ${idTime(id)})`;
  return id;
}

/** A moment's day by the browser's calendar, not the database's. */
const dayIn = (zone: string, at: string) => new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(new Date(at));

/** A day's figures, summed from the individual facts. */
function expectedOf(facts: readonly Fact[], zone: string, currency: string, day: string) {
  const mine = facts.filter((one) => one.currency === currency && dayIn(zone, one.at) === day);
  const sum = (kind: Fact["kind"]) =>
    mine.filter((one) => one.kind === kind).reduce((total, one) => total + one.amount, 0);
  const count = (kind: Fact["kind"]) => mine.filter((one) => one.kind === kind).length;
  return {
    gross: sum("capture"),
    captures: count("capture"),
    refunded: sum("refund") - sum("reversal"),
    refunds: count("refund"),
    refundsFailed: count("reversal"),
    fees: sum("fee"),
    net: sum("capture") - sum("refund") + sum("reversal") - sum("fee"),
    approved: count("approved"),
    declined: count("declined"),
    failed: count("failed"),
  };
}

async function expectFigures(merchant: TestMerchant, zone: string, facts: readonly Fact[]): Promise<void> {
  const ctx = testContext(service, merchant.test);
  for (const change of CHANGES) {
    const [from, to] = [addDays(change.slice(0, 10), -4), addDays(change.slice(0, 10), 4)];
    const inRange = (one: Fact) => dayIn(zone, one.at) >= from && dayIn(zone, one.at) <= to;
    for (const currency of new Set(facts.filter(inRange).map((one) => one.currency))) {
      const overview = await getOverview(ctx, { period: () => ({ from, to, previous: null }), currency });
      expect([overview.currency, overview.timeZone]).toEqual([currency, zone]);
      const days = Array.from({ length: 9 }, (_, i) => addDays(from, i));
      expect(overview.buckets).toEqual(
        days.map((day) => ({ from: day, to: day, figures: expectedOf(facts, zone, currency, day) })),
      );
      const declined = facts.filter((one) => one.kind === "declined" && one.currency === currency && inRange(one));
      expect(Object.fromEntries(overview.declines.map((row) => [row.code, [row.count, row.amount]]))).toEqual(
        Object.fromEntries(
          [...new Set(declined.map((one) => one.code))].map((code) => {
            const same = declined.filter((one) => one.code === code);
            return [code, [same.length, same.reduce((total, one) => total + one.amount, 0)]];
          }),
        ),
      );
    }
  }
}

async function changeZone(merchant: TestMerchant, zone: string): Promise<void> {
  await db.orm.transaction(async (tx) => {
    await tx.execute(`update merchants set time_zone = '${zone}' where id = '${merchant.id}'`);
    for (const environment of [merchant.test, merchant.live]) await rebuildTotals(tx, environment.id, zone);
  });
}

/** Differences between figures and books at one moment. */
const differences = () =>
  withSnapshot(db, async (tx) => {
    const [check] = FIGURE_CHECKS;
    if (!check) throw new Error("there is no check of the figures");
    return await listOffendingRows(tx, check, 5);
  });

describe("daily totals", () => {
  it("match the facts of each day in the merchant's zone, folded or not, across changes of clocks and of the zone", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fact, { minLength: 1, maxLength: 40 }),
        fc.constantFrom(...ZONES),
        fc.constantFrom(...ZONES),
        fc.integer({ min: 0, max: 40 }),
        async (facts, zone, nextZone, foldAfter) => {
          const merchant = await createTestMerchant(db);
          await db.sql`update merchants set time_zone = ${zone} where id = ${merchant.id}`;
          const payment = await insertPayment(db, merchant.test.id);
          for (const [i, one] of facts.entries()) {
            await insertFact(db, merchant.test.id, payment, one);
            if (i === foldAfter) await foldDeltas(service.db.sql);
          }
          await expectFigures(merchant, zone, facts);
          await changeZone(merchant, nextZone);
          await expectFigures(merchant, nextZone, facts);
          await foldDeltas(service.db.sql);
          await expectFigures(merchant, nextZone, facts);
          expect(await differences()).toEqual({ count: 0, rows: [] });
        },
      ),
      { numRuns: 12 },
    );
  }, 120_000);

  it("equal the ledger at every moment while eight write, two fold, and the zone changes", async () => {
    const tenant = await moneyTenant(db);
    await db.sql`update environments set fee_basis_points = 290 where id = ${tenant.environmentId}`;
    let writing = true;
    const declined = { number: "4000000000000002", exp_month: 12, exp_year: 2040, cvv: "123" };
    const writer = async (index: number) => {
      for (let i = 0; i < 12; i++) {
        const amount = 1_000 + index * 100 + i;
        const made = await tenant.create({
          amount,
          currency: index % 2 ? "USD" : "EUR",
          ...(i % 4 === 3 && { card: declined }),
        });
        if (made.status === 201 && i % 3 === 0) await tenant.act("refund", made.body.id, { amount: 100 });
      }
    };
    const folder = async () => {
      while (writing) await foldDeltas(service.db.sql);
    };
    const watcher = async () => {
      let looks = 0;
      for (; writing; looks++) expect(await differences()).toEqual({ count: 0, rows: [] });
      return looks;
    };
    const mover = async () => {
      for (let i = 0; writing; i++) await changeZone(tenant.merchant, ZONES[i % ZONES.length] as string);
    };
    const others = Promise.all([watcher(), folder(), folder(), mover()]);
    await Promise.all(Array.from({ length: 8 }, (_, index) => writer(index))).finally(() => {
      writing = false;
    });
    expect((await others)[0]).toBeGreaterThan(0);
    expect(await differences()).toEqual({ count: 0, rows: [] });
    while ((await foldDeltas(service.db.sql)) > 0);
    expect(await db.sql`select from total_deltas`).toHaveLength(0);
    expect(await differences()).toEqual({ count: 0, rows: [] });

    const overview = await getOverview(testContext(tenant.service, tenant.merchant.test), {
      period: (today) => ({ from: null, to: addDays(today, 1), previous: null }),
      currency: "USD",
    });
    const [books] = await db.sql<[{ captured: number; declined: number }]>`
      select (select sum(amount_captured)::bigint from payments where environment_id = ${tenant.environmentId} and currency = 'USD') as captured,
        (select count(*) from transactions where environment_id = ${tenant.environmentId} and currency = 'USD' and status = 'DECLINED') as declined`;
    expect([overview.figures.gross, overview.figures.declined]).toEqual([books.captured, books.declined]);
    expect(books.declined).toBeGreaterThan(0);
  }, 120_000);

  it("of one merchant's day that exceed a bigint are reported, and block no other's", async () => {
    const [much, other] = [await createTestMerchant(db), await createTestMerchant(db)];
    const [at, day] = ["2024-05-06T12:00:00.000Z", "2024-05-06"];
    const capture: Fact = { kind: "capture", at, amount: 9e18, currency: "USD", code: "" };
    const payment = await insertPayment(db, much.test.id);
    const figures = async ({ test: environment }: TestMerchant) => {
      const period = () => ({ from: day, to: day, previous: null });
      return (await getOverview(testContext(service, environment), { period, currency: "USD" })).figures;
    };
    for (let i = 0; i < 3; i++) await insertFact(db, much.test.id, payment, capture);
    await insertFact(db, other.test.id, await insertPayment(db, other.test.id), { ...capture, amount: 5 });
    expect((await figures(much)).gross).toBe(27e18);
    while ((await foldDeltas(service.db.sql)) > 0);
    expect([(await figures(much)).gross, (await figures(other)).gross]).toEqual([27e18, 5]);
    const [last30] = await sumVolume(db.sql, much.test.id, "UTC");
    expect(last30).toMatchObject({ amount: 27e18, count: 3 });
    expect(await differences()).toEqual({ count: 0, rows: [] });
    expect(await readLedgerDifference(db.sql)).toBeGreaterThan(9e18);
  });
});
