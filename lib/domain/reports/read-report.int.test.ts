import { describe, expect, test } from "vitest";
import { foldDeltas } from "@/db/queries/reporting/daily-totals";
import { type BookedIds, failSettledRefund, insertBookedPayment } from "@/e2e/fixtures/books";
import { testDatabase } from "@/e2e/fixtures/database";
import { openDispute } from "@/e2e/fixtures/disputes";
import { createTestMerchant, testContext, testService } from "@/e2e/fixtures/factories";
import { insertPaying } from "@/e2e/fixtures/subscription-rows";
import { encodeId } from "@/lib/contract/ids";
import { addDays } from "@/lib/contract/reporting/period";
import { TOTALS_SQL } from "@/lib/contract/reports/report-sql";
import {
  REPORT_COLUMNS,
  REPORT_TYPES,
  type ReportRow,
  type ReportTotals,
  type ReportType,
  totalColumns,
} from "@/lib/contract/reports/report-types";
import { dayIn, dayInstants } from "@/lib/contract/transactions/time-range";
import { reportColumns } from "@/lib/http/report-export";
import { sheetParts } from "@/lib/http/spreadsheet";
import { newId } from "@/lib/ids";
import type { Context } from "../context";
import { runPayouts } from "../settlement/payouts";
import { runSettlement } from "../settlement/settle";
import { openReport, previewReport, type ReportSubject } from "./read-report";

const { db } = await testDatabase();
const service = testService(db);
const ZONES = ["UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Kiritimati"];

/** Captures, refunds, fees, a lost dispute, a refund that failed after its settlement, and a payout that failed. */
async function busyShop() {
  const { test: environment } = await createTestMerchant(db);
  const environmentId = environment.id;
  const ctx = testContext(service, environment);
  await insertBookedPayment(db, { environmentId, amount: 1_000, feeBasisPoints: 290 });
  await insertBookedPayment(db, { environmentId, amount: 333, feeBasisPoints: 150 });
  const refunded = await insertBookedPayment(db, { environmentId, amount: 500, refunded: 200 });
  await insertBookedPayment(db, { environmentId, amount: 90, currency: "JPY" });
  for (const currency of ["EUR", "JPY"]) await insertOthers(environmentId, refunded, currency);
  const dispute = await openDispute({ service, db, environmentId }, encodeId("payment", refunded.payment), {
    amount: 100,
    fee: 15,
  });
  await dispute.becomes({ status: "lost" });
  await runSettlement(service, { environmentId });
  await failSettledRefund(db, environmentId, refunded);
  await runPayouts(service);
  await runPayouts(service);
  await db.sql`update payouts set due_at = now() - interval '1 second', bank_last4 = '0000' where environment_id = ${environmentId} and currency = 'JPY'`;
  await runPayouts(service);
  return { ctx, environmentId };
}

/** A dispute, and a subscription that pays. */
async function insertOthers(environmentId: string, { payment, charge }: BookedIds, currency: string) {
  await db.sql`insert into disputes (environment_id, id, payment_id, transaction_id, processor, processor_dispute_id, amount, currency,
      reason, status, fee, read_at, created_at, updated_at)
    values (${environmentId}, ${newId()}, ${payment}, ${charge}, 'sandbox', ${newId()}, 500, ${currency}, 'FRAUDULENT', 'LOST', 15, now(), now(), now())`;
  const terms = { amount: 12_001, months: 12, quantity: 2, currency, at: new Date().toISOString() };
  await insertPaying(db.sql, environmentId, terms);
}

type Days = { type: ReportType; timeZone: string; from: string; to: string };
const subjectOf = ({ type, timeZone, ...days }: Days, currency?: string): ReportSubject => ({
  type,
  timeZone,
  currency,
  ...dayInstants(days, timeZone),
});

const today = (timeZone: string) => dayIn(timeZone, Date.now());
const rangesIn = (timeZone: string) => {
  const day = today(timeZone);
  return [
    { from: addDays(day, -1), to: addDays(day, 1) },
    { from: day, to: day },
    { from: addDays(day, 1), to: addDays(day, 2) },
  ];
};

/** The statement that the page shows, run as a merchant would run it. */
async function totalsBySql(environmentId: string, { type, from, before }: ReportSubject) {
  const values = { environment: environmentId, from: from.toISOString(), before: before.toISOString() };
  const text = Object.entries(values).reduce(
    (sql, [name, value]) => sql.replaceAll(`:${name}`, `'${value}'`),
    TOTALS_SQL[type],
  );
  const rows = await db.sql.unsafe<Record<string, string>[]>(text);
  return rows
    .map(({ currency, ...sums }) => ({
      currency,
      amounts: Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, Number(sum)])),
    }))
    .filter(({ amounts }) => Object.values(amounts).some((amount) => amount !== 0));
}

async function rowsOf(ctx: Context, subject: ReportSubject): Promise<ReportRow[]> {
  const opened = await openReport(ctx, subject);
  const rows: ReportRow[] = [];
  for await (const batch of opened.batches) rows.push(...batch);
  await opened.close();
  expect(rows).toHaveLength(opened.total);
  return rows;
}

const nonZero = (totals: readonly ReportTotals[]) =>
  totals.filter(({ amounts }) => Object.values(amounts).some((amount) => amount !== 0));

describe.each(REPORT_TYPES)("the totals of %s", (type) => {
  test("are the ledger's to the cent, folded or not, in every time zone", async () => {
    const { ctx, environmentId } = await busyShop();
    const check = async () => {
      for (const timeZone of ZONES) {
        for (const days of rangesIn(timeZone)) {
          const subject = subjectOf({ type, timeZone, ...days });
          const { totals } = await previewReport(ctx, subject, 20);
          const expected = await totalsBySql(environmentId, subject);
          expect(
            nonZero(totals).map(({ currency }) => currency),
            timeZone,
          ).toEqual(expected.map((row) => row.currency));
          expect(nonZero(totals), `${timeZone} ${days.from}`).toMatchObject(expected);
        }
      }
    };
    await check();
    while ((await foldDeltas(db.sql)) > 0);
    await check();
  });

  test("are the sums of its rows", async () => {
    const { ctx } = await busyShop();
    const day = today("UTC");
    const subject = subjectOf({ type, timeZone: "UTC", from: day, to: day });
    const rows = await rowsOf(ctx, subject);
    const { totals, rows: first } = await previewReport(ctx, subject, 2);
    expect(first).toEqual(rows.slice(0, 2));
    expect(totals.length).toBeGreaterThan(0);
    for (const { currency, amounts, rows: count } of totals) {
      const own = rows.filter((row) => row.currency === currency);
      expect(own).toHaveLength(count);
      const summed = type === "balance" ? own.filter(({ line }) => line !== "closing") : own;
      for (const { name } of totalColumns(type))
        expect(
          summed.reduce((sum, row) => sum + Number(row[name]), 0),
          `${currency} ${name}`,
        ).toBe(amounts[name]);
    }
  });

  test("have one currency if it is chosen, and nothing of another merchant", async () => {
    const { ctx } = await busyShop();
    const stranger = testContext(service, (await createTestMerchant(db)).test);
    const day = today("UTC");
    const subject = subjectOf({ type, timeZone: "UTC", from: day, to: day });
    const found = await previewReport(ctx, { ...subject, currency: "JPY" }, 20);
    expect(new Set(found.rows.map(({ currency }) => currency))).toEqual(new Set(type === "fees" ? [] : ["JPY"]));
    expect(await previewReport(stranger, subject, 20)).toEqual({ rows: [], totals: [] });
  });
});

describe("days on which clocks change", () => {
  /** A capture of one cent each quarter of an hour around the day, and at its edges. */
  async function bookAround(day: string, timeZone: string): Promise<{ ctx: Context; times: number[] }> {
    const { test: environment } = await createTestMerchant(db);
    const { from, before } = dayInstants({ from: day, to: day }, timeZone);
    const times = [from.getTime() - 1, before.getTime() - 1];
    for (let at = from.getTime() - 86_400_000; at < before.getTime() + 86_400_000; at += 900_000) times.push(at);
    const lines = times.map((at) => ({ operation: newId(), payment: newId(), at: new Date(at).toISOString() }));
    await db.sql`
      insert into ledger_entries (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency, created_at)
      select ${environment.id}::uuid, l.operation, 1, l.payment, 'processor_receivable', 'merchant_payable', 1, 'EUR', l.at
      from jsonb_to_recordset(${lines as never}::jsonb) as l (operation uuid, payment uuid, at timestamptz)`;
    return { ctx: testContext(service, environment), times };
  }

  test.each([
    ["Europe/Berlin", "2026-03-29", 23],
    ["Europe/Berlin", "2026-10-25", 25],
    ["America/New_York", "2026-03-08", 23],
    ["Asia/Beirut", "2026-03-29", 23],
    ["Africa/Cairo", "2026-04-24", 23],
    ["America/Santiago", "2026-04-04", 25],
    ["America/Havana", "2026-11-01", 25],
    ["Australia/Lord_Howe", "2026-04-05", 24.5],
    ["Pacific/Kiritimati", "2026-03-29", 24],
  ])("in %s, %s has the captures of its %f hours, each once", async (timeZone, day, hours) => {
    const { ctx, times } = await bookAround(day, timeZone);
    const { from, before } = dayInstants({ from: day, to: day }, timeZone);
    expect((before.getTime() - from.getTime()) / 3_600_000).toBe(hours);
    const days = [addDays(day, -1), day, addDays(day, 1)];
    const counted = (wanted: string) => times.filter((at) => dayIn(timeZone, at) === wanted).length;
    const range = { type: "activity", timeZone, from: days[0] as string, to: days[2] as string } as const;
    const rows = await rowsOf(ctx, subjectOf(range));
    expect(rows.map((row) => [row.day, row.captures])).toEqual(days.map((each) => [each, counted(each)]));
    for (const each of days) {
      const subject = subjectOf({ ...range, from: each, to: each });
      const { totals } = await previewReport(ctx, subject, 1);
      expect(totals[0]?.amounts).toMatchObject({ gross: counted(each), net: counted(each) });
      const { totals: balances } = await previewReport(ctx, { ...subject, type: "balance" }, 1);
      const until = times.filter((at) => at < subject.before.getTime()).length;
      expect(balances[0]?.amounts.balance).toBe(until);
    }
  });
});

test("a day's activity and its payouts are what happened", async () => {
  const { ctx } = await busyShop();
  const day = today("UTC");
  const of = (type: ReportSubject["type"]) => rowsOf(ctx, subjectOf({ type, timeZone: "UTC", from: day, to: day }));
  const figures = { captures: 3, gross: 1_833, refund_count: 1, refunds: 0, fees: 34, net: 1_684 };
  const none = { disputes: 0, dispute_fees: 0 };
  expect(await of("activity")).toEqual([
    { day, currency: "EUR", ...figures, disputes: 100, dispute_fees: 15 },
    { day, currency: "JPY", captures: 1, gross: 90, refund_count: 0, refunds: 0, fees: 0, net: 90, ...none },
  ]);
  const payouts = await of("payouts");
  expect(
    payouts
      .map(({ movement, type, currency, amount, fee, net }) => [movement, type, currency, amount, fee, net].join(" "))
      .sort(),
  ).toEqual(
    [
      "payout charge EUR 1000 29 971",
      "payout charge EUR 333 5 328",
      "payout charge EUR 500 0 500",
      "payout charge JPY 90 0 90",
      "payout dispute EUR -100 15 -115",
      "payout refund EUR -200 0 -200",
      "payout_failure charge JPY -90 0 -90",
    ].sort(),
  );
});

test.each(["csv", "csv_excel", "xlsx"] as const)("the same report as %s twice is the same bytes", async (format) => {
  const { ctx } = await busyShop();
  const day = today("UTC");
  const fileOf = async (type: ReportSubject["type"]) => {
    const opened = await openReport(
      ctx,
      subjectOf({ type, timeZone: "Europe/Berlin", from: addDays(day, -1), to: addDays(day, 1) }),
    );
    const style = { format, locale: "de-DE", timeZone: "Europe/Berlin", title: type };
    const parts: Uint8Array[] = [];
    for await (const part of sheetParts(opened.batches, reportColumns(type, style), style))
      parts.push(typeof part === "string" ? new TextEncoder().encode(part) : part);
    await opened.close();
    return Buffer.concat(parts);
  };
  for (const type of REPORT_TYPES) {
    const [first, second] = [await fileOf(type), await fileOf(type)];
    expect(first.equals(second), type).toBe(true);
    expect(first.length).toBeGreaterThan(100);
  }
});

test("amounts have their currency's decimals in every file: none of yen, three of Kuwaiti dinars", async () => {
  const { test: environment } = await createTestMerchant(db);
  const ctx = testContext(service, environment);
  for (const [currency, amount] of [
    ["JPY", 1_234_567],
    ["KWD", 1_230],
    ["EUR", 5],
  ] as const)
    await insertBookedPayment(db, { environmentId: environment.id, amount, currency });
  const day = today("UTC");
  const grossIn = async (format: "csv" | "csv_excel", locale: string) => {
    const opened = await openReport(ctx, subjectOf({ type: "activity", timeZone: "UTC", from: day, to: day }));
    const style = { format, locale, timeZone: "UTC", title: "Activity" };
    let file = "";
    for await (const part of sheetParts(opened.batches, reportColumns("activity", style), style)) file += part;
    await opened.close();
    const lines = file.trimEnd().split(/\r?\n/).slice(1);
    return lines.map((line) => line.split(line.includes(";") ? ";" : ",")).map((cells) => `${cells[1]} ${cells[3]}`);
  };
  expect(await grossIn("csv", "de-DE")).toEqual(["EUR 5", "JPY 1234567", "KWD 1230"]);
  expect(await grossIn("csv_excel", "de-DE")).toEqual(["EUR 0,05", "JPY 1234567", "KWD 1,230"]);
  expect(await grossIn("csv_excel", "en-US")).toEqual(["EUR 0.05", "JPY 1234567", "KWD 1.230"]);
});

test("files name their columns, with amounts in minor units for programs only", async () => {
  const { ctx } = await busyShop();
  const day = today("UTC");
  const subject = subjectOf({ type: "activity", timeZone: "UTC", from: day, to: day }, "EUR");
  const csvOf = async (format: "csv" | "csv_excel") => {
    const opened = await openReport(ctx, subject);
    const style = { format, locale: "de-DE", timeZone: "UTC", title: "Activity" };
    let file = "";
    for await (const part of sheetParts(opened.batches, reportColumns("activity", style), style)) file += part;
    await opened.close();
    return file.trimEnd().split(/\r?\n/);
  };
  expect(await csvOf("csv")).toEqual([
    REPORT_COLUMNS.activity.map(({ name }) => name).join(","),
    `${day},EUR,3,1833,1,0,34,1684,100,15`,
  ]);
  expect(await csvOf("csv_excel")).toEqual([
    "\ufeffDay;Currency;Captures;Gross;Refund count;Refunds;Fees;Net;Disputes;Dispute fees",
    `${day};EUR;3;18,33;1;0,00;0,34;16,84;1,00;0,15`,
  ]);
});

test("a preview's rows and totals are of one moment while payments are booked", async () => {
  const { test: environment } = await createTestMerchant(db);
  const ctx = testContext(service, environment);
  const day = today("UTC");
  const subject = subjectOf({ type: "transactions", timeZone: "UTC", from: day, to: addDays(day, 1) });
  let isOver = false;
  const book = async () => {
    while (!isOver) await insertBookedPayment(db, { environmentId: environment.id, amount: 100 });
  };
  const writers = [book(), book(), book()];
  try {
    let seen = 0;
    for (let previews = 0; previews < 40 || seen === 0; previews++) {
      const { rows, totals } = await previewReport(ctx, subject, 10_000);
      seen = totals[0]?.rows ?? 0;
      expect(rows).toHaveLength(seen);
    }
  } finally {
    isOver = true;
    await Promise.all(writers);
  }
});
