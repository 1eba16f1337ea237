import { describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext, testIdempotency } from "@/e2e/fixtures/factories";
import { copyTransaction, moneyTenant } from "@/e2e/fixtures/money";
import { holds, losesAnswer } from "@/e2e/fixtures/scripted-processor";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { MAX_REFUNDS } from "@/lib/contract/payments/payment";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { createRegistry } from "@/lib/processor/registry";
import { refuseClaimed } from "./money-request";

const { db } = await testDatabase({ max: 20 });

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

describe("refusals", () => {
  test("of a state or an amount are stored, and replayed after the payment has changed", async () => {
    const tenant = await moneyTenant(db);
    const { body: payment } = await tenant.create({ capture_method: "manual" });
    const early = await tenant.act("refund", payment.id, {}, { key: "state" });
    expect(early).toMatchObject({
      status: 409,
      code: "invalid_state",
      body: { current_status: "AUTHORIZED", allowed_actions: ["capture", "void"] },
    });
    const tooMuch = await tenant.act("capture", payment.id, { amount: 10_001 }, { key: "amount" });
    expect(tooMuch).toMatchObject({ status: 422, code: "amount_exceeds_capturable", body: { remaining: 10_000 } });
    await tenant.act("capture", payment.id);
    expect(await tenant.act("refund", payment.id, {}, { key: "state" })).toMatchObject({
      text: early.text,
      replayed: true,
    });
    expect(await tenant.act("capture", payment.id, { amount: 10_001 }, { key: "amount" })).toMatchObject({
      text: tooMuch.text,
      replayed: true,
    });
    expect(tenant.script.count("refund")).toBe(0);
    await expectClean();
  });

  test("that are temporary are not stored: the key works later", async () => {
    const tenant = await moneyTenant(db);
    tenant.script.next(losesAnswer);
    const { body: payment } = await tenant.create();
    expect(await tenant.act("refund", payment.id, {}, { key: "k" })).toMatchObject({
      status: 409,
      code: "outcome_pending",
    });
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

  test("requested by many concurrent duplicates are one refusal with the same bytes", async () => {
    const tenant = await moneyTenant(db);
    const { body: payment } = await tenant.create({ capture_method: "manual" });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => tenant.act("refund", payment.id, {}, { key: "k" })),
    );
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
  });

  test("that arrive after their key went to another request are not stored", async () => {
    const tenant = await moneyTenant(db);
    const held = holds();
    tenant.script.next(held.step);
    const other = tenant.create({}, { key: "k" });
    await held.reached;
    const late = testContext(tenant.service, tenant.merchant.test, {
      idempotency: testIdempotency("k", Buffer.of(0), null),
    });
    const refusal = new AppError("invalid_state", "The payment cannot be captured.");
    await expect(refuseClaimed(late, refusal)).rejects.toMatchObject({ code: "idempotency_request_in_progress" });
    held.release();
    expect((await tenant.create({}, { key: "k" })).text).toBe((await other).text);
    await expectClean();
  });

  test("of live payments without a processor are stored", async () => {
    const tenant = await moneyTenant(db);
    const live = {
      key: "k",
      context: { environment: tenant.merchant.live },
      service: { ...tenant.service, processors: createRegistry({ sandbox: tenant.script.processor }) },
    };
    const first = await tenant.create({}, live);
    expect(first).toMatchObject({ status: 422, code: "processor_not_configured", replayed: false });
    expect(await tenant.create({}, live)).toMatchObject({ text: first.text, replayed: true });
    // In the other environment it is another key.
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 201, replayed: false });
    expect(tenant.script.count("authorize")).toBe(1);
  });

  test("of a refund as the target of an operation name its status", async () => {
    const tenant = await moneyTenant(db);
    const { body: payment } = await tenant.create();
    const { body: refund } = await tenant.act("refund", payment.transactions[0].id, { amount: 1_000 });
    for (const kind of ["capture", "void", "refund"] as const) {
      expect(await tenant.act(kind, refund.id)).toMatchObject({
        code: "invalid_state",
        body: { current_status: "CAPTURED", allowed_actions: [] },
      });
    }
    await expectClean();
  });
});

test("a payment accepts five hundred refunds, so that its response stays bounded", async () => {
  const tenant = await moneyTenant(db);
  const { id } = (await tenant.create()).body;
  const refund = await tenant.act("refund", id, { amount: 1 });
  const made = decodeId("transaction", refund.body.transactions[1].id) ?? "";
  await copyTransaction(db, { environmentId: tenant.environmentId, id: made, times: MAX_REFUNDS - 2 });
  expect((await tenant.act("refund", id, { amount: 1 })).status).toBe(201);
  const refused = await tenant.act("refund", id, { amount: 1 });
  expect(refused).toMatchObject({ status: 409, code: "invalid_state" });
  expect(refused.body.detail).toBe("A payment can have at most 500 refunds, and this one has reached that number.");
  expect(tenant.script.count("refund")).toBe(2);
});
