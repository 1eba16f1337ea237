import { describe, expect, onTestFinished, test, vi } from "vitest";
import { listOurPayments } from "@/db/queries/processors/our-entries";
import { decodeId } from "@/lib/contract/ids";
import { expirePayments } from "@/lib/domain/payments/expire-payments";
import { continuePayment } from "@/lib/domain/payments/follow-up";
import { getPaymentDetail } from "@/lib/domain/payments/payment-detail";
import { disconnectProcessor } from "@/lib/domain/processors/connections";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { BEFORE_ALL } from "@/lib/ids";
import { testDatabase } from "../../fixtures/database";
import { type Event, newPsp, type Payment } from "./books";
import { type AdyenTenant, adyenTenant } from "./tenant";

const { db } = await testDatabase();
const CHALLENGED = "4000000000003220";
const MANUAL = { capture_method: "manual" };
const GIVEN_BACK = {
  "captured immediately": [{}, { captured: 10_000, refunded: 10_000, voided: false }],
  held: [MANUAL, { captured: 0, refunded: 0, voided: true }],
} as const;

const brokenRules = async () => (await verifyBooks(db)).checks.filter(({ count }) => count > 0).map((one) => one.check);

/** Simulates elapsed time: moves results of voids this many hours and one minute into the past. */
const passHours = (environmentId: string, hours: number) =>
  db.sql`update operations set completed_at = completed_at - ${60 * hours + 1}::int * interval '1 minute'
    where environment_id = ${environmentId} and kind = 'void'`;

/** An abandoned payment whose shopper passed the challenge but never came back; Adyen then authorizes it. */
async function approvedLate(body: object) {
  const tenant = await adyenTenant(db, onTestFinished);
  const errors = vi.spyOn(tenant.service.log, "error");
  const { body: payment } = await tenant.pay(body, CHALLENGED);
  tenant.double.answerChallenge(payment.next_action.redirect_to_url.url, true);
  await continuePayment(tenant.service, tenant.merchant.test, decodeId("payment", payment.id) ?? "", "abandoned");
  expect(await tenant.get(payment.id)).toMatchObject({ status: "DECLINED" });
  const [atAdyen] = [...tenant.double.books.payments.values()] as [Payment];
  tenant.double.books.finish(atAdyen);
  return {
    ...tenant,
    id: payment.id as string,
    atAdyen,
    told: tenant.double.messages(),
    /** The payment's `late_approval` in a comparison. */
    inBooks: async () => {
      const of = { connectionId: decodeId("connection", tenant.connection) ?? "", processor: "adyen" };
      const all = { from: BEFORE_ALL, before: "ffffffff-ffff-ffff-ffff-ffffffffffff" };
      const compared = { ...of, environmentIds: [tenant.environmentId], quietSince: new Date(), knownUntil: null };
      const [ours] = await listOurPayments(db.sql, compared, tenant.environmentId, all, 10);
      return ours?.late_approval;
    },
    voids: async () => (await tenant.operations(payment.id)).filter(({ kind }) => kind === "void"),
    logged: () => errors.mock.calls.map(([, message]) => message),
  };
}

describe("an approval by Adyen after the payment has ended here is reversed", () => {
  test.each(Object.entries(GIVEN_BACK))("once, however often it is reported: %s", async (_how, [body, givenBack]) => {
    const { told, post, decide, books, voids, logged, id, get, owner, environmentId } = await approvedLate(body);
    for (const message of [...told, ...told]) expect(await post(message)).toBe(true);
    expect(await voids()).toMatchObject([{ state: "open" }]);
    expect(logged()).toEqual([expect.stringContaining("approved a payment after it had ended here")]);
    await decide();
    for (const message of told) expect(await post(message)).toBe(true);
    expect(await voids()).toMatchObject([{ state: "succeeded" }]);
    expect(await books()).toEqual(givenBack);
    expect(await get(id)).toMatchObject({ status: "DECLINED", amount_captured: 0, available_actions: [] });
    const audit = await db.sql`select action from audit_log where environment_id = ${environmentId} order by id`;
    expect(audit.at(-1)?.action).toBe("payment.late_approval_undone");
    const { timeline, pending } = await getPaymentDetail(owner(), { id });
    expect(timeline.at(-1)).toMatchObject({
      title: "Late approval undone",
      outcome: "succeeded",
      reason: null,
      said: "The processor approved the payment after it had ended here, so its money was returned.",
    });
    expect(pending).toBe(false);
    expect(await brokenRules()).toEqual([]);
  });

  test.each(["lost before", "lost after", "reset"] as const)("once, though its request is %s", async (fault) => {
    const { told, post, double, decide, endAll, books, voids } = await approvedLate({});
    double.fault(/refunds$/, fault);
    for (const message of [...told, ...told]) expect(await post(message)).toBe(true);
    await endAll();
    await decide();
    await endAll();
    expect(await books()).toEqual({ captured: 10_000, refunded: 10_000, voided: false });
    expect(await voids()).toMatchObject([{ state: "succeeded" }]);
    expect(await brokenRules()).toEqual([]);
  });

  test("again after an hour if Adyen refuses, and the books show it until it is done", async () => {
    const late = await approvedLate({});
    const { told, post, decide, books, voids, inBooks, logged, atAdyen, service, environmentId } = late;
    expect(await inBooks()).toBeNull();
    atAdyen.refunded = 1;
    for (const message of told) await post(message);
    await decide();
    expect(await voids()).toMatchObject([{ state: "declined" }]);
    expect(logged().at(-1)).toContain("could not be reversed");
    expect(await inBooks()).toBe("to_reverse");
    expect(await brokenRules()).toEqual(["late_approvals_are_undone"]);
    for (const message of told) expect(await post(message)).toBe(true);
    await expirePayments(service);
    expect(await voids()).toHaveLength(1);
    atAdyen.refunded = 0;
    await passHours(environmentId, 1);
    await Promise.all([1, 2, 3].map(() => expirePayments(service)));
    expect(await voids()).toMatchObject([{ state: "declined" }, { state: "open" }]);
    await decide();
    expect(await voids()).toMatchObject([{ state: "declined" }, { state: "succeeded" }]);
    expect(await inBooks()).toBe("reversed");
    expect(await books()).toEqual({ captured: 10_000, refunded: 10_000, voided: false });
    await expirePayments(service);
    expect(await voids()).toHaveLength(2);
    expect(await brokenRules()).toEqual([]);
  });

  const byHand = { merchantReference: "of the Customer Area" };
  test.each([
    ["refunded", {}, ["REFUND"], [10_000], { captured: 10_000, refunded: 10_000, voided: false }],
    [
      "refunded in parts",
      {},
      ["REFUND", "REFUND"],
      [4_000, 6_000],
      { captured: 10_000, refunded: 10_000, voided: false },
    ],
    ["refunded in part", {}, ["REFUND"], [4_000], { captured: 10_000, refunded: 10_000, voided: false }],
    ["refunded, which failed later", {}, ["REFUND", "REFUND_FAILED"], [10_000], GIVEN_BACK["captured immediately"][1]],
    ["cancelled", MANUAL, ["CANCELLATION"], [], { captured: 0, refunded: 0, voided: true }],
    ["captured", MANUAL, ["CAPTURE"], [], { captured: 10_000, refunded: 10_000, voided: false }],
    [
      "captured, which failed, and captured again",
      MANUAL,
      ["CAPTURE", "CAPTURE_FAILED", "CAPTURE"],
      [],
      { captured: 10_000, refunded: 10_000, voided: false },
    ],
    [
      "captured and refunded",
      MANUAL,
      ["CAPTURE", "REFUND"],
      [10_000],
      { captured: 10_000, refunded: 10_000, voided: false },
    ],
  ] as const)("and counts when it was %s by hand after a refusal", async (how, body, events, refunds, money) => {
    const { told, post, decide, books, voids, logged, atAdyen, double, service, environmentId } =
      await approvedLate(body);
    const before = { refunded: atAdyen.refunded, voided: atAdyen.voided };
    // Makes Adyen refuse the first attempt, whether refund or void.
    Object.assign(atAdyen, { refunded: 1, voided: true });
    for (const message of told) await post(message);
    await decide();
    expect(await voids()).toMatchObject([{ state: "declined" }]);
    Object.assign(atAdyen, before);
    const amounts = [...refunds];
    let last = "";
    for (const eventCode of events) {
      last = eventCode.endsWith("_FAILED") ? last : newPsp();
      const value = eventCode.startsWith("REFUND") ? (amounts.shift() ?? 10_000) : 10_000;
      const given = {
        ...byHand,
        pspReference: last,
        originalReference: atAdyen.psp,
        amount: { value, currency: "USD" },
      };
      double.books.happen(eventCode, atAdyen, given);
      if (eventCode === "REFUND") atAdyen.refunded += value;
      if (eventCode === "REFUND_FAILED") atAdyen.refunded -= value;
      if (eventCode === "CAPTURE") atAdyen.captured = value;
      if (eventCode === "CANCELLATION") atAdyen.voided = true;
    }
    const handed = double.messages();
    for (const message of [...handed, ...handed]) expect(await post(message)).toBe(true);
    await passHours(environmentId, 1);
    await expirePayments(service);
    await decide();
    expect(await voids()).toMatchObject([{ state: "declined" }, { state: "succeeded" }]);
    const isDone = (["refunded", "refunded in parts", "cancelled", "captured and refunded"] as string[]).includes(how);
    expect(double.books.modifications).toHaveLength(isDone ? 1 : 2);
    expect(await books()).toEqual(money);
    expect(logged().filter((message) => message?.includes("could not be reversed"))).toHaveLength(1);
    expect(await brokenRules()).toEqual([]);
  });

  test("before its connection can be disconnected", async () => {
    const { told, post, decide, atAdyen, service, owner, connection, environmentId } = await approvedLate({});
    const disconnect = () => disconnectProcessor(owner(), { id: connection });
    const whyNot = async () => ((await disconnect().catch((error: unknown) => error)) as Error).message;
    atAdyen.refunded = 1;
    for (const message of told) await post(message);
    expect(await whyNot()).toContain("Still open there: 1 payment whose outcome is not known yet.");
    await decide();
    expect(await whyNot()).toBe(
      "Still open there: 1 payment approved too late whose money is not returned yet. Finish these or wait until nothing is open, then disconnect.",
    );
    atAdyen.refunded = 0;
    await passHours(environmentId, 2);
    await expirePayments(service);
    await decide();
    expect(await disconnect()).toMatchObject({ status: "DISCONNECTED" });
    expect(await brokenRules()).toEqual([]);
  });

  test.each(["the same", "another"])("although it was reported as declined first, under %s reference", async (psp) => {
    const tenant = await adyenTenant(db, onTestFinished);
    const { body: declined } = await tenant.pay({}, "4000000000009995");
    expect(declined).toMatchObject({ code: "card_declined" });
    const { books, messages } = tenant.double;
    for (const message of messages()) expect(await tenant.post(message)).toBe(true);
    const [payment] = [...books.payments.values()] as [Payment];
    const pspReference = psp === "another" ? newPsp() : payment.psp;
    Object.assign(payment, { state: "authorised", captured: 10_000 });
    books.payments.set(pspReference, payment);
    books.happen("AUTHORISATION", payment, { pspReference });
    for (const message of messages()) expect(await tenant.post(message)).toBe(true);
    await tenant.decide();
    expect(await tenant.books()).toEqual({ captured: 10_000, refunded: 10_000, voided: false });
    expect(await tenant.get(declined.payment_id)).toMatchObject({ status: "DECLINED" });
    expect(await brokenRules()).toEqual([]);
  });

  test("again if the bank returns that refund", async () => {
    const { told, post, decide, books, voids, atAdyen, double, service, environmentId } = await approvedLate({});
    for (const message of told) await post(message);
    await decide();
    Object.assign(atAdyen, { behavior: "refund_fails_later" });
    double.books.giveBack();
    for (const message of double.messages()) expect(await post(message)).toBe(true);
    expect(await voids()).toMatchObject([{ state: "failed" }]);
    expect(await brokenRules()).toEqual(["late_approvals_are_undone"]);
    await passHours(environmentId, 1);
    await expirePayments(service);
    await decide();
    expect(await books()).toMatchObject({ captured: 10_000, refunded: 10_000 });
    expect(await voids()).toMatchObject([{ state: "failed" }, { state: "succeeded" }]);
    expect(await brokenRules()).toEqual([]);
  });
});

describe("an approval by Adyen of another amount is never booked, and reversed", () => {
  const OTHER = { value: 9_999, currency: "USD" };
  const PART = { captured: 9_999, refunded: 9_999, voided: false };
  const RELEASED = { captured: 0, refunded: 0, voided: true };

  /** Authorizes the payment at Adyen with the other amount and returns its messages. */
  function approvesOther({ double }: AdyenTenant, given: Partial<Event> = {}): string[] {
    const [payment] = [...double.books.payments.values()] as [Payment];
    Object.assign(payment, { state: "authorised", captured: payment.capturesAtOnce ? OTHER.value : 0 });
    double.books.events.splice(0);
    double.books.happen("AUTHORISATION", payment, { amount: OTHER, ...given });
    return double.messages();
  }
  const voidsOf = async (tenant: AdyenTenant, id: string) =>
    (await tenant.operations(id)).filter(({ kind }) => kind === "void").map(({ state }) => state);
  async function expectGivenBack(tenant: AdyenTenant, id: string, money: object): Promise<void> {
    await tenant.decide();
    expect(await voidsOf(tenant, id)).toEqual(["succeeded"]);
    expect(await tenant.get(id)).toMatchObject({ status: "DECLINED", amount_captured: 0 });
    expect(await tenant.books()).toEqual(money);
    expect(await brokenRules()).toEqual([]);
  }

  test("after it was declined", async () => {
    const tenant = await adyenTenant(db, onTestFinished);
    const { body: declined } = await tenant.pay({}, "4000000000009995");
    for (const message of tenant.double.messages()) expect(await tenant.post(message)).toBe(true);
    const psp = newPsp();
    tenant.double.books.payments.set(psp, [...tenant.double.books.payments.values()][0] as Payment);
    const told = approvesOther(tenant, { pspReference: psp });
    for (const message of [...told, ...told]) expect(await tenant.post(message)).toBe(true);
    await expectGivenBack(tenant, declined.payment_id, PART);
  });

  test.each([
    ["captured immediately", {}, PART],
    ["held", MANUAL, RELEASED],
  ])("after a challenge, which ends: %s", async (_how, body, money) => {
    const tenant = await adyenTenant(db, onTestFinished);
    const { body: payment } = await tenant.pay(body, CHALLENGED);
    const told = approvesOther(tenant);
    for (const message of [...told, ...told]) expect(await tenant.post(message)).toBe(true);
    expect(await tenant.get(payment.id)).toMatchObject({ status: "DECLINED" });
    await expectGivenBack(tenant, payment.id, money);
  });

  test("after a challenge that was abandoned before the message was processed, as in a crash", async () => {
    const tenant = await adyenTenant(db, onTestFinished);
    const { body: payment } = await tenant.pay({}, CHALLENGED);
    const told = approvesOther(tenant);
    for (const message of told) await tenant.keep(message);
    await db.sql`update payments set updated_at = now() - interval '31 minutes' where environment_id = ${tenant.environmentId}`;
    expect(await expirePayments(tenant.service)).toBe(1);
    expect(await tenant.get(payment.id)).toMatchObject({ status: "DECLINED" });
    for (const message of told) expect(await tenant.post(message)).toBe(true);
    await expectGivenBack(tenant, payment.id, PART);
  });

  test.each(["a call", "nobody"])(
    "although the response was lost, and %s is in progress when it is reported",
    async (who) => {
      const tenant = await adyenTenant(db, onTestFinished);
      tenant.double.fault(/payments$/, "lost after");
      const { body: lost } = await tenant.pay();
      const told = approvesOther(tenant);
      const isHeld = who === "a call";
      if (isHeld)
        await db.sql`update operations set lease_until = now() + interval '1 minute' where environment_id = ${tenant.environmentId}`;
      else await tenant.endLeases();
      // The process that holds the operation doesn't void it, so the message stays unaccepted until the
      // operation ends.
      for (const message of told) expect(await tenant.post(message)).toBe(!isHeld);
      await tenant.endAll();
      expect(await tenant.get(lost.id)).toMatchObject({ status: "DECLINED" });
      for (const message of told) expect(await tenant.post(message)).toBe(true);
      await expectGivenBack(tenant, lost.id, PART);
    },
  );

  test.each([
    ["is booked", {}, "CAPTURED"],
    ["is held", MANUAL, "AUTHORIZED"],
  ])("unless the payment %s by then, which is an error in the log", async (_how, body, status) => {
    const tenant = await adyenTenant(db, onTestFinished);
    const errors = vi.spyOn(tenant.service.log, "error");
    const { body: payment } = await tenant.pay(body);
    for (const message of approvesOther(tenant)) expect(await tenant.post(message)).toBe(true);
    expect(errors.mock.calls.map(([, message]) => message)).toEqual([
      expect.stringContaining("differs from the booked one"),
    ]);
    expect(await tenant.get(payment.id)).toMatchObject({ status });
  });

  test("and a capture of another amount waits for staff, and blocks no later message", async () => {
    const tenant = await adyenTenant(db, onTestFinished);
    const errors = vi.spyOn(tenant.service.log, "error");
    const { body: payment } = await tenant.pay(MANUAL);
    await tenant.act("capture", payment.id, {});
    tenant.double.books.decide();
    const [captured] = tenant.double.books.events.filter(({ eventCode }) => eventCode === "CAPTURE");
    Object.assign(captured as Event, { amount: OTHER });
    for (const message of tenant.double.messages()) expect(await tenant.post(message)).toBe(true);
    expect(errors.mock.calls.map(([, message]) => message)).toEqual([expect.stringContaining("check it there")]);
    expect(await tenant.get(payment.id)).toMatchObject({ status: "AUTHORIZED", amount_captured: 0 });
    expect((await tenant.operations(payment.id)).at(-1)).toMatchObject({ kind: "capture", state: "open" });
  });
});
