import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { eventsAsTold } from "@/e2e/fixtures/events";
import { testContext } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { holds, losesAnswer, says } from "@/e2e/fixtures/scripted-processor";
import { decodeId } from "@/lib/contract/ids";
import { expirePayments } from "../payments/expire-payments";
import { continuePayment } from "../payments/follow-up";
import { processReports } from "../payments/process-reports";
import { verifyBooks } from "../reconciliation/verify-books";
import { runSettlement } from "../settlement/settle";
import { getTransaction } from "../transactions/read-transactions";

const { db } = await testDatabase({ max: 20 });

const MANUAL = { capture_method: "manual" };
const card = (number: string) => ({ card: { number, exp_month: 12, exp_year: 2040, cvv: "123" } });
const unknown = says({ kind: "unknown", reason: "lost" });

/** The events of one object, oldest first. */
async function eventsOf(tenant: MoneyTenant, id: string) {
  const all = await eventsAsTold(db, tenant.environmentId);
  return all.map(({ event }) => event).filter((event) => event.data.object.id === id);
}

const namesOf = (events: Awaited<ReturnType<typeof eventsOf>>) =>
  events.map(({ type, sequence }) => `${sequence} ${type}`);

/** The events of a payment's transactions, the charge first. Expects the last of each to match the API. */
async function transactionEvents(tenant: MoneyTenant, paymentId: string): Promise<string[][]> {
  const ctx = testContext(tenant.service, tenant.merchant.test);
  const { transactions } = await tenant.get(paymentId);
  return Promise.all(
    transactions.map(async ({ id }) => {
      const events = await eventsOf(tenant, id);
      const shown = await getTransaction(ctx, { id });
      // A refund that fails immediately changes `amount_refundable` while it is in progress, without an
      // event.
      const { amount_refundable: _, updated_at: __, ...object } = shown;
      expect(events.at(-1)?.data.object).toMatchObject(object);
      return namesOf(events);
    }),
  );
}

/** The types of the events of each commit, in order. */
async function commitsOf(tenant: MoneyTenant): Promise<string[]> {
  const rows = await db.sql<{ types: string }[]>`
    select string_agg(type, ', ' order by id) as types from events
    where environment_id = ${tenant.environmentId} group by xid order by xid`;
  return rows.map(({ types }) => types);
}

async function expectClean(): Promise<void> {
  const broken = (await verifyBooks(db)).checks.filter((check) => check.count > 0);
  expect(broken.filter(({ check }) => check !== "processor_knows_our_operations")).toEqual([]);
}

test.each<[string, object, string, string]>([
  ["approved and captured", {}, "payment.captured", "transaction.captured"],
  ["approved and held", MANUAL, "payment.authorized", "transaction.authorized"],
  ["declined", card("4000000000009995"), "payment.declined", "transaction.declined"],
  ["waiting for the shopper", card("4000000000003220"), "payment.requires_action", "transaction.pending"],
])("a charge that is %s has its event in the commit of its payment's event", async (_, body, ofPayment, ofCharge) => {
  const tenant = await moneyTenant(db);
  await tenant.create(body);
  expect(await commitsOf(tenant)).toEqual([`${ofPayment}, ${ofCharge}`]);
  const [payment, charge] = (await eventsAsTold(db, tenant.environmentId))
    .map(({ event }) => event)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (payment?.data.object.object !== "payment") throw new Error("the payment has the first event");
  expect(charge).toMatchObject({ type: ofCharge, sequence: 1 });
  expect(charge?.data).toEqual({ object: payment.data.object.transactions[0], previous: null });
  await expectClean();
});

test("a charge's capture and refunds have events with what they changed, and so has settlement", async () => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create(MANUAL);
  await tenant.act("capture", payment.id, { amount: 9_000 });
  await tenant.act("refund", payment.id, { amount: 1_000 });
  await tenant.act("refund", payment.id, { amount: 3_000 });
  await runSettlement(tenant.service, { environmentId: tenant.environmentId });
  await tenant.act("refund", payment.id);
  expect(await transactionEvents(tenant, payment.id)).toEqual([
    [
      "1 transaction.authorized",
      "2 transaction.captured",
      "3 transaction.partially_refunded",
      "4 transaction.partially_refunded",
      "5 transaction.settled",
      "6 transaction.refunded",
    ],
    ["1 refund.succeeded", "2 transaction.captured", "3 transaction.settled"],
    ["1 refund.succeeded", "2 transaction.captured", "3 transaction.settled"],
    ["1 refund.succeeded", "2 transaction.captured"],
  ]);
  const [, captured, , again, settled, refunded] = await eventsOf(tenant, payment.transactions[0].id);
  const { updated_at } = payment;
  expect(captured?.data.previous).toEqual({
    status: "AUTHORIZED",
    amount_captured: 0,
    amount_refundable: 0,
    available_actions: [],
    capture_before: payment.transactions[0].capture_before,
    captured_at: null,
    updated_at,
  });
  expect(again?.data.previous).toMatchObject({ amount_refunded: 1_000 });
  expect(again?.data.previous).not.toHaveProperty("status");
  expect(settled?.data).toMatchObject({
    object: { status: "PARTIALLY_REFUNDED", settlement_batch_id: expect.stringMatching(/^batch_/) },
    previous: { settled_at: null, settlement_batch_id: null },
  });
  expect(settled?.data.previous).not.toHaveProperty("status");
  expect(refunded?.data.previous).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refunded: 4_000 });
  const refund = (await tenant.get(payment.id)).transactions[1]?.id as string;
  expect((await eventsOf(tenant, refund)).map(({ data }) => data.previous)).toMatchObject([
    null,
    { status: "PENDING", captured_at: null, refunded_at: null },
    { status: "CAPTURED", settled_at: null },
  ]);
  expect(await commitsOf(tenant)).toEqual([
    "payment.authorized, transaction.authorized",
    "payment.captured, transaction.captured",
    "refund.succeeded, payment.partially_refunded, transaction.partially_refunded, transaction.captured",
    "refund.succeeded, payment.partially_refunded, transaction.partially_refunded, transaction.captured",
    "settlement_batch.created, payment.settled, transaction.settled, transaction.settled, transaction.settled",
    "refund.succeeded, payment.refunded, transaction.refunded, transaction.captured",
  ]);
  await expectClean();
});

test("a manual void and an expiry have events; a refusal changes no status", async () => {
  const tenant = await moneyTenant(db);
  const refusal = says({ kind: "declined", decline_code: null });
  const { body: byHand } = await tenant.create(MANUAL);
  tenant.script.next(refusal);
  await tenant.act("capture", byHand.id);
  tenant.script.next(refusal);
  await tenant.act("void", byHand.id);
  await tenant.act("void", byHand.id);
  const { body: due } = await tenant.create(MANUAL);
  await db.sql`update payments set capture_before = now() - interval '1 ms' where id = ${decodeId("payment", due.id)}`;
  await expirePayments(tenant.service);
  for (const { id } of [byHand, due]) {
    expect(await transactionEvents(tenant, id)).toEqual([["1 transaction.authorized", "2 transaction.voided"]]);
  }
  const [, expired] = await eventsOf(tenant, due.transactions[0].id);
  expect(expired?.data).toMatchObject({ object: { void_reason: "expired" }, previous: { status: "AUTHORIZED" } });
  await expectClean();
});

test("a passed and a failed challenge both end a pending charge", async () => {
  const tenant = await moneyTenant(db);
  const environment = { id: tenant.environmentId, mode: "test" } as const;
  for (const [outcome, type] of [
    ["passed", "transaction.captured"],
    ["failed", "transaction.declined"],
  ] as const) {
    const { body: payment } = await tenant.create(card("4000000000003220"));
    await continuePayment(tenant.service, environment, decodeId("payment", payment.id) as string, outcome);
    expect(await transactionEvents(tenant, payment.id)).toEqual([["1 transaction.pending", `2 ${type}`]]);
    const [, ended] = await eventsOf(tenant, payment.transactions[0].id);
    expect(ended?.data.previous).toMatchObject({ status: "PENDING" });
  }
  await expectClean();
});

test("a charge and a refund of unknown outcome have one pending event, however often their status is checked", async () => {
  const tenant = await moneyTenant(db);
  tenant.script.next(losesAnswer);
  const { body: payment, status } = await tenant.create();
  expect([status, payment.status]).toEqual([202, "PENDING"]);
  const pending = await tenant.get(payment.id);
  const [first] = await eventsOf(tenant, pending.transactions[0]?.id as string);
  expect(first).toMatchObject({
    type: "transaction.pending",
    data: { object: pending.transactions[0], previous: null },
  });
  for (let check = 0; check < 2; check++) {
    tenant.script.next(unknown);
    await tenant.endLeases();
    await tenant.complete();
  }
  expect(namesOf(await eventsOf(tenant, pending.transactions[0]?.id as string))).toEqual(["1 transaction.pending"]);
  await tenant.endLeases();
  await tenant.complete();
  expect(await transactionEvents(tenant, payment.id)).toEqual([["1 transaction.pending", "2 transaction.captured"]]);

  tenant.script.next(losesAnswer);
  await tenant.act("refund", payment.id, { amount: 1_000 });
  const [, waiting] = await transactionEvents(tenant, payment.id);
  expect(waiting).toEqual(["1 transaction.pending"]);
  await tenant.endLeases();
  await tenant.complete();
  expect(await transactionEvents(tenant, payment.id)).toEqual([
    ["1 transaction.pending", "2 transaction.captured", "3 transaction.partially_refunded"],
    ["1 transaction.pending", "2 refund.succeeded", "3 transaction.captured"],
  ]);
  expect(await commitsOf(tenant)).toEqual([
    "transaction.pending",
    "payment.captured, transaction.captured",
    "transaction.pending",
    "refund.succeeded, payment.partially_refunded, transaction.partially_refunded, transaction.captured",
  ]);
  await expectClean();
});

test("a capture of unknown outcome has no event until the charge's status changes", async () => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create(MANUAL);
  tenant.script.next(losesAnswer);
  await tenant.act("capture", payment.id);
  const charge = payment.transactions[0].id;
  expect(namesOf(await eventsOf(tenant, charge))).toEqual(["1 transaction.authorized"]);
  await tenant.endLeases();
  await tenant.complete();
  expect(await transactionEvents(tenant, payment.id)).toEqual([["1 transaction.authorized", "2 transaction.captured"]]);
});

test("a charge that was not sent and a refund that was refused have failed events", async () => {
  const tenant = await moneyTenant(db);
  for (let tries = 0; tries < 3; tries++) tenant.script.next(says({ kind: "not_sent", reason: "refused" }));
  const failed = await tenant.create();
  expect(failed.status).toBe(402);
  expect(await commitsOf(tenant)).toEqual(["payment.failed, transaction.failed"]);
  const { body: payment } = await tenant.create();
  tenant.script.next(says({ kind: "declined", decline_code: null }));
  await tenant.act("refund", payment.id, { amount: 1_000 });
  expect(await transactionEvents(tenant, payment.id)).toEqual([
    ["1 transaction.captured"],
    ["1 refund.failed", "2 transaction.failed"],
  ]);
  await expectClean();
});

test.each([
  ["captured", false, 0],
  ["settled", true, 0],
  ["partially_refunded", false, 500],
])("a refund that fails later returns its charge to %s", async (status, isSettled, other) => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create(card("4000000000005126"));
  if (isSettled) await runSettlement(tenant.service, { environmentId: tenant.environmentId });
  await tenant.act("refund", payment.id, { amount: 1_000 });
  await db.sql`update sandbox_processor.reports set due_at = now() - interval '1 s' where account = ${tenant.environmentId}`;
  if (other > 0) await tenant.act("refund", payment.id, { amount: other });
  await processReports(tenant.service);
  const [ofCharge, ofRefund] = await transactionEvents(tenant, payment.id);
  expect(ofCharge?.at(-1)).toBe(`${ofCharge?.length} transaction.${status}`);
  expect(ofRefund).toEqual(["1 refund.succeeded", "2 transaction.captured", "3 refund.failed", "4 transaction.failed"]);
  const events = await eventsOf(tenant, payment.transactions[0].id);
  expect(events.at(-1)?.data.previous).toMatchObject({ amount_refunded: 1_000 + other });
  expect((await commitsOf(tenant)).at(-1)).toBe(
    `refund.failed, payment.refund_reversed, transaction.${status}, transaction.failed`,
  );
  await expectClean();
});

test("an outcome received after its charge was reported pending has one event, whichever process writes it", async () => {
  const tenant = await moneyTenant(db);
  const held = holds();
  tenant.script.next(held.step);
  const creating = tenant.create();
  await held.reached;
  // Another process takes over, cannot find out the outcome, and records the charge as pending.
  tenant.script.next(unknown);
  await tenant.endLeases();
  await tenant.complete();
  expect(await commitsOf(tenant)).toEqual(["transaction.pending"]);
  held.release();
  await creating;
  await tenant.endLeases();
  await tenant.complete();
  expect(await commitsOf(tenant)).toEqual(["transaction.pending", "payment.captured, transaction.captured"]);
  await expectClean();
});

test("a charge that another process recorded as pending and that is resent continues its sequence", async () => {
  const tenant = await moneyTenant(db);
  const held = holds();
  tenant.script.next(() => held.step(async () => ({ kind: "not_sent", reason: "refused" })));
  const creating = tenant.create();
  await held.reached;
  tenant.script.next(unknown);
  await tenant.endLeases();
  await tenant.complete();
  held.release();
  expect((await creating).status).toBe(201);
  expect(await commitsOf(tenant)).toEqual(["transaction.pending", "payment.captured, transaction.captured"]);
  await expectClean();
});

test("concurrent refunds of a charge number its events without a gap", async () => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create();
  await Promise.all(Array.from({ length: 8 }, () => tenant.act("refund", payment.id, { amount: 1_000 })));
  const events = await eventsOf(tenant, payment.transactions[0].id);
  expect(namesOf(events)).toEqual([
    "1 transaction.captured",
    ...Array.from({ length: 8 }, (_, index) => `${index + 2} transaction.partially_refunded`),
  ]);
  const amounts = events.map(({ data }) => (data.object as { amount_refunded: number }).amount_refunded);
  expect(amounts).toEqual(Array.from({ length: 9 }, (_, index) => index * 1_000));
  await expectClean();
});
