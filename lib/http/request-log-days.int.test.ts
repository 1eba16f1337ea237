import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { requestLogTenant } from "@/e2e/fixtures/request-log";
import { keepRequestLog } from "@/lib/domain/request-log/record-requests";
import { firstIdAt, idAt, idTime, newId } from "@/lib/ids";

const { db } = await testDatabase({ own: true });
const setup = () => requestLogTenant(db);
const DAY_MS = 86_400_000;

const days = async () =>
  (
    await db.sql<{ name: string }[]>`
      select c.relname as name from pg_class c where c.relnamespace = 'request_log_days'::regnamespace and c.relkind = 'r' order by 1`
  ).map(({ name }) => name);
const dayName = (at: number) => `d${new Date(at).toISOString().slice(0, 10).replaceAll("-", "")}`;
const inPartition = async (id: string) => {
  const [row] = await db.sql`select tableoid::regclass::text as name from request_log where id = ${id}`;
  return row?.name as string | undefined;
};

test("rows that arrive before their day's partition are kept and moved into it; two processes create each day once", async () => {
  const { log, payment, service } = await setup();
  const [today, old, future] = [
    newId(),
    idAt(new Date(Date.now() - 20 * DAY_MS)),
    idAt(new Date(Date.now() + 9 * DAY_MS)),
  ];
  // The template of this database may be from yesterday.
  const before = await days();
  for (const id of [today, old, future]) log.note(payment({ id }));
  await log.stop();
  const run = async () => {
    while ((await keepRequestLog(service)) > 0);
  };
  await Promise.all([run(), run()]);
  await run();
  const now = Date.now();
  const past = before.filter((name) => name < dayName(now));
  expect(await days()).toEqual([...past, ...[0, 1, 2, 3].map((ahead) => dayName(now + ahead * DAY_MS)), "others"]);
  expect(await inPartition(today)).toBe(`request_log_days.${dayName(Date.parse(idTime(today)))}`);
  expect([await inPartition(old), await inPartition(future)]).toEqual([
    "request_log_days.others",
    "request_log_days.others",
  ]);
});

test("rows over 30 days old are removed, by whole days or singly, and no younger ones", async () => {
  const { log, payment, service, list, merchant } = await setup();
  const gone = Date.now() - 40 * DAY_MS;
  const [first, after] = [gone, gone + DAY_MS].map((at) => firstIdAt(new Date(Math.floor(at / DAY_MS) * DAY_MS)));
  await db.sql.unsafe(
    `create table request_log_days.${dayName(gone)} partition of request_log for values from ('${first}') to ('${after}')`,
  );
  const ids = [40, 39, 32, 29, 0].map((ago) => idAt(new Date(Date.now() - ago * DAY_MS)));
  for (const id of ids) log.note(payment({ id }));
  await log.stop();
  expect(await inPartition(ids[0] as string)).toBe(`request_log_days.${dayName(gone)}`);
  while ((await keepRequestLog(service)) > 0);
  expect(await days()).not.toContain(dayName(gone));
  const left = await db.sql<{ id: string }[]>`
    select id from request_log where environment_id = ${merchant.test.id} order by id`;
  expect(left.map(({ id }) => id)).toEqual(ids.slice(3));
  expect(await list()).toHaveLength(2);
});

test("while the table is locked, the job waits for its next run and writers continue", async () => {
  const { log, payment, list, service } = await setup();
  await db.sql.unsafe(`drop table if exists request_log_days.${dayName(Date.now() + 3 * DAY_MS)}`);
  await db.sql.begin(async (tx) => {
    await tx`select count(*) from request_log_days.others`;
    expect(await keepRequestLog(service)).toBe(0);
    log.note(payment());
    await log.stop();
    expect(await list()).toHaveLength(1);
  });
  expect(await keepRequestLog(service)).toBe(1);
});

test("no role can access a partition without the table's rights and row-level security", async () => {
  const { merchant, service } = await setup();
  for (const sql of [service.db.within(merchant.test.id).sql, service.db.sql]) {
    await expect(sql`select count(*) from request_log_days.others`).rejects.toMatchObject({ code: "42501" });
  }
  await expect(service.db.sql`update request_log set status = 1`).rejects.toMatchObject({ code: "42501" });
});
