import { describe, expect, test } from "vitest";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { testDatabase } from "@/lib/testing/database";
import { moneyTenant } from "@/lib/testing/money";
import { losesAnswer, says, throwsAfter } from "@/lib/testing/scripted-processor";

const { db } = await testDatabase({ max: 10 });
const UNKNOWN = says({ kind: "unknown", reason: "no answer" });
const PENDING = says({ kind: "pending" });
const NOT_SENT = says({ kind: "not_sent", reason: "refused" });

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

describe("a payment whose outcome is not known", () => {
  test.each([
    ["the answer is lost", losesAnswer],
    ["the connection breaks", throwsAfter],
    ["garbage comes back", says({ kind: "sure, why not" } as never)],
    ["the processor is still at it", PENDING],
  ])("is PENDING when %s: 202, nothing is stored, and nothing more may be done", async (_, step) => {
    const tenant = await moneyTenant(db);
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

  test("ends CAPTURED when the processor did charge, and the same key answers 201", async () => {
    const tenant = await moneyTenant(db);
    tenant.script.next(losesAnswer);
    const { body: pending } = await tenant.create({}, { key: "k" });
    await tenant.endLeases();
    await tenant.complete();
    const answer = await tenant.create({}, { key: "k" });
    expect(answer).toMatchObject({ status: 201, replayed: true, body: { id: pending.id, status: "CAPTURED" } });
    expect(tenant.script.count("authorize")).toBe(1);
    await expectClean();
  });

  test("ends FAILED when the processor conclusively never heard of it, and the same key answers 402", async () => {
    const tenant = await moneyTenant(db);
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

  test("stays PENDING while not found proves nothing yet", async () => {
    const tenant = await moneyTenant(db);
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

  test("stays PENDING for an instance whose own clock is an hour ahead, too", async () => {
    const ahead = { now: () => new Date(Date.now() + 3_600_000) };
    const tenant = await moneyTenant(db);
    tenant.script.next(UNKNOWN);
    const { body: pending } = await tenant.create({}, { key: "k" });
    const early = await tenant.create({}, { key: "k", service: { ...tenant.service, clock: ahead } });
    expect(early.status).toBe(202);
    expect(await tenant.get(pending.id)).toMatchObject({ status: "PENDING" });
    await tenant.endLeases();
    await tenant.complete();
  });

  test("stays PENDING when the processor once said that it has it, whatever it finds later", async () => {
    const tenant = await moneyTenant(db);
    tenant.script.next(PENDING);
    const { body: pending } = await tenant.create({}, { key: "k" });
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.get(pending.id)).toMatchObject({ status: "PENDING" });
    expect((await tenant.operations(pending.id))[0]).toMatchObject({ state: "open" });
  });

  test("is never authorized again by the completer or by a retry: only asked about", async () => {
    const tenant = await moneyTenant(db);
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

  test("is asked about less and less often, and no more after a day", async () => {
    const tenant = await moneyTenant(db);
    tenant.script.next(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN);
    const { body } = await tenant.create({}, { key: "k" });
    const delays: number[] = [];
    for (let round = 0; round < 3; round++) {
      await tenant.endLeases();
      await tenant.complete();
      const [row] = await db.sql`
        select round(extract(epoch from next_attempt_at - now()) * 2)::int as halves from operations
        where environment_id = ${tenant.environmentId}`;
      delays.push(row?.halves as number);
    }
    expect(delays).toEqual([2, 4, 8]);
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
  test("is sent again under the same reference, three times at most, and then has failed", async () => {
    const tenant = await moneyTenant(db);
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

  test("says nothing of an earlier try whose answer was lost", async () => {
    const tenant = await moneyTenant(db);
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

describe("captures, voids and refunds whose outcome is not known", () => {
  test.each([
    ["capture", "executed", losesAnswer],
    ["capture", "not executed", UNKNOWN],
    ["void", "executed", throwsAfter],
    ["void", "not executed", UNKNOWN],
    ["refund", "executed", losesAnswer],
    ["refund", "not executed", PENDING],
  ] as const)("a %s that was %s is sent again under its reference and moves money once", async (kind, _, step) => {
    const tenant = await moneyTenant(db);
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

  test("what is reserved for a refund of unknown outcome cannot be refunded again", async () => {
    const tenant = await moneyTenant(db);
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
