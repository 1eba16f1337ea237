import { expect, test } from "vitest";
import { findEnvironmentsToEmpty, removeAbandonedRows } from "@/db/queries/accounts/abandoned";
import { foldDeltas } from "@/db/queries/reporting/daily-totals";
import { readLedgerDifference } from "@/db/queries/service/figures";
import { openShop } from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";
import { says } from "@/e2e/fixtures/scripted-processor";
import { newId } from "@/lib/ids";
import { createApiKey } from "../api-keys/issue-keys";
import { processReports } from "../payments/process-reports";
import { chainAuditLogs } from "../reconciliation/audit-chain";
import { verifyBooks } from "../reconciliation/verify-books";
import { runSettlement } from "../settlement/settle";
import { closeAbandonedAccounts, removeAbandonedData } from "./sign-up";

const { db } = await testDatabase();
const card = (number: string) => ({ card: { number, exp_month: 12, exp_year: 2040, cvv: "123" } });

/** A test mode with every kind of data, of an account opened `days` ago. */
async function busySandbox({ days = 31, verified = false } = {}) {
  const shop = await openShop(db);
  const { tenant } = shop;
  const { merchant, service } = tenant;
  await shop.pay();
  const { body: settled } = await tenant.create();
  await tenant.act("refund", settled.id, { amount: 100 });
  const { body: failing } = await tenant.create(card("4000000000005126"));
  await tenant.act("refund", failing.id);
  await runSettlement(service, { environmentId: merchant.test.id });
  await db.sql`update sandbox_processor.reports set due_at = now() - interval '1 second' where account = ${merchant.test.id}`;
  await processReports(service);
  await runSettlement(service, { environmentId: merchant.test.id });
  await tenant.create(card("4000000000000002"));
  await tenant.create({ capture_method: "manual" });
  tenant.script.next(says({ kind: "unknown", reason: "nobody knows" }));
  await tenant.create();
  await createApiKey(service, { environmentId: merchant.test.id, name: "K", permissions: ["payment.read"] });
  while ((await foldDeltas(service.db.sql)) > 0);
  const user = newId();
  await db.sql`insert into users (id, merchant_id, email, owns_email, role, password_hash, created_at)
    values (${user}, ${merchant.id}, ${`${user}@stranger.example`}, ${verified}, 'owner', '', now() - make_interval(days => ${days}::int))`;
  await db.sql`update merchants set created_at = now() - make_interval(days => ${days}::int) where id = ${merchant.id}`;
  return { tenant, service, merchant, user };
}

const TABLES = await db.sql<{ name: string }[]>`
  select attrelid::regclass::text as name from pg_attribute join pg_class c on c.oid = attrelid
  where attname = 'environment_id' and c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace order by 1`;

/** The environment's row count by table, including those of the sandbox processor. */
async function rowsOf(environmentId: string): Promise<Record<string, number>> {
  const of = (name: string, column: string) =>
    db.sql`select count(*)::int as count from ${db.sql.unsafe(name)} where ${db.sql(column)} = ${environmentId}`;
  const found: [string, number][] = [];
  for (const { name } of TABLES) found.push([name, (await of(name, "environment_id"))[0]?.count]);
  for (const name of ["charges", "operations", "reports"]) {
    found.push([`sandbox ${name}`, (await of(`sandbox_processor.${name}`, "account"))[0]?.count]);
  }
  return Object.fromEntries(found.filter(([, count]) => count > 0));
}

const faults = async () => (await verifyBooks(db)).checks.filter(({ count }) => count > 0);
const aged = (id: string) =>
  db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update environments set abandoned_at = now() - interval '61 minutes' where id = ${id}`;
  });

test("test data of an account without a verified address is removed completely, and the books hold at every step", async () => {
  const [abandoned, neighbor] = [await busySandbox(), await busySandbox({ verified: true })];
  const { service, merchant } = abandoned;
  while ((await chainAuditLogs(service)) > 0);
  const before = await rowsOf(neighbor.merchant.test.id);
  const had = await rowsOf(merchant.test.id);
  expect(Object.keys(had)).toEqual(expect.arrayContaining(["ledger_entries", "settlement_batches", "sandbox reports"]));
  expect(await faults()).toEqual([]);
  expect(await closeAbandonedAccounts(service, 30)).toBe(1);
  expect(await removeAbandonedData(service), "calls may be under way for an hour").toBe(0);
  await aged(merchant.test.id);
  expect(await findEnvironmentsToEmpty(service.db.sql, 10)).toEqual([merchant.test.id]);
  for (let removed = 1; removed > 0; ) {
    const pieces = [1, 2, 3].map(() => removeAbandonedRows(service.db.sql, merchant.test.id, 9));
    removed = Math.max(...(await Promise.all(pieces)));
    expect(await faults()).toEqual([]);
    expect(await readLedgerDifference(db.sql)).toBe(0);
  }
  while ((await chainAuditLogs(service)) > 0);
  expect(await rowsOf(merchant.test.id)).toEqual({ audit_log: had.audit_log, audit_links: had.audit_log });
  expect(await findEnvironmentsToEmpty(service.db.sql, 10)).toEqual([]);
  expect(await faults()).toEqual([]);
  expect(await rowsOf(neighbor.merchant.test.id)).toEqual(before);
});

test("every table of an environment is emptied, except the audit log and rows removed with the users", async () => {
  const [row] = await db.sql<[{ source: string }]>`
    select prosrc as source from pg_proc where proname = 'remove_abandoned'`;
  const left = TABLES.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(row.source)).map(({ name }) => name);
  const withUsers = ["report_mails", "saved_views"];
  expect(left).toEqual(["audit_links", "audit_log", "audit_pending", ...withUsers, "support_audit_log"]);
});

test("a verified address, a young account, a live key and 0 days keep the data", async () => {
  const kept = [await busySandbox({ verified: true }), await busySandbox({ days: 29 }), await busySandbox()];
  const [, , withLiveKey] = kept;
  if (!withLiveKey) throw new Error("there are three");
  const { service, merchant } = withLiveKey;
  await createApiKey(service, { environmentId: merchant.live.id, name: "L", permissions: ["payment.read"] });
  const plain = await busySandbox();
  expect(await closeAbandonedAccounts(service, 0)).toBe(0);
  await db.sql`delete from users where id = ${plain.user}`;
  expect(await closeAbandonedAccounts(service, 30)).toBe(0);
  for (const { merchant: one } of kept) {
    const say = service.db.sql`update environments set abandoned_at = now() where id = ${one.test.id}`;
    await expect(say).rejects.toThrow(/is not abandoned/);
  }
  const nobodys = service.db.sql`update environments set abandoned_at = now() where id = ${plain.merchant.test.id}`;
  await expect(nobodys).rejects.toThrow(/is not abandoned/);
});

test("no role removes data that is not abandoned, unmarks abandoned data, or marks live data", async () => {
  const { service, merchant } = await busySandbox();
  const { sql } = service.db;
  for (const id of [merchant.test.id, merchant.live.id]) {
    await expect(sql`select remove_abandoned(${id}, 10)`).rejects.toThrow(/is not abandoned/);
  }
  const live = sql`update environments set abandoned_at = now() where id = ${merchant.live.id}`;
  await expect(live).rejects.toThrow(/is not abandoned/);
  const inside = service.db.within(merchant.test.id).sql;
  await expect(inside`select remove_abandoned(${merchant.test.id}, 10)`).rejects.toThrow(/permission denied/);
  await expect(db.sql`delete from ledger_entries where environment_id = ${merchant.test.id}`).rejects.toThrow(/append/);

  expect(await closeAbandonedAccounts(service, 30)).toBe(1);
  for (const change of ["abandoned_at = null", "abandoned_at = now() - interval '2 hours'", "mode = 'live'"]) {
    const update = sql.unsafe(`update environments set ${change} where id = '${merchant.test.id}'`);
    await expect(update, change).rejects.toThrow(/abandoned|keeps its mode/);
  }
  for (const table of ["payments", "operations", "ledger_entries", "events", "audit_log"]) {
    const remove = sql.unsafe(`delete from ${table} where environment_id = '${merchant.test.id}'`);
    await expect(remove, table).rejects.toThrow(/permission denied/);
  }
  await expect(db.sql`delete from audit_log where environment_id = ${merchant.test.id}`).rejects.toThrow(/append/);
  await expect(db.sql`update ledger_entries set amount = 1 where environment_id = ${merchant.test.id}`).rejects.toThrow(
    /append/,
  );
});

test("an environment marked as abandoned by force is still reconciled", async () => {
  const { merchant } = await busySandbox({ verified: true });
  await db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update environments set abandoned_at = now() where id = ${merchant.test.id}`;
    await tx`update daily_totals set amount = amount + 1 where environment_id = ${merchant.test.id}`;
  });
  expect((await faults()).map(({ check, rows }) => [check, rows[0]?.problem])).toContainEqual([
    "abandoned_is_test_data",
    "the account has members",
  ]);
});
