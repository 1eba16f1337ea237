import { expect, test } from "vitest";
import { readClock } from "@/db/queries/clock";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { newId } from "@/lib/ids";
import type { Context } from "../context";
import { processReports } from "../payments/process-reports";
import { verifyBooks } from "../reconciliation/verify-books";
import { getBalance } from "../settlement/balance";
import { advanceClocks, runMovedClocks } from "../test-clock/advance";
import { advanceTestClock, getTestClock } from "../test-clock/test-clock";
import { listDisputes } from "./read-disputes";

const { db } = await testDatabase();
const DAY_MS = 86_400_000;
const FRAUDULENT = { card: { number: "4000000000000259", exp_month: 12, exp_year: 2040, cvv: "123" } };
const NOT_RECEIVED = { card: { number: "4000000000002685", exp_month: 12, exp_year: 2040, cvv: "123" } };

async function contextOf({ service, merchant }: MoneyTenant): Promise<Context> {
  return testContext(service, { ...merchant.test, clock: await readClock(db.sql, merchant.test.id) });
}

const disputesOf = async (tenant: MoneyTenant) => (await listDisputes(await contextOf(tenant), {})).data;

/** The second after which banks dispute has passed. */
const secondPasses = ({ environmentId }: MoneyTenant) =>
  db.sql`update sandbox_processor.disputes set acts_at = acts_at - interval '1 second'
    where account = ${environmentId} and version = 0`;

const now = async (tenant: MoneyTenant) => Date.parse((await getTestClock(await contextOf(tenant))).now);

async function advance(tenant: MoneyTenant, days: number): Promise<void> {
  const to = new Date((await now(tenant)) + days * DAY_MS).toISOString();
  await advanceTestClock(await contextOf(tenant), { to });
  await db.sql`update environments set clock_held_until = now() - interval '1 s' where id = ${tenant.environmentId}`;
  await advanceClocks(tenant.service);
}

const broken = async () => (await verifyBooks(db)).checks.filter(({ count }) => count > 0);

test("a capture is disputed a second later, once, for what was captured and the card's reason", async () => {
  const tenant = await moneyTenant(db);
  const begun = Date.now();
  const { body: atOnce } = await tenant.create(FRAUDULENT);
  const { body: held } = await tenant.create({ ...NOT_RECEIVED, capture_method: "manual" });
  const { body: uncaptured } = await tenant.create({ ...FRAUDULENT, capture_method: "manual" });
  await tenant.create();
  await tenant.act("capture", held.id, { amount: 4_000 });
  const captured = Date.now();
  const [scheduled] = await db.sql`
    select count(*)::int as count, bool_and(acts_at = created_at and version = 0) as at_their_second
    from sandbox_processor.disputes where account = ${tenant.environmentId}`;
  expect(scheduled).toEqual({ count: 2, at_their_second: true });
  // A busy machine takes longer than the second, which therefore passes only when the test lets it.
  const delay = (by: string) => db.sql`
    update sandbox_processor.disputes set acts_at = acts_at + ${by}::interval where account = ${tenant.environmentId}`;
  await delay("1 hour");
  await processReports(tenant.service);
  expect(await disputesOf(tenant), "within the second").toEqual([]);
  await delay("-1 hour");
  await secondPasses(tenant);
  await Promise.all(Array.from({ length: 3 }, () => processReports(tenant.service)));
  await processReports(tenant.service);
  const disputes = await disputesOf(tenant);
  expect(disputes).toHaveLength(2);
  expect(disputes).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        payment_id: atOnce.id,
        amount: 10_000,
        reason: "FRAUDULENT",
        status: "NEEDS_RESPONSE",
      }),
      expect.objectContaining({ payment_id: held.id, amount: 4_000, reason: "NOT_RECEIVED", fee: 1_500 }),
    ]),
  );
  for (const { respond_by, created_at } of disputes) {
    const capturedMs = Date.parse(created_at) - 1_000;
    expect(capturedMs).toBeGreaterThanOrEqual(begun);
    expect(capturedMs).toBeLessThanOrEqual(captured);
    expect(respond_by?.slice(10)).toBe("T23:59:59.999Z");
    expect(Math.floor((Date.parse(respond_by ?? "") - capturedMs) / DAY_MS)).toBe(14);
  }
  expect((await tenant.get(uncaptured.id)).dispute).toBeNull();
  expect((await tenant.get(atOnce.id)).dispute).toMatchObject({ status: "NEEDS_RESPONSE" });
  expect((await getBalance(await contextOf(tenant))).currencies).toMatchObject([{ in_dispute: 17_000 }]);
  expect(await broken()).toEqual([]);
});

test("a report is repeated until it is acknowledged, and a process that dies in between changes nothing", async () => {
  const tenant = await moneyTenant(db);
  await tenant.create(FRAUDULENT);
  await secondPasses(tenant);
  const stopping = new AbortController();
  stopping.abort();
  expect(await processReports(tenant.service, stopping.signal), "opened, and not yet recorded").toBe(0);
  expect(await disputesOf(tenant)).toEqual([]);
  await processReports(tenant.service);
  await db.sql`update sandbox_processor.disputes set reported = 0 where account = ${tenant.environmentId}`;
  await processReports(tenant.service);
  expect(await disputesOf(tenant)).toHaveLength(1);
  expect(await broken()).toEqual([]);
});

test("a process whose clock is behind records what it reads later, and dates no change before the last one", async () => {
  const tenant = await moneyTenant(db);
  await tenant.create(FRAUDULENT);
  await secondPasses(tenant);
  await processReports({ ...tenant.service, clock: { now: () => new Date(Date.now() + 60_000) } });
  const [opened] = await disputesOf(tenant);
  await db.sql`update sandbox_processor.disputes set acts_at = now() - interval '1 ms' where account = ${tenant.environmentId}`;
  await processReports(tenant.service);
  const [lost] = await disputesOf(tenant);
  expect([opened?.status, lost?.status]).toEqual(["NEEDS_RESPONSE", "LOST"]);
  expect(Date.parse(lost?.updated_at ?? "")).toBeGreaterThanOrEqual(Date.parse(opened?.updated_at ?? ""));
  expect(await broken()).toEqual([]);
});

test("evidence that decides nothing is under review, and the dispute lost 10 days later on the clock", async () => {
  const tenant = await moneyTenant(db);
  await tenant.create(FRAUDULENT);
  await advance(tenant, 1);
  const [open] = await disputesOf(tenant);
  const evidence = { texts: { notes: "It was delivered." }, shippedAt: null, files: [] };
  const about = { account: tenant.environmentId, dispute: open?.processor_id ?? "", now: new Date(await now(tenant)) };
  const response = { ...about, kind: "submit" as const, reference: newId(), evidence };
  const processor = tenant.service.processors.builtIn("test");
  expect(await processor?.respondToDispute?.(response)).toEqual({ kind: "sent" });
  await processReports(tenant.service);
  expect(await disputesOf(tenant)).toMatchObject([{ status: "UNDER_REVIEW", respond_by: null }]);
  await advance(tenant, 9.9);
  expect(await disputesOf(tenant)).toMatchObject([{ status: "UNDER_REVIEW" }]);
  await advance(tenant, 0.2);
  expect(await disputesOf(tenant)).toMatchObject([{ status: "LOST" }]);
  expect(await broken()).toEqual([]);
});

test("an unanswered dispute is announced two days before its deadline, and lost when that passes on the clock", async () => {
  const tenant = await moneyTenant(db);
  await tenant.create(FRAUDULENT);
  await advance(tenant, 11);
  const [open] = await disputesOf(tenant);
  expect(open).toMatchObject({ status: "NEEDS_RESPONSE" });
  await advance(tenant, 5);
  const [lost] = await disputesOf(tenant);
  expect(lost).toMatchObject({ status: "LOST", respond_by: null });
  const [event] = await db.sql<{ created_at: string }[]>`
    select created_at from events where environment_id = ${tenant.environmentId} and type = 'dispute.lost'`;
  expect(event?.created_at).toBe(open?.respond_by);
  const soon = await db.sql<{ created_at: string }[]>`
    select created_at from events where environment_id = ${tenant.environmentId} and type = 'dispute.due_soon'`;
  expect(soon.map(({ created_at }) => created_at)).toEqual([
    new Date(Date.parse(open?.respond_by ?? "") - 2 * DAY_MS).toISOString(),
  ]);
  expect((await getBalance(await contextOf(tenant))).currencies).toMatchObject([{ in_dispute: 0 }]);
  expect(await broken()).toEqual([]);
});

test("an advance of the clock opens what is captured before and during it", async () => {
  const tenant = await moneyTenant(db);
  await advance(tenant, 40);
  const { environment } = await contextOf(tenant);
  const { body } = await tenant.create(FRAUDULENT, { context: { environment } });
  await processReports(tenant.service);
  expect(await disputesOf(tenant), "not by real time").toEqual([]);
  await secondPasses(tenant);
  await runMovedClocks(tenant.service, undefined, { after: "00000000-0000-0000-0000-000000000000" });
  const [dispute] = await disputesOf(tenant);
  expect(dispute).toMatchObject({ payment_id: body.id, status: "NEEDS_RESPONSE" });
  expect(Date.parse(dispute?.created_at ?? "")).toBeGreaterThan(Date.now() + 39 * DAY_MS);
  expect(await broken()).toEqual([]);
});
