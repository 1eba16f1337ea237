import { describe, expect, test } from "vitest";
import { takeOperation } from "@/db/queries/operations";
import { AppError } from "@/lib/contract/errors";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { createRegistry } from "@/lib/processor/registry";
import { testDatabase } from "@/lib/testing/database";
import { type MoneyTenant, moneyTenant } from "@/lib/testing/money";
import { holds, losesAnswer } from "@/lib/testing/scripted-processor";

const { db } = await testDatabase({ max: 20 });

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

/** As a request leaves it that died between the claim of its key and what it was going to write. */
async function claimAndDie(tenant: MoneyTenant, key: string, body: object): Promise<void> {
  await tenant.act("refund", (await tenant.create()).body.id, {}, { key: `${key} template` });
  const answer = await tenant.create(body, { key });
  expect(answer.status).toBe(201);
  await db.sql`update idempotency_keys set state = 'running', status_code = null, response_body = null, completed_at = null,
      operation_id = gen_random_uuid(), locked_until = now() + interval '10 seconds'
    where environment_id = ${tenant.environmentId} and key = ${key}`;
}

describe("refusals", () => {
  test("of a state or an amount are stored, and replayed after the payment has changed", async () => {
    const tenant = await moneyTenant(db);
    const { body: payment } = await tenant.create({ capture_method: "manual" });
    const early = await tenant.act("refund", payment.id, {}, { key: "state" });
    expect(early).toMatchObject({ status: 409, code: "invalid_state", body: { current_status: "AUTHORIZED", allowed_actions: ["capture", "void"] } });
    const tooMuch = await tenant.act("capture", payment.id, { amount: 10_001 }, { key: "amount" });
    expect(tooMuch).toMatchObject({ status: 422, code: "amount_exceeds_capturable", body: { remaining: 10_000 } });
    await tenant.act("capture", payment.id);
    expect(await tenant.act("refund", payment.id, {}, { key: "state" })).toMatchObject({ text: early.text, replayed: true });
    expect(await tenant.act("capture", payment.id, { amount: 10_001 }, { key: "amount" })).toMatchObject({ text: tooMuch.text, replayed: true });
    expect(tenant.script.count("refund")).toBe(0);
    await expectClean();
  });

  test("for the moment only are not stored: the key does its work later", async () => {
    const tenant = await moneyTenant(db);
    tenant.script.next(losesAnswer);
    const { body: payment } = await tenant.create();
    expect(await tenant.act("refund", payment.id, {}, { key: "k" })).toMatchObject({ status: 409, code: "outcome_pending" });
    expect(await tenant.key("k")).toBeNull();
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.act("refund", payment.id, {}, { key: "k" })).toMatchObject({ status: 201, replayed: false });
    await expectClean();
  });

  test.each(["pay_", "txn_"])("of an unknown %s leave the key free", async (prefix) => {
    const tenant = await moneyTenant(db);
    const stranger = await moneyTenant(db);
    const { body: theirs } = await stranger.create();
    const id = prefix === "pay_" ? theirs.id : theirs.transactions[0].id;
    expect(await tenant.act("refund", id, {}, { key: "k" })).toMatchObject({ status: 404, code: "resource_not_found" });
    expect(await tenant.key("k")).toBeNull();
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 201 });
  });

  test("that many duplicates ask for at once are one refusal with the same bytes", async () => {
    const tenant = await moneyTenant(db);
    const { body: payment } = await tenant.create({ capture_method: "manual" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => tenant.act("refund", payment.id, {}, { key: "k" })));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
  });

  test("of live payments without a processor are stored", async () => {
    const tenant = await moneyTenant(db);
    const live = { key: "k", context: { environment: tenant.merchant.live }, service: { ...tenant.service, processors: createRegistry({ sandbox: tenant.script.processor }) } };
    const first = await tenant.create({}, live);
    expect(first).toMatchObject({ status: 422, code: "processor_not_configured", replayed: false });
    expect(await tenant.create({}, live)).toMatchObject({ text: first.text, replayed: true });
    // The same key in the other environment is another key.
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 201, replayed: false });
    expect(tenant.script.count("authorize")).toBe(1);
  });

  test("of a refund as the target of an operation name its status", async () => {
    const tenant = await moneyTenant(db);
    const { body: payment } = await tenant.create();
    const { body: refund } = await tenant.act("refund", payment.transactions[0].id, { amount: 1_000 });
    for (const kind of ["capture", "void", "refund"] as const) {
      expect(await tenant.act(kind, refund.id)).toMatchObject({ code: "invalid_state", body: { current_status: "CAPTURED", allowed_actions: [] } });
    }
    await expectClean();
  });
});

describe("a key", () => {
  test("with other parameters is refused, and its first use stands", async () => {
    const tenant = await moneyTenant(db);
    const first = await tenant.create({}, { key: "k" });
    expect(await tenant.create({ amount: 1 }, { key: "k" })).toMatchObject({ status: 409, code: "idempotency_key_reused" });
    expect(await tenant.act("refund", first.body.id, {}, { key: "k" })).toMatchObject({ code: "idempotency_key_reused" });
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ text: first.text, replayed: true });
  });

  test.each([
    ["23 hours 59 minutes 59 seconds", true],
    ["24 hours", false],
  ])("of %s replays: %s", async (age, replays) => {
    const tenant = await moneyTenant(db);
    const first = await tenant.create({}, { key: "k" });
    const refund = await tenant.act("refund", first.body.id, { amount: 1_000 }, { key: "r" });
    for (const key of ["k", "r"]) await tenant.ageKey(key, age);
    const again = await tenant.create({}, { key: "k" });
    expect([again.replayed, again.body.id === first.body.id]).toEqual([replays, replays]);
    const refundAgain = await tenant.act("refund", first.body.id, { amount: 1_000 }, { key: "r" });
    expect([refundAgain.replayed, refundAgain.text === refund.text]).toEqual([replays, replays]);
    expect((await tenant.get(first.body.id)).amount_refunded).toBe(replays ? 1_000 : 2_000);
    await expectClean();
  });

  test("of 24 hours that is used anew by many at once is used once", async () => {
    const tenant = await moneyTenant(db);
    const first = await tenant.create({}, { key: "k" });
    await tenant.ageKey("k", "24 hours");
    const answers = await Promise.all(Array.from({ length: 20 }, () => tenant.create({ amount: 5 }, { key: "k" })));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers[0]?.body.id).not.toBe(first.body.id);
    expect(tenant.script.count("authorize")).toBe(2);
  });

  test("used anew while its old operation is without an outcome does not get the old one's answer", async () => {
    const tenant = await moneyTenant(db);
    tenant.script.next(losesAnswer);
    const old = await tenant.create({}, { key: "k" });
    await tenant.ageKey("k", "24 hours");
    const fresh = await tenant.create({ amount: 777 }, { key: "k" });
    expect(fresh).toMatchObject({ status: 201, body: { amount: 777 } });
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.get(old.body.id)).toMatchObject({ status: "CAPTURED", amount: 10_000 });
    expect(await tenant.create({ amount: 777 }, { key: "k" })).toMatchObject({ text: fresh.text, replayed: true });
    await expectClean();
  });

  test("whose request died before it wrote anything is waited for, and then is new", async () => {
    const tenant = await moneyTenant(db);
    await claimAndDie(tenant, "k", { amount: 321 });
    expect(await tenant.create({ amount: 321 }, { key: "k" })).toMatchObject({ status: 409, code: "idempotency_request_in_progress" });
    await tenant.endLeases();
    const answers = await Promise.all(Array.from({ length: 12 }, () => tenant.create({ amount: 321 }, { key: "k" })));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
  });

  test("that another took over is not answered by the request that lost it", async () => {
    const tenant = await moneyTenant(db);
    const { body: payment } = await tenant.create({ capture_method: "manual" });
    // A refusal that is about to be stored, while its key is declared free and used by another.
    await tenant.act("refund", payment.id, {}, { key: "k" });
    const held = holds();
    const slow = tenant.create({}, {
      key: "slow",
      service: { ...tenant.service, processors: createRegistry({ sandbox: { ...tenant.script.processor, authorize: async (r) => (await held.step(() => tenant.script.processor.authorize(r)), tenant.script.processor.authorize(r)) } }) },
    });
    await held.reached;
    await tenant.endLeases();
    await db.sql`update operations set created_at = now() where environment_id = ${tenant.environmentId} and state = 'open'`;
    const [row] = await db.sql<{ id: string }[]>`select id from operations where environment_id = ${tenant.environmentId} and state = 'open'`;
    await takeOperation(db.sql, tenant.environmentId, row?.id ?? "", 60_000);
    held.release();
    expect((await slow).status).toBe(202);
    expect(await tenant.key("slow")).toMatchObject({ state: "running" });
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.create({}, { key: "slow" })).toMatchObject({ status: 201, replayed: true });
    await expectClean();
  });

  test("is not replayed to a caller that has lost the permission meanwhile", async () => {
    const tenant = await moneyTenant(db);
    await tenant.create({}, { key: "k" });
    const reauthorize = async () => {
      throw new AppError("permission_denied", "The key lacks payment.create.");
    };
    expect(await tenant.create({}, { key: "k", context: { reauthorize } })).toMatchObject({ status: 403, code: "permission_denied" });
  });
});

describe("a duplicate", () => {
  test("waits for the first request and gets its answer", async () => {
    const tenant = await moneyTenant(db);
    const held = holds();
    tenant.script.next(held.step);
    const first = tenant.create({}, { key: "k" });
    await held.reached;
    const second = tenant.create({}, { key: "k" });
    held.release();
    const [a, b] = await Promise.all([first, second]);
    expect([a.replayed, b.replayed, a.text === b.text]).toEqual([false, true, true]);
  });

  test("gives up after two seconds and leaves the first request alone", async () => {
    const tenant = await moneyTenant(db);
    const held = holds();
    tenant.script.next(held.step);
    const first = tenant.create({}, { key: "k" });
    await held.reached;
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 409, code: "idempotency_request_in_progress" });
    held.release();
    expect(await first).toMatchObject({ status: 201, replayed: false });
    expect(tenant.script.count("authorize")).toBe(1);
  });
});
