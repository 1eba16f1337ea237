import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { disputable as disputablePayment, OPENED } from "@/e2e/fixtures/disputes";
import { eventsAsTold, faultyEvents } from "@/e2e/fixtures/events";
import { createTestMerchant, testContext } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { disputePageQuery } from "@/lib/contract/disputes/list";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { createLogger } from "@/lib/log";
import type { Dispute } from "@/lib/processor/records";
import { getCustomer, listCustomers, noteCustomers } from "../customers/customers";
import { getPaymentDetail } from "../payments/payment-detail";
import { processReport } from "../payments/process-reports";
import { verifyBooks } from "../reconciliation/verify-books";
import { exportDisputes, listDisputeTable } from "./dispute-pages";
import { getDispute, listDisputes } from "./read-disputes";
import { recordDispute } from "./record-dispute";

const { db } = await testDatabase();

/** With the events of its environment's disputes. */
async function disputable(body: object = {}) {
  const payment = await disputablePayment(db, body);
  return { ...payment, told: () => eventsOf(payment.tenant) };
}

async function eventsOf({ environmentId }: MoneyTenant) {
  const events = (await eventsAsTold(db, environmentId)).map(({ event }) => event);
  return events.filter(({ data }) => data.object.object === "dispute");
}

test("a dispute is stored with its payment and emitted once, however often it is reported", async () => {
  const { tenant, payment, from, report, told } = await disputable();
  const results = await Promise.all(Array.from({ length: 5 }, () => recordDispute(tenant.service, from, report)));
  expect(results.includes(true)).toBe(true);
  expect(await recordDispute(tenant.service, from, report)).toBe(true);
  const [event, ...others] = await told();
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    type: "dispute.opened",
    sequence: 1,
    data: {
      object: {
        object: "dispute",
        payment_id: payment.id,
        processor_id: report.dispute,
        amount: 10_000,
        currency: "USD",
        reason: "FRAUDULENT",
        status: "NEEDS_RESPONSE",
        respond_by: "2026-12-01T00:00:00.000Z",
        environment: "sandbox",
        created_at: "2026-11-20T09:00:00.000Z",
      },
      previous: null,
    },
  });
  const audit = await db.sql`select action, actor, detail from audit_log
    where environment_id = ${tenant.environmentId} and object_id = ${decodeId("payment", payment.id)} and action like 'dispute.%'`;
  expect([...audit]).toEqual([
    {
      action: "dispute.opened",
      actor: { type: "system", id: null },
      detail: {
        dispute: event?.data.object.id,
        status: "NEEDS_RESPONSE",
        event: decodeId("event", event?.id as string),
      },
    },
  ]);
  expect(await faultyEvents(db)).toEqual([]);
});

test("each change is emitted with the previous values, and an unchanged read is not", async () => {
  const { tenant, from, report, becomes, told } = await disputable();
  const say = async (change: Partial<Dispute>) => {
    becomes(change);
    expect(await recordDispute(tenant.service, from, report)).toBe(true);
  };
  await say({});
  await say({ status: "under_review", respond_by: null });
  await say({ status: "under_review", respond_by: null });
  await say({ status: "lost", respond_by: null, amount: 9_000 });
  const events = await told();
  expect(events.map(({ type, sequence }) => `${sequence} ${type}`)).toEqual([
    "1 dispute.opened",
    "2 dispute.evidence_submitted",
    "3 dispute.lost",
  ]);
  expect(events[2]?.data).toMatchObject({
    object: { status: "LOST", amount: 9_000 },
    previous: {
      status: "UNDER_REVIEW",
      amount: 10_000,
      updated_at: expect.any(String),
    },
  });
});

/** Failed checks of the books. */
const broken = async () => (await verifyBooks(db)).checks.filter(({ count }) => count > 0).map(({ check }) => check);

const ACKNOWLEDGED = { acknowledge_dispute: true, amount: 1_000 };

test.each([
  ["needs_response", [409, "payment_disputed"], [201, null], ["refund"]],
  ["under_review", [409, "payment_disputed"], [201, null], ["refund"]],
  ["won", [201, null], [201, null], ["refund"]],
  ["lost", [409, "payment_disputed"], [409, "payment_disputed"], []],
  ["accepted", [409, "payment_disputed"], [409, "payment_disputed"], []],
] as const)(
  "a dispute that is %s refuses a refund as %j and one that acknowledges it as %j, by payment and by transaction",
  async (status, plain, acknowledged, actions) => {
    const { tenant, payment, from, report, becomes } = await disputable();
    becomes({ status });
    await recordDispute(tenant.service, from, report);
    const shown = await tenant.get(payment.id);
    const mark = { id: expect.stringMatching(/^dp_/), status: status.toUpperCase() };
    expect(shown).toMatchObject({
      dispute: mark,
      available_actions: actions,
      amount_refundable: actions.length > 0 ? 10_000 : 0,
      transactions: [{ dispute: mark }],
    });
    for (const id of [payment.id, payment.transactions[0].id]) {
      const key = newId();
      const first = await tenant.act("refund", id, { amount: 1_000 }, { key });
      expect([first.status, first.code]).toEqual(plain);
      if (first.code) expect(first.body.extra.dispute).toEqual(shown.dispute);
      if (actions.length === 0) expect(first.text).toContain(`A dispute of this payment was ${status}:`);
      // A refusal doesn't use up the key: the acknowledging request can use it.
      const again = await tenant.act("refund", id, ACKNOWLEDGED, first.code ? { key } : {});
      expect([again.status, again.code]).toEqual(acknowledged);
    }
    expect(await tenant.operations(payment.id)).toHaveLength(actions.length === 0 ? 1 : status === "won" ? 5 : 3);
  },
);

test("concurrent refunds of disputed payments are refused, and succeed once they acknowledge the disputes", async () => {
  const tenant = await moneyTenant(db);
  const made = await Promise.all(Array.from({ length: 8 }, () => tenant.create()));
  const ids = made.map(({ body }) => decodeId("payment", body.id) as string);
  await db.sql`update payments set dispute_id = gen_random_uuid(), dispute_status = 'UNDER_REVIEW'
    where environment_id = ${tenant.environmentId} and id = any(${ids}::uuid[])`;
  const refund = (body: object) => Promise.all(made.map((payment) => tenant.act("refund", payment.body.id, body)));
  expect((await refund({ amount: 1_000 })).map(({ code }) => code)).toEqual(made.map(() => "payment_disputed"));
  expect((await refund(ACKNOWLEDGED)).map(({ status }) => status)).toEqual(made.map(() => 201));
  await db.sql`update payments set dispute_id = null, dispute_status = null where environment_id = ${tenant.environmentId}`;
});

test("no refund that begins after a dispute was reported is accepted, whatever is in progress", async () => {
  const { tenant, payment, from, report } = await disputable();
  let told = false;
  const refund = async () => {
    const begun = told;
    return { begun, code: (await tenant.act("refund", payment.id, { amount: 1 })).code };
  };
  const refundUntilTold = async () => {
    const made = [await refund()];
    while (!made.at(-1)?.begun) made.push(await refund());
    return made;
  };
  const refunds = Promise.all(Array.from({ length: 10 }, refundUntilTold));
  await recordDispute(tenant.service, from, report);
  told = true;
  const results = (await refunds).flat();
  for (const { begun, code } of results) if (begun) expect(code).toBe("payment_disputed");
  const made = results.filter(({ code }) => code === null).length;
  expect((await tenant.get(payment.id)).amount_refunded).toBe(made);
  expect(await broken()).toEqual([]);
});

test("of several disputes the lost one decides, then the open one, and the books agree", async () => {
  const { tenant, payment, from, report } = await disputable();
  const say = (id: string, status: Dispute["status"]) => {
    const readDispute = async () => ({ ...OPENED, id, status });
    return recordDispute(
      tenant.service,
      { ...from, processor: { ...from.processor, readDispute } },
      { ...report, dispute: id },
    );
  };
  const shown = async () => (await tenant.get(payment.id)).dispute?.status;
  const [first, second] = [newId(), newId()];
  await Promise.all([say(first, "won"), say(second, "under_review")]);
  expect(await shown()).toBe("UNDER_REVIEW");
  await say(first, "lost");
  expect(await shown()).toBe("LOST");
  await say(second, "won");
  expect(await shown()).toBe("LOST");
  expect(await broken()).toEqual([]);
  await db.sql`update payments set dispute_id = null, dispute_status = null where environment_id = ${tenant.environmentId}`;
  expect(await broken()).toEqual(["payment_shows_its_dispute"]);
  await db.sql`update payments p set dispute_id = d.id, dispute_status = d.status from disputes d
    where p.environment_id = ${tenant.environmentId} and d.payment_id = p.id and d.status = 'LOST'`;
});

test("an earlier read does not replace a later one, whichever response arrives last", async () => {
  const { tenant, from, report, becomes, holdAnswers, told } = await disputable();
  await recordDispute(tenant.service, from, report);
  const held = holdAnswers();
  const early = recordDispute(tenant.service, from, report);
  await held.reached;
  becomes({ status: "lost", respond_by: null });
  const late = {
    ...from,
    processor: {
      ...from.processor,
      readDispute: async () => ({ ...OPENED, id: report.dispute, status: "lost" as const, respond_by: null }),
    },
  };
  await expect.poll(() => recordDispute(tenant.service, late, report)).toBe(true);
  held.release();
  expect(await early).toBe(true);
  expect((await told()).at(-1)?.data.object).toMatchObject({ status: "LOST" });
});

test("a report on another account's object, another mode, or an unknown dispute is acknowledged and changes nothing", async () => {
  const { tenant, from, report, becomes, told } = await disputable();
  const lines: string[] = [];
  const log = createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } });
  const service = { ...tenant.service, log };
  expect(await recordDispute(service, from, { ...report, object: "pi_unknown" })).toBe(true);
  expect(await recordDispute(service, { ...from, mode: "live" }, report)).toBe(true);
  expect(await recordDispute(service, { ...from, environmentId: newId() }, report)).toBe(true);
  becomes(null);
  expect(await recordDispute(service, from, report)).toBe(true);
  // The account may have payments outside Cardlane, which need no alert.
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(["info", "info", "info", "info"]);
  expect(await told()).toEqual([]);
});

test("an unresponsive processor leaves the report to be redelivered", async () => {
  const { tenant, from, report, told } = await disputable();
  const readDispute = () => Promise.reject(new Error("503"));
  await expect(
    recordDispute(tenant.service, { ...from, processor: { ...from.processor, readDispute } }, report),
  ).rejects.toThrow("503");
  expect(await told()).toEqual([]);
});

test("reports identify the payment by its dispute, which the payment's page, books and customer show", async () => {
  const { tenant, payment, from, ctx, report, becomes } = await disputable();
  becomes({ amount: 4_000 });
  expect(await processReport(tenant.service, from, report)).toBe(true);
  const detail = await getPaymentDetail(ctx, { id: payment.id });
  expect(detail.payment).toEqual(
    expect.objectContaining({ status: "CAPTURED", amount_captured: 10_000, amount_disputed: 4_000 }),
  );
  expect(detail.disputes).toMatchObject([{ amount: 4_000, status: "NEEDS_RESPONSE", processor_id: report.dispute }]);
  expect(detail.timeline.at(0)).toMatchObject({ kind: "dispute", title: "Disputed", amount: 4_000 });
  expect(detail.events.map(({ type }) => type)).toContain("dispute.opened");
  while ((await noteCustomers(tenant.service)) > 0);
  const [customer] = (await listCustomers(ctx, {})).data;
  expect(customer?.currencies).toEqual([
    { currency: "USD", captured: 10_000, refunded: 0, net: 10_000, disputed: 4_000 },
  ]);
  becomes({ status: "won", respond_by: null, currency: "EUR" });
  await processReport(tenant.service, from, report);
  expect((await getCustomer(ctx, { id: customer?.id as string })).currencies).toEqual([
    { currency: "USD", captured: 10_000, refunded: 0, net: 10_000, disputed: 0 },
  ]);
  becomes({ status: "lost", respond_by: null, amount: 900, currency: "EUR" });
  await processReport(tenant.service, from, report);
  expect((await getCustomer(ctx, { id: customer?.id as string })).currencies).toEqual([
    { currency: "USD", captured: 10_000, refunded: 0, net: 10_000, disputed: 0 },
    { currency: "EUR", captured: 0, refunded: 0, net: 0, disputed: 900 },
  ]);
  const otherMerchant = testContext(tenant.service, (await createTestMerchant(db)).test);
  await expect(getPaymentDetail(otherMerchant, { id: payment.id })).rejects.toMatchObject({
    code: "resource_not_found",
  });
  expect(encodeId("dispute", newId())).toMatch(/^dp_/);
});

test("disputes are listed newest first, found by each filter, and only in their own environment", async () => {
  const { tenant, payment, from, ctx, report } = await disputable();
  const say = (id: string, change: Partial<Dispute>) => {
    const readDispute = async () => ({ ...OPENED, id, ...change });
    return recordDispute(
      tenant.service,
      { ...from, processor: { ...from.processor, readDispute, dashboardUrl: () => `https://example.com/${id}` } },
      { ...report, dispute: id },
    );
  };
  const [lost, open] = [newId(), newId()];
  await say(lost, { status: "lost", respond_by: null, reason: "NOT_RECEIVED", fee: null, network_reason_code: null });
  await say(open, {});
  const idsOf = async (query: object) => (await listDisputes(ctx, query)).data.map((row) => row.processor_id);
  expect(await idsOf({})).toEqual([open, lost]);
  expect(await idsOf({ limit: 1 })).toEqual([open]);
  const [newest] = (await listDisputes(ctx, {})).data;
  expect(newest).toMatchObject({
    payment_id: payment.id,
    transaction_id: payment.transactions[0].id,
    customer_id: "c_1",
    reason: "FRAUDULENT",
    fee: 1500,
    network_reason_code: "10.4",
    dashboard_url: `https://example.com/${open}`,
    respond_by: "2026-12-01T00:00:00.000Z",
  });
  expect(await idsOf({ starting_after: newest?.id })).toEqual([lost]);
  expect(await idsOf({ status: "LOST" })).toEqual([lost]);
  expect(await idsOf({ reason: "FRAUDULENT" })).toEqual([open]);
  expect(await idsOf({ customer_id: "c_1" })).toEqual([open, lost]);
  expect(await idsOf({ customer_id: "ada@example.com" })).toEqual([]);
  expect(await idsOf({ payment_id: payment.id })).toEqual([open, lost]);
  expect(await idsOf({ payment_id: encodeId("payment", newId()) })).toEqual([]);
  expect(await idsOf({ respond_by_after: "2026-11-30", respond_by_before: "2026-12-01T00:00:00.001Z" })).toEqual([
    open,
  ]);
  expect(await idsOf({ respond_by_after: "2026-12-01T00:00:00Z" })).toEqual([]);
  expect(await idsOf({ respond_by_before: "2026-12-01T00:00:00Z" })).toEqual([]);
  const tableOf = async (query: object) => {
    const parsed = disputePageQuery.parse(query);
    const exported = await exportDisputes(ctx, parsed);
    const ids: string[] = [];
    for await (const batch of exported.batches) ids.push(...batch.map((row) => row.processor_id));
    await exported.close();
    const { data } = await listDisputeTable(ctx, parsed);
    expect(data.map(({ dispute }) => dispute.processor_id).sort()).toEqual(ids.toSorted());
    return ids;
  };
  expect(await tableOf({ status: "NEEDS_RESPONSE,LOST" })).toEqual([open, lost]);
  expect(await tableOf({ status: "LOST,WON", reason: "NOT_RECEIVED,DUPLICATE" })).toEqual([lost]);
  expect(await tableOf({ reason: "FRAUDULENT" })).toEqual([open]);
  for (const wrong of ["LOST,", ",", "LOST,ELSE", "lost"])
    expect(disputePageQuery.safeParse({ status: wrong }).success, wrong).toBe(false);
  const id = newest?.id as string;
  expect(await getDispute(ctx, { id })).toEqual(newest);
  const stranger = testContext(tenant.service, (await createTestMerchant(db)).test);
  await expect(getDispute(stranger, { id })).rejects.toMatchObject({ code: "resource_not_found" });
  await expect(listDisputes(stranger, { starting_after: id })).rejects.toMatchObject({ code: "invalid_parameter" });
  expect((await listDisputes(stranger, {})).data).toEqual([]);
});
