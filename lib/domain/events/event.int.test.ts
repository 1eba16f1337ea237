import { expect, test } from "vitest";
import { isStaleOutcome, type OutcomeWrite, writeOutcome } from "@/db/queries/payments/outcomes";
import { findPayment } from "@/db/queries/payments/payments";
import { testDatabase } from "@/e2e/fixtures/database";
import { eventsAsTold, faultyEvents } from "@/e2e/fixtures/events";
import { testContext, testPaymentToken } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { holds, says } from "@/e2e/fixtures/scripted-processor";
import { CARDS as STORED_CARDS, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { createTestUser } from "@/e2e/fixtures/users";
import { createClientSessionBody } from "@/lib/contract/checkout/client-session";
import { EVENT_TYPES } from "@/lib/contract/events/event";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { createPaymentMethodBody } from "@/lib/contract/payment-methods/payment-method";
import { ROLE_PERMISSIONS } from "@/lib/contract/permissions";
import { createPlanBody } from "@/lib/contract/plans/plan";
import { newId } from "@/lib/ids";
import { disableApiKey, enableApiKey, revokeApiKey } from "../api-keys/change-keys";
import { createApiKey, editApiKey, rotateApiKey } from "../api-keys/issue-keys";
import { requestAct } from "../approvals/acts";
import { approveRequest } from "../approvals/approve";
import { rejectRequest } from "../approvals/requests";
import { cancelClientSession, createClientSession } from "../checkout/client-sessions";
import { emitExpiredSessions } from "../checkout/expire-sessions";
import { notifyOfDisputes } from "../disputes/dispute-mails";
import { recordDispute } from "../disputes/record-dispute";
import { announceExpiringIn } from "../payment-methods/expiring-cards";
import { createPaymentMethod } from "../payment-methods/store-card";
import { operationSnapshot } from "../payments/finish-operation";
import { applyOutcome } from "../payments/outcome";
import { recordOutsideRefunds } from "../payments/outside-refunds";
import { processReport, processReports } from "../payments/process-reports";
import { activatePlan, createPlan, deactivatePlan, updatePlan } from "../plans/plans";
import { verifyBooks } from "../reconciliation/verify-books";
import { runPayoutsOf } from "../settlement/payouts";
import { runSettlement } from "../settlement/settle";
import { testWebhookEndpoint } from "../webhooks/deliveries";
import { createWebhookEndpoint, updateWebhookEndpoint } from "../webhooks/endpoints";
import { newEvent, paymentData } from "./event";

const { db } = await testDatabase({ max: 20 });

const DAY_MS = 86_400_000;
const MANUAL = { capture_method: "manual" };
const card = (number: string) => ({ card: { number, exp_month: 12, exp_year: 2040, cvv: "123" } });
const refusal = says({ kind: "declined", decline_code: null });

/** The events of one object, oldest first. */
async function eventsOf(tenant: MoneyTenant, id: string) {
  const events = (await eventsAsTold(db, tenant.environmentId)).map(({ event }) => event);
  return events.filter((event) => event.data.object.id === id);
}

const namesOf = (events: Awaited<ReturnType<typeof eventsOf>>) =>
  events.map(({ type, sequence }) => `${sequence} ${type}`);

/** Ignores processor_knows_our_operations: scripted refusals never reach the sandbox. */
async function expectClean(): Promise<void> {
  const broken = (await verifyBooks(db)).checks.filter((check) => check.count > 0);
  expect(broken.filter(({ check }) => check !== "processor_knows_our_operations")).toEqual([]);
}

const idOf = ({ body }: { body: string }): string => JSON.parse(body).id;
/** Reports a dispute, each of its changes and its end, as a processor with its own ids does. */
async function reportDispute({ service, environmentId }: MoneyTenant, paymentId: string): Promise<void> {
  const sandbox = service.processors.builtIn("test");
  if (!sandbox) throw new Error("tests always have the sandbox");
  const object = `pi_${environmentId}`;
  await db.sql`insert into processor_objects (environment_id, processor, object_id, kind, operation_id, payment_id)
    select environment_id, 'sandbox', ${object}, 'payment_intent', id, payment_id from operations
    where environment_id = ${environmentId} and payment_id = ${decodeId("payment", paymentId)} and kind = 'authorize'`;
  const states = [
    ["needs_response", 8_000],
    ["needs_response", 9_000],
    ["under_review", 9_000],
    ["won", 9_000],
    ["accepted", 9_000],
    ["lost", 9_000],
  ] as const;
  for (const [status, amount] of states) {
    const dispute = {
      id: `dp_${environmentId}`,
      amount,
      currency: "USD",
      reason: "FRAUDULENT" as const,
      network_reason_code: null,
      fee: null,
      withdrawn: true,
      status,
      respond_by: status === "needs_response" ? new Date(Date.now() + DAY_MS) : null,
      created_at: new Date("2026-11-20T09:00:00Z"),
    };
    const processor = { ...sandbox, readDispute: async () => dispute };
    const report = { id: "evt_1", object, dispute: dispute.id };
    await expect.poll(() => recordDispute(service, { processor, mode: "test", environmentId }, report)).toBe(true);
    await notifyOfDisputes(service, environmentId);
  }
}

/**
 * Records a refund made in the processor's own dashboard, and a capture that the processor reports as failed.
 */
async function reportOutsideChanges(tenant: MoneyTenant, refunded: string, reversed: string): Promise<void> {
  const { service, environmentId } = tenant;
  const from = await service.processors.reporter("sandbox");
  if (!from) throw new Error("tests always have the sandbox");
  const refund = { id: `re_${environmentId}`, amount: 500, currency: "USD", failed: false };
  const there = { ...from.processor, name: "elsewhere", listOutsideRefunds: async () => [refund] };
  const paymentId = decodeId("payment", refunded) as string;
  await recordOutsideRefunds(service, { processor: there, mode: "test", environmentId, paymentId });
  const processor = { ...from.processor, inquire: async () => ({ kind: "approved", captured: false }) as const };
  const [taken] = await tenant.operations(reversed);
  const report = { id: "evt_2", account: environmentId, reference: taken?.id ?? "" };
  await processReport(service, { ...from, processor }, report);
  await db.sql`update sandbox_processor.charges set amount_refunded = 500
    where reference = (select authorization_id from payments where environment_id = ${environmentId} and id = ${paymentId})`;
}

/**
 * Stores a card, which its network renews, which expires this month, and which the processor then deletes.
 */
async function storeRenewAndRemoveCard({ service, merchant, environmentId }: MoneyTenant): Promise<void> {
  const body = createPaymentMethodBody.parse({ customer_id: "cus_1", ...card("4242424242424242") });
  await createPaymentMethod(testContext(service, merchant.test), body);
  const [row] = await db.sql<{ token: string }[]>`
    select processor_token as token from payment_methods where environment_id = ${environmentId}`;
  const from = await service.processors.reporter("sandbox");
  if (!from || !row) throw new Error("the sandbox stores cards");
  const report = { id: "evt_3", storedCard: row.token };
  const now = service.clock.now();
  const renewal = {
    brand: null,
    bin: null,
    last4: "1111",
    exp_month: now.getUTCMonth() + 1,
    exp_year: now.getUTCFullYear(),
  };
  await processReport(service, from, { ...report, change: "updated", card: renewal });
  await announceExpiringIn(service, environmentId);
  await processReport(service, from, { ...report, change: "removed" });
}

/** Pays out what has settled; the bank refuses the euros. */
async function payOutDollarsAndFailEuros({ service, environmentId }: MoneyTenant): Promise<void> {
  await runPayoutsOf(service, environmentId);
  await runPayoutsOf(service, environmentId);
  await db.sql`update payouts set due_at = now() - interval '1 s', bank_last4 = case currency when 'EUR' then '0000' else bank_last4 end
    where environment_id = ${environmentId}`;
  await runPayoutsOf(service, environmentId);
}

/** Causes every type of event for a tenant. */
async function causeEveryEvent(tenant: MoneyTenant): Promise<void> {
  const { script, service, merchant, environmentId } = tenant;
  const ctx = () => testContext(service, merchant.test);
  const captured = (await tenant.create(MANUAL)).body;
  script.next(refusal);
  await tenant.act("capture", captured.id);
  await tenant.act("capture", captured.id, { amount: 9_000 });
  const voided = (await tenant.create(MANUAL)).body;
  script.next(refusal);
  await tenant.act("void", voided.id);
  await tenant.act("void", voided.id, { reason: "Out of stock" });
  await tenant.create(card("4000000000003220"));
  await tenant.create(card("4000000000009995"));
  script.next(says({ kind: "unknown", reason: "lost" }));
  await tenant.create();
  await tenant.endLeases();
  await tenant.complete();
  const comesBack = (await tenant.create(card("4000000000005126"))).body;
  await tenant.act("refund", comesBack.id, { amount: 1_000 });
  await db.sql`update sandbox_processor.reports set due_at = now() - interval '1 s'
    where reference in (select id from operations where environment_id = ${environmentId})`;
  await processReports(service);
  script.next(refusal);
  await tenant.act("refund", captured.id, { amount: 1_000 });
  await tenant.create({ currency: "EUR" });
  await runSettlement(service, { environmentId });
  await payOutDollarsAndFailEuros(tenant);
  await tenant.act("refund", captured.id);
  await reportDispute(tenant, captured.id);
  await reportOutsideChanges(tenant, (await tenant.create()).body.id, (await tenant.create()).body.id);

  const plan = await createPlan(
    ctx(),
    createPlanBody.parse({ type: "ONE_TIME", name: "Print", currency: "USD", full_price_amount: 20 }),
  );
  const { id } = JSON.parse(plan.body);
  await updatePlan(ctx(), { id, name: "Large print" });
  await activatePlan(ctx(), { id });
  await deactivatePlan(ctx(), { id });
  const session = await createClientSession(ctx(), createClientSessionBody.parse({ amount: 100, currency: "USD" }));
  await cancelClientSession(ctx(), { id: idOf(session) });
  const paid = await createClientSession(ctx(), createClientSessionBody.parse({ amount: 100, currency: "USD" }));
  const typed = { card: card("4242424242424242").card, clientSessionId: decodeId("clientSession", idOf(paid)) };
  const token = await testPaymentToken(ctx(), typed);
  await tenant.create({ amount: 100, payment_token: token.id });
  const left = await createClientSession(ctx(), createClientSessionBody.parse({ amount: 100, currency: "USD" }));
  await db.sql`update client_sessions set expires_at = now() - interval '5 s'
    where id = ${decodeId("clientSession", idOf(left))}`;
  await emitExpiredSessions(service);
  const endpoint = await createWebhookEndpoint(ctx(), {
    url: "http://127.0.0.1:9/hook",
    description: null,
    event_types: ["refund.failed"],
    payload: "full",
    signature: "v1",
  });
  const webhook = { id: idOf(endpoint) };
  await testWebhookEndpoint(ctx(), webhook);
  await updateWebhookEndpoint(ctx(), { ...webhook, status: "DISABLED" });

  await storeRenewAndRemoveCard(tenant);

  const keys = { db: { orm: db.orm }, clock: service.clock };
  const { row } = await createApiKey(keys, { environmentId, name: "Shop", permissions: ["payment.create"] });
  const key = { environmentId, id: encodeId("apiKey", row.id) };
  const settings = { name: "Till", permissions: ["payment.read" as const], expires_at: null, ip_allow_list: [] };
  await editApiKey(ctx(), { id: key.id, ...settings, updated_at: row.updated_at });
  await disableApiKey(keys, key);
  await enableApiKey(keys, key);
  await rotateApiKey(keys, { ...key, overlapHours: 24 });
  await revokeApiKey(keys, key);

  await decideRequests(tenant);
}

/** One request that a colleague approves, and one that they reject. */
async function decideRequests({ merchant, service }: MoneyTenant): Promise<void> {
  for (const decide of [approveRequest, rejectRequest]) {
    const [owner, colleague] = await Promise.all(
      (["owner", "admin"] as const).map(async (role) => {
        const { id, name, email } = await createTestUser(db, { merchantId: merchant.id, role });
        const user = { userId: id, name, email, role, permissions: new Set(ROLE_PERMISSIONS[role]) };
        return { user, ctx: testContext(service, merchant.test, { actor: { type: "user", id } }) };
      }),
    );
    if (!owner || !colleague) throw new Error("two members");
    const parameters = { holder: "Shop", bank_name: "Bank", country: "US", account_number: "000123456789" };
    const act = { action: "BANK_ACCOUNT" as const, parameters, reason: "We moved" };
    const { id } = await requestAct(owner.ctx, act, owner.user);
    await decide(colleague.ctx, { id, user: colleague.user });
  }
}

/** The life of subscriptions and their invoices, in the environment's own time. */
async function liveThroughSubscriptions({ merchant }: MoneyTenant): Promise<void> {
  const tenant = await subscriptionTenant(db, { merchant, start: "2027-01-31T10:00:00.000Z" });
  const trial = { type: "SUBSCRIPTION_FREE_TRIAL", trial_period_value: 7, trial_period_unit: "DAYS" } as const;
  const plan_id = await tenant.plan(trial);
  const { body: first } = await tenant.create({
    plan_id,
    payment_method_id: await tenant.card(STORED_CARDS.poorLater),
  });
  await tenant.travel("2027-02-04T10:00:00.000Z");
  await tenant.travel("2027-02-07T10:00:00.000Z");
  await tenant.pause(first.id);
  await tenant.resume(first.id);
  await tenant.travel("2027-03-07T10:00:00.000Z");
  const [unpaid] = (await tenant.invoices(first.id)).slice(-1);
  await tenant.giveUp(unpaid?.id ?? "");
  await tenant.travel("2027-04-07T10:00:00.000Z");
  await tenant.cancel(first.id);
  const body = { plan_id: await tenant.plan(), payment_method_id: await tenant.card() };
  tenant.script.next(says({ kind: "unknown", reason: "lost" }), says({ kind: "declined", decline_code: null }));
  await tenant.create(body);
  await db.sql`update operations set next_attempt_at = now() - interval '1 ms', lease_until = now() - interval '1 ms'
    where environment_id = ${tenant.environmentId} and state = 'open'`;
  await tenant.complete();
  await tenant.travel("2027-04-09T10:00:00.000Z");
}

test("every type of the catalog is emitted, with the data that the catalog defines", async () => {
  const tenant = await moneyTenant(db);
  await causeEveryEvent(tenant);
  await liveThroughSubscriptions(tenant);
  const events = (await eventsAsTold(db, tenant.environmentId)).map(({ event }) => event);
  expect([...new Set(events.map(({ type }) => type))].toSorted()).toEqual([...EVENT_TYPES].toSorted());
  expect(await faultyEvents(db)).toEqual([]);
  await expectClean();
});

test("a payment's events are numbered without a gap, each with what it changed; a refund has its own", async () => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create(MANUAL);
  tenant.script.next(refusal);
  await tenant.act("capture", payment.id);
  await tenant.act("capture", payment.id, { amount: 9_000 });
  await tenant.act("refund", payment.id, { amount: 1_000 });
  await runSettlement(tenant.service, { environmentId: tenant.environmentId });
  const now = await tenant.get(payment.id);
  const events = await eventsOf(tenant, payment.id);
  expect(namesOf(events)).toEqual([
    "1 payment.authorized",
    "2 payment.capture_failed",
    "3 payment.captured",
    "4 payment.partially_refunded",
    "5 payment.settled",
  ]);
  expect(events[0]?.data).toEqual({ object: payment, previous: null });
  expect(events[2]?.data.previous).toMatchObject({
    status: "AUTHORIZED",
    amount_captured: 0,
    transactions: [{ id: now.transactions[0]?.id, status: "AUTHORIZED", captured_at: null }],
  });
  expect(events[2]?.data.previous).not.toHaveProperty("amount");
  expect(events[3]?.data).toMatchObject({
    object: { status: "PARTIALLY_REFUNDED", amount_refunded: 1_000, transactions: { length: 2 } },
    previous: { status: "CAPTURED", amount_refunded: 0 },
  });
  expect(events[4]?.data.object).toEqual(now);
  const refunds = await eventsOf(tenant, now.transactions[1]?.id as string);
  expect(namesOf(refunds)).toEqual(["1 refund.succeeded", "2 transaction.captured", "3 transaction.settled"]);
  expect(refunds[0]?.data.object).toMatchObject({ type: "REFUND", amount: 1_000, status: "CAPTURED" });
});

test("a refund that fails later has further events", async () => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create(card("4000000000005126"));
  await tenant.act("refund", payment.id, { amount: 1_000 });
  await db.sql`update sandbox_processor.reports set due_at = now() - interval '1 s'
    where reference in (select id from operations where environment_id = ${tenant.environmentId})`;
  await processReports(tenant.service);
  const refund = (await tenant.get(payment.id)).transactions[1];
  const events = await eventsOf(tenant, refund?.id as string);
  expect(namesOf(events)).toEqual([
    "1 refund.succeeded",
    "2 transaction.captured",
    "3 refund.failed",
    "4 transaction.failed",
  ]);
  for (const { data } of events.slice(2))
    expect(data).toMatchObject({ object: refund, previous: { status: "CAPTURED" } });
  const ofPayment = await eventsOf(tenant, payment.id);
  expect(namesOf(ofPayment)).toEqual([
    "1 payment.captured",
    "2 payment.partially_refunded",
    "3 payment.refund_reversed",
  ]);
  expect(ofPayment[2]?.data).toMatchObject({
    object: { status: "CAPTURED", amount_refunded: 0 },
    previous: { status: "PARTIALLY_REFUNDED", amount_refunded: 1_000 },
  });
  await expectClean();
});

/** The write of a capture's outcome that has two events. */
async function twoEvents(tenant: MoneyTenant, paymentId: string): Promise<OutcomeWrite> {
  const id = decodeId("payment", paymentId) as string;
  const [open] = await tenant.operations(paymentId).then((rows) => rows.slice(-1));
  const before = await findPayment(db.sql, tenant.environmentId, id);
  if (!open || !before) throw new Error("nothing is open");
  const operation = { id: open.id, kind: "capture", paymentId: id, transactionId: before.payment.charge_id } as const;
  const now = new Date().toISOString();
  const snapshot = operationSnapshot(before, operation);
  const change = applyOutcome(snapshot, { ...operation, amount: 9_000, detail: null }, { kind: "approved" }, now);
  const about = { objectId: id, operationId: open.id };
  const data = paymentData(before, { payment: change.payment, transactions: [change.charge] }, "test");
  return {
    ...change,
    mode: "test",
    hasNewCardDetails: false,
    storedMethodId: null,
    storedCard: null,
    from: { state: "open", epoch: open.epoch, version: before.payment.version },
    operation: { id: open.id, state: "succeeded", lastAnswer: "approved" },
    events: [
      { ...newEvent("payment.captured", about, data, now), sequence: 2 },
      { ...newEvent("payment.settled", about, data, now), sequence: 3 },
    ],
    audit: { id: newId(), action: "payment.captured", actor: { type: "system", id: null }, requestId: null },
    session: null,
    response: null,
  };
}

test("an outcome with two events writes both or none, and the next event continues the sequence", async () => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create(MANUAL);
  const held = holds();
  tenant.script.next(held.step);
  const capturing = tenant.act("capture", payment.id, { amount: 9_000 });
  await held.reached;
  const write = await twoEvents(tenant, payment.id);
  await writeOutcome(db.sql, tenant.environmentId, write);
  const again = { ...write, events: write.events.map((event) => ({ ...event, id: newId(), sequence: 5 })) };
  const refused = await writeOutcome(db.sql, tenant.environmentId, again).catch((error: unknown) => error);
  expect(isStaleOutcome(refused)).toBe(true);
  held.release();
  await capturing;
  await runSettlement(tenant.service, { environmentId: tenant.environmentId });
  expect(namesOf(await eventsOf(tenant, payment.id))).toEqual([
    "1 payment.authorized",
    "2 payment.captured",
    "3 payment.settled",
    "4 payment.settled",
  ]);
});

test("no sequence number is used twice, whatever the writer", async () => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create();
  const copy = db.sql`insert into events (environment_id, id, type, object_id, sequence, data)
    select environment_id, ${newId()}, type, object_id, sequence, data from events
    where object_id = ${decodeId("payment", payment.id)}`;
  await expect(copy).rejects.toThrow("events_object");
});
