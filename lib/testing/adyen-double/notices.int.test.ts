import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listProcessors } from "@/lib/domain/processors/connections";
import { provideService } from "@/lib/http/current-service";
import { receiveReports } from "@/lib/http/processor-reports";
import { createLogger } from "@/lib/log";
import { testDatabase } from "../database";
import { type Event, newPsp, type Payment } from "./books";
import { adyenTenant } from "./tenant";
import { webhookBody } from "./webhooks";

const { db } = await testDatabase({ max: 10 });
const tenant = await adyenTenant(db, afterAll);
const { double } = tenant;
const lines: string[] = [];
const log = createLogger({ level: "error", destination: { write: (line) => void lines.push(line) } });
beforeAll(() => void provideService({ ...tenant.service, log }));

/** What Adyen reads of our answer. */
async function send(body: string): Promise<[status: number, text: string]> {
  const request = new Request("http://cardlane.test/webhooks/adyen", { method: "POST", body });
  const answer = await receiveReports(request, { processor: "adyen", connection: tenant.connection });
  const text = await answer.text();
  return [answer.status, answer.ok ? text : (JSON.parse(text).code as string)];
}
const ACCEPTED = [200, "[accepted]"];
const REFUSED = [400, "invalid_parameter"];

/** A payment that was captured at once, and its events that were not told yet. */
async function paid(body: object = {}) {
  const { body: payment } = await tenant.pay(body);
  for (const one of double.messages()) expect(await send(one)).toEqual(ACCEPTED);
  return { id: payment.id as string, at: [...double.books.payments.values()].at(-1) as Payment };
}

function event(payment: Payment, eventCode: string, given: Partial<Event> = {}): Event {
  double.books.happen(eventCode, payment, { pspReference: newPsp(), originalReference: payment.psp, ...given });
  return double.books.events.splice(0).at(-1) as Event;
}
const bodyOf = (...events: Event[]) => webhookBody(events, double.signing);

describe("a message that nobody reads", () => {
  test("is accepted, so that it holds up none after it, and proves nothing when it is not signed", async () => {
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

  test("as it is about another merchant account of the company is accepted, and not kept", async () => {
    const { at } = await paid();
    const other = event(at, "CAPTURE_FAILED", { merchantAccountCode: "AnotherShopECOM" });
    expect(await send(bodyOf(other))).toEqual(ACCEPTED);
    expect(await db.sql`select 1 from processor_journal where subject = ${`psp:${other.pspReference}`}`).toEqual([]);
  });
});

test("a message with an item that may be ours and cannot be read has its other items taken in, and comes again", async () => {
  const { id } = await paid();
  await tenant.act("refund", id, { amount: 4_000 });
  double.books.decide();
  const [refunded] = double.books.events.splice(0) as [Event];
  expect(await send(bodyOf({ ...refunded, pspReference: newPsp(), unsigned: true }, refunded))).toEqual(REFUSED);
  expect(await tenant.get(id)).toMatchObject({ amount_refunded: 4_000 });
});

test.each([
  ["a date that is none", { eventDate: "yesterday" }],
  ["a year that PostgreSQL does not know", { eventDate: "+275760-09-13T00:00:00Z" }],
  ["a negative amount", { amount: { value: -100, currency: "USD" } }],
  ["a NUL in its reference", { pspReference: "D\u0000" }],
])("a signed dispute with %s is refused by name, and nothing fails", async (_what, given) => {
  const { at } = await paid();
  expect(await send(bodyOf(event(at, "CHARGEBACK", given)))).toEqual(REFUSED);
});

test.each([
  ["CLP", { amount: { value: 199_950, currency: "CLP" } }],
  ["ISK", { amount: { value: 199_950, currency: "ISK" } }],
])("a dispute about hundredths of %s, which has none, is taken in with the nearest amount", async (currency, given) => {
  const { at } = await paid();
  const additionalData = { defensePeriodEndsAt: "0000-01-01T00:00:00Z", disputeStatus: "\u0000" };
  const told = event(at, "CHARGEBACK", { ...given, additionalData, reason: "\u0000 \ud800" });
  expect(await send(bodyOf(told))).toEqual(ACCEPTED);
  const rows =
    await db.sql`select amount, currency, respond_before from disputes where processor_dispute_id = ${told.pspReference}`;
  expect(rows).toEqual([{ amount: 2_000, currency, respond_before: null }]);
});

test("a refund of our payment that failed by a reference that nobody knows is an error in the log, by its ids", async () => {
  const { at } = await paid();
  lines.length = 0;
  const failed = event(at, "REFUND_FAILED", { merchantReference: "of the Customer Area", reason: "4111111111111111" });
  expect(await send(bodyOf(failed))).toEqual(ACCEPTED);
  expect(lines).toHaveLength(1);
  const id = `${failed.pspReference} REFUND_FAILED true of ${at.psp}`;
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error", report: { id, object: failed.pspReference } });
  expect(lines[0]).not.toContain("4111");
});
