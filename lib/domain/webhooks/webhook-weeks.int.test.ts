import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, inject, test } from "vitest";
import { connect } from "@/db/client";
import { migrate } from "@/db/migrate";
import { createDatabase, dropDatabase } from "@/e2e/fixtures/cluster";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, testService } from "@/e2e/fixtures/factories";
import { idAt, newId } from "@/lib/ids";
import { removeOldWebhookDeliveries } from "./deliveries";

const { db } = await testDatabase({ own: true });
const service = testService(db);
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

/** Monday of a time's week, as partitions are named. */
function weekOf(time: Date): string {
  const monday = new Date(time.getTime() - ((time.getUTCDay() + 6) % 7) * DAY_MS);
  return monday.toISOString().slice(0, 10).replaceAll("-", "");
}

const weeks = async () =>
  (
    await db.sql<{ name: string }[]>`
      select relname as name from pg_class where relnamespace = 'webhook_weeks'::regnamespace and relkind = 'r' order by 1`
  ).map(({ name }) => name);

/** A delivered event of this time, with an attempt, and the partitions of both. */
async function delivered(environmentId: string, at: Date, on = db) {
  const [id, endpoint, event] = [idAt(at), newId(), idAt(at)];
  const time = at.toISOString();
  await on.sql`
    insert into webhook_deliveries (environment_id, id, endpoint_id, event_id, event_type, status, next_attempt_at, created_at, updated_at)
    values (${environmentId}, ${id}, ${endpoint}, ${event}, 'payment.captured', 'DELIVERED', ${time}, ${time}, ${time})`;
  await on.sql`
    insert into webhook_attempts (environment_id, delivery_id, id, url, payload, request_headers, duration_ms, created_at)
    values (${environmentId}, ${id}, ${newId()}, 'https://shop.example', 'full', '{}', 5, ${time})`;
  return { id, endpoint, event };
}

async function partitionsOf(id: string): Promise<string[]> {
  const rows = await db.sql<{ name: string }[]>`
    select tableoid::regclass::text as name from webhook_deliveries where id = ${id}
    union all select tableoid::regclass::text from webhook_attempts where delivery_id = ${id} order by 1`;
  return rows.map(({ name }) => name.replace("webhook_weeks.", ""));
}

async function keepAll() {
  while ((await removeOldWebhookDeliveries(service)) > 0);
}

test("deliveries of a week without partitions are kept, and moved once the week has them; two processes add it once", async () => {
  const { test: environment } = await createTestMerchant(db);
  const later = new Date(Date.now() + 14 * DAY_MS);
  // The template of this database may be from last week.
  const before = await weeks();
  await db.sql.unsafe(
    `drop table if exists webhook_weeks.deliveries_${weekOf(later)}, webhook_weeks.attempts_${weekOf(later)}`,
  );
  const ids = [await delivered(environment.id, new Date()), await delivered(environment.id, later)].map(({ id }) => id);
  const [now, ahead] = ids as [string, string];
  expect(await partitionsOf(ahead)).toEqual(["attempts_others", "deliveries_others"]);
  await Promise.all([keepAll(), keepAll()]);
  await keepAll();
  expect(await partitionsOf(now)).toEqual([`attempts_${weekOf(new Date())}`, `deliveries_${weekOf(new Date())}`]);
  expect(await partitionsOf(ahead)).toEqual([`attempts_${weekOf(later)}`, `deliveries_${weekOf(later)}`]);
  const expected = [0, 7, 14].map((days) => weekOf(daysAgo(-days)));
  const past = before.filter((name) => (name.split("_")[1] ?? "") < weekOf(new Date()));
  const present = ["attempts", "deliveries"].flatMap((of) => [...expected, "others"].map((week) => `${of}_${week}`));
  expect(await weeks()).toEqual([...past, ...present].toSorted());
});

test("weeks that ended over 90 days ago are dropped, with rows of no week from then, and none of a later time", async () => {
  const { test: environment } = await createTestMerchant(db);
  const old = daysAgo(110);
  const monday = `${weekOf(old).slice(0, 4)}-${weekOf(old).slice(4, 6)}-${weekOf(old).slice(6)}`;
  await db.sql`select add_webhook_week(${monday}::date)`;
  const made = await Promise.all([110, 100, 91, 89, 0].map((days) => delivered(environment.id, daysAgo(days))));
  expect(await partitionsOf(made[0]?.id as string)).toEqual([`attempts_${weekOf(old)}`, `deliveries_${weekOf(old)}`]);
  await keepAll();
  expect((await weeks()).filter((name) => name.endsWith(weekOf(old)))).toEqual([]);
  const left = await db.sql<{ id: string }[]>`
    select id from webhook_deliveries where environment_id = ${environment.id} order by id`;
  expect(left.map(({ id }) => id)).toEqual(made.slice(3).map(({ id }) => id));
  const attempts = await db.sql`select delivery_id from webhook_attempts where environment_id = ${environment.id}`;
  expect(attempts).toHaveLength(2);
});

test("a drop that would have to wait for a reader gives up, and a payment's event doesn't wait for the reader", async () => {
  const { test: environment } = await createTestMerchant(db);
  await db.sql`select add_webhook_week('2001-01-01')`;
  await db.sql.begin(async (reader) => {
    await reader`select count(*) from webhook_deliveries`;
    const job = removeOldWebhookDeliveries(service);
    // Queued behind the drop, which would otherwise wait for as long as this transaction reads.
    await delivered(environment.id, new Date());
    expect(await job).toBe(0);
  });
  expect(await removeOldWebhookDeliveries(service)).toBe(1);
  expect(await weeks()).not.toContain("deliveries_20010101");
});

test("an event has one delivery to an endpoint, in a week and in none", async () => {
  const { test: environment } = await createTestMerchant(db);
  for (const at of [new Date(), daysAgo(-400)]) {
    const { endpoint, event } = await delivered(environment.id, at);
    const again = () => db.sql`
      insert into webhook_deliveries (environment_id, id, endpoint_id, event_id, event_type, status, next_attempt_at, created_at, updated_at)
      values (${environment.id}, ${idAt(at)}, ${endpoint}, ${event}, 'payment.captured', 'PENDING', now(), now(), now())
      on conflict do nothing returning id`;
    expect([...(await again())]).toEqual([]);
  }
});

test("no role has access to a partition of deliveries without the tables' rights and row-level security", async () => {
  const { test: environment } = await createTestMerchant(db);
  const own = service.db.within(environment.id).sql;
  for (const sql of [own, service.db.sql]) {
    for (const name of await weeks()) {
      const read = sql.unsafe(`select count(*) from webhook_weeks.${name}`);
      await expect(read).rejects.toMatchObject({ code: "42501" });
    }
    await expect(sql`select add_webhook_week('2001-01-01')`).rejects.toMatchObject({ code: "42501" });
  }
  await expect(own`select keep_webhook_weeks()`).rejects.toMatchObject({ code: "42501" });
});

test("deleting one environment's rows by their place leaves another's with the same place in another week", async () => {
  const [abandoned, other] = [await createTestMerchant(db), await createTestMerchant(db)];
  await delivered(abandoned.test.id, new Date());
  for (let row = 0; row < 20; row++) await delivered(other.test.id, daysAgo(-400));
  await db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update environments set abandoned_at = now() where id = ${abandoned.test.id}`;
  });
  for (let removed = 1; removed > 0; )
    removed = Number((await db.sql`select remove_abandoned(${abandoned.test.id}, 100) as removed`)[0]?.removed);
  const rows = await db.sql`
    select environment_id from webhook_deliveries where environment_id in (${abandoned.test.id}, ${other.test.id})
    union all select environment_id from webhook_attempts where environment_id in (${abandoned.test.id}, ${other.test.id})`;
  expect(rows.map((row) => row.environment_id)).toEqual(Array(40).fill(other.test.id));
});

/** The migrations before the one with this name. */
function folderBefore(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "cardlane-migrations-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  cpSync("db/migrations", folder, { recursive: true });
  const file = join(folder, "meta", "_journal.json");
  const journal = JSON.parse(readFileSync(file, "utf8")) as { entries: { tag: string }[] };
  const at = journal.entries.findIndex(({ tag }) => tag.endsWith(name));
  expect(at).toBeGreaterThan(0);
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, at) }));
  return folder;
}

test("the migration keeps every delivery and attempt, of whatever time", async () => {
  const name = `test_${newId().replaceAll("-", "")}`;
  const url = await createDatabase(inject("adminUrl"), name);
  const before = connect(url, { max: 2, applicationName: "cardlane-test" });
  afterAll(async () => {
    await before.close();
    await dropDatabase(inject("adminUrl"), name);
  });
  // This version's rights name a function that only its migration creates.
  await expect(migrate(url, folderBefore("webhook-weeks"))).rejects.toThrow("keep_webhook_weeks() does not exist");
  const { test: environment } = await createTestMerchant(before);
  for (const days of [300, 95, 60, 8, 1, 0, -10, -400]) await delivered(environment.id, daysAgo(days), before);
  const rows = async () => [
    [...(await before.sql`select * from webhook_deliveries order by id`)],
    [...(await before.sql`select * from webhook_attempts order by delivery_id`)],
  ];
  const had = await rows();
  expect(had.map((of) => of.length)).toEqual([8, 8]);
  await migrate(url);
  expect(await rows()).toEqual(had);
  const [others] = await before.sql`select count(*)::int as n from webhook_weeks.deliveries_others`;
  expect(others?.n).toBe(2);
});
