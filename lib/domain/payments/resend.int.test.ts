import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { holds, losesAnswer, says } from "@/e2e/fixtures/scripted-processor";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";

const { db } = await testDatabase({ max: 20 });

/** Expects that the books are consistent, and agree with the processor's own store. */
async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

/**
 * A tenant of a processor whose "not found" is conclusive sooner, which shortens each second status check.
 */
async function newTenant(): Promise<MoneyTenant> {
  const tenant = await moneyTenant(db);
  Object.assign(tenant.service.processors.builtIn("test") as object, { notFoundConclusiveAfterMs: 300 });
  return tenant;
}

const sleepers: { bury(): void; answer: Promise<unknown> }[] = [];
afterAll(async () => {
  for (const { bury, answer } of sleepers) {
    bury();
    await answer;
  }
});

/**
 * A payment after kill -9 between T1 and the call, with no known outcome. `wake` lets the call through late.
 */
async function dies(tenant: MoneyTenant) {
  const held = holds();
  let bury = () => {};
  const buried = new Promise((resolve) => {
    bury = () => resolve({ kind: "unknown", reason: "its process died" });
  });
  tenant.script.next((real) => Promise.race([held.step(real), buried]));
  const answer = tenant.create({}, { key: "k" });
  await held.reached;
  sleepers.push({ bury, answer });
  return {
    async wake() {
      held.release();
      return answer;
    },
  };
}

/** Lets the lease and the time to send it run out this many seconds ago. */
async function ago(tenant: MoneyTenant, seconds: number): Promise<void> {
  await db.sql`update operations set lease_until = now() - interval '1 ms', next_attempt_at = now() - interval '1 ms',
      send_until = now() - ${seconds}::int * interval '1 s'
    where environment_id = ${tenant.environmentId} and state = 'open'`;
}

async function chargesOf(tenant: MoneyTenant) {
  const rows = await db.sql`
    select outcome from sandbox_processor.charges where account = ${tenant.environmentId} and behavior <> 'closed'`;
  return rows.map(({ outcome }) => outcome);
}

const referencesOf = ({ script }: MoneyTenant) => new Set(script.calls.map(({ reference }) => reference));

describe("a good card whose first request crashed before it was sent", () => {
  test("is charged once by the retry, and the first request, if it resumes, gets the same response and charges nothing", async () => {
    const tenant = await newTenant();
    const first = await dies(tenant);
    await ago(tenant, 3);
    const answer = await tenant.create({}, { key: "k" });
    expect(answer).toMatchObject({ status: 201, replayed: false, body: { status: "CAPTURED", amount: 10_000 } });
    expect(await first.wake()).toMatchObject({ status: 201, replayed: true, text: answer.text });
    expect(tenant.script.calls.map(({ method }) => method)).toEqual(["authorize", "inquire", "inquire", "authorize"]);
    expect(referencesOf(tenant).size).toBe(1);
    expect(await chargesOf(tenant)).toEqual(["approved"]);
    await expectClean();
  });

  test("is not abandoned by the recovery worker before its request could be resent, and is after that", async () => {
    const tenant = await newTenant();
    await dies(tenant);
    await ago(tenant, 3);
    await tenant.complete();
    await ago(tenant, 8);
    await tenant.complete();
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 201 });

    const other = await newTenant();
    await dies(other);
    await ago(other, 13);
    await other.complete();
    expect(await other.create({}, { key: "k" })).toMatchObject({ status: 402, code: "payment_failed", replayed: true });
    expect(other.script.count("authorize")).toBe(1);
    expect(await chargesOf(other)).toEqual([]);
    await expectClean();
  });

  test("is sent by one of twenty repeats", async () => {
    const tenant = await newTenant();
    await dies(tenant);
    await ago(tenant, 3);
    const answers = await Promise.all(Array.from({ length: 20 }, () => tenant.create({}, { key: "k" })));
    const good = answers.filter(({ status }) => status === 201);
    expect(new Set(good.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ status, code }) => status !== 201 && !code?.includes("in_progress"))).toEqual([]);
    expect(tenant.script.count("authorize")).toBe(2);
    expect(await chargesOf(tenant)).toEqual(["approved"]);
    await expectClean();
  });

  test("is sent once more, and not again if the retry crashes, too", async () => {
    const tenant = await newTenant();
    await dies(tenant);
    await ago(tenant, 3);
    tenant.script.next(says({ kind: "not_found" }), says({ kind: "not_found" }));
    await dies(tenant);
    await ago(tenant, 3);
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 402, code: "payment_failed" });
    expect(tenant.script.count("authorize")).toBe(2);
    expect(await chargesOf(tenant)).toEqual([]);
    await expectClean();
  });

  test("is no longer sent by the first request once a repeat may send it", async () => {
    const tenant = await newTenant();
    tenant.script.next(async () => {
      await ago(tenant, 3);
      tenant.script.next(says({ kind: "not_found" }), says({ kind: "not_found" }), losesAnswer);
      expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 202 });
      setTimeout(() => void ago(tenant, 3).then(() => tenant.complete()), 500);
      return { kind: "not_sent", reason: "the request arrived after its deadline" };
    });
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 201, replayed: true });
    expect(tenant.script.count("authorize")).toBe(2);
    expect(await chargesOf(tenant)).toEqual(["approved"]);
    await expectClean();
  });
});

describe("a process that was paused for longer than the time limit for sending", () => {
  /** A pause between T1 and the call, which waits for a lock. */
  async function pausedIn<T>(work: () => Promise<T>): Promise<T> {
    const real = performance.now.bind(performance);
    let pausedMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => real() + pausedMs);
    onTestFinished(() => void vi.restoreAllMocks());
    const held = holds();
    const lock = db.sql.begin(async (tx) => {
      await tx`lock table idempotency_keys in share mode`;
      await held.step(async () => ({ kind: "pending" }));
    });
    await held.reached;
    const working = work();
    const waiting = () =>
      db.sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await vi.waitFor(async () => expect(await waiting()).not.toHaveLength(0), { timeout: 10_000, interval: 10 });
    pausedMs = 40_000;
    held.release();
    await lock;
    return working;
  }

  test("fails no good card: the repeat charges it", async () => {
    const tenant = await newTenant();
    expect(await pausedIn(() => tenant.create({}, { key: "k" }))).toMatchObject({ status: 202 });
    expect(tenant.script.calls).toEqual([]);
    await ago(tenant, 3);
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 201, body: { status: "CAPTURED" } });
    expect(await chargesOf(tenant)).toEqual(["approved"]);
    await expectClean();
  });

  test("fails no refund: the recovery worker sends it", async () => {
    const tenant = await newTenant();
    const { body: payment } = await tenant.create();
    expect(await pausedIn(() => tenant.act("refund", payment.id, {}, { key: "r" }))).toMatchObject({ status: 202 });
    await ago(tenant, 3);
    await tenant.complete();
    expect(await tenant.act("refund", payment.id, {}, { key: "r" })).toMatchObject({ status: 201, replayed: true });
    expect(tenant.script.count("refund")).toBe(1);
    await expectClean();
  });
});

test("an operation that the processor has seen, or may still execute, only has its status checked", async () => {
  const tenant = await newTenant();
  tenant.script.next(says({ kind: "unknown", reason: "garbage" }));
  expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 202 });
  await ago(tenant, 3);
  expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 402, code: "payment_failed" });
  expect(tenant.script.count("authorize")).toBe(1);

  const early = await moneyTenant(db);
  const first = await dies(early);
  await ago(early, 0);
  expect(await early.create({}, { key: "k" })).toMatchObject({ status: 202 });
  expect(early.script.count("authorize")).toBe(1);
  await ago(early, 3);
  expect(await early.create({}, { key: "k" })).toMatchObject({ status: 201 });
  expect(await first.wake()).toMatchObject({ status: 201, replayed: true });
  expect(await chargesOf(early)).toEqual(["approved"]);
  await expectClean();
});
