import { afterAll, describe, expect, test } from "vitest";
import { ApiError } from "@/e2e/doubles/stripe/books";
import { faultsOfDoubles } from "@/e2e/doubles/stripe/compare";
import { eventsOf, messageOf } from "@/e2e/doubles/stripe/deliveries";
import { type Double, startDouble } from "@/e2e/doubles/stripe/double";
import { FAULTS, type Fault, type Operation } from "@/e2e/doubles/stripe/faults";
import { answerChallenge, companyOf, connectorTo } from "@/e2e/doubles/stripe/under-test";
import { testDatabase } from "@/e2e/fixtures/database";
import { eventsAsTold } from "@/e2e/fixtures/events";
import { testContext } from "@/e2e/fixtures/factories";
import { type MoneyAnswer, type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { says } from "@/e2e/fixtures/scripted-processor";
import { decodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import type { Report } from "@/lib/processor/port";
import { createRegistry } from "@/lib/processor/registry";
import { METADATA } from "@/lib/processor/stripe/outcomes";
import { expirePayments } from "./expire-payments";
import { continuePayment } from "./follow-up";
import { getPaymentDetail } from "./payment-detail";
import { takeInReport } from "./process-reports";

const { db } = await testDatabase();
/** A tenant's events, oldest first. */
const told = async (environmentId: string) =>
  (await eventsAsTold(db, environmentId)).map(({ event }) => event).toSorted((a, b) => (a.id < b.id ? -1 : 1));
const doubles: Double[] = [];
async function newDouble(): Promise<Double> {
  const started = await startDouble();
  doubles.push(started);
  return started;
}
const double = await newDouble();
afterAll(() => Promise.all(doubles.map((one) => one.stop())));
const company = companyOf(double);
const TIMEOUT_MS = 1_500;
const card = (number: string) => ({ card: { number, exp_month: 12, exp_year: 2040, cvv: "123" } });
const MANUAL = { capture_method: "manual" };

/** A tenant whose test payments go to the double, by the connector. */
const newTenant = (at = double) =>
  moneyTenant(db, {
    processors: createRegistry({ sandbox: connectorTo(at, { name: "stripe", timeoutMs: TIMEOUT_MS }) }),
    processorTimeoutMs: TIMEOUT_MS,
  });

const reporterOf = async (tenant: MoneyTenant) => {
  const from = await tenant.service.processors.reporter("stripe");
  if (from?.processor.reports.kind !== "pushed") throw new Error("it pushes its reports");
  return { from, reports: from.processor.reports };
};

/** Takes in reports until none has to come again. */
async function takeIn(tenant: MoneyTenant, reports: readonly Report[]): Promise<void> {
  const { from } = await reporterOf(tenant);
  for (const report of reports)
    await expect.poll(() => takeInReport(tenant.service, from, report), { timeout: 10_000 }).toBe(true);
}

/** What is sent to our address about a tenant, in the given order. */
async function reportsOf(tenant: MoneyTenant): Promise<Report[]> {
  const { reports } = await reporterOf(tenant);
  const read = eventsOf(double, tenant.environmentId).map(async (event) => reports.read(messageOf(event)));
  return (await Promise.all(read)).flat();
}

/** The same request with its key until its answer is final, while whoever else works on it has had its time. */
async function settled(tenant: MoneyTenant, send: () => Promise<MoneyAnswer>): Promise<MoneyAnswer> {
  let answer = await send();
  for (let tries = 0; tries < 8 && (answer.status === 202 || answer.status >= 500); tries++) {
    await tenant.endLeases();
    await tenant.complete();
    answer = await send();
  }
  return answer;
}

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
  expect(await faultsOfDoubles(db, doubles)).toEqual([]);
}

/** Every kind of operation meets a fault; each key then has one true answer, also when what was lost arrives after all. */
async function meet(fault: Fault): Promise<void> {
  const own = await newDouble();
  const tenant = await newTenant(own);
  const meets = async (operation: Operation, key: string, send: () => Promise<MoneyAnswer>) => {
    own.faults.clear();
    own.faults.next(operation, fault);
    const answer = await settled(tenant, send);
    own.faults.releaseLate();
    own.faults.clear();
    if (answer.status === 202) return answer;
    expect(await send(), `${key}, ${fault}`).toMatchObject({
      status: answer.status,
      text: answer.text,
      replayed: true,
    });
    return answer;
  };
  const created = await meets("confirm", "create", () => tenant.create({}, { key: "create" }));
  expect([201, 402], fault).toContain(created.status);
  const { body: held } = await tenant.create(MANUAL);
  const capture = () => tenant.act("capture", held.id, { amount: 7_000 }, { key: "capture" });
  expect(await meets("capture", "capture", capture), fault).toMatchObject({ status: 200 });
  const refund = () => tenant.act("refund", held.id, { amount: 3_000, reason: "RETURN" }, { key: "refund" });
  const refunded = await meets("refund", "refund", refund);
  // After an error that is stored it may still appear: it stays unknown for as long as its key is known there.
  expect(refunded, fault).toMatchObject({ status: fault === "stored 500" ? 202 : 201 });
  own.forgetKeys();
  expect(await settled(tenant, refund), fault).toMatchObject({ status: 201 });
  const refunds = companyOf(own).refundsOf(tenant.environmentId);
  expect(refunds, fault).toMatchObject([{ amount: 3_000, reason: "requested_by_customer" }]);
  const { body: other } = await tenant.create(MANUAL);
  const voiding = () => tenant.act("void", other.id, {}, { key: "void" });
  expect(await meets("cancel", "void", voiding), fault).toMatchObject({ status: 200 });
}

test("whatever goes astray, every key has one true answer, and the books agree to the cent", async () => {
  await Promise.all(FAULTS.map(meet));
  await expectClean();
});

describe("a refund that fails later", () => {
  async function refunded() {
    const tenant = await newTenant();
    const { body: payment } = await tenant.create(card("4000000000005126"));
    const refund = await tenant.act("refund", payment.id, { amount: 4_000 }, { key: "refund" });
    expect(refund).toMatchObject({ status: 201 });
    expect(company.giveBack(tenant.environmentId)).toHaveLength(1);
    return { tenant, id: payment.id as string };
  }
  const expectReversed = async ({ tenant, id }: { tenant: MoneyTenant; id: string }) => {
    expect(await tenant.get(id)).toMatchObject({ status: "CAPTURED", amount_refunded: 0, amount_refundable: 10_000 });
    await expectClean();
  };

  test.each([
    ["in order", (reports: Report[]) => reports],
    ["the last first, and each twice", (reports: Report[]) => [...reports, ...reports].toReversed()],
  ])("becomes a reversal once, by messages %s", async (_, order) => {
    const sale = await refunded();
    await takeIn(sale.tenant, order(await reportsOf(sale.tenant)));
    await expectReversed(sale);
  });

  test("is found in the list of events when no message ever arrives", async () => {
    const sale = await refunded();
    const { tenant } = sale;
    const later = { now: () => new Date(Date.now() + 60_000) };
    const { reports } = connectorTo(double, { name: "stripe", clock: later });
    if (reports.kind !== "pushed" || !reports.catchUp) throw new Error("it can be caught up with");
    const [refund] = company.refundsOf(tenant.environmentId);
    const found: Report[] = [];
    for (let place: string | null = null, more = true; more; ) {
      const page = await reports.catchUp(place);
      found.push(...page.reports);
      ({ place, more } = page);
    }
    await takeIn(
      tenant,
      found.filter((report) => "object" in report && report.object === refund?.id),
    );
    await expectReversed(sale);
  });

  test("comes again as long as whoever sent the refund does not know that it was accepted", async () => {
    const tenant = await newTenant();
    const { body: payment } = await tenant.create(card("4000000000005126"));
    double.faults.next("refund", "lost after");
    const { body } = await tenant.act("refund", payment.id, { amount: 4_000 }, { key: "refund" });
    company.giveBack(tenant.environmentId);
    const { from } = await reporterOf(tenant);
    const [row] = (await tenant.operations(payment.id)).filter(({ kind }) => kind === "refund");
    const named = { id: "evt_early", account: tenant.environmentId, reference: row?.id ?? "" };
    expect(body.status).toBe("PENDING");
    await takeIn(tenant, [named]);
    expect(await takeInReport(tenant.service, from, named)).toBe(true);
    expect(
      await settled(tenant, () => tenant.act("refund", payment.id, { amount: 4_000 }, { key: "refund" })),
    ).toMatchObject({ status: 402 });
    await expectReversed({ tenant, id: payment.id });
  });
});

test("a payment has its description and chosen metadata at Stripe, beside our own, when it is closed there, too", async () => {
  const at = await newDouble();
  const processor = connectorTo(at, { name: "stripe", timeoutMs: TIMEOUT_MS, metadataKeys: ["order", "gift", "none"] });
  const tenant = await moneyTenant(db, {
    processors: createRegistry({ sandbox: processor }),
    processorTimeoutMs: TIMEOUT_MS,
  });
  const body = {
    ...{ amount: 2_000, currency: "EUR", payment_token: "pm_card_visa", description: "Order 1001" },
    metadata: { order: "1001", gift: true, secret: "not chosen", cardlane_account: "nobody" },
  };
  const { body: payment } = await tenant.create(body);
  const [operation] = await tenant.operations(payment.id);
  expect([...at.books.intents.values()]).toMatchObject([
    {
      description: "Order 1001",
      metadata: {
        order: "1001",
        gift: "true",
        cardlane_reference: operation?.id,
        cardlane_account: tenant.environmentId,
      },
    },
  ]);
  expect(Object.keys([...at.books.intents.values()][0]?.metadata ?? {})).toHaveLength(4);
  // What died before its id was kept is closed by the same request, under the same key.
  at.faults.next("create", "lost after");
  const lost = await settled(tenant, () => tenant.create(body, { key: "lost" }));
  expect([201, 402]).toContain(lost.status);
  expect([...at.books.intents.values()].map(({ description }) => description)).toEqual(["Order 1001", "Order 1001"]);
  await expectClean();
});

describe("a refund that was made at Stripe", () => {
  async function paid(at = double) {
    const tenant = await newTenant(at);
    const { body: payment } = await tenant.create({ amount: 2_000, payment_token: "pm_card_visa" });
    const [operation] = await tenant.operations(payment.id);
    const intent = companyOf(at).intentOf(operation?.id ?? "")?.id ?? "";
    const refundThere = (amount: number) => at.books.createRefund({ intent, amount, reason: null, metadata: {} });
    return { tenant, id: payment.id as string, intent, refundThere };
  }
  const typesOf = async (tenant: MoneyTenant, object: string) =>
    (await told(tenant.environmentId)).filter(({ data }) => data.object.id === object).map(({ type }) => type);

  test("counts, is told of and booked once, and a later refund of everything refunds what is left", async () => {
    const { tenant, id, refundThere } = await paid();
    const made = refundThere(500);
    const reports = await reportsOf(tenant);
    await takeIn(tenant, [...reports, ...reports].toReversed());
    await Promise.all(reports.map(async (report) => takeIn(tenant, [report])));
    const after = await tenant.get(id);
    expect(after).toMatchObject({
      ...{ status: "PARTIALLY_REFUNDED", amount_refunded: 500, amount_refundable: 1_500 },
      transactions: [
        { amount_refunded: 500 },
        { type: "REFUND", status: "CAPTURED", amount: 500, refund_reason: null },
      ],
    });
    expect(await typesOf(tenant, id)).toEqual([
      ...["payment.captured", "payment.refunded_externally", "payment.partially_refunded"],
    ]);
    const detail = await getPaymentDetail(testContext(tenant.service, tenant.merchant.test), { id });
    expect(detail.timeline.at(-1)).toMatchObject({
      ...{ kind: "refund", outcome: "succeeded", title: "Refunded at the processor", amount: 500 },
      actor: { name: "Cardlane" },
    });
    expect(detail.ledger.at(-1)).toMatchObject({ title: "Refund", amount: 500 });
    expect(await tenant.act("refund", id)).toMatchObject({ status: 201, body: { status: "REFUNDED" } });
    expect((await tenant.get(id)).transactions.at(-1)).toMatchObject({ type: "REFUND", amount: 1_500 });
    await expectClean();
    double.books.endRefund(made.id, "failed");
    await takeIn(tenant, await reportsOf(tenant));
    expect(await tenant.get(id)).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refunded: 1_500 });
    await expectClean();
  });

  test("is named by the refusal of a refund that came first, and booked with it", async () => {
    const { tenant, id, refundThere } = await paid();
    refundThere(500);
    const refused = await tenant.act("refund", id, {}, { key: "all" });
    expect(refused).toMatchObject({
      ...{ status: 422, code: "amount_exceeds_refundable" },
      body: {
        remaining: 1_500,
        detail:
          "5.00 USD was refunded at the processor, outside of this API. At most 15.00 USD can be refunded. Send that amount or less, with a new idempotency key.",
      },
    });
    expect(await tenant.get(id)).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refundable: 1_500 });
    expect(await tenant.act("refund", id, {}, { key: "rest" })).toMatchObject({ status: 201 });
    expect(await tenant.get(id)).toMatchObject({ status: "REFUNDED", amount_refunded: 2_000 });
    await takeIn(tenant, await reportsOf(tenant));
    await expectClean();
  });

  test("is booked after a refund of ours that failed, though it was reported first", async () => {
    const { tenant, id, intent, refundThere } = await paid();
    const before = await reportsOf(tenant);
    const { body } = await tenant.act("refund", id);
    expect(body).toMatchObject({ status: "REFUNDED" });
    const ours = [...double.books.refunds.values()].find((refund) => refund.payment_intent === intent);
    double.books.endRefund(ours?.id ?? "", "failed");
    const failed = (await reportsOf(tenant)).slice(before.length);
    refundThere(500);
    const reported = (await reportsOf(tenant)).slice(before.length + failed.length);
    await takeIn(tenant, reported);
    expect(await tenant.get(id)).toMatchObject({ status: "REFUNDED", amount_refunded: 2_000 });
    await takeIn(tenant, failed);
    expect(await tenant.get(id)).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refunded: 500 });
    await expectClean();
  });

  test("and refunds here at the same moment never come to more than was captured, and the books agree", async () => {
    const { tenant, id, refundThere } = await paid();
    const here = Array.from({ length: 6 }, (_, i) => tenant.act("refund", id, { amount: 300 }, { key: `here-${i}` }));
    const there = [400, 300, 200].map(async (amount) => {
      await new Promise((resolve) => setImmediate(resolve));
      try {
        refundThere(amount);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
      await takeIn(tenant, await reportsOf(tenant));
    });
    await Promise.all([...here, ...there]);
    await takeIn(tenant, await reportsOf(tenant));
    const left = (await tenant.get(id)).amount_refundable;
    if (left > 0) expect(await tenant.act("refund", id)).toMatchObject({ status: 201 });
    expect(await tenant.get(id)).toMatchObject({ status: "REFUNDED", amount_refunded: 2_000 });
    await expectClean();
  });
});

describe("what no issuer ever saw is refused with the cause, and nothing is held", () => {
  test.each([
    [{ amount: 12_345, currency: "KWD" }, "amount", "Stripe takes KWD in steps of 0.010."],
    [{ amount: 12_301, currency: "MGA" }, "amount", "Stripe takes MGA in steps of 1.00."],
    [{ amount: 1_000, currency: "LYD" }, "amount", "Stripe takes no payments in LYD."],
    [{ payment_token: "pm_of_nobody" }, "payment_token", "has no such card token"],
    [{ payment_token: "garbage" }, "payment_token", "has no such card token"],
  ])("%j", async (body, param, words) => {
    const tenant = await newTenant();
    const given = { payment_token: "pm_card_visa", ...body };
    const refused = await tenant.create(given, { key: "key" });
    expect(refused).toMatchObject({ status: 422, code: "processor_refused", body: { param } });
    expect(refused.body.detail).toContain(words);
    expect(await tenant.create(given, { key: "key" })).toMatchObject({ status: 422, replayed: true });
    const rows = await db.sql`select id from payments where environment_id = ${tenant.environmentId}`;
    expect(rows).toHaveLength(0);
  });

  test("by Stripe itself, once it was sent", async () => {
    const tenant = await newTenant();
    const refused = await tenant.create({ amount: 10, payment_token: "pm_card_visa" });
    expect(refused).toMatchObject({ status: 422, code: "processor_refused" });
    expect(refused.body.detail).toBe("Stripe refused the request: Amount must convert to at least 50 cents.");
    expect(await tenant.get(refused.body.payment_id)).toMatchObject({ status: "FAILED", amount_captured: 0 });
    await expectClean();
  });

  test("of a capture and a refund in steps that Stripe does not take", async () => {
    const tenant = await newTenant();
    const { body: held } = await tenant.create({
      ...MANUAL,
      amount: 5_000,
      currency: "KWD",
      payment_token: "pm_card_visa",
    });
    expect(await tenant.act("capture", held.id, { amount: 4_001 })).toMatchObject({
      status: 422,
      code: "processor_refused",
    });
    expect(await tenant.act("capture", held.id)).toMatchObject({ status: 200 });
    const refund = await tenant.act("refund", held.id, { amount: 1_005 });
    expect(refund).toMatchObject({ status: 422, code: "processor_refused" });
    expect(await tenant.get(held.id)).toMatchObject({ status: "CAPTURED", amount_refundable: 5_000 });
    await expectClean();
  });
});

describe("a challenge at the bank's own page", () => {
  test.each([
    [true, "CAPTURED"],
    [false, "DECLINED"],
  ])("goes on by a message when the shopper never comes back; passed: %s", async (passed, status) => {
    const tenant = await newTenant();
    const { body } = await tenant.create(card("4000000000003220"));
    const { url } = body.next_action.redirect_to_url;
    expect(url.startsWith(double.endpoint)).toBe(true);
    const back = new URL((await answerChallenge(url, passed)) ?? "");
    expect(back.pathname).toMatch(/^\/challenge\//);
    await takeIn(tenant, await reportsOf(tenant));
    expect(await tenant.get(body.id)).toMatchObject({ status, next_action: null });
    await takeIn(tenant, await reportsOf(tenant));
    // What is declined is canceled there, too: nobody can try another card on it.
    const intents = [...double.books.intents.values()].filter(
      ({ metadata }) => metadata[METADATA.account] === tenant.environmentId,
    );
    expect(intents.map((intent) => intent.status)).toEqual([passed ? "succeeded" : "canceled"]);
    await expectClean();
  });
});

test("a challenge after which Stripe waits to be told to go on is canceled there before it counts as declined", async () => {
  const tenant = await newTenant();
  const { body } = await tenant.create(card("4000000000003220"));
  const [operation] = await tenant.operations(body.id);
  const intent = company.intentOf(operation?.id ?? "");
  Object.assign(intent as object, { status: "requires_confirmation", next_action: null });
  await continuePayment(tenant.service, tenant.merchant.test, decodeId("payment", body.id) ?? "", "passed");
  expect(await tenant.get(body.id)).toMatchObject({ status: "DECLINED" });
  expect(intent?.status).toBe("canceled");
  await expectClean();
});

describe("tokens, codes and reasons", () => {
  test("a decline keeps Stripe's code and the network's, and what is known of the card", async () => {
    const tenant = await newTenant();
    const { body, status } = await tenant.create(card("4000000000009995"));
    expect([status, body.decline_code]).toEqual([402, "insufficient_funds"]);
    const { processor } = (await reporterOf(tenant)).from;
    const [operation] = await tenant.operations(body.payment_id);
    const intent = company.intentOf(operation?.id ?? "");
    const outcome = await processor.inquire({
      ...{ reference: operation?.id ?? "", authorization: operation?.id ?? "", kind: "authorize" },
      ...{ account: tenant.environmentId, challengePage: "https://cardlane.example/" },
      objects: [{ kind: "payment_intent", id: intent?.id ?? "" }],
    });
    expect(outcome).toMatchObject({
      kind: "declined",
      note: "card_declined, insufficient_funds, network 51, try_again_later",
      card: { brand: "visa", last4: "9995" },
      checks: { cvv_result: "M", fraud_score: 11 },
    });
    expect(decodeId("payment", body.payment_id)).not.toBeNull();
    await expectClean();
  });
});

// Last: here the books do not agree with the double's, nor do they all end well.
describe("what Stripe approved of a payment that was declined here", () => {
  async function declinedHere(body: object) {
    const own = await newDouble();
    const tenant = await newTenant(own);
    tenant.script.next(async (real) => {
      await real();
      return { kind: "declined", decline_code: "generic_decline" };
    });
    const id = (await tenant.create(body)).body.payment_id as string;
    const { reports } = await reporterOf(tenant);
    const news = async () =>
      (
        await Promise.all(eventsOf(own, tenant.environmentId).map(async (event) => reports.read(messageOf(event))))
      ).flat();
    const states = async () =>
      (await tenant.operations(id)).filter(({ kind }) => kind === "void").map(({ state }) => state);
    const money = () => companyOf(own).money([...own.books.intents.values()][0]?.metadata[METADATA.reference] ?? "");
    const brokenRules = async () =>
      (await verifyBooks(db)).checks.filter(({ count }) => count > 0).map(({ check }) => check);
    return { ...tenant, id, own, news, states, money, brokenRules };
  }

  test.each([
    [{}, { captured: 10_000, refunded: 10_000, voided: false }],
    [MANUAL, { captured: 0, refunded: 0, voided: true }],
  ])("is given back, once: %o", async (body, held) => {
    const tenant = await declinedHere(body);
    await takeIn(tenant, [...(await tenant.news()), ...(await tenant.news())]);
    await takeIn(tenant, await tenant.news());
    expect(tenant.money()).toEqual(held);
    expect(await tenant.states()).toEqual(["succeeded"]);
    expect(await tenant.get(tenant.id)).toMatchObject({ status: "DECLINED" });
    expect(await tenant.brokenRules()).toEqual([]);
  });

  test.each([
    ["refunded", {}, { captured: 10_000, refunded: 10_000, voided: false }],
    ["refunded in part", {}, { captured: 10_000, refunded: 10_000, voided: false }],
    ["released", MANUAL, { captured: 0, refunded: 0, voided: true }],
    ["captured and refunded", MANUAL, { captured: 10_000, refunded: 10_000, voided: false }],
  ])("is given back, too, when it was %s in the dashboard after a refusal", async (how, body, held) => {
    const tenant = await declinedHere(body);
    const { own, environmentId } = tenant;
    const [intent] = [...own.books.intents.values()];
    if (!intent) throw new Error("the payment is there");
    tenant.script.next((inquires) => inquires(), says({ kind: "declined", decline_code: null }));
    await takeIn(tenant, await tenant.news());
    expect(await tenant.states()).toEqual(["declined"]);
    // What an earlier try leaves of a release that Stripe then refuses.
    if (body === MANUAL) intent.metadata[METADATA.void] = "00000000-0000-7000-8000-000000000000";
    if (how === "released") own.books.cancel(intent.id, null);
    if (how.startsWith("captured")) own.books.capture(intent.id, { amount: 10_000, metadata: {} });
    if (how.includes("refunded")) {
      const amount = how.endsWith("in part") ? 4_000 : 10_000;
      own.books.createRefund({ intent: intent.id, amount, reason: null, metadata: {} });
    }
    await db.sql`update operations set completed_at = completed_at - interval '61 minutes'
      where environment_id = ${environmentId} and kind = 'void'`;
    await expirePayments(tenant.service);
    expect(await tenant.states()).toEqual(["declined", "succeeded"]);
    expect(tenant.money()).toEqual(held);
    expect(await tenant.brokenRules()).toEqual([]);
  });

  test("counts as not given back once its refund comes back", async () => {
    const tenant = await declinedHere(card("4000000000005126"));
    await takeIn(tenant, await tenant.news());
    expect(await tenant.states()).toEqual(["succeeded"]);
    companyOf(tenant.own).giveBack(tenant.environmentId);
    await takeIn(tenant, await tenant.news());
    expect(await tenant.states()).toEqual(["failed"]);
    expect(await tenant.brokenRules()).toEqual(["late_approvals_are_undone"]);
  });
});
