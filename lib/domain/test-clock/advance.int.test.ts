import { describe, expect, test } from "vitest";
import { readClock } from "@/db/queries/clock";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext, testIdempotency } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { holds, losesAnswer } from "@/e2e/fixtures/scripted-processor";
import { createClientSessionBody } from "@/lib/contract/checkout/client-session";
import { createClientSession } from "@/lib/domain/checkout/client-sessions";
import { type Context, environmentNow } from "@/lib/domain/context";
import { listEvents } from "@/lib/domain/events/read-events";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { bankDayAfter } from "@/lib/domain/settlement/bank-days";
import { listPayouts } from "@/lib/domain/settlement/payouts";
import { newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { advanceClocks, runMovedClocks } from "./advance";
import { advanceTestClock, getTestClock, requireRunningClock } from "./test-clock";

const { db } = await testDatabase();
const DAY_MS = 86_400_000;
const CHALLENGED = { card: { number: "4000000000003220", exp_month: 12, exp_year: 2040, cvv: "123" } };

/** Contexts as a request gets them: with the clock as it was when its caller was read. */
async function contextOf({ service, merchant }: MoneyTenant): Promise<Context> {
  const clock = await readClock(db.sql, merchant.test.id);
  return testContext(service, { ...merchant.test, clock });
}

async function now(tenant: MoneyTenant): Promise<number> {
  return Date.parse((await getTestClock(await contextOf(tenant))).now);
}

const later = (at: number, ms: number) => new Date(at + ms).toISOString();

/** Starts to advance, and waits until earlier requests have ended. */
async function start(tenant: MoneyTenant, to: string) {
  const clock = await advanceTestClock(await contextOf(tenant), { to });
  await db.sql`update environments set clock_held_until = now() - interval '1 s' where id = ${tenant.environmentId}`;
  return clock;
}

async function advance(tenant: MoneyTenant, to: string): Promise<void> {
  expect(await start(tenant, to)).toMatchObject({ status: "ADVANCING", advancing_to: to });
  await advanceClocks(tenant.service);
  expect(await getTestClock(await contextOf(tenant))).toMatchObject({ status: "READY", advancing_to: null });
}

async function openSession(tenant: MoneyTenant) {
  const ctx = await contextOf(tenant);
  const body = createClientSessionBody.parse({ amount: 500, currency: "USD" });
  const key = testIdempotency(newId(), sha256(newId()), null);
  return JSON.parse((await createClientSession({ ...ctx, idempotency: key }, body)).body);
}

/** A payment by a request made at the clock's time. */
async function pay(tenant: MoneyTenant, body: object = {}) {
  const { environment } = await contextOf(tenant);
  const { body: payment, status } = await tenant.create(body, { context: { environment } });
  expect(status).toBe(201);
  return payment;
}

async function eventsOf(tenant: MoneyTenant, type: string) {
  const { data } = await listEvents(await contextOf(tenant), { type: type as never, limit: 100 });
  return data.map((event) => event.created_at).reverse();
}

/** The nightly settlement after a time: 02:00 UTC. */
function nightAfter(at: string): string {
  const shifted = new Date(Date.parse(at) - 2 * 3_600_000);
  return later(Date.parse(`${shifted.toISOString().slice(0, 10)}T00:00:00Z`), DAY_MS + 2 * 3_600_000);
}

const expectClean = async () => expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);

describe("a clock that advances three months", () => {
  test("does everything at its own instant, in order, and passes every book check", async () => {
    const tenant = await moneyTenant(db);
    const began = await now(tenant);
    const held = await pay(tenant, { capture_method: "manual" });
    const captured = await pay(tenant);
    const challenged = await pay(tenant, CHALLENGED);
    const session = await openSession(tenant);
    const to = later(began, 90 * DAY_MS);
    await advance(tenant, to);

    const [charge] = held.transactions;
    const voided = await tenant.get(held.id);
    expect(voided).toMatchObject({ status: "VOIDED", updated_at: charge.capture_before });
    expect(voided.transactions[0]).toMatchObject({ void_reason: "expired", voided_at: charge.capture_before });
    expect(await eventsOf(tenant, "payment.voided")).toEqual([charge.capture_before]);

    const abandoned = await tenant.get(challenged.id);
    expect(abandoned).toMatchObject({ status: "DECLINED", updated_at: challenged.next_action.expires_at });
    expect(await eventsOf(tenant, "client_session.expired")).toEqual([session.expires_at]);

    const night = nightAfter(captured.transactions[0].captured_at);
    const settled = await tenant.get(captured.id);
    expect(settled).toMatchObject({ status: "SETTLED", updated_at: night });
    expect(settled.transactions[0]).toMatchObject({ settled_at: night });
    expect(await eventsOf(tenant, "settlement_batch.created")).toEqual([night]);
    const { data: payouts } = await listPayouts(await contextOf(tenant), {});
    const arrival = `${bankDayAfter(night.slice(0, 10), "USD")}${night.slice(10)}`;
    expect(payouts).toMatchObject([{ status: "PAID", created_at: night, updated_at: arrival, amount: 10_000 }]);
    expect(await eventsOf(tenant, "payout.created")).toEqual([night]);
    expect(await eventsOf(tenant, "payout.paid")).toEqual([arrival]);
    const ledger = await db.sql<{ at: string }[]>`
      select distinct created_at as at from ledger_entries
      where environment_id = ${tenant.environmentId} and payment_id is null order by 1`;
    expect(ledger.map(({ at }) => at)).toEqual([night, arrival]);

    const { data: events } = await listEvents(await contextOf(tenant), { limit: 100 });
    const times = events.map((event) => event.created_at);
    expect(times).toEqual([...times].sort().reverse());
    expect(Math.abs((await now(tenant)) - Date.parse(to))).toBeLessThan(60_000);
    await expectClean();

    // The next payment has the clock's time, and is settled by it without another advance.
    const next = await pay(tenant);
    expect(Math.abs(Date.parse(next.created_at) - Date.parse(to))).toBeLessThan(60_000);
    await db.sql`update environments set clock_offset_ms = clock_offset_ms + ${2 * DAY_MS}::bigint where id = ${tenant.environmentId}`;
    await runMovedClocks(tenant.service, undefined, { after: "00000000-0000-0000-0000-000000000000" });
    expect((await tenant.get(next.id)).status).toBe("SETTLED");
    await expectClean();
  });

  test("loses and duplicates nothing if its job crashes midway, or if two run concurrently", async () => {
    const tenant = await moneyTenant(db);
    const began = await now(tenant);
    const held = await Promise.all(Array.from({ length: 4 }, () => pay(tenant, { capture_method: "manual" })));
    const captured = await pay(tenant);
    const to = later(began, 90 * DAY_MS);
    await start(tenant, to);
    // The first job stops at its first void, as if its process were killed; its lease remains.
    const { step, reached, release } = holds();
    tenant.script.next(step);
    const stopping = new AbortController();
    const dying = advanceClocks(tenant.service, stopping.signal);
    await reached;
    stopping.abort();
    expect((await getTestClock(await contextOf(tenant))).status).toBe("ADVANCING");
    expect(await advanceClocks(tenant.service)).toBe(0);

    await tenant.endLeases();
    await db.sql`update environments set clock_held_until = now() - interval '1 s' where id = ${tenant.environmentId}`;
    await tenant.complete();
    await Promise.all([advanceClocks(tenant.service), advanceClocks(tenant.service)]);
    expect(await getTestClock(await contextOf(tenant))).toMatchObject({ status: "READY" });
    for (const payment of held) {
      const after = await tenant.get(payment.id);
      expect(after).toMatchObject({ status: "VOIDED", updated_at: payment.transactions[0].capture_before });
    }
    expect(await tenant.get(captured.id)).toMatchObject({
      status: "SETTLED",
      updated_at: nightAfter(captured.transactions[0].captured_at),
    });
    expect(await eventsOf(tenant, "settlement_batch.created")).toHaveLength(1);
    // If it wakes up, it changes nothing.
    release();
    await dying;
    expect((await getTestClock(await contextOf(tenant))).status).toBe("READY");
    expect(await eventsOf(tenant, "payment.voided")).toHaveLength(4);
    await expectClean();
  });

  test("leaves an operation without a known outcome as it is", async () => {
    const tenant = await moneyTenant(db);
    const began = await now(tenant);
    const payment = await pay(tenant, { capture_method: "manual" });
    tenant.script.next(losesAnswer);
    await tenant.act("capture", payment.id);
    await advance(tenant, later(began, 30 * DAY_MS));
    expect(await tenant.get(payment.id)).toMatchObject({ status: "AUTHORIZED", available_actions: [] });
    await tenant.endLeases();
    await tenant.complete();
    const after = await tenant.get(payment.id);
    expect(after.status).toBe("CAPTURED");
    expect(Math.abs(Date.parse(after.updated_at) - (await now(tenant)))).toBeLessThan(60_000);
    await expectClean();
  });
});

describe("while a clock advances", () => {
  test("other writes are refused, even from a cached caller, until it is ready again", async () => {
    const tenant = await moneyTenant(db);
    const began = await now(tenant);
    // Real time has continued since the clock was frozen, but no clock is behind it.
    expect(await start(tenant, later(began, DAY_MS))).toMatchObject({ offset_seconds: 0 });
    const frozen = await contextOf(tenant);
    await expect(requireRunningClock(frozen)).rejects.toMatchObject({
      code: "clock_advancing",
      headers: { "Retry-After": "1" },
    });
    await expect(advanceTestClock(frozen, { to: later(began, 2 * DAY_MS) })).rejects.toMatchObject({
      code: "clock_advancing",
    });
    await advanceClocks(tenant.service);
    // The caller was read during the advance; the write uses the clock's current time.
    const ctx = await requireRunningClock(frozen);
    expect(environmentNow(ctx).getTime()).toBeGreaterThanOrEqual(began + DAY_MS);
  });

  test("it doesn't move until operations in progress are written", async () => {
    const tenant = await moneyTenant(db);
    const began = await now(tenant);
    const payment = await pay(tenant, { capture_method: "manual" });
    const { step, reached, release } = holds();
    tenant.script.next(step);
    const capture = tenant.act("capture", payment.id);
    await reached;
    await start(tenant, later(began, 30 * DAY_MS));
    await advanceClocks(tenant.service);
    expect(Math.abs((await now(tenant)) - began)).toBeLessThan(60_000);
    release();
    expect((await capture).body).toMatchObject({ status: "CAPTURED" });
    await db.sql`update environments set clock_held_until = now() - interval '1 s' where id = ${tenant.environmentId}`;
    await advanceClocks(tenant.service);
    expect((await getTestClock(await contextOf(tenant))).status).toBe("READY");
    expect((await tenant.get(payment.id)).status).toBe("SETTLED");
  });
});

test("a clock only moves forward, by at most two years per call", async () => {
  const tenant = await moneyTenant(db);
  const began = await now(tenant);
  const refused = { code: "invalid_parameter", errors: [{ param: "to" }] };
  const ctx = await contextOf(tenant);
  await expect(advanceTestClock(ctx, { to: later(began, -1_000) })).rejects.toMatchObject(refused);
  await expect(advanceTestClock(ctx, { to: later(began, 732 * DAY_MS) })).rejects.toMatchObject(refused);
  await advance(tenant, later(began, 729 * DAY_MS));
  await advance(tenant, later(began, 1_400 * DAY_MS));
  expect(await getTestClock(await contextOf(tenant))).toMatchObject({ failure_reason: null });
});

test("live mode has no clock, which the database enforces, too", async () => {
  const tenant = await moneyTenant(db);
  const live = testContext(tenant.service, tenant.merchant.live);
  await expect(getTestClock(live)).rejects.toMatchObject({ code: "permission_denied" });
  await expect(advanceTestClock(live, { to: later(Date.now(), DAY_MS) })).rejects.toMatchObject({
    code: "permission_denied",
  });
  const move = async () => db.sql`update environments set clock_offset_ms = 1 where id = ${tenant.merchant.live.id}`;
  await expect(move()).rejects.toThrow("environments_live_clock");
});
