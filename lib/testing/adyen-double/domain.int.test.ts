import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "@/lib/contract/ids";
import { continuePayment } from "@/lib/domain/payments/follow-up";
import { takeInReport } from "@/lib/domain/payments/process-reports";
import { recoverOperations } from "@/lib/domain/payments/recover-operations";
import { connectProcessor } from "@/lib/domain/processors/connections";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { ownToken } from "@/lib/processor/adyen/tokens";
import type { PushedReports } from "@/lib/processor/port";
import { connectingTenant } from "../connections";
import { testDatabase } from "../database";
import { startAdyenDouble } from "./api";
import { adyenAt, messageOf } from "./under-test";

const { db } = await testDatabase({ max: 10 });

/** A merchant with Adyen connected to its sandbox environment, and a double of its own. */
async function adyenTenant() {
  const double = await startAdyenDouble({ pages: "https://pages.adyen.example/threeDS/redirect" });
  afterAll(() => double.stop());
  const tenant = await connectingTenant(db, { connectors: [adyenAt(double)] });
  const connection = await connectProcessor(tenant.owner(), {
    processor: "adyen",
    label: "Adyen",
    credentials: { api_key: double.apiKey, merchant_account: double.merchantAccount, hmac_key: double.hmacKey },
  });
  const reporter = await tenant.service.processors.reporter(decodeId("connection", connection.id) ?? "");
  if (!reporter) throw new Error("a connection reports");
  const reports = reporter.processor.reports as PushedReports;
  /** What Adyen posts; false: it has to come again. */
  async function post(body: string): Promise<boolean> {
    let taken = true;
    for (const report of await reports.read(messageOf(body)))
      taken = (await takeInReport(tenant.service, reporter as never, report)) && taken;
    return taken;
  }
  return {
    ...tenant,
    double,
    post,
    /** Decides what Adyen has taken on, and posts everything. */
    async decide(): Promise<void> {
      double.books.decide();
      for (const body of double.messages()) expect(await post(body)).toBe(true);
    },
    pay: (body: object = {}, number = "4242424242424242", asked: { key?: string } = {}) =>
      tenant.create({ payment_token: ownToken(double.encrypt(cardOf(number))), ...body }, asked),
    async books() {
      const [payment] = [...double.books.payments.values()].slice(-1);
      return payment && { captured: payment.captured, refunded: payment.refunded, voided: payment.voided };
    },
    endAll: async () => {
      await tenant.endLeases();
      await recoverOperations(tenant.service);
    },
  };
}

const cardOf = (number: string) => ({ number, expiryMonth: "12", expiryYear: "2040", cvc: "123" });
const MANUAL = { capture_method: "manual" };
type Tenant = Awaited<ReturnType<typeof adyenTenant>>;

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

const ledgerOf = async ({ environmentId }: Tenant) =>
  (await db.sql`select count(*)::int as lines from ledger_entries where environment_id = ${environmentId}`)[0]?.lines;

describe("nothing is booked before Adyen says that it happened", () => {
  test("a capture and refunds stay pending until their webhooks, and end once, however often these come", async () => {
    const tenant = await adyenTenant();
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

  test("a webhook that is first, before the answer, decides and the answer changes nothing", async () => {
    const tenant = await adyenTenant();
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

  test("without any webhook a capture is pending for ever, an authorization whose answer is lost is not", async () => {
    const tenant = await adyenTenant();
    tenant.double.fault(/payments$/, "lost after");
    const lost = await tenant.pay(MANUAL, undefined, { key: "pay" });
    expect(lost).toMatchObject({ status: 202 });
    await tenant.endAll();
    await tenant.endAll();
    expect(await tenant.get(lost.body.id)).toMatchObject({ status: "AUTHORIZED" });
    await tenant.act("capture", lost.body.id, {}, { key: "capture" });
    tenant.double.books.decide();
    await tenant.endAll();
    expect(await tenant.get(lost.body.id)).toMatchObject({ status: "AUTHORIZED", amount_captured: 0 });
    expect(await ledgerOf(tenant)).toBe(0);
    await tenant.decide();
    expect(await tenant.get(lost.body.id)).toMatchObject({ status: "CAPTURED", amount_captured: 10_000 });
    await expectClean();
  });

  test("an authorization that never arrived fails, and one that arrives later charges nothing", async () => {
    const tenant = await adyenTenant();
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

describe("what fails after it was accepted", () => {
  test("a capture that is refused leaves the authorization, which may be captured again", async () => {
    const tenant = await adyenTenant();
    const { body: payment } = await tenant.pay(MANUAL, "4000000000000341");
    await tenant.act("capture", payment.id, {}, { key: "capture" });
    await tenant.decide();
    expect(await tenant.act("capture", payment.id, {}, { key: "capture" })).toMatchObject({ code: "payment_failed" });
    expect(await tenant.get(payment.id)).toMatchObject({ status: "AUTHORIZED" });
    expect(await tenant.act("capture", payment.id, {}, { key: "again" })).toMatchObject({ status: 202 });
    await tenant.decide();
    await expectClean();
  });

  test("a refund that comes back is reversed, once", async () => {
    const tenant = await adyenTenant();
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
      await db.sql`select object_id from audit_log where environment_id = ${environmentId} and action = 'payment.capture_returned'`
    ).length;

  test.each([true, false])(
    "is audited once, shown to support, and the books stay; captured at once: %s",
    async (once) => {
      const tenant = await adyenTenant();
      const { body: payment } = await tenant.pay(once ? {} : MANUAL);
      if (!once) await tenant.act("capture", payment.id, {});
      await tenant.decide();
      tenant.double.books.giveBack({ captures: true });
      const told = tenant.double.messages();
      expect(told).toHaveLength(1);
      for (const body of [...told, ...told]) expect(await tenant.post(body)).toBe(true);
      expect(await returnsOf(tenant)).toBe(1);
      expect(await tenant.get(payment.id)).toMatchObject({ status: "CAPTURED", amount_captured: 10_000 });
      const answers = (await tenant.operations(payment.id)).map(({ last_answer }) => last_answer);
      expect(answers.at(-1)).toMatch(/returned by the processor later/);
      await expectClean();
    },
  );
});

describe("a challenge at the bank's page", () => {
  test.each([
    [true, "CAPTURED"],
    [false, "DECLINED"],
  ])("goes on with what the shopper brings back, passed: %s", async (passed, status) => {
    const tenant = await adyenTenant();
    const { body: payment } = await tenant.pay({}, "4000000000003220");
    const { url } = payment.next_action.redirect_to_url;
    const redirectResult = tenant.double.answerChallenge(url, passed);
    const [operation] = await tenant.operations(payment.id);
    const at = await tenant.service.processors.choose(tenant.merchant.test, { currency: "USD", brand: null });
    const from = { account: tenant.environmentId, authorization: operation?.id ?? "", query: { redirectResult } };
    await at?.processor.noteReturn?.(from);
    await continuePayment(tenant.service, tenant.merchant.test, decodeId("payment", payment.id) ?? "", "passed");
    expect(await tenant.get(payment.id)).toMatchObject({ status, next_action: null });
    await tenant.decide();
    await expectClean();
  });
});
