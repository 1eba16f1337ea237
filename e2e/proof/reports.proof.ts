import { type Browser, chromium, type Page } from "playwright/test";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeId } from "@/lib/contract/ids";
import { seedDemoHistory } from "@/lib/server/demo/history";
import { findBrowser } from "../fixtures/browser";
import { testDatabase } from "../fixtures/database";
import { openDispute } from "../fixtures/disputes";
import { cookieOf, testUsers } from "../fixtures/users";
import { type ProofHost, startHost } from "./host";
import { minorUnits, readCsv, readXlsx, type Sheet } from "./sheet-files";

/**
 * A month of the demo shop, exported in every format and added up here, equals what the pages show, to the cent
 * and by currency, and the files agree with each other.
 */
const { db, url } = await testDatabase();
let host: ProofHost;
let browser: Browser;

/** The demo's shop, as its finance user sees it. */
type Shop = { environmentId: string; page: Page; cookie: string; files: Map<string, Promise<Buffer>> };
/** Two users, because an account may make only 20 exports in quick succession. */
let shops: readonly [Shop, Shop];

/** The last whole month, in UTC, which is the shop's time zone. */
const month = (() => {
  const now = new Date();
  const [from, before] = [-1, 0].map((shift) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + shift, 1)));
  const last = new Date((before as Date).getTime() - 1);
  const dayOf = (date: Date) => date.toISOString().slice(0, 10);
  return { from: dayOf(from as Date), to: dayOf(last), days: `${dayOf(from as Date)}..${dayOf(last)}` };
})();
const isInMonth = (time: string) => time.slice(0, 10) >= month.from && time.slice(0, 10) <= month.to;

const DISPUTED = 3;

beforeAll(async () => {
  host = await startHost({ whole: true, databaseUrl: url });
  const found = await findBrowser();
  browser = await chromium.launch({ ...found, env: { ...(process.env as Record<string, string>), ...found.env } });
  shops = [await newShop(), await newShop()];
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await host?.stop();
});

async function newShop(): Promise<Shop> {
  const { service, merchant, newUser } = await testUsers(db);
  const environmentId = merchant.test.id;
  await db.sql`update merchants set time_zone = 'UTC' where id = ${merchant.id}`;
  expect(await seedDemoHistory(service, environmentId)).toBeGreaterThan(1_000);
  const paid = await db.sql<{ id: string; at: string }[]>`
    select id, created_at::text as at from payments
    where environment_id = ${environmentId} and status = 'SETTLED' and created_at >= ${`${month.from}T12:00:00Z`}
    order by created_at limit ${DISPUTED}`;
  for (const [index, { id, at }] of paid.entries()) {
    const opened = { created_at: new Date(Date.parse(at) + 3_600_000), amount: 1_234 + index };
    const dispute = await openDispute({ service, db, environmentId }, encodeId("payment", id), opened);
    if (index === 0) await dispute.becomes({ status: "lost" });
  }
  const cookie = await cookieOf({ ...service, baseUrl: host.baseUrl }, await newUser("finance"));
  const page = await browser.newPage({ extraHTTPHeaders: { Cookie: cookie }, baseURL: host.baseUrl });
  return { environmentId, page, cookie, files: new Map() };
}

/** A file, downloaded once. */
function fileOf({ cookie, files }: Shop, path: string): Promise<Buffer> {
  const known = files.get(path) ?? download(path, cookie);
  files.set(path, known);
  return known;
}

async function download(path: string, cookie: string): Promise<Buffer> {
  const response = await fetch(host.baseUrl + path, { headers: { Cookie: cookie } });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${path} responds ${response.status}: ${body.toString().slice(0, 400)}`);
  return body;
}
const list = async (shop: Shop, path: string) => readCsv((await fileOf(shop, path)).toString("utf8"));

/** Cells of the table with this caption on the page that is open. */
async function tableOn({ page }: Shop, caption: string): Promise<{ headings: string[]; rows: string[][] }> {
  const table = page.getByRole("table", { name: caption, exact: true });
  await table.waitFor();
  const [headings = [], ...rows] = await table
    .getByRole("row")
    .evaluateAll((lines) => lines.map((line) => [...line.children].map((cell) => (cell.textContent ?? "").trim())));
  return { headings, rows };
}

/** Values of a column, by its heading. */
function column({ headings, rows }: Sheet, heading: string): string[] {
  const at = headings.indexOf(heading);
  if (at < 0) throw new Error(`there is no '${heading}' among ${headings.join(", ")}`);
  return rows.map((row) => row[at] as string);
}

type Sums = Record<string, bigint>;

/** Sums by currency of the rows that `isWanted` accepts. */
function sumsOf(
  sheet: Sheet,
  heading: string,
  {
    of = (text) => BigInt(text || "0"),
    isWanted = () => true,
    currencies = "currency",
  }: {
    of?: (text: string, currency: string) => bigint;
    isWanted?: (cell: (heading: string) => string) => boolean;
    currencies?: string;
  } = {},
): Sums {
  const [codes, values] = [column(sheet, currencies), column(sheet, heading)];
  const sums: Sums = {};
  for (const [index, code] of codes.entries()) {
    const cell = (name: string) => sheet.rows[index]?.[sheet.headings.indexOf(name)] ?? "";
    if (isWanted(cell)) sums[code] = (sums[code] ?? 0n) + of(values[index] as string, code);
  }
  return sums;
}

const plus = (one: Sums, other: Sums, sign = 1n): Sums =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((code) => [
      code,
      (one[code] ?? 0n) + sign * (other[code] ?? 0n),
    ]),
  );
const minus = (one: Sums, other: Sums): Sums => plus(one, other, -1n);

/** For each report, the columns that its page adds up: heading, name in the CSV, and `#` for counts. */
const TOTALS: Readonly<Record<string, readonly (readonly [heading: string, name: string, kind?: "#"])[]>> = {
  activity: [
    ["Captures", "captures", "#"],
    ["Gross", "gross"],
    ["Refund count", "refund_count", "#"],
    ["Refunds", "refunds"],
    ["Fees", "fees"],
    ["Net", "net"],
    ["Disputes", "disputes"],
    ["Dispute fees", "dispute_fees"],
  ],
  balance: [
    ["Pending", "pending"],
    ["Available", "available"],
    ["In payout", "in_payout"],
    ["Balance", "balance"],
    ["In dispute", "in_dispute"],
  ],
  payouts: [
    ["Amount", "amount"],
    ["Fee", "fee"],
    ["Net", "net"],
  ],
  fees: [
    ["Captured", "captured"],
    ["Fee", "fee"],
  ],
  disputes: [
    ["Disputed", "amount"],
    ["Lost", "lost"],
    ["Processor’s fee", "fee"],
  ],
  subscriptions: [
    ["Paying", "paying", "#"],
    ["MRR", "mrr"],
    ["Churned", "churned", "#"],
    ["Churned MRR", "churned_mrr"],
  ],
  transactions: [
    ["Amount", "amount"],
    ["Fee", "fee"],
    ["Net", "net"],
  ],
};

const exported = (type: string) => `/test/reports/export?type=${type}&created=${month.days}`;

type Totals = (typeof TOTALS)[string];

/** Sums that the report's page shows, by heading and currency. */
async function sumsOn(
  shop: Shop,
  type: string,
  columns: Totals,
): Promise<{ shown: Record<string, Sums>; rows: number }> {
  await shop.page.goto(`/test/reports?type=${type}&created=${month.days}`);
  const totals = await tableOn(shop, "Totals by currency");
  expect(totals.rows.length).toBeGreaterThan(0);
  const shown = columns.map(([heading, , kind]) => {
    const at = totals.headings.indexOf(heading);
    expect(at, `${heading} in ${totals.headings}`).toBeGreaterThan(0);
    const sums = totals.rows.map((row) => {
      const [code = ""] = row;
      const text = row[at] as string;
      return [code, kind ? BigInt(text.replaceAll(",", "")) : minorUnits(text, code)] as const;
    });
    return [heading, Object.fromEntries(sums)] as const;
  });
  const rows = totals.rows.reduce((sum, row) => sum + Number(row.at(-1)?.replaceAll(",", "")), 0);
  return { shown: Object.fromEntries(shown), rows };
}

/** A balance's lines add up to its closing line, which the page shows as the total. */
const without = (type: string, heading: string, closing: string) => ({
  isWanted: (cell: (heading: string) => string) => type !== "balance" || cell(heading) !== closing,
});

test.each(Object.entries(TOTALS))("each file of the report %s adds up to the page's totals", async (type, columns) => {
  const [one, other] = shops;
  const { shown, rows } = await sumsOn(one, type, columns);
  const german = await sumsOn(other, type, columns);
  const plain = await list(one, exported(type));
  const workbook = readXlsx(await fileOf(one, `${exported(type)}&format=xlsx`));
  const excel = readCsv((await fileOf(other, `${exported(type)}&format=csv_excel&locale=de-DE`)).toString("utf8"), ";");
  expect(workbook.rows).toHaveLength(plain.rows.length);
  if (type !== "balance") expect([plain.rows.length, excel.rows.length]).toEqual([rows, german.rows]);
  const words = { ...without(type, "Movement", "Closing balance"), currencies: "Currency" };
  for (const [heading, name, kind] of columns) {
    const read = (decimal: "." | ",") => (text: string, code: string) =>
      text === "" ? 0n : kind ? BigInt(text) : minorUnits(text, code, decimal);
    expect(sumsOf(plain, name, without(type, "line", "closing")), `${name} of the CSV`).toEqual(shown[heading]);
    expect(sumsOf(workbook, heading, { of: read("."), ...words }), `${heading} of Excel`).toEqual(shown[heading]);
    expect(sumsOf(excel, heading, { of: read(","), ...words }), `${heading} in German`).toEqual(german.shown[heading]);
  }
});

test("the month's reports agree with each other, and with the lists' files", async () => {
  const [, shop] = shops;
  const [activity, balance, payouts, fees, moved] = (await Promise.all(
    ["activity", "balance", "payouts", "fees", "transactions"].map((type) => list(shop, exported(type))),
  )) as [Sheet, Sheet, Sheet, Sheet, Sheet];
  const line = (name: string, heading: string) =>
    sumsOf(balance, heading, { isWanted: (cell) => cell("line") === name });
  const gross = sumsOf(activity, "gross");
  const refunds = sumsOf(activity, "refunds");
  expect(Object.keys(gross).sort()).toEqual(["EUR", "USD"]);
  expect(minus(minus(gross, refunds), sumsOf(activity, "fees"))).toEqual(sumsOf(activity, "net"));
  expect(sumsOf(moved, "amount")).toEqual(minus(gross, refunds));
  expect(sumsOf(moved, "net")).toEqual(sumsOf(activity, "net"));
  expect(sumsOf(fees, "fee")).toEqual(sumsOf(activity, "fees"));
  expect(sumsOf(fees, "captured")).toEqual(gross);
  expect(line("captures", "pending")).toEqual(gross);
  expect(line("fees", "pending")).toEqual(minus({}, sumsOf(activity, "fees")));
  expect(sumsOf(payouts, "net")).toEqual(plus(line("payouts", "in_payout"), line("payout_failures", "in_payout")));

  const transactions = await list(shop, "/test/transactions/export");
  const captured = (cell: (heading: string) => string) => cell("type") === "CHARGE" && isInMonth(cell("captured_at"));
  expect(sumsOf(transactions, "amount_captured_minor", { isWanted: captured })).toEqual(gross);
  expect(sumsOf(transactions, "fee_minor", { isWanted: captured })).toEqual(sumsOf(activity, "fees"));
  const refunded = (cell: (heading: string) => string) =>
    cell("type") === "REFUND" && cell("status") !== "FAILED" && isInMonth(cell("refunded_at"));
  expect(sumsOf(transactions, "amount_minor", { isWanted: refunded })).toEqual(refunds);

  const batches = await list(shop, "/test/settlement-batches/export");
  const net = minus(
    sumsOf(batches, "charge_amount"),
    minus(sumsOf(batches, "refund_amount"), sumsOf(batches, "reversal_amount")),
  );
  expect(minus(net, sumsOf(batches, "fee_amount"))).toEqual(sumsOf(batches, "net_amount"));
  const movements = await list(shop, "/test/balance/export");
  const paidOut = sumsOf(batches, "net_amount", { isWanted: (cell) => cell("payout_id") !== "" });
  const paid = await list(shop, "/test/payouts/export");
  const sent = sumsOf(paid, "amount", { isWanted: (cell) => cell("status") !== "FAILED" });
  expect(minus(sent, await disputesPaidOut(shop))).toEqual(paidOut);
  const isPayout = (cell: (heading: string) => string) => cell("type").startsWith("payout");
  expect(sumsOf(movements, "amount", { isWanted: isPayout })).toEqual(minus({}, sent));
  const inMonth = (types: readonly string[]) => ({
    isWanted: (cell: (heading: string) => string) => types.includes(cell("type")) && isInMonth(cell("created_at")),
  });
  expect(sumsOf(movements, "amount", inMonth(["capture"]))).toEqual(gross);
  expect(sumsOf(movements, "amount", inMonth(["fee"]))).toEqual(minus({}, sumsOf(activity, "fees")));
  expect(sumsOf(movements, "amount", inMonth(["refund", "refund_reversal"]))).toEqual(minus({}, refunds));

  const disputes = await list(shop, "/test/disputes/export");
  expect(disputes.rows).toHaveLength(DISPUTED);
  expect(sumsOf(disputes, "amount")).toEqual(sumsOf(await list(shop, exported("disputes")), "amount"));
});

/** The part of the payouts' amounts that disputes took: the first payout after a dispute includes it. */
async function disputesPaidOut({ environmentId }: Shop): Promise<Sums> {
  const rows = await db.sql<{ currency: string; amount: string }[]>`
    select currency, sum(amount + fee)::text as amount from dispute_movements
    where environment_id = ${environmentId} and payout_id is not null group by currency`;
  return Object.fromEntries(rows.map(({ currency, amount }) => [currency, BigInt(amount)]));
}

test("what disputes took is in the reports of the day on which they were reported", async () => {
  const [shop] = shops;
  const today = new Date().toISOString().slice(0, 10);
  const of = (type: string) => list(shop, `/test/reports/export?type=${type}&created=${month.from}..${today}`);
  const [activity, moved] = [await of("activity"), await of("transactions")];
  const disputes = await list(shop, "/test/disputes/export");
  expect(sumsOf(activity, "disputes")).toMatchObject(sumsOf(disputes, "amount"));
  expect(sumsOf(activity, "dispute_fees")).toMatchObject(sumsOf(disputes, "fee"));
  const taken = { isWanted: (cell: (heading: string) => string) => cell("type").startsWith("dispute") };
  const gone = plus(sumsOf(disputes, "amount"), sumsOf(disputes, "fee"));
  expect(sumsOf(moved, "amount", taken)).toEqual(minus({}, gone));
  expect(sumsOf(moved, "net")).toEqual(sumsOf(activity, "net"));
});

test("the balance's movements add up to the closing balance that the page shows", async () => {
  const [, shop] = shops;
  const movements = await list(shop, "/test/balance/export");
  await shop.page.goto("/test/balance?period=this_year");
  // A settlement only moves money from pending to available.
  const moving = { isWanted: (cell: (heading: string) => string) => cell("type") !== "settlement" };
  for (const [code, sum] of Object.entries(sumsOf(movements, "amount", moving))) {
    const statement = await tableOn(shop, `From the opening to the closing balance in ${code}`);
    const closing = statement.rows.at(-1) ?? [];
    expect(closing[0]).toBe("Closing balance");
    const [pending, available] = closing.slice(1).map((text) => minorUnits(text, code)) as [bigint, bigint];
    expect(pending + available, code).toBe(sum);
  }
});
