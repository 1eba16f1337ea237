import { expect, test } from "vitest";
import { wholePayment } from "@/components/payments/payment-blocks";
import { users } from "@/db/schema/accounts";
import { apiKeys } from "@/db/schema/api-keys";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { losesAnswer } from "@/e2e/fixtures/scripted-processor";
import { CARDS, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { encodeId } from "@/lib/contract/ids";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { newId } from "@/lib/ids";
import { findIdempotencyKey } from "../idempotency/inspect-keys";
import { getPaymentIdOfTransaction } from "../transactions/act-on-transactions";
import { getPaymentDetail } from "./payment-detail";
import { processReports } from "./process-reports";

const { db } = await testDatabase();

const card = (number: string) => ({ number, exp_month: 12, exp_year: 2040, cvv: "987" });
const detailOf = (tenant: MoneyTenant, id: string) =>
  getPaymentDetail(testContext(tenant.service, tenant.merchant.test), { id });

/** An API key and a user of the tenant's merchant. */
async function actorsOf(tenant: MoneyTenant) {
  const keyId = newId();
  const userId = newId();
  await db.orm.insert(apiKeys).values({
    environment_id: tenant.environmentId,
    id: keyId,
    name: "Shop server",
    prefix: "sk_test_abcd",
    last4: "wxyz",
    secret_sha256: Buffer.from(keyId),
    permissions: [],
    status: "ACTIVE",
  });
  const email = `${userId}@shop.example`;
  await db.orm.insert(users).values({
    id: userId,
    merchant_id: tenant.merchant.id,
    email,
    name: "Grace",
    password_hash: "-",
    role: "operator",
  });
  return { key: { type: "api_key", id: keyId } as const, user: { type: "user", id: userId } as const, email };
}

test("a captured and partly refunded payment shows actors, keys and ledger", async () => {
  const tenant = await moneyTenant(db);
  const { key, user, email } = await actorsOf(tenant);
  const made = await tenant.create(
    { card: card("4242424242424242"), capture_method: "manual", customer_id: "c1" },
    { key: "create-1", context: { actor: key } },
  );
  const { id } = made.body;
  await tenant.create({ customer_id: "c1" });
  await tenant.act("capture", id, {}, { key: "capture-1", context: { actor: key } });
  const refund = { amount: 2_500, reason: "OTHER", comment: "Broken lamp" };
  await tenant.act("refund", id, refund, { key: "refund-1", context: { actor: user } });

  const detail = await detailOf(tenant, id);
  expect(wholePayment(detail.payment)).toEqual(await tenant.get(id));
  expect(detail).toMatchObject({ pending: false, decline: null, truncated: false });
  expect(detail.timeline).toMatchObject([
    { kind: "authorize", outcome: "succeeded", title: "Authorized", amount: 10_000, idempotency_key: "create-1" },
    { kind: "capture", outcome: "succeeded", title: "Captured", amount: 10_000, idempotency_key: "capture-1" },
    { kind: "refund", outcome: "succeeded", title: "Refunded", amount: 2_500, reason: "Other: Broken lamp" },
  ]);
  expect(detail.timeline.map(({ actor }) => [actor.type, actor.name, actor.detail])).toEqual([
    ["api_key", "Shop server", "sk_test_abcd…wxyz"],
    ["api_key", "Shop server", "sk_test_abcd…wxyz"],
    ["user", "Grace", email],
  ]);
  expect(detail.timeline.every((entry) => entry.request_id?.startsWith("req_"))).toBe(true);
  expect(detail.ledger).toMatchObject([
    { title: "Capture", debit: "processor_receivable", credit: "merchant_payable", amount: 10_000 },
    { title: "Refund", debit: "merchant_payable", credit: "processor_receivable", amount: 2_500 },
  ]);
  expect(detail.events.map(({ type }) => type)).toEqual([
    ...["transaction.captured", "transaction.partially_refunded", "payment.partially_refunded", "refund.succeeded"],
    ...["transaction.captured", "payment.captured", "transaction.authorized", "payment.authorized"],
  ]);
  expect(detail.requests.map(({ key: used, method, status }) => [used, method, status])).toEqual([
    ["refund-1", "POST", 201],
    ["capture-1", "POST", 200],
    ["create-1", "POST", 201],
  ]);
  expect(detail.requests[0]).toMatchObject({ path: `/v1/payments/${id}/refund`, body: refund });
  expect(detail.requests[2]?.response).toEqual(made.body);
  expect(detail.linked).toMatchObject({ plan: null, customer_payments: { count: 1, more: false } });
  expect(detail.notes[1]).toMatchObject({ refund_comment: "Broken lamp" });
  expect(JSON.stringify(detail)).not.toMatch(/4242424242424242|"987"/);
});

test("a declined payment shows the reason and advice", async () => {
  const tenant = await moneyTenant(db);
  const { body } = await tenant.create({ card: card("4000000000009995") });
  const detail = await detailOf(tenant, body.payment_id);
  expect(detail.decline).toMatchObject({
    code: "insufficient_funds",
    meaning: "Insufficient funds.",
  });
  expect(detail.timeline).toMatchObject([
    {
      outcome: "declined",
      title: "Authorization declined",
      said: "Insufficient funds.",
      actor: { name: "An API key" },
    },
  ]);
  expect(detail.ledger).toEqual([]);
});

test("a payment with many refunds and much metadata shows only its latest refunds", async () => {
  const tenant = await moneyTenant(db);
  const metadata = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`k${i}`, "v".repeat(500)]));
  const { body } = await tenant.create({ card: card("4242424242424242"), metadata });
  for (let i = 1; i <= 55; i++) await tenant.act("refund", body.id, { amount: 1 }, { key: `refund-${i}` });
  const detail = await detailOf(tenant, body.id);
  expect(detail.truncated).toBe(true);
  const whole = await tenant.get(body.id);
  const latest = [whole.transactions[0], ...whole.transactions.slice(-50)];
  expect(wholePayment(detail.payment)).toEqual({ ...whole, transactions: latest });
  expect(detail.requests.map(({ key }) => key)).toEqual(Array.from({ length: 50 }, (_, i) => `refund-${55 - i}`));
  const shown = detail.requests.filter(({ too_long }) => !too_long);
  expect(detail.requests.filter(({ body: sent, response }) => sent !== null || response !== null)).toEqual(shown);
  expect(JSON.stringify(whole).length).toBeGreaterThan(300_000);
  expect(JSON.stringify(detail).length).toBeLessThan(300_000);
  const key = await findIdempotencyKey(testContext(tenant.service, tenant.merchant.test), {
    key: "refund-55",
    can: () => true,
  });
  expect(key).toMatchObject({ status: 201, response: null, too_long: true });
});

test("an unknown outcome is shown as unknown, without the processor's own text", async () => {
  const tenant = await moneyTenant(db);
  tenant.script.next(losesAnswer);
  const { body } = await tenant.create({});
  const open = await detailOf(tenant, body.id);
  expect(open.pending).toBe(true);
  expect(open.timeline).toMatchObject([{ outcome: "pending", title: "Authorization sent, outcome not known yet" }]);
  expect(open.timeline[0]?.said).toContain("Nothing runs twice");
  await tenant.endLeases();
  await tenant.complete();
  const known = await detailOf(tenant, body.id);
  expect(known.pending).toBe(false);
  expect(known.timeline).toMatchObject([{ outcome: "succeeded", title: "Authorized and captured", attempts: 2 }]);
});

test("fraud reasons and check results are shown", async () => {
  const tenant = await moneyTenant(db);
  const { body } = await tenant.create({ card: card("4000000000004954") });
  const detail = await detailOf(tenant, body.payment_id);
  expect(detail.payment.transactions[0]).toMatchObject({ fraud_score: 95 });
  expect(detail.notes[0]?.fraud_reasons?.length).toBeGreaterThan(0);
});

test("settlement and a returned refund are in the timeline and in the ledger", async () => {
  const tenant = await moneyTenant(db);
  const { body } = await tenant.create({ card: card("4000000000005126") });
  await runSettlement(tenant.service, { environmentId: tenant.environmentId });
  await tenant.act("refund", body.id, { amount: 1_000 });
  await db.sql`update sandbox_processor.reports set due_at = now() - interval '1 ms' where account = ${tenant.environmentId}`;
  await processReports(tenant.service);
  const detail = await detailOf(tenant, body.id);
  expect(detail.timeline.map(({ title }) => title)).toEqual([
    "Authorized and captured",
    "Settled",
    "Refunded",
    "Refund returned",
  ]);
  expect(detail.linked.batches).toHaveLength(1);
  expect(detail.timeline[1]?.settlement_batch_id).toBe(detail.linked.batches[0]?.id);
  expect(detail.ledger.map(({ title }) => title)).toEqual(["Capture", "Refund", "Refund returned"]);
  expect(detail.timeline.at(-1)?.actor.name).toBe("Cardlane");
  expect(detail.timeline[2]?.at).toBe(detail.ledger[1]?.at);
  const told = [
    ...["transaction.failed", "transaction.settled", "payment.refund_reversed", "refund.failed"],
    ...["transaction.captured", "transaction.partially_refunded", "payment.partially_refunded", "refund.succeeded"],
    ...["transaction.settled", "payment.settled", "transaction.captured", "payment.captured"],
  ];
  expect(detail.events.map(({ type }) => type)).toEqual(told);
  // Events are shown beside the timeline, which is never read from them.
  await db.sql`delete from events where environment_id = ${tenant.environmentId}`;
  expect((await detailOf(tenant, body.id)).timeline).toEqual(detail.timeline);
});

test("with a test clock, the timeline has the clock's times, declined payments included", async () => {
  const tenant = await subscriptionTenant(db, { start: "2027-03-01T10:00:00.000Z" });
  const body = { plan_id: await tenant.plan(), payment_method_id: await tenant.card(CARDS.poorLater) };
  await tenant.create(body);
  for (const month of ["04", "05"]) await tenant.travel(`2027-${month}-01T10:00:00.000Z`);
  const payments = await tenant.payments();
  const times = await Promise.all(
    payments.map(async ({ id }) => {
      const detail = await getPaymentDetail(tenant.context(), { id: encodeId("payment", id) });
      return [detail.payment.status, ...detail.timeline.map(({ at }) => at)];
    }),
  );
  expect(times).toEqual([
    ["CAPTURED", "2027-03-01T10:00:00.000Z"],
    ["CAPTURED", "2027-04-01T10:00:00.000Z"],
    ["DECLINED", "2027-05-01T10:00:00.000Z"],
  ]);
});

test("another merchant, another mode and made-up ids get not found", async () => {
  const tenant = await moneyTenant(db);
  const stranger = await moneyTenant(db);
  const { body } = await tenant.create({});
  const transactionId = body.transactions[0].id;
  for (const environment of [stranger.merchant.test, tenant.merchant.live]) {
    const ctx = testContext(tenant.service, environment);
    await expect(getPaymentDetail(ctx, { id: body.id })).rejects.toMatchObject({ code: "resource_not_found" });
    await expect(getPaymentIdOfTransaction(ctx, { id: transactionId })).rejects.toMatchObject({
      code: "resource_not_found",
    });
  }
  await expect(detailOf(tenant, "pay_made_up")).rejects.toMatchObject({ code: "resource_not_found" });
  const mine = testContext(tenant.service, tenant.merchant.test);
  expect(await getPaymentIdOfTransaction(mine, { id: transactionId })).toBe(body.id);
});

test("a user of another merchant is not named", async () => {
  const tenant = await moneyTenant(db);
  const stranger = await moneyTenant(db);
  const { user } = await actorsOf(stranger);
  const { body } = await tenant.create({}, { context: { actor: user } });
  expect((await detailOf(tenant, body.id)).timeline[0]?.actor.name).toBe("A former member of the team");
});
