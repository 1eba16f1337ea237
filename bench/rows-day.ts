import { connect, type Database } from "@/db/client";
import { startEmbedded } from "@/db/embedded";
import { foldDeltas } from "@/db/queries/reporting/daily-totals";
import { listUnsettledGroups } from "@/db/queries/settlement/settle";
import { testContext } from "@/e2e/fixtures/factories";
import { uuidAt } from "@/e2e/fixtures/many-rows";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { AppError } from "@/lib/contract/errors";
import { EXPORT_FORMATS } from "@/lib/contract/reporting/export-formats";
import { resolvePeriod } from "@/lib/contract/reporting/period";
import { REPORT_TYPES, type ReportType } from "@/lib/contract/reports/report-types";
import type { Context } from "@/lib/domain/context";
import { getOverview } from "@/lib/domain/reporting/overview";
import { openReport, previewReport, sumReportOf } from "@/lib/domain/reports/read-report";
import { getBalance } from "@/lib/domain/settlement/balance";
import { runPayoutsOf } from "@/lib/domain/settlement/payouts";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { reportColumns } from "@/lib/http/report-export";
import { sheetParts } from "@/lib/http/spreadsheet";

/**
 * A new merchant's day in the database that `bench:rows` has seeded:
 * `--payments 100000 --data-dir .data/bench-rows --rows 10000000`.
 */
const argument = (name: string, otherwise: string) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : (process.argv[at + 1] as string);
};
const PAYMENTS = Number(argument("payments", "100000"));
const DATA_DIR = argument("data-dir", ".data/bench-rows");
const DATABASE = `rows_${argument("rows", "10000000")}`;
const DAY_MS = 86_400_000;

const id = (of: string) => uuidAt("made.at", `'${of}' || made.i || model.environment_id`);
/** Columns of the day's rows that differ from those of the one real payment that they copy. */
const COPIES: readonly [table: string, columns: Record<string, string>][] = [
  [
    "payments",
    { id: id("pay"), charge_id: id("txn"), authorization_id: id("op"), created_at: "made.at", updated_at: "made.at" },
  ],
  [
    "transactions",
    {
      id: id("txn"),
      payment_id: id("pay"),
      ...{ authorized_at: "made.at", captured_at: "made.at", created_at: "made.at", updated_at: "made.at" },
    },
  ],
  ["operations", { id: id("op"), payment_id: id("pay"), transaction_id: id("txn"), created_at: "made.at" }],
  ["ledger_entries", { operation_id: id("op"), payment_id: id("pay"), created_at: "made.at" }],
];

/** Copies the environment's only payment over the last 24 hours, with its operation and ledger lines. */
async function copyPayment(db: Database, environmentId: string, count: number): Promise<void> {
  const now = new Date();
  for (const [table, columns] of COPIES) {
    const changes = Object.entries(columns).map(([name, value]) => `'${name}', ${value}`);
    const names = await db.sql<{ name: string }[]>`
      select quote_ident(attname) as name from pg_attribute
      where attrelid = ${table}::regclass and attnum > 0 and attgenerated = '' and not attisdropped`;
    const list = names.map(({ name }) => name).join(", ");
    await db.sql.begin(async (tx) => {
      // Search terms and events are not copied; the ledger's own trigger keeps the daily totals.
      if (table !== "ledger_entries") await tx`set local session_replication_role = replica`;
      await tx.unsafe(
        `insert into ${table} (${list})
        select ${names.map(({ name }) => `copied.${name}`).join(", ")}
        from ${table} model
        cross join (select i, $4::timestamptz - i * interval '1 ms' * $3::int as at
          from generate_series(1, $2::int) i) made
        cross join lateral jsonb_populate_record(model, jsonb_build_object(${changes.join(", ")})) copied
        where model.environment_id = $1`,
        [environmentId, count, Math.floor(DAY_MS / count), now],
      );
    });
  }
  while ((await foldDeltas(db.sql)) > 0);
  for (const [table] of COPIES) await db.sql.unsafe(`analyze ${table}`);
}

/** A preview that takes too long is refused. */
function refusalOf(error: unknown): string {
  if (error instanceof AppError) return error.code;
  throw error;
}

const rssMb = () => process.memoryUsage.rss() / 1e6;
const cell = (...values: readonly (string | number)[]) => process.stdout.write(`| ${values.join(" | ")} |\n`);

/** Prints the time, this process's own share of it, and its memory before and at its peak, sampled every 20 ms. */
async function measure(name: string, work: () => Promise<string | number>): Promise<void> {
  globalThis.gc?.();
  const before = rssMb();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, rssMb());
  }, 20);
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const result = await work()
    .catch(refusalOf)
    .finally(() => clearInterval(timer));
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const memory = [before, Math.max(peak, rssMb())].map((mb) => mb.toFixed(0));
  cell(name, seconds.toFixed(2), ((user + system) / 1e6).toFixed(2), ...memory, result);
}

async function measureReport(ctx: Context, type: ReportType): Promise<void> {
  const now = Date.now();
  const subject = {
    type,
    from: new Date(now - 2 * DAY_MS),
    before: new Date(now + DAY_MS),
    timeZone: "UTC",
    currency: undefined,
  };
  const { db } = ctx.service;
  await measure(`report ${type}: preview`, async () => {
    const { totals } = await previewReport(ctx, subject, 50);
    return `${totals[0]?.rows ?? 0} rows`;
  });
  await measure(`report ${type}: totals`, async () => {
    const totals = await sumReportOf(db.reading.long, ctx.environment.id, subject);
    return `${totals[0]?.rows ?? 0} rows`;
  });
  for (const format of EXPORT_FORMATS) {
    await measure(`report ${type}: ${format}`, async () => {
      const opened = await openReport(ctx, subject);
      const style = { format, locale: "en-US", timeZone: "UTC" };
      let bytes = 0;
      try {
        for await (const part of sheetParts(opened.batches, reportColumns(type, style), { ...style, title: type }))
          bytes += part.length;
      } finally {
        await opened.close();
      }
      return `${opened.total} rows, ${(bytes / 1e6).toFixed(1)} MB`;
    });
  }
}

async function measureDay(tenant: MoneyTenant, db: Database): Promise<void> {
  const ctx = testContext(tenant.service, tenant.merchant.test);
  const { environmentId } = tenant;
  cell("of the day", "s", "CPU s", "MB before", "MB at its peak", "result");
  cell("---", "---:", "---:", "---:", "---:", "---");
  await measure(
    "find what is unsettled, of all merchants",
    async () => `${(await listUnsettledGroups(db, null)).length} groups`,
  );
  await measure("settle", async () => {
    const batches = await runSettlement(tenant.service, { environmentId });
    const count = batches.reduce((sum, batch) => sum + Number(batch.charge_count), 0);
    return `${count} charges in ${batches.length} batches`;
  });
  await measure("pay out", async () => `${await runPayoutsOf(tenant.service, environmentId)} steps`);
  await measure("balance", async () => `${(await getBalance(ctx)).currencies.length} currencies`);
  await measure("overview: 30 days", async () => {
    await getOverview(ctx, { period: (today) => resolvePeriod("30-days", today), currency: null });
    return "";
  });
  for (const type of REPORT_TYPES) await measureReport(ctx, type);
}

const cluster = await startEmbedded({ dataDir: DATA_DIR, fsync: false });
const url = new URL(cluster.url);
url.pathname = `/${DATABASE}`;
const db = connect(url.href, { max: 4, maxOrm: 2 });
try {
  const tenant = await moneyTenant(db);
  await db.sql`update environments set fee_basis_points = 290 where id = ${tenant.environmentId}`;
  const { status, text } = await tenant.create({ customer_id: "cus_1", customer_email: "one@day.example" });
  if (status !== 201) throw new Error(text);
  const loading = connect(url.href, { max: 1, parameters: { statement_timeout: "0" } });
  const startedAt = performance.now();
  await copyPayment(loading, tenant.environmentId, PAYMENTS - 1);
  await loading.close();
  process.stderr.write(`${PAYMENTS} payments copied in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s\n`);
  await measureDay(tenant, db);
} finally {
  await db.close();
  await cluster.stop();
}
