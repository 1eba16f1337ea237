import { describe, expect, onTestFinished, test } from "vitest";
import { readBalances } from "@/db/queries/settlement/balance";
import { decodeId } from "@/lib/contract/ids";
import { continuePayment } from "@/lib/domain/payments/follow-up";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { listAttention } from "@/lib/domain/reporting/overview";
import { journalOf } from "@/lib/processor/connections";
import { createRegistry } from "@/lib/processor/registry";
import { testDatabase } from "../../fixtures/database";
import { eventsAsTold } from "../../fixtures/events";
import { testContext } from "../../fixtures/factories";
import { moneyTenant } from "../../fixtures/money";
import { startAdyenDouble } from "./api";
import { type Event, newPsp, type Payment } from "./books";
import { type AdyenTenant, adyenTenant } from "./tenant";
import { connectorOf } from "./under-test";

const { db } = await testDatabase();

const MANUAL = { capture_method: "manual" };
const CHALLENGED = "4000000000003220";
type Tenant = AdyenTenant;

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

const ledgerOf = async ({ environmentId }: Tenant) =>
  (await db.sql`select count(*)::int as lines from ledger_entries where environment_id = ${environmentId}`)[0]?.lines;

const pspOf = ({ double }: Tenant) => [...double.books.payments.keys()];
const keptOf = async ({ environmentId }: Pick<Tenant, "environmentId">) =>
  (
    await db.sql`select object_id from processor_objects where environment_id = ${environmentId} and kind = 'payment'`
  ).map((row) => row.object_id);

describe("nothing is booked before Adyen's confirmation", () => {
  test("a capture and refunds stay pending until their webhooks, and finish once, however often these arrive", async () => {
    const tenant = await adyenTenant(db, onTestFinished);
    const { body: payment } = await tenant.pay(MANUAL);
    expect(payment).toMatchObject({ status: "AUTHORIZED" });
    const capture = () => tenant.act("capture", payment.id, { amount: 7_000 }, { key: "capture" });
    expect(await capture()).toMatchObject({ status: 202, body: { status: "PENDING" } });
    expect(await ledgerOf(tenant)).toBe(0);
    tenant.double.books.decide();
    expect(await ledgerOf(tenant)).toBe(0);
    const told = tenant.double.messages();
    for (const body of [...told, ...told]) expect(await tenant.post(body)).toBe(true);
    expect(await capture()).toMatchObject({ status: 200, replayed: true, body: { amount_captured: 7_000 } });
    const refund = () => tenant.act("refund", payment.id, { amount: 3_000, reason: "DUPLICATE" }, { key: "refund" });
    expect(await refund()).toMatchObject({ status: 202 });
    await tenant.decide();
    expect(await refund()).toMatchObject({ status: 201, replayed: true });
    expect(await tenant.get(payment.id)).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refunded: 3_000 });
    expect(await tenant.books()).toEqual({ captured: 7_000, refunded: 3_000, voided: false });
    await expectClean();
  });

  test("a webhook that arrives before the response decides, and the response changes nothing", async () => {
    const tenant = await adyenTenant(db, onTestFinished);
    const { body: payment } = await tenant.pay();
    tenant.double.fault(/refunds$/, "lost after");
    expect(await tenant.act("refund", payment.id, {}, { key: "refund" })).toMatchObject({ status: 202 });
    tenant.double.books.decide();
    for (const body of tenant.double.messages()) await tenant.post(body);
    await tenant.endAll();
    expect(await tenant.act("refund", payment.id, {}, { key: "refund" })).toMatchObject({ status: 201 });
    expect(await tenant.books()).toEqual({ captured: 10_000, refunded: 10_000, voided: false });
    await expectClean();
  });

  test("without a webhook a capture stays pending, and an authorization whose response was lost does not", async () => {
    const tenant = await adyenTenant(db, onTestFinished);
    tenant.double.fault(/payments$/, "lost after");
    const lost = await tenant.pay(MANUAL, undefined, { key: "pay" });
    expect(lost).toMatchObject({ status: 202 });
    await tenant.endAll();
    await tenant.endAll();
    expect(await tenant.get(lost.body.id)).toMatchObject({ status: "AUTHORIZED" });
    expect(await keptOf(tenant)).toEqual(pspOf(tenant));
    await tenant.act("capture", lost.body.id, {}, { key: "capture" });
    tenant.double.books.decide();
    await tenant.endAll();
    expect(await tenant.get(lost.body.id)).toMatchObject({ status: "AUTHORIZED", amount_captured: 0 });
    expect(await ledgerOf(tenant)).toBe(0);
    await tenant.decide();
    expect(await tenant.get(lost.body.id)).toMatchObject({ status: "CAPTURED", amount_captured: 10_000 });
    await expectClean();
  });

  test("an authorization that never arrived fails, and a late one charges nothing", async () => {
    const tenant = await adyenTenant(db, onTestFinished);
    tenant.double.fault(/payments$/, "late");
    const lost = await tenant.pay({}, undefined, { key: "pay" });
    expect(lost).toMatchObject({ status: 202 });
    await tenant.endAll();
    expect(await tenant.get(lost.body.id)).toMatchObject({ status: "FAILED" });
    await tenant.double.releaseLate();
    expect(tenant.double.books.payments.size).toBe(0);
    await expectClean();
  });
});

describe("facts known only from a webhook", () => {
  test("are stored despite a lost response, so that disputes find the payment", async () => {
    const tenant = await adyenTenant(db, onTestFinished);
    tenant.double.fault(/payments$/, "lost after");
    const lost = await tenant.pay({}, undefined, { key: "pay" });
    expect(lost).toMatchObject({ status: 202 });
    expect(await keptOf(tenant)).toEqual([]);
    const told = tenant.double.messages();
    await tenant.endLeases();
    for (const body of told) expect(await tenant.post(body)).toBe(true);
    expect(await tenant.get(lost.body.id)).toMatchObject({ status: "CAPTURED" });
    expect(await keptOf(tenant)).toEqual(pspOf(tenant));
    await expectClean();
  });
});

describe("an operation that fails after it was accepted", () => {
  test("a refused capture leaves the authorization, which can be captured again", async () => {
    const tenant = await adyenTenant(db, onTestFinished);
    const { body: payment } = await tenant.pay(MANUAL, "4000000000000341");
    await tenant.act("capture", payment.id, {}, { key: "capture" });
    await tenant.decide();
    expect(await tenant.act("capture", payment.id, {}, { key: "capture" })).toMatchObject({ code: "payment_failed" });
    expect(await tenant.get(payment.id)).toMatchObject({ status: "AUTHORIZED" });
    expect(await tenant.act("capture", payment.id, {}, { key: "again" })).toMatchObject({ status: 202 });
    await tenant.decide();
    await expectClean();
  });

  test("a returned refund is reversed once", async () => {
    const tenant = await adyenTenant(db, onTestFinished);
    const { body: payment } = await tenant.pay({}, "4000000000005126");
    await tenant.act("refund", payment.id, { amount: 4_000 });
    await tenant.decide();
    expect(await tenant.get(payment.id)).toMatchObject({ amount_refunded: 4_000 });
    tenant.double.books.giveBack();
    const told = tenant.double.messages();
    for (const body of [...told, ...told]) expect(await tenant.post(body)).toBe(true);
    expect(await tenant.get(payment.id)).toMatchObject({ status: "CAPTURED", amount_refunded: 0 });
    expect(await tenant.books()).toEqual({ captured: 10_000, refunded: 0, voided: false });
    await expectClean();
  });
});

describe("a capture that a network rejects days later", () => {
  const returnsOf = async ({ environmentId }: Tenant) =>
    (
      await db.sql`select object_id from audit_log where environment_id = ${environmentId} and action = 'payment.capture_reversed'`
    ).length;

  test.each([
    ["captured immediately", {}, false, "4242424242424242"],
    ["captured later", MANUAL, false, "4242424242424242"],
    ["captured later, and reported under its own reference", MANUAL, true, "4242424242424242"],
    ["captured immediately, after a challenge", {}, false, CHALLENGED],
    ["captured later, after a challenge", MANUAL, false, CHALLENGED],
    ["captured later, after a challenge, and reported under its own reference", MANUAL, true, CHALLENGED],
  ])(
    "is reported once and marked, blocks refunds, and leaves the books unchanged: %s",
    async (_how, body, unlinked, card) => {
      const tenant = await adyenTenant(db, onTestFinished);
      const { body: payment } = await tenant.pay(body, card);
      if (card === CHALLENGED) {
        const redirectResult = tenant.double.answerChallenge(payment.next_action.redirect_to_url.url, true);
        const id = decodeId("payment", payment.id) ?? "";
        await continuePayment(tenant.service, tenant.merchant.test, id, "passed", { redirectResult });
      }
      if (body === MANUAL) await tenant.act("capture", payment.id, {});
      await tenant.decide();
      tenant.double.books.giveBack({ captures: true, unlinked });
      const told = tenant.double.messages();
      expect(told).toHaveLength(1);
      for (const message of [...told, ...told]) expect(await tenant.post(message)).toBe(true);
      expect(await returnsOf(tenant)).toBe(1);
      const marked = { capture_reversed_at: expect.any(String), available_actions: [], amount_refundable: 0 };
      const now = await tenant.get(payment.id);
      expect(now).toMatchObject({ status: "CAPTURED", amount_captured: 10_000, ...marked, transactions: [marked] });
      const [event, ...others] = (await eventsAsTold(db, tenant.environmentId)).filter(
        ({ event: { type } }) => type === "payment.capture_reversed",
      );
      expect(others).toEqual([]);
      expect(event?.event.data).toEqual({
        object: now,
        previous: expect.objectContaining({ amount_refundable: 10_000 }),
      });
      const refund = await tenant.act("refund", payment.id, {});
      expect([refund.status, refund.code]).toEqual([409, "invalid_state"]);
      const [attention] = await listAttention(testContext(tenant.service, tenant.merchant.test));
      expect(attention).toMatchObject({ kind: "capture_reversed", count: 1, rows: [{ paymentId: payment.id }] });
      const again = await tenant.act("capture", payment.id, {}, { key: "again" });
      expect(again).toMatchObject({ status: 409, code: "invalid_state" });
      await expectClean();
    },
  );
});

describe("a refund that was made in the Customer Area", () => {
  async function paid(body: object = {}) {
    const tenant = await adyenTenant(db, onTestFinished);
    const { body: payment } = await tenant.pay(body);
    await tenant.decide();
    const [atAdyen] = [...tenant.double.books.payments.values()] as [Payment];
    const happens = (event: string, value: number, psp = newPsp()) => {
      const about = { pspReference: psp, originalReference: atAdyen.psp, merchantReference: "by hand" };
      tenant.double.books.happen(event, atAdyen, { ...about, amount: { value, currency: "USD" } });
      atAdyen.refunded += event === "REFUND" ? value : -value;
      return psp;
    };
    const tell = async () => {
      const messages = tenant.double.messages();
      for (const body of [...messages, ...messages]) expect(await tenant.post(body)).toBe(true);
    };
    return { tenant, id: payment.id as string, happens, tell };
  }

  test("counts once, leaves the rest refundable, and is reversed when it fails", async () => {
    const { tenant, id, happens, tell } = await paid();
    const psp = happens("REFUND", 2_500);
    await tell();
    expect(await tenant.get(id)).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refundable: 7_500 });
    await tenant.act("refund", id, {}, { key: "rest" });
    await tenant.decide();
    expect(await tenant.get(id)).toMatchObject({ status: "REFUNDED", amount_refunded: 10_000 });
    happens("REFUND_FAILED", 2_500, psp);
    await tell();
    expect(await tenant.get(id)).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refunded: 7_500 });
    await expectClean();
  });

  test("is booked once the refund that blocked it is refused", async () => {
    const { tenant, id, happens, tell } = await paid();
    expect(await tenant.act("refund", id, {}, { key: "all" })).toMatchObject({ status: 202 });
    happens("REFUND", 2_500);
    await tell();
    expect(await tenant.get(id)).toMatchObject({ status: "CAPTURED", amount_refunded: 0 });
    await tenant.decide();
    const refused = await tenant.act("refund", id, {}, { key: "all" });
    expect(refused).toMatchObject({ status: 422, code: "amount_exceeds_refundable", body: { remaining: 7_500 } });
    expect(await tenant.get(id)).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refundable: 7_500 });
    await expectClean();
  });

  test.each([
    ["was reported", async ({ post }: Tenant, body: string) => expect(await post(body)).toBe(true)],
    ["was recovered", async ({ keep, endAll }: Tenant, body: string) => (await keep(body)) && endAll()],
  ])("is booked once the capture before it, reported later, %s", async (_, end) => {
    const { tenant, id, happens, tell } = await paid(MANUAL);
    expect(await tenant.act("capture", id)).toMatchObject({ status: 202 });
    tenant.double.books.decide();
    const [captured] = tenant.double.messages();
    happens("REFUND", 2_500);
    await tell();
    expect(await tenant.get(id)).toMatchObject({ amount_refunded: 0 });
    await end(tenant, captured ?? "");
    expect(await tenant.get(id)).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refunded: 2_500 });
    await expectClean();
  });
});

describe("a dispute", () => {
  const disputesOf = ({ environmentId }: Tenant) =>
    db.sql`select processor_dispute_id as dispute, status, amount from disputes where environment_id = ${environmentId}`;
  /** Available and held by disputes. */
  const heldOf = async ({ environmentId }: Tenant) => {
    const [balance] = await readBalances(db.sql, environmentId);
    return [balance?.available, balance?.in_dispute];
  };
  const at = (day: number) => `2026-11-${String(day).padStart(2, "0")}T12:00:00+01:00`;

  /** A payment that the cardholder's bank disputes as D1, and a function that sends later events. */
  async function disputed() {
    const tenant = await adyenTenant(db, onTestFinished);
    await tenant.pay({ currency: "CHF" });
    await tenant.decide();
    const { books } = tenant.double;
    const [payment] = [...books.payments.values()];
    if (!payment) throw new Error("a payment is made");
    const D1 = newPsp();
    /** By default, names both the dispute and the payment; `given` overrides fields. */
    async function happens(event: string, day: number, given: Partial<Event> = {}): Promise<void> {
      const named = { pspReference: D1, originalReference: payment?.psp ?? "", eventDate: at(day), reason: "Fraud" };
      books.happen(event, payment as Payment, { ...named, ...given });
      for (const body of tenant.double.messages()) expect(await tenant.post(body)).toBe(true);
    }
    await happens("NOTIFICATION_OF_CHARGEBACK", 1);
    expect(await disputesOf(tenant)).toEqual([{ dispute: D1, status: "NEEDS_RESPONSE", amount: 10_000 }]);
    return { tenant, payment, D1, happens };
  }

  test.each([
    ["PREARBITRATION_LOST", "LOST"],
    ["SECOND_CHARGEBACK", "LOST"],
    ["PREARBITRATION_WON", "WON"],
    ["ISSUER_RESPONSE_TIMEFRAME_EXPIRED", "WON"],
    ["CHARGEBACK_REVERSED", "UNDER_REVIEW"],
  ])("ends with %s, whether the message names the dispute or only the payment", async (event, status) => {
    for (const names of ["the dispute", "the payment"]) {
      const { tenant, payment, D1, happens } = await disputed();
      // A notice takes no money, the chargeback does.
      expect(await heldOf(tenant)).toEqual([0, 0]);
      await happens("CHARGEBACK", 2);
      expect(await heldOf(tenant)).toEqual([-10_000, 10_000]);
      const alone = names === "the payment" ? { pspReference: payment.psp } : {};
      await happens(event, 3, { originalReference: "", ...alone });
      expect(await disputesOf(tenant)).toEqual([{ dispute: D1, status, amount: 10_000 }]);
      const held = { LOST: [-10_000, 0], WON: [0, 0] }[status];
      expect(await heldOf(tenant)).toEqual(held ?? [-10_000, 10_000]);
    }
    await expectClean();
  });
});

describe("a challenge at the bank's page", () => {
  test.each([
    [true, "CAPTURED"],
    [false, "DECLINED"],
  ])("continues with the shopper's data, passed: %s", async (passed, status) => {
    const tenant = await adyenTenant(db, onTestFinished);
    const { body: payment } = await tenant.pay({}, CHALLENGED);
    const { url } = payment.next_action.redirect_to_url;
    const redirectResult = tenant.double.answerChallenge(url, passed);
    const id = decodeId("payment", payment.id) ?? "";
    await continuePayment(tenant.service, tenant.merchant.test, id, "passed", { redirectResult });
    expect(await tenant.get(payment.id)).toMatchObject({ status, next_action: null });
    await tenant.decide();
    await expectClean();
  });

  test.each(["the key is refused from then on", "Adyen repeats the same error"])(
    "that was passed is paid, although the response is lost and %s",
    async (then) => {
      const tenant = await adyenTenant(db, onTestFinished);
      const { double } = tenant;
      const { body: payment } = await tenant.pay({}, CHALLENGED);
      const redirectResult = double.answerChallenge(payment.next_action.redirect_to_url.url, true);
      const id = decodeId("payment", payment.id) ?? "";
      if (then.startsWith("the key")) {
        const body = JSON.stringify({ status: 401, errorCode: "000", message: "HTTP Status Response - Unauthorized" });
        double.fault(/details$/, "lost after");
        double.fault(/details$/, { answer: { status: 401, body }, executed: false }, 10);
      } else double.storeFailure("after");
      await continuePayment(tenant.service, tenant.merchant.test, id, "passed", { redirectResult });
      await tenant.endAll();
      expect(await tenant.get(payment.id)).toMatchObject({ status: "PENDING" });
      await tenant.decide();
      await tenant.endAll();
      expect(await tenant.get(payment.id)).toMatchObject({ status: "CAPTURED" });
      await expectClean();
    },
  );
});

test("an authorization without an id of Adyen's, as during a challenge, is not looked up in the sandbox's books", async () => {
  const double = await startAdyenDouble({ pages: "https://pages.adyen.example/threeDS/redirect" });
  onTestFinished(() => double.stop());
  const sandbox = connectorOf(double, journalOf({ db }, "adyen"));
  const tenant = await moneyTenant(db, { processors: createRegistry({ sandbox }) });
  const pay = () => tenant.create({ card: { number: "4000000000003220", exp_month: 12, exp_year: 2040, cvv: "123" } });
  const { body: waiting } = await pay();
  const { body: abandoned } = await pay();
  expect([waiting, abandoned]).toMatchObject([{ status: "REQUIRES_ACTION" }, { status: "REQUIRES_ACTION" }]);
  const id = decodeId("payment", abandoned.id) ?? "";
  await continuePayment(tenant.service, tenant.merchant.test, id, "abandoned");
  expect(await tenant.get(abandoned.id)).toMatchObject({ status: "DECLINED" });
  expect(await keptOf(tenant)).toEqual([]);
  await expectClean();
});
