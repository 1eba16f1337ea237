import { beforeAll, describe, expect, it } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, type TestMerchant, testContext, testService } from "@/e2e/fixtures/factories";
import { resolvePeriod } from "@/lib/contract/reporting/period";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import { ATTENTION } from "@/lib/contract/transactions/words";
import { idAt, newId } from "@/lib/ids";
import { searchTransactions } from "../transactions/read-transactions";
import { getOverview, listAttention } from "./overview";

// Few connections, because read statistics are known only once each connection has flushed its own.
const { db } = await testDatabase({ own: true });
const service = testService(db);
const MERCHANTS = 20;
const DAYS = 730;
let big: TestMerchant;

const TABLES = ["daily_totals", "total_deltas", "payments", "transactions", "operations", "ledger_entries"];

async function rowsRead(): Promise<{ table: string; scans: number; rows: number }[]> {
  const { sql, orm } = db.within(big.test.id);
  // Every connection flushes its own statistics: enough concurrent statements that each connection runs one.
  const flush = Array.from({ length: 4 }, () => [
    db.sql`select pg_stat_force_next_flush()`,
    sql`select pg_stat_force_next_flush(), pg_sleep(0.05)`,
    orm.execute("select pg_stat_force_next_flush(), pg_sleep(0.05)"),
  ]);
  await Promise.all(flush.flat());
  // A separate transaction, so that this read sees the flushed statistics.
  return await db.sql`
    select relname as table, seq_scan as scans, (coalesce(idx_tup_fetch, 0) + seq_tup_read)::bigint as rows
    from pg_stat_user_tables where relname = any(${TABLES}::text[]) and schemaname = 'public'`;
}

/** Runs a read and returns the rows it fetched per table; fails if it scanned a table sequentially. */
async function readsOf(read: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await rowsRead();
  await read();
  const after = await rowsRead();
  const changes = after.map((now) => {
    const was = before.find((row) => row.table === now.table) ?? { scans: 0, rows: 0 };
    return { table: now.table, scans: now.scans - was.scans, rows: now.rows - was.rows };
  });
  expect(changes.filter((change) => change.scans > 0)).toEqual([]);
  return Object.fromEntries(changes.map((change) => [change.table, change.rows]));
}

beforeAll(async () => {
  const merchants = await Promise.all(Array.from({ length: MERCHANTS }, (_, i) => createTestMerchant(db, `Shop ${i}`)));
  big = merchants[0] as TestMerchant;
  const ids = merchants.map((merchant) => merchant.test.id);
  const now = Date.now();
  const payments = ids.flatMap((of) => Array.from({ length: 4_000 }, (_, i) => ({ of, id: idAt(new Date(now + i)) })));
  await db.sql`update merchants set created_at = now() - interval '730 days'`;
  await db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into daily_totals (environment_id, currency, day, measure, amount, count)
      select e, c, current_date - d, m, 1000, 10
      from unnest(${ids}::uuid[]) e, unnest(array['USD', 'EUR']) c, generate_series(0, ${DAYS}::int) d,
        unnest(array['captured', 'refunded', 'fee', 'approved', 'declined', 'declined:lost_card']) m`;
    await tx`
      insert into total_deltas (environment_id, currency, measure, amount, count)
      select e, 'USD', 'captured', 7, 1 from unnest(${ids}::uuid[]) e, generate_series(1, 300)`;
    await tx`
      insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, capture_method, capture_before,
        created_at, updated_at)
      select e, id, id, id, case when i % 20 = 0 then 'AUTHORIZED' else 'SETTLED' end, 'USD', 500, 'manual',
        case when i % 20 = 0 then now() + (i || ' minutes')::interval end, uuid_time(id), uuid_time(id)
      from (select e, id, row_number() over (partition by e order by id) as i
        from unnest(${payments.map(({ of }) => of)}::uuid[], ${payments.map(({ id }) => id)}::uuid[]) r (e, id)) r`;
    await tx`
      insert into transactions (environment_id, id, payment_id, type, status, amount, currency, metadata, refund_of, created_at, updated_at)
      select environment_id, id, id, 'REFUND', case when i % 100 = 0 then 'FAILED' else 'SETTLED' end, 500, 'USD', '{}', id,
        created_at, now() - (i % 60) * interval '1 day'
      from (select *, row_number() over (partition by environment_id order by id) as i from payments) p`;
  });
  await db.sql`vacuum (analyze) daily_totals, total_deltas, payments, transactions, operations`;
}, 120_000);

describe("the overview's queries", () => {
  it.each(["7-days", "30-days", "all"] as const)("%s: reads only one merchant's days", async (name) => {
    const rows = await readsOf(() =>
      getOverview(testContext(service, big.test), { period: (today) => resolvePeriod(name, today), currency: "EUR" }),
    );
    // Two periods of six measures; captures by currency; one or two rows per currency for its first day.
    const days = { "7-days": 7, "30-days": 30, all: DAYS + 1 }[name];
    expect(rows).toMatchObject({ payments: 0, transactions: 0, operations: 0, ledger_entries: 0 });
    expect(rows.daily_totals).toBeLessThanOrEqual(days * 6 * 2 + days * 6 * 2 + 10);
    expect(rows.total_deltas).toBeLessThanOrEqual(600);
  });
  it("attention: its own few rows", async () => {
    // Two of them still have a lease, although their process died.
    await db.sql`
      insert into operations (environment_id, id, payment_id, transaction_id, kind, state, amount, currency, actor, lease_until, send_until,
        next_attempt_at, unknown_at)
      select environment_id, id, id, id, 'capture', 'open', 500, 'USD', '{"type":"system","id":null}', now(), now(), now(),
        case when row_number() over () > 2 then now() end
      from payments where environment_id = ${big.test.id} limit 7`;
    const ctx = testContext(service, big.test);
    const rows = await readsOf(() => listAttention(ctx));
    expect(rows).toMatchObject({ daily_totals: 0, total_deltas: 0, ledger_entries: 0 });
    const items = await listAttention(ctx);
    expect(items.map((item) => item.kind)).toEqual(["unknown_outcome", "failed_refund", "expiring", "to_capture"]);
    expect(items.map((item) => item.rows.length)).toEqual([5, Math.min(5, items[1]?.count ?? 0), 5, 0]);
    const counts = Object.fromEntries(items.map((item) => [item.kind, item.count]));
    expect(counts).toMatchObject({ unknown_outcome: 7, expiring: 72 });
    expect(rows.operations).toBe(7);
    const [held] = await db.sql<{ count: number }[]>`
      select count(*)::int from payments where environment_id = ${big.test.id} and status = 'AUTHORIZED'`;
    expect(counts.to_capture).toBe(held?.count);
    // Payments to capture are counted in the index only.
    expect(rows.payments).toBe(counts.expiring);
    expect(rows.transactions).toBe(counts.failed_refund);
    await db.sql`update payments set capture_reversed_at = now() where environment_id = ${big.test.id} and id = any(array(
      select id from payments where environment_id = ${big.test.id} and status = 'SETTLED' limit 2))`;
    const [, , reversed] = await listAttention(ctx);
    expect(reversed).toMatchObject({ kind: "capture_reversed", count: 2, rows: [{}, {}] });
    counts.capture_reversed = 2;
    for (const kind of ATTENTION) {
      const body = searchTransactionsBody.parse({ filters: { attention: [kind] }, limit: 100 });
      expect(await searchTransactions(ctx, body), kind).toMatchObject({ total: counts[kind] });
    }
  });
  it("the latest transactions: a page", async () => {
    const rows = await readsOf(() =>
      searchTransactions(testContext(service, big.test), searchTransactionsBody.parse({ limit: 8 })),
    );
    expect(rows.daily_totals).toBe(0);
  });
  it("does not see other merchants", async () => {
    const other = await createTestMerchant(db, newId());
    const overview = await getOverview(testContext(service, other.test), {
      period: (today) => resolvePeriod("all", today),
      currency: null,
    });
    expect(overview).toMatchObject({ currency: null, currencies: [], figures: { gross: 0 }, declines: [] });
    expect(await listAttention(testContext(service, other.test))).toEqual([]);
  });
});
