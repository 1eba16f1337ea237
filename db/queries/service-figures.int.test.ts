import { expect, test } from "vitest";
import { insertBookedPayment, insertEnvironment } from "@/e2e/fixtures/books";
import { inRolesOf, testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { latch } from "@/e2e/fixtures/latch";
import { moneyTenant } from "@/e2e/fixtures/money";
import { losesAnswer } from "@/e2e/fixtures/scripted-processor";
import { writeMail } from "@/lib/domain/accounts/mail";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { connect } from "../client";
import { foldDeltas } from "./reporting/daily-totals";
import { readDatabaseSize, readLedgerDifference, readServiceFigures } from "./service/figures";

const { db, url } = await testDatabase({ own: true });

test("an operation without an outcome is counted by its age, until it has one", async () => {
  const tenant = await moneyTenant(db);
  expect((await readServiceFigures(db.sql)).operations).toEqual([]);
  tenant.script.next(losesAnswer, losesAnswer);
  await tenant.create();
  await tenant.create();
  const [old] = await db.sql`update operations set created_at = created_at - interval '26 hours'
    where id = (select id from operations where state = 'open' limit 1) returning id`;
  const { operations } = await readServiceFigures(db.sql);
  expect(
    operations.map(({ outcome, age, count }) => `${outcome} ${age} ${count}`).toSorted((a, b) => a.localeCompare(b)),
  ).toEqual(["unknown over_24h 1", "unknown under_1m 1"]);
  expect(Math.max(...operations.map((row) => row.oldest_seconds))).toBeGreaterThanOrEqual(26 * 3600);
  // In progress for the first time: it has no outcome yet, but not an unknown one.
  await db.sql`update operations set unknown_at = null, lease_until = now() + interval '10 seconds' where id = ${old?.id}`;
  expect((await readServiceFigures(db.sql)).operations).toContainEqual(
    expect.objectContaining({ outcome: "under_way", age: "over_24h", count: 1 }),
  );
  await db.sql`update operations set state = 'failed', completed_at = now() where state = 'open'`;
  expect((await readServiceFigures(db.sql)).operations).toEqual([]);
});

test("the jobs role can read each queue's depth and age", async () => {
  await (await moneyTenant(db)).create();
  for (const recipient of ["one@people.example", "two@people.example"]) {
    await db.orm.transaction((tx) => writeMail(tx, { recipient, subject: "Hello", paragraphs: ["A paragraph."] }));
  }
  await db.sql`update mail_outbox set created_at = now() - interval '2 hours' where recipient = 'one@people.example'`;
  await db.sql`update mail_outbox set next_attempt_at = '9999-01-01 00:00+00' where recipient = 'two@people.example'`;
  await db.sql`insert into sandbox_processor.reports (reference, account, due_at)
    select gen_random_uuid(), gen_random_uuid(), now() + later from unnest('{-1 minute,1 hour}'::interval[]) later`;
  const jobs = connect(inRolesOf(url), { max: 3 });
  const { queues } = await readServiceFigures(jobs.sql);
  await jobs.close();
  const of = (name: string) => queues.find(({ queue }) => queue === name);
  expect(of("mail")?.depth).toBe(1);
  expect(Math.round((of("mail")?.oldest_seconds ?? 0) / 60)).toBe(120);
  expect(of("mail_given_up")?.depth).toBe(1);
  expect(of("processor_reports")?.depth).toBe(1);
  expect([of("audit_chain")?.depth, of("daily_totals")?.depth].every((depth) => (depth ?? 0) > 0)).toBe(true);
});

test("the ledger difference is 0 through payments, refunds and settlement, and shows a change of any side", async () => {
  const environmentId = await insertEnvironment(db, { feeBasisPoints: 290 });
  const tenant = await moneyTenant(db);
  const { body } = await tenant.create({ amount: 5_000 });
  await tenant.act("refund", body.id, { amount: 1_200 });
  await insertBookedPayment(db, { environmentId, amount: 1_000, captured: 700, refunded: 200 });
  await insertBookedPayment(db, { environmentId, amount: 90, currency: "JPY" });
  expect(await readLedgerDifference(db.sql)).toBe(0);
  await foldDeltas(tenant.service.db.sql);
  expect(await readLedgerDifference(db.sql)).toBe(0);
  await runSettlement(tenant.service, { environmentId });
  expect(await readLedgerDifference(db.sql)).toBe(0);
  await insertBookedPayment(db, { environmentId, amount: 40 });
  expect(await readLedgerDifference(db.sql)).toBe(0);

  const changed = async (change: string) => {
    await db.sql.unsafe(change);
    return readLedgerDifference(db.sql);
  };
  const totals = (by: number, currency: string) =>
    `update daily_totals set amount = amount + ${by} where environment_id = '${environmentId}' and measure = 'captured' and currency = '${currency}'`;
  expect(await changed(totals(3, "EUR"))).toBe(3);
  // Another currency's error in the other direction adds up.
  expect(await changed(totals(-3, "JPY"))).toBe(6);
  await changed(totals(-3, "EUR"));
  expect(await changed(totals(3, "JPY"))).toBe(0);
  const settled = `update transactions set settled_at = null where environment_id = '${environmentId}' and type = 'CHARGE' and currency = 'JPY'`;
  expect(await changed(settled)).toBe(90);
});

test("a slow read is canceled at its own limit", async () => {
  const holder = connect(url, { max: 1 });
  const { reached, hold, release } = latch();
  const lock = holder.sql.begin(async (tx) => {
    await tx`lock table operations in access exclusive mode`;
    await hold();
  });
  await reached;
  const startedMs = performance.now();
  await expect(readServiceFigures(db.sql)).rejects.toMatchObject({ code: "57014" });
  // The connection's own limit is five minutes.
  expect(performance.now() - startedMs).toBeLessThan(60_000);
  release();
  await lock;
  await holder.close();
  // The limit applied to that transaction only.
  expect((await db.sql`show statement_timeout`)[0]?.statement_timeout).toBe("5min");
});

test("the jobs role can read the database size", async () => {
  expect(await readDatabaseSize(testService(db).db.sql)).toBeGreaterThan(5_000_000);
});
