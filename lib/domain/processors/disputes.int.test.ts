import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { eventsAsTold, faultyEvents } from "@/e2e/fixtures/events";
import { createTestMerchant, testContext } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { createLogger } from "@/lib/log";
import type { Dispute, Processor } from "@/lib/processor/port";
import { getCustomer, listCustomers, noteCustomers } from "../customers/customers";
import { getPaymentDetail } from "../payments/payment-detail";
import { takeInReport } from "../payments/process-reports";
import { recordDispute } from "./disputes";

const { db } = await testDatabase();

const OPENED: Dispute = {
  ...{ id: "dp_1", amount: 10_000, currency: "USD", reason: "fraudulent", status: "needs_response" },
  ...{ respond_before: new Date("2026-12-01T00:00:00Z"), created_at: new Date("2026-11-20T09:00:00Z") },
};

/** A payment that a processor with disputes has under an id of its own; `stands` is what it answers. */
async function disputable(body: object = {}) {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create({ customer_id: "c_1", customer_email: "ada@example.com", ...body });
  const name = newId();
  const object = `pi_${name}`;
  const dispute = `dp_${name}`;
  const [operation] = await tenant.operations(payment.id);
  await db.sql`insert into processor_objects (environment_id, processor, object_id, kind, operation_id, payment_id)
    values (${tenant.environmentId}, ${name}, ${object}, 'payment_intent', ${operation?.id as string}, ${decodeId("payment", payment.id)})`;
  let stands: Dispute | null = { ...OPENED, id: dispute };
  let hold: Promise<void> | null = null;
  const processor = {
    ...(tenant.service.processors.builtIn("test") as Processor),
    name,
    async readDispute(id: string) {
      const answer = id === dispute ? stands : null;
      await hold;
      return answer;
    },
  } satisfies Processor;
  const from = {
    ...{ processor, mode: "test" as const, environmentId: tenant.environmentId },
    ...{ connectionId: null, guarded: false, kind: "example", accepted: null },
  };
  const ctx = testContext(tenant.service, tenant.merchant.test);
  return {
    ...{ tenant, payment, from, ctx },
    report: { id: "evt_1", object, dispute },
    becomes(change: Partial<Dispute> | null) {
      stands = change && { ...OPENED, id: dispute, ...change };
    },
    /** Answers of the processor wait until `release`. */
    holdAnswers() {
      let release = () => {};
      hold = new Promise<void>((resolve) => {
        release = resolve;
      });
      return () => {
        hold = null;
        release();
      };
    },
    told: () => toldOf(tenant),
  };
}

async function toldOf({ environmentId }: MoneyTenant) {
  const events = (await eventsAsTold(db, environmentId)).map(({ event }) => event);
  return events.filter(({ data }) => data.object.object === "dispute");
}

test("a dispute is kept with its payment and told of once, however often it is reported", async () => {
  const { tenant, payment, from, report, told } = await disputable();
  const results = await Promise.all(Array.from({ length: 5 }, () => recordDispute(tenant.service, from, report)));
  expect(results.includes(true)).toBe(true);
  expect(await recordDispute(tenant.service, from, report)).toBe(true);
  const [event, ...others] = await told();
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    ...{ type: "payment.disputed", sequence: 1 },
    data: {
      object: {
        ...{ object: "dispute", payment_id: payment.id, processor_id: report.dispute, amount: 10_000, currency: "USD" },
        ...{ reason: "fraudulent", status: "NEEDS_RESPONSE", respond_before: "2026-12-01T00:00:00.000Z" },
        ...{ environment: "sandbox", created_at: "2026-11-20T09:00:00.000Z" },
      },
      previous: null,
    },
  });
  const audit = await db.sql`select action, actor, detail from audit_log
    where environment_id = ${tenant.environmentId} and object_id = ${decodeId("payment", payment.id)} and action like 'payment.disp%'`;
  expect([...audit]).toEqual([
    {
      action: "payment.disputed",
      actor: { type: "system", id: null },
      detail: { dispute: event?.data.object.id, status: "NEEDS_RESPONSE" },
    },
  ]);
  expect(await faultyEvents(db)).toEqual([]);
});

test("each change is told with what it was, and what is read again unchanged is not", async () => {
  const { tenant, from, report, becomes, told } = await disputable();
  const say = async (change: Partial<Dispute>) => {
    becomes(change);
    expect(await recordDispute(tenant.service, from, report)).toBe(true);
  };
  await say({});
  await say({ status: "under_review", respond_before: null });
  await say({ status: "under_review", respond_before: null });
  await say({ status: "lost", respond_before: null, amount: 9_000 });
  const events = await told();
  expect(events.map(({ type, sequence }) => `${sequence} ${type}`)).toEqual([
    "1 payment.disputed",
    "2 payment.dispute_updated",
    "3 payment.dispute_updated",
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

test("what was read first does not replace what was read later, whichever answer comes last", async () => {
  const { tenant, from, report, becomes, holdAnswers, told } = await disputable();
  await recordDispute(tenant.service, from, report);
  const release = holdAnswers();
  const early = recordDispute(tenant.service, from, report);
  await new Promise((resolve) => setImmediate(resolve));
  becomes({ status: "lost", respond_before: null });
  const late = {
    ...from,
    processor: {
      ...from.processor,
      readDispute: async () => ({ ...OPENED, id: report.dispute, status: "lost" as const, respond_before: null }),
    },
  };
  await expect.poll(() => recordDispute(tenant.service, late, report)).toBe(true);
  release();
  expect(await early).toBe(true);
  expect((await told()).at(-1)?.data.object).toMatchObject({ status: "LOST" });
});

test("a report on somebody else's object, of another mode, or on a dispute that is not there changes nothing and is done", async () => {
  const { tenant, from, report, becomes, told } = await disputable();
  const lines: string[] = [];
  const log = createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } });
  const service = { ...tenant.service, log };
  expect(await recordDispute(service, from, { ...report, object: "pi_unknown" })).toBe(true);
  expect(await recordDispute(service, { ...from, mode: "live" }, report)).toBe(true);
  expect(await recordDispute(service, { ...from, environmentId: newId() }, report)).toBe(true);
  becomes(null);
  expect(await recordDispute(service, from, report)).toBe(true);
  // The account may take payments beside Cardlane: that wakes nobody.
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(["info", "info", "info", "info"]);
  expect(await told()).toEqual([]);
});

test("a processor that does not answer leaves the report to come again", async () => {
  const { tenant, from, report, told } = await disputable();
  const readDispute = () => Promise.reject(new Error("503"));
  await expect(
    recordDispute(tenant.service, { ...from, processor: { ...from.processor, readDispute } }, report),
  ).rejects.toThrow("503");
  expect(await told()).toEqual([]);
});

test("reports lead there by their dispute, and the payment's page, its books and its customer know it", async () => {
  const { tenant, payment, from, ctx, report, becomes } = await disputable();
  becomes({ amount: 4_000 });
  expect(await takeInReport(tenant.service, from, report)).toBe(true);
  const detail = await getPaymentDetail(ctx, { id: payment.id });
  expect(detail.payment).toEqual(expect.objectContaining({ status: "CAPTURED", amount_captured: 10_000 }));
  expect(detail.disputes).toMatchObject([{ amount: 4_000, status: "NEEDS_RESPONSE", processor_id: report.dispute }]);
  expect(detail.timeline.at(0)).toMatchObject({ kind: "dispute", title: "Disputed", amount: 4_000 });
  expect(detail.events.map(({ type }) => type)).toContain("payment.disputed");
  while ((await noteCustomers(tenant.service)) > 0);
  const [customer] = (await listCustomers(ctx, {})).data;
  expect(customer?.currencies).toEqual([
    { currency: "USD", captured: 10_000, refunded: 0, net: 10_000, disputed: 4_000 },
  ]);
  becomes({ status: "won", respond_before: null, currency: "EUR" });
  await takeInReport(tenant.service, from, report);
  expect((await getCustomer(ctx, { id: customer?.id as string })).currencies).toEqual([
    { currency: "USD", captured: 10_000, refunded: 0, net: 10_000, disputed: 0 },
  ]);
  becomes({ status: "lost", respond_before: null, amount: 900, currency: "EUR" });
  await takeInReport(tenant.service, from, report);
  expect((await getCustomer(ctx, { id: customer?.id as string })).currencies).toEqual([
    { currency: "USD", captured: 10_000, refunded: 0, net: 10_000, disputed: 0 },
    { currency: "EUR", captured: 0, refunded: 0, net: 0, disputed: 900 },
  ]);
  const stranger = testContext(tenant.service, (await createTestMerchant(db)).test);
  await expect(getPaymentDetail(stranger, { id: payment.id })).rejects.toMatchObject({ code: "resource_not_found" });
  expect(encodeId("dispute", newId())).toMatch(/^dsp_/);
});
