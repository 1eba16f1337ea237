import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { releaseOperation } from "@/db/queries/payments/operations";
import { decodeId } from "@/lib/contract/ids";
import { continuePayment } from "@/lib/domain/payments/follow-up";
import { recoverOperations } from "@/lib/domain/payments/recover-operations";
import { listProcessors } from "@/lib/domain/processors/connections";
import { provideService } from "@/lib/http/current-service";
import { receiveReports } from "@/lib/http/processor-reports";
import { createLogger } from "@/lib/log";
import { testDatabase } from "../../fixtures/database";
import { latch } from "../../fixtures/latch";
import { type Event, newPsp, type Payment } from "./books";
import { adyenTenant } from "./tenant";
import { webhookBody } from "./webhooks";

const { db } = await testDatabase();
const tenant = await adyenTenant(db, afterAll);
const { double } = tenant;
const lines: string[] = [];
const log = createLogger({ level: "error", destination: { write: (line) => void lines.push(line) } });
beforeAll(() => void provideService({ ...tenant.service, log }));

/** Posts a message and returns the parts of our response that Adyen reads. */
async function send(body: string): Promise<[status: number, text: string]> {
  const request = new Request("http://cardlane.test/webhooks/adyen", { method: "POST", body });
  const answer = await receiveReports(request, { processor: "adyen", connection: tenant.connection });
  const text = await answer.text();
  return [answer.status, answer.ok ? text : (JSON.parse(text).code as string)];
}
const ACCEPTED = [200, "[accepted]"];
const REFUSED = [400, "invalid_parameter"];

/** A payment captured immediately, whose messages are all delivered. */
async function paid(body: object = {}, number?: string) {
  const { body: payment } = await tenant.pay(body, number);
  for (const one of double.messages()) expect(await send(one)).toEqual(ACCEPTED);
  return { id: payment.id as string, at: [...double.books.payments.values()].at(-1) as Payment };
}

function event(payment: Payment, eventCode: string, given: Partial<Event> = {}): Event {
  double.books.happen(eventCode, payment, { pspReference: newPsp(), originalReference: payment.psp, ...given });
  return double.books.events.splice(0).at(-1) as Event;
}
const bodyOf = (...events: Event[]) => webhookBody(events, double.signing);

describe("an irrelevant message", () => {
  test("is accepted, so that it blocks none after it, and proves nothing if it is not signed", async () => {
    const { at } = await paid();
    const lastOf = async () => (await listProcessors(tenant.owner())).connections[0]?.last_webhook_at;
    await db.sql`update processor_connections set last_webhook_at = null`;
    const REPORT = { pspReference: "settlement_detail_report_batch_12.csv", merchantReference: "" };
    for (const one of [
      event(at, "REPORT_AVAILABLE", { ...REPORT, originalReference: "", unsigned: true }),
      event(at, "EXPIRE", { pspReference: at.psp, originalReference: "", unsigned: true }),
      event(at, "INFORMATION_SUPPLIED", { unsigned: true }),
      event(at, "DISPUTE_DEFENSE_PERIOD_ENDED", { unsigned: true, additionalData: { disputeStatus: "Lost" } }),
    ])
      expect(await send(bodyOf(one))).toEqual(ACCEPTED);
    expect(await lastOf()).toBeNull();
    expect(await db.sql`select 1 from disputes where environment_id = ${tenant.environmentId}`).toEqual([]);
    expect(await send(bodyOf(event(at, "NOTIFICATION_OF_FRAUD")))).toEqual(ACCEPTED);
    expect(await lastOf()).not.toBeNull();
  });

  test("about another merchant account of the company is accepted, and not stored", async () => {
    const { at } = await paid();
    const other = event(at, "CAPTURE_FAILED", { merchantAccountCode: "AnotherShopECOM" });
    expect(await send(bodyOf(other))).toEqual(ACCEPTED);
    expect(await db.sql`select 1 from processor_journal where subject = ${`psp:${other.pspReference}`}`).toEqual([]);
  });
});

test("with an unreadable item that may be ours has its other items processed, and is redelivered", async () => {
  const { id } = await paid();
  await tenant.act("refund", id, { amount: 4_000 });
  double.books.decide();
  const [refunded] = double.books.events.splice(0) as [Event];
  expect(await send(bodyOf({ ...refunded, pspReference: newPsp(), unsigned: true }, refunded))).toEqual(REFUSED);
  expect(await tenant.get(id)).toMatchObject({ amount_refunded: 4_000 });
});

test.each([
  ["an invalid date", { eventDate: "yesterday" }],
  ["a year that PostgreSQL does not know", { eventDate: "+275760-09-13T00:00:00Z" }],
  ["a negative amount", { amount: { value: -100, currency: "USD" } }],
  ["a NUL in its reference", { pspReference: "D\u0000" }],
])("a signed dispute with %s is rejected by name, and nothing fails", async (_what, given) => {
  const { at } = await paid();
  expect(await send(bodyOf(event(at, "CHARGEBACK", given)))).toEqual(REFUSED);
});

test.each([
  ["CLP", { amount: { value: 199_950, currency: "CLP" } }],
  ["ISK", { amount: { value: 199_950, currency: "ISK" } }],
])("a dispute about hundredths of %s, which has none, is accepted with the nearest amount", async (currency, given) => {
  const { at } = await paid();
  const additionalData = { defensePeriodEndsAt: "0000-01-01T00:00:00Z", disputeStatus: "\u0000" };
  const told = event(at, "CHARGEBACK", { ...given, additionalData, reason: "\u0000 \ud800" });
  expect(await send(bodyOf(told))).toEqual(ACCEPTED);
  const rows =
    await db.sql`select amount, currency, respond_by from disputes where processor_dispute_id = ${told.pspReference}`;
  expect(rows).toEqual([{ amount: 2_000, currency, respond_by: null }]);
});

test("about a failed refund of our payment with an unknown reference is an error in the log, with its ids", async () => {
  const { at } = await paid();
  lines.length = 0;
  const failed = event(at, "REFUND_FAILED", { merchantReference: "of the Customer Area", reason: "4111111111111111" });
  expect(await send(bodyOf(failed))).toEqual(ACCEPTED);
  expect(lines).toHaveLength(1);
  const id = `${failed.pspReference} REFUND_FAILED true of ${at.psp}`;
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error", report: { id, object: failed.pspReference } });
  expect(lines[0]).not.toContain("4111");
});

describe("a message about an operation that another process has leased", () => {
  const PENDING = [409, "outcome_pending"];
  const lease = (end: string) => db.sql`
    update operations set lease_until = now() + ${end}::interval, next_attempt_at = now() + ${end}::interval
    where environment_id = ${tenant.environmentId} and state = 'open'`;
  /** A refund accepted by Adyen, leased by another process. */
  async function heldRefund(number?: string) {
    const { id } = await paid({}, number);
    await tenant.act("refund", id, { amount: 4_000 });
    await lease("1 minute");
    double.books.decide();
    const [operation] = await db.sql<HeldRow[]>`select id, epoch, payment_id from operations
      where environment_id = ${tenant.environmentId} and state = 'open'`;
    if (!operation) throw new Error("the refund is open");
    const release = () =>
      releaseOperation(
        ...([db.sql, { ...operation, environmentId: tenant.environmentId, paymentId: operation.payment_id }] as const),
        ...([
          { text: "pending", accepted: true },
          { delayMs: 60_000, sent: true, event: null },
        ] as const),
      );
    return { id, release, told: double.messages() };
  }
  type HeldRow = { id: string; epoch: number; payment_id: string };

  test("is accepted, so that it blocks none after it, and the operation is due as soon as it is released", async () => {
    const { id, release, told } = await heldRefund();
    for (const one of [...told, ...told]) expect(await send(one)).toEqual(ACCEPTED);
    await recoverOperations(tenant.service);
    expect(await tenant.get(id)).toMatchObject({ amount_refunded: 0 });
    expect(await release()).toBe(true);
    expect(await recoverOperations(tenant.service)).toBe(1);
    expect(await tenant.get(id)).toMatchObject({ amount_refunded: 4_000 });
  });

  test("is accepted, and recovery reads it when that process died", async () => {
    const { id, told } = await heldRefund();
    for (const one of told) expect(await send(one)).toEqual(ACCEPTED);
    await lease("-1 ms");
    await recoverOperations(tenant.service);
    expect(await tenant.get(id)).toMatchObject({ amount_refunded: 4_000 });
  });

  /** A process that blocks after the processor's response and before recording it. */
  function heldAfter(method: "inquire" | "continueAuthorization") {
    const { reached, release, hold } = latch();
    const { processors } = tenant.service;
    const find: typeof processors.find = async (...of) => {
      const at = await processors.find(...of);
      if (!at) return at;
      const call = at.processor[method] as (request: unknown) => Promise<unknown>;
      const slow = async (request: unknown) => {
        const answer = await call(request);
        await hold();
        return answer;
      };
      return { ...at, processor: { ...at.processor, [method]: slow } };
    };
    return { service: { ...tenant.service, processors: { ...processors, find } }, reached, release };
  }

  test("is redelivered if it undoes what that process may be writing", async () => {
    const { id, told } = await heldRefund("4000000000005126");
    for (const one of told) await tenant.keep(one);
    await lease("-1 ms");
    const held = heldAfter("inquire");
    const ending = recoverOperations(held.service);
    await held.reached;
    double.books.giveBack();
    const undone = double.messages();
    expect(undone).toHaveLength(1);
    for (const one of [...undone, ...undone]) expect(await send(one)).toEqual(PENDING);
    held.release();
    await ending;
    expect(await tenant.get(id)).toMatchObject({ amount_refunded: 4_000 });
    for (const one of [...told, ...undone, ...undone]) expect(await send(one)).toEqual(ACCEPTED);
    expect(await tenant.get(id)).toMatchObject({ status: "CAPTURED", amount_refunded: 0 });
  });

  test("is redelivered if it approves what that process may be declining", async () => {
    const { body: payment } = await tenant.pay({}, "4000000000003220");
    double.answerChallenge(payment.next_action.redirect_to_url.url, true);
    const at = [...double.books.payments.values()].at(-1) as Payment;
    const held = heldAfter("continueAuthorization");
    const id = decodeId("payment", payment.id) ?? "";
    const ending = continuePayment(held.service, tenant.merchant.test, id, "abandoned");
    await held.reached;
    double.books.finish(at);
    const told = double.messages();
    for (const one of told) expect(await send(one)).toEqual(PENDING);
    held.release();
    await ending;
    expect(await tenant.get(payment.id)).toMatchObject({ status: "DECLINED" });
    for (const one of [...told, ...told]) expect(await send(one)).toEqual(ACCEPTED);
    await tenant.decide();
    expect(await tenant.books()).toEqual({ captured: 10_000, refunded: 10_000, voided: false });
  });

  test("is redelivered while a passed challenge is being continued, which can't be looked up later", async () => {
    const { body: payment } = await tenant.pay({}, "4000000000003220");
    const redirectResult = double.answerChallenge(payment.next_action.redirect_to_url.url, true);
    const held = heldAfter("continueAuthorization");
    const id = decodeId("payment", payment.id) ?? "";
    const ending = continuePayment(held.service, tenant.merchant.test, id, "passed", { redirectResult });
    await held.reached;
    const told = double.messages();
    for (const one of told) expect(await send(one)).toEqual(PENDING);
    held.release();
    await ending;
    expect(await tenant.get(payment.id)).toMatchObject({ status: "CAPTURED" });
    for (const one of told) expect(await send(one)).toEqual(ACCEPTED);
  });

  test.each([
    ["what the shopper brought back is being refused", "it is booked", "CAPTURED", 1],
    ["our key is being refused for the last time", "it is reversed", "FAILED", 3],
  ])("is redelivered if it approves a challenge while %s, and %s", async (_while, _then, status, lastCall) => {
    const { body: payment } = await tenant.pay({}, "4000000000003220");
    const passed = double.answerChallenge(payment.next_action.redirect_to_url.url, true);
    const redirectResult = lastCall === 1 ? "garbage" : passed;
    const at = [...double.books.payments.values()].at(-1) as Payment;
    const told: string[] = [];
    const fetched = globalThis.fetch;
    let calls = 0;
    onTestFinished(() => void vi.unstubAllGlobals());
    vi.stubGlobal("fetch", async (...of: Parameters<typeof fetch>) => {
      if (!String(of[0]).endsWith("/payments/details")) return fetched(...of);
      const answer = lastCall === 1 ? await fetched(...of) : new Response(REFUSED_KEY, { status: 401 });
      if (++calls !== lastCall) return answer;
      double.books.finish(at);
      told.push(...double.messages());
      for (const one of told) expect(await send(one)).toEqual(PENDING);
      return answer;
    });
    const id = decodeId("payment", payment.id) ?? "";
    await continuePayment(tenant.service, tenant.merchant.test, id, "passed", { redirectResult });
    vi.unstubAllGlobals();
    expect(await tenant.get(payment.id)).toMatchObject({ status });
    for (const one of [...told, ...told]) expect(await send(one)).toEqual(ACCEPTED);
    await tenant.decide();
    const refunded = status === "CAPTURED" ? 0 : 10_000;
    expect(await tenant.books()).toEqual({ captured: 10_000, refunded, voided: false });
  });
  const REFUSED_KEY = JSON.stringify({ status: 401, errorCode: "000", message: "Unauthorized", errorType: "security" });

  test("that is older than a day is redelivered: recovery no longer checks, and the next delivery does", async () => {
    const { id, release, told } = await heldRefund();
    await db.sql`update operations set created_at = created_at - interval '25 hours'
      where environment_id = ${tenant.environmentId} and state = 'open'`;
    for (const one of told) expect(await send(one)).toEqual(PENDING);
    expect(await release()).toBe(true);
    for (const one of told) expect(await send(one)).toEqual(ACCEPTED);
    expect(await tenant.get(id)).toMatchObject({ amount_refunded: 4_000 });
  });
});

describe("a message that cannot be read back just now", () => {
  /** Responses to these messages while the journal, which is in our own database, can't be read. */
  async function sendWithoutJournal(told: readonly string[]): Promise<unknown[]> {
    for (const one of told) await tenant.keep(one);
    const { processors } = tenant.service;
    const reporter: typeof processors.reporter = async (id) => {
      const from = await processors.reporter(id);
      return from && { ...from, processor: { ...from.processor, inquire: async () => UNREADABLE } };
    };
    provideService({ ...tenant.service, log, processors: { ...processors, reporter } });
    onTestFinished(() => void provideService({ ...tenant.service, log }));
    const answers = [];
    for (const one of told) answers.push(await send(one));
    provideService({ ...tenant.service, log });
    return answers;
  }
  const UNREADABLE = { kind: "unknown", reason: "no answer within 8000 ms" } as const;

  test("is redelivered, and a returned refund is not lost", async () => {
    const { id } = await paid({}, "4000000000005126");
    await tenant.act("refund", id, { amount: 4_000 });
    await tenant.decide();
    double.books.giveBack();
    const told = double.messages();
    for (const answer of await sendWithoutJournal(told)) expect(answer).toEqual([409, "outcome_pending"]);
    for (const one of told) expect(await send(one)).toEqual(ACCEPTED);
    expect(await tenant.get(id)).toMatchObject({ amount_refunded: 0 });
  });

  test("is redelivered, and a late approval is reversed", async () => {
    const { body: payment } = await tenant.pay({}, "4000000000003220");
    double.answerChallenge(payment.next_action.redirect_to_url.url, true);
    const at = [...double.books.payments.values()].at(-1) as Payment;
    await continuePayment(tenant.service, tenant.merchant.test, decodeId("payment", payment.id) ?? "", "abandoned");
    double.books.finish(at);
    const told = double.messages();
    for (const answer of await sendWithoutJournal(told)) expect(answer).toEqual([409, "outcome_pending"]);
    for (const one of told) expect(await send(one)).toEqual(ACCEPTED);
    await tenant.decide();
    expect(await tenant.books()).toEqual({ captured: 10_000, refunded: 10_000, voided: false });
  });
});
