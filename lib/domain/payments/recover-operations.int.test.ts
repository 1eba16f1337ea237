import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { connect } from "@/db/client";
import { inRolesOf, testDatabase } from "@/e2e/fixtures/database";
import { skippingTimer } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { holds, losesAnswer, says, throwsAfter } from "@/e2e/fixtures/scripted-processor";
import { startTcpProxy } from "@/e2e/fixtures/tcp-proxy";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";

const { db, url } = await testDatabase();
/** Skips the 2 s that a request waits for a key in use. */
const openTenant = () => moneyTenant(db, { timer: skippingTimer() });
const UNKNOWN = says({ kind: "unknown", reason: "no answer" });
const PENDING = says({ kind: "pending" });
const NOT_SENT = says({ kind: "not_sent", reason: "refused" });

// Operations that a test leaves open become a day old, so that no other test's recovery worker finds them.
afterEach(async () => {
  await db.sql`update operations set created_at = created_at - interval '25 hours' where state = 'open'`;
});

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

describe("a payment with an unknown outcome", () => {
  test.each([
    ["the response is lost", losesAnswer],
    ["the connection breaks", throwsAfter],
    ["garbage comes back", says({ kind: "sure, why not" } as never)],
    ["the processor has not decided yet", PENDING],
  ])("is PENDING when %s: 202, nothing is stored, and no other operation is possible", async (_, step) => {
    const tenant = await openTenant();
    tenant.script.next(step);
    const answer = await tenant.create({}, { key: "k" });
    expect(answer).toMatchObject({
      status: 202,
      body: { status: "PENDING", available_actions: [], amount_captured: 0 },
    });
    expect(await tenant.key("k")).toMatchObject({ state: "running", response_body: null });
    expect(await tenant.act("refund", answer.body.id)).toMatchObject({ status: 409, code: "outcome_pending" });
    expect(await tenant.act("void", answer.body.id)).toMatchObject({ status: 409, code: "outcome_pending" });
    expect(await tenant.get(answer.body.id)).toMatchObject({ status: "PENDING" });
    await tenant.endLeases();
    await tenant.complete();
  });

  test("ends CAPTURED if the processor did charge, and the same key responds 201", async () => {
    const tenant = await openTenant();
    tenant.script.next(losesAnswer);
    const { body: pending } = await tenant.create({}, { key: "k" });
    await tenant.endLeases();
    await tenant.complete();
    const answer = await tenant.create({}, { key: "k" });
    expect(answer).toMatchObject({ status: 201, replayed: true, body: { id: pending.id, status: "CAPTURED" } });
    expect(tenant.script.count("authorize")).toBe(1);
    await expectClean();
  });

  test("ends FAILED if the processor conclusively never received it, and the same key responds 402", async () => {
    const tenant = await openTenant();
    tenant.script.next(UNKNOWN);
    const { body: pending } = await tenant.create({}, { key: "k" });
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.create({}, { key: "k" })).toMatchObject({
      status: 402,
      code: "payment_failed",
      replayed: true,
      body: { payment_id: pending.id },
    });
    expect(await tenant.get(pending.id)).toMatchObject({ status: "FAILED" });
    await expectClean();
  });

  test('stays PENDING while "not found" is inconclusive', async () => {
    const tenant = await openTenant();
    tenant.script.next(UNKNOWN);
    const { body: pending } = await tenant.create({}, { key: "k" });
    await db.sql`update operations set lease_until = now() - interval '1 ms', next_attempt_at = now() - interval '1 ms' where environment_id = ${tenant.environmentId}`;
    await tenant.complete();
    expect(await tenant.get(pending.id)).toMatchObject({ status: "PENDING" });
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 202 });
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.get(pending.id)).toMatchObject({ status: "FAILED" });
  });

  test("stays PENDING for an instance whose clock is an hour ahead, too", async () => {
    const ahead = { now: () => new Date(Date.now() + 3_600_000) };
    const tenant = await openTenant();
    tenant.script.next(UNKNOWN);
    const { body: pending } = await tenant.create({}, { key: "k" });
    const early = await tenant.create({}, { key: "k", service: { ...tenant.service, clock: ahead } });
    expect(early.status).toBe(202);
    expect(await tenant.get(pending.id)).toMatchObject({ status: "PENDING" });
    await tenant.endLeases();
    await tenant.complete();
  });

  test("stays PENDING if the processor once reported having it, whatever it reports later", async () => {
    const tenant = await openTenant();
    tenant.script.next(PENDING);
    const { body: pending } = await tenant.create({}, { key: "k" });
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.get(pending.id)).toMatchObject({ status: "PENDING" });
    expect((await tenant.operations(pending.id))[0]).toMatchObject({ state: "open" });
  });

  test("is never authorized again by the recovery worker or by a retry: only its status is checked", async () => {
    const tenant = await openTenant();
    tenant.script.next(UNKNOWN, UNKNOWN, PENDING, UNKNOWN);
    await tenant.create({}, { key: "k" });
    for (let round = 0; round < 3; round++) {
      await tenant.endLeases();
      if (round % 2) await tenant.create({}, { key: "k" });
      else await tenant.complete();
    }
    expect(tenant.script.count("authorize")).toBe(1);
    expect(tenant.script.count("inquire")).toBe(3);
    expect(new Set(tenant.script.calls.map((call) => call.reference)).size).toBe(1);
    await tenant.endLeases();
    await tenant.complete();
    await expectClean();
  });

  test("is checked less and less often, and no longer after a day", async () => {
    const tenant = await openTenant();
    tenant.script.next(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN);
    const { body } = await tenant.create({}, { key: "k" });
    const delays: number[] = [];
    for (let round = 0; round < 3; round++) {
      await tenant.endLeases();
      await tenant.complete();
      // One statement set both, so their difference does not depend on its time.
      const [row] = await db.sql`
        select (extract(epoch from next_attempt_at - lease_until) * 1000)::int as delay from operations
        where environment_id = ${tenant.environmentId}`;
      delays.push(row?.delay as number);
    }
    expect(delays).toEqual([1_000, 2_000, 4_000]);
    await tenant.endLeases();
    await db.sql`update operations set created_at = now() - interval '24 hours' where environment_id = ${tenant.environmentId}`;
    const before = await tenant.operations(body.id);
    await tenant.complete();
    expect(await tenant.operations(body.id)).toEqual(before);
    expect(await tenant.get(body.id)).toMatchObject({ status: "PENDING" });
    await db.sql`update operations set created_at = now() - interval '1 hour' where environment_id = ${tenant.environmentId}`;
    await tenant.complete();
    await expectClean();
  });
});

describe("a request that was provably not executed", () => {
  test("is sent again under the same reference, three times at most, and then fails", async () => {
    const tenant = await openTenant();
    tenant.script.next(NOT_SENT, NOT_SENT);
    expect(await tenant.create()).toMatchObject({ status: 201 });
    expect(new Set(tenant.script.calls.map((call) => call.reference)).size).toBe(1);
    expect(tenant.script.count("authorize")).toBe(3);

    tenant.script.next(NOT_SENT, NOT_SENT, NOT_SENT);
    const answer = await tenant.create({}, { key: "k" });
    expect(answer).toMatchObject({ status: 402, code: "payment_failed" });
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 402, replayed: true, text: answer.text });
    expect(tenant.script.count("authorize")).toBe(6);
    await expectClean();
  });

  test("proves nothing about an earlier attempt whose response was lost", async () => {
    const tenant = await openTenant();
    const { body: payment } = await tenant.create();
    tenant.script.next(losesAnswer, NOT_SENT);
    expect((await tenant.act("refund", payment.id, {}, { key: "k" })).status).toBe(202);
    await tenant.endLeases();
    await tenant.complete();
    expect((await tenant.operations(payment.id))[1]).toMatchObject({ state: "open" });
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.act("refund", payment.id, {}, { key: "k" })).toMatchObject({ status: 201, replayed: true });
    await expectClean();
  });
});

describe("a good card whose request was delayed until it was too late to send it", () => {
  const late = { kind: "not_sent", reason: "the request arrived after its deadline" } as const;

  test("is charged once all the same, after a pause of the process between T1 and the call", async () => {
    const tenant = await openTenant();
    const real = performance.now.bind(performance);
    let pausedMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => real() + pausedMs);
    onTestFinished(() => void vi.restoreAllMocks());
    const held = holds();
    const lock = db.sql.begin(async (tx) => {
      await tx`lock table idempotency_keys in share mode`;
      await held.step(async () => late);
    });
    await held.reached;
    const answer = tenant.create({}, { key: "k" });
    await waitsForLock();
    pausedMs = 15_000;
    held.release();
    await lock;
    expect(await answer).toMatchObject({ status: 201, body: { status: "CAPTURED" } });
    expect(tenant.script.calls.map(({ method }) => method)).toEqual(["authorize"]);
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 201, replayed: true });
    await expectClean();
  });

  test("is charged once after a short outage of the database after T1", async () => {
    let proxy = await startTcpProxy(url);
    const away = connect(inRolesOf(proxy.url), { max: 4, maxOrm: 2 });
    onTestFinished(async () => {
      await away.close();
      await proxy.close();
    });
    const tenant = await moneyTenant(db, { db: away });
    tenant.script.next(async () => {
      await proxy.close();
      const answer = () => away.within(tenant.environmentId).sql`select 1`.then(String, String);
      await expect.poll(answer, { timeout: 10_000 }).toContain("the database is unavailable");
      proxy = await startTcpProxy(url, Number(new URL(proxy.url).port));
      return late;
    });
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 201, body: { status: "CAPTURED" } });
    expect(tenant.script.calls.map(({ method }) => method)).toEqual(["authorize", "authorize"]);
    expect(new Set(tenant.script.calls.map(({ reference }) => reference)).size).toBe(1);
    await expectClean();
  });

  test("is charged once after another process took over, checked its status and released it", async () => {
    const tenant = await openTenant();
    tenant.script.next(async () => {
      // The lease runs out, and another process finds nothing at the processor, which is not conclusive yet.
      await db.sql`update operations set lease_until = now() - interval '1 ms', next_attempt_at = now() - interval '1 ms' where environment_id = ${tenant.environmentId}`;
      await tenant.complete();
      return late;
    });
    const answer = await tenant.create({}, { key: "k" });
    expect(answer).toMatchObject({ status: 201, body: { status: "CAPTURED" } });
    expect(tenant.script.calls.map(({ method }) => method)).toEqual(["authorize", "inquire", "authorize"]);
    expect(new Set(tenant.script.calls.map(({ reference }) => reference)).size).toBe(1);
    await expectClean();
  });

  test("is not sent again if another process has closed it: its response counts", async () => {
    const tenant = await openTenant();
    tenant.script.next(async () => {
      await tenant.endLeases();
      await tenant.complete();
      return late;
    });
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 402, code: "payment_failed" });
    expect(tenant.script.count("authorize")).toBe(1);
    await expectClean();
  });

  test("a capture that another process has sent in the meantime is not overwritten by a failure", async () => {
    const tenant = await openTenant();
    const { body: payment } = await tenant.create({ capture_method: "manual" });
    tenant.script.next(async () => {
      await tenant.endLeases();
      tenant.script.next(losesAnswer);
      await tenant.complete();
      return late;
    });
    const answer = await tenant.act("capture", payment.id, {}, { key: "k" });
    expect(answer.status).toBe(202);
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.act("capture", payment.id, {}, { key: "k" })).toMatchObject({ status: 200, replayed: true });
    await expectClean();
  });
});

async function waitsForLock(): Promise<void> {
  const waiting = () =>
    db.sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await vi.waitFor(async () => expect(await waiting()).not.toHaveLength(0), { timeout: 10_000, interval: 10 });
}

describe("when the database's clock was set back", () => {
  const TWO_HOURS = "2 hours";
  async function setBack(environmentId: string): Promise<void> {
    await db.sql`update operations set lease_until = lease_until + ${TWO_HOURS}::interval,
        next_attempt_at = next_attempt_at + ${TWO_HOURS}::interval, unknown_at = unknown_at + ${TWO_HOURS}::interval,
        send_until = send_until + ${TWO_HOURS}::interval, created_at = created_at + ${TWO_HOURS}::interval
      where environment_id = ${environmentId} and state = 'open'`;
    await db.sql`update idempotency_keys set locked_until = locked_until + ${TWO_HOURS}::interval
      where environment_id = ${environmentId} and state = 'running'`;
  }

  test("an operation is taken over immediately, by the recovery worker or the key's next request", async () => {
    for (const by of ["recovery worker", "key"]) {
      const tenant = await openTenant();
      tenant.script.next(losesAnswer);
      expect((await tenant.create({}, { key: "k" })).status).toBe(202);
      await setBack(tenant.environmentId);
      if (by === "recovery worker") await tenant.complete();
      expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 201, body: { status: "CAPTURED" } });
      expect(tenant.script.count("authorize")).toBe(1);
    }
    await expectClean();
  });

  test('"not found" is inconclusive while the first call may be in flight', async () => {
    const tenant = await openTenant();
    const held = holds();
    tenant.script.next(held.step);
    const answer = tenant.create({}, { key: "k" });
    await held.reached;
    await setBack(tenant.environmentId);
    await tenant.complete();
    const [operation] =
      await db.sql`select state, epoch from operations where environment_id = ${tenant.environmentId}`;
    expect(operation).toEqual({ state: "open", epoch: 2 });
    held.release();
    expect((await answer).status).toBe(202);
    await db.sql`update operations set lease_until = now() - interval '1 ms', next_attempt_at = now() - interval '1 ms' where environment_id = ${tenant.environmentId}`;
    await tenant.complete();
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 201, replayed: true });
    await expectClean();
  });

  test("a status check in progress leaves no wait for a time that the clock no longer reaches soon", async () => {
    const tenant = await openTenant();
    tenant.script.next(UNKNOWN, async (real) => {
      await setBack(tenant.environmentId);
      return real();
    });
    expect((await tenant.create({}, { key: "k" })).status).toBe(202);
    for (const _ of ["holds the status check", "comes after it"]) {
      await db.sql`update operations set lease_until = now() - interval '1 ms', next_attempt_at = now() - interval '1 ms'
        where environment_id = ${tenant.environmentId}`;
      await tenant.complete();
    }
    const operations = await db.sql`select state, epoch, send_until > now() as in_flight,
        send_until > now() + interval '2 minutes' as too_long from operations where environment_id = ${tenant.environmentId}`;
    // A call may still be in flight for its whole time, which is short.
    expect(operations).toEqual([{ state: "open", epoch: 3, in_flight: true, too_long: false }]);
    await tenant.endLeases();
    await tenant.complete();
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 402, replayed: true });
    await expectClean();
  });

  test("a key without an operation is free again", async () => {
    const tenant = await openTenant();
    await tenant.create({}, { key: "k" });
    await db.sql`update idempotency_keys set state = 'running', response_body = null, operation_id = gen_random_uuid(),
        locked_until = now() + interval '2 hours' where environment_id = ${tenant.environmentId}`;
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 201, replayed: false });
  });
});

test("if the database's clock was set forward, a call in progress does not count as never sent", async () => {
  const tenant = await openTenant();
  const held = holds();
  tenant.script.next(held.step);
  const answer = tenant.create({}, { key: "k" });
  await held.reached;
  await tenant.endLeases();
  tenant.script.next(async (real) => {
    const first = await real();
    // The call ends at the processor before the second status check.
    held.release();
    await answer;
    return first;
  });
  await tenant.complete();
  expect((await answer).status).toBe(202);
  expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 201, replayed: true });
  await expectClean();
});

test("if clocks were set forward and back, a call that arrives after it was closed is refused: a failed payment is never charged", async () => {
  const tenant = await openTenant();
  const held = holds();
  tenant.script.next(held.step);
  const answer = tenant.create({}, { key: "k" });
  await held.reached;
  await tenant.endLeases();
  await tenant.complete();
  // The call is in time by the processor's clock, which is right.
  held.release();
  expect(await answer).toMatchObject({ status: 402, code: "payment_failed" });
  expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 402, replayed: true });
  const charges = await db.sql`
    select 1 from sandbox_processor.charges where account = ${tenant.environmentId} and outcome <> 'declined'`;
  expect(charges).toHaveLength(0);
  await expectClean();
});

describe("captures, voids and refunds with an unknown outcome", () => {
  test.each([
    ["capture", "executed", losesAnswer],
    ["capture", "not executed", UNKNOWN],
    ["void", "executed", throwsAfter],
    ["void", "not executed", UNKNOWN],
    ["refund", "executed", losesAnswer],
    ["refund", "not executed", PENDING],
  ] as const)("a %s that was %s is resent under its reference and moves money once", async (kind, _, step) => {
    const tenant = await openTenant();
    const { body: payment } = await tenant.create(kind === "refund" ? {} : { capture_method: "manual" });
    tenant.script.next(step);
    const body = kind === "void" ? {} : { amount: 4_000 };
    expect(await tenant.act(kind, payment.id, body, { key: "k" })).toMatchObject({
      status: 202,
      body: { status: "PENDING" },
    });
    await tenant.endLeases();
    await tenant.complete();
    const answer = await tenant.act(kind, payment.id, body, { key: "k" });
    expect(answer).toMatchObject({ status: kind === "refund" ? 201 : 200, replayed: true });
    expect(new Set(tenant.script.calls.filter((call) => call.method === kind).map((call) => call.reference)).size).toBe(
      1,
    );
    const [store] = await db.sql`
      select amount_captured, amount_refunded, voided from sandbox_processor.charges where account = ${tenant.environmentId}`;
    expect(store).toEqual(
      {
        capture: { amount_captured: 4_000, amount_refunded: 0, voided: false },
        void: { amount_captured: 0, amount_refunded: 0, voided: true },
        refund: { amount_captured: 10_000, amount_refunded: 4_000, voided: false },
      }[kind],
    );
    await expectClean();
  });

  test("an amount reserved for a refund of unknown outcome cannot be refunded again", async () => {
    const tenant = await openTenant();
    const { body: payment } = await tenant.create();
    tenant.script.next(losesAnswer);
    await tenant.act("refund", payment.id, { amount: 8_000 });
    const refused = await tenant.act("refund", payment.id, { amount: 2_001 });
    expect(refused).toMatchObject({ status: 422, code: "amount_exceeds_refundable", body: { remaining: 2_000 } });
    expect(await tenant.act("refund", payment.id)).toMatchObject({ status: 201 });
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.get(payment.id)).toMatchObject({ status: "REFUNDED", amount_refunded: 10_000 });
    await expectClean();
  });
});
