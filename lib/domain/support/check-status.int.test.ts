import { describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { holds, losesAnswer, says } from "@/e2e/fixtures/scripted-processor";
import { staffCaller } from "@/e2e/fixtures/users";
import { encodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { newId } from "@/lib/ids";
import { checkStatus, listUnknownOutcomes } from "./unknown-outcomes";

const { db } = await testDatabase();

const LOST = says({ kind: "unknown", reason: "the connection was lost" });

async function setup() {
  const tenant = await moneyTenant(db);
  const call = await staffCaller(tenant.service);
  return { tenant, call };
}

async function lostRefund(tenant: MoneyTenant) {
  const { body: payment } = await tenant.create();
  tenant.script.next(losesAnswer);
  const refund = await tenant.act("refund", payment.id, { amount: 4_000, reason: "OTHER" }, { key: "refund" });
  expect(refund.status).toBe(202);
  const operations = await tenant.operations(payment.id);
  return { payment, operationId: operations.at(-1)?.id as string };
}

/** An operation as the recovery worker leaves it: due in the past, and older than a day. */
async function age(tenant: MoneyTenant, interval: string): Promise<void> {
  await db.sql`update operations set created_at = created_at - ${interval}::interval
    where environment_id = ${tenant.environmentId} and state = 'open'`;
}

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

describe("checking the status", () => {
  test("finds a refund whose response was lost, and makes no second one", async () => {
    const { tenant, call } = await setup();
    const { payment, operationId } = await lostRefund(tenant);
    expect(await checkStatus(call(), { operationId })).toEqual({
      result: "settled",
      state: "succeeded",
      lastAnswer: "approved",
    });
    expect(await tenant.get(payment.id)).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refunded: 4_000 });
    const references = tenant.script.calls.filter(({ method }) => method === "refund").map((sent) => sent.reference);
    expect(references).toEqual([operationId, operationId]);
    // A repeat of the refund request with its key gets the result.
    expect(await tenant.key("refund")).toMatchObject({ state: "done", operation_id: operationId });
    await expectClean();
  });

  test("never sends an authorization again", async () => {
    const { tenant, call } = await setup();
    tenant.script.next(losesAnswer);
    const { body } = await tenant.create();
    const [operation] = await tenant.operations(body.id);
    expect(await checkStatus(call(), { operationId: operation?.id as string })).toMatchObject({ result: "settled" });
    expect(tenant.script.count("authorize")).toBe(1);
    expect(tenant.script.count("inquire")).toBe(1);
    expect((await tenant.get(body.id)).status).toBe("CAPTURED");
    await expectClean();
  });

  test("resolves an operation that waits for staff, which the recovery worker no longer checks", async () => {
    const { tenant, call } = await setup();
    const { payment, operationId } = await lostRefund(tenant);
    await age(tenant, "25 hours");
    await tenant.endLeases();
    await tenant.complete();
    expect((await tenant.get(payment.id)).amount_refunded).toBe(0);
    const { outcomes } = await listUnknownOutcomes(call());
    expect(outcomes.find((outcome) => outcome.operationId === operationId)).toMatchObject({ nextAttemptAt: null });
    expect(await checkStatus(call(), { operationId })).toMatchObject({ result: "settled" });
    expect((await tenant.get(payment.id)).amount_refunded).toBe(4_000);
    await expectClean();
  });

  test("leaves the operation open if the processor gives no outcome, and stores its response", async () => {
    const { tenant, call } = await setup();
    const { operationId } = await lostRefund(tenant);
    tenant.script.next(LOST);
    expect(await checkStatus(call(), { operationId })).toEqual({
      result: "still_unknown",
      state: "open",
      lastAnswer: "unknown: the connection was lost",
    });
    expect(await checkStatus(call(), { operationId })).toMatchObject({ result: "settled" });
    expect(await checkStatus(call(), { operationId })).toMatchObject({ result: "already_known", state: "succeeded" });
    await expectClean();
  });

  test("does not touch an operation that another process holds", async () => {
    const { tenant, call } = await setup();
    const { payment, operationId } = await lostRefund(tenant);
    const held = holds();
    tenant.script.next(held.step);
    const first = checkStatus(call(), { operationId });
    await held.reached;
    expect(await checkStatus(call(), { operationId })).toMatchObject({ result: "busy", state: "open" });
    held.release();
    expect(await first).toMatchObject({ result: "settled" });
    expect((await tenant.get(payment.id)).amount_refunded).toBe(4_000);
    await expectClean();
  });

  test("is audited with the payment first, and does nothing if that fails", async () => {
    const { tenant, call } = await setup();
    const { payment, operationId } = await lostRefund(tenant);
    const made = call();
    await expect(checkStatus({ ...made, staff: { userId: newId() } }, { operationId })).rejects.toThrow(/staff_id/);
    expect((await tenant.operations(payment.id)).at(-1)).toMatchObject({ state: "open", epoch: 1 });
    await checkStatus(made, { operationId });
    const [row] = await db.sql`select * from support_audit_log where request_id = ${made.request.id}`;
    expect(row).toMatchObject({
      action: "support.asked_again",
      merchant_id: tenant.merchant.id,
      environment_id: tenant.environmentId,
      object_id: payment.id,
    });
  });

  test.each(["nonsense", newId(), encodeId("payment", newId())])("%s is no operation", async (operationId) => {
    const { call } = await setup();
    await expect(checkStatus(call(), { operationId })).rejects.toMatchObject({ code: "resource_not_found" });
  });
});

describe("the queue", () => {
  test("lists operations with unknown outcomes, oldest first, and nothing else", async () => {
    const { tenant, call } = await setup();
    await tenant.create();
    const older = await lostRefund(tenant);
    tenant.script.next(LOST);
    const younger = await tenant.create();
    const { outcomes, total } = await listUnknownOutcomes(call());
    const mine = outcomes.filter((outcome) => outcome.merchant.id === encodeId("merchant", tenant.merchant.id));
    expect(mine.map((outcome) => outcome.paymentId)).toEqual([older.payment.id, younger.body.id]);
    expect(mine[0]).toMatchObject({
      kind: "refund",
      amount: 4_000,
      currency: "USD",
      attempts: 1,
      mode: "test",
      lastAnswer: "unknown: the connection was lost",
      held: false,
    });
    expect(mine[0]?.nextAttemptAt).not.toBeNull();
    expect(total).toBeGreaterThanOrEqual(2);
  });

  test("each merchant in it sees an audit record of the look-up", async () => {
    const { tenant, call } = await setup();
    await lostRefund(tenant);
    const made = call();
    await listUnknownOutcomes(made);
    const rows = await db.sql`
      select merchant_id from support_audit_log where request_id = ${made.request.id} and action = 'support.viewed_unknown_outcomes'`;
    expect(rows.map((row) => row.merchant_id)).toContain(tenant.merchant.id);
  });
});
