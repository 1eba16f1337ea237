import { afterAll, describe, expect, test } from "vitest";
import { eventsOf, messageOf } from "@/e2e/doubles/stripe/deliveries";
import { FAULTS, type Fault, type Operation } from "@/e2e/doubles/stripe/faults";
import { reporterOf, stripeTenants, TIMEOUT_MS } from "@/e2e/doubles/stripe/tenant";
import { answerChallenge, companyOf, connectorTo } from "@/e2e/doubles/stripe/under-test";
import { testDatabase } from "@/e2e/fixtures/database";
import { type MoneyAnswer, type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { says } from "@/e2e/fixtures/scripted-processor";
import { decodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import type { Report } from "@/lib/processor/port";
import { createRegistry } from "@/lib/processor/registry";
import { METADATA } from "@/lib/processor/stripe/outcomes";
import { expirePayments } from "./expire-payments";
import { continuePayment } from "./follow-up";
import { processReport } from "./process-reports";

const { db } = await testDatabase();
const { double, newDouble, newTenant, takeIn, reportsOf, expectClean } = await stripeTenants(db, afterAll);
const company = companyOf(double);
const card = (number: string) => ({ card: { number, exp_month: 12, exp_year: 2040, cvv: "123" } });
const MANUAL = { capture_method: "manual" };

/** Repeats a request with its key until its response is final, after the leases of other holders. */
async function settled(tenant: MoneyTenant, send: () => Promise<MoneyAnswer>): Promise<MoneyAnswer> {
  let answer = await send();
  for (let tries = 0; tries < 8 && (answer.status === 202 || answer.status >= 500); tries++) {
    await tenant.endLeases();
    await tenant.complete();
    answer = await send();
  }
  return answer;
}

/**
 * Injects a fault into every kind of operation; each key has one true response, even if the lost call arrives
 * later.
 */
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
  // After a stored error the call may still execute, so it stays unknown while Stripe knows its key.
  expect(refunded, fault).toMatchObject({ status: fault === "stored 500" ? 202 : 201 });
  own.forgetKeys();
  expect(await settled(tenant, refund), fault).toMatchObject({ status: 201 });
  const refunds = companyOf(own).refundsOf(tenant.environmentId);
  expect(refunds, fault).toMatchObject([{ amount: 3_000, reason: "requested_by_customer" }]);
  const { body: other } = await tenant.create(MANUAL);
  const voiding = () => tenant.act("void", other.id, {}, { key: "void" });
  expect(await meets("cancel", "void", voiding), fault).toMatchObject({ status: 200 });
}

test("whatever is lost, every key has one true response, and the books agree to the cent", async () => {
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
    ["in reverse order, each twice", (reports: Report[]) => [...reports, ...reports].toReversed()],
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
    if (reports.kind !== "pushed" || !reports.catchUp) throw new Error("it has no list of events");
    const [refund] = company.refundsOf(tenant.environmentId);
    const found: Report[] = [];
    for (let cursor: string | null = null, more = true; more; ) {
      const page = await reports.catchUp(cursor);
      found.push(...page.reports);
      ({ cursor, more } = page);
    }
    await takeIn(
      tenant,
      found.filter((report) => "object" in report && report.object === refund?.id),
    );
    await expectReversed(sale);
  });

  test("is redelivered as long as the sender of the refund does not know that it was accepted", async () => {
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
    expect(await processReport(tenant.service, from, named)).toBe(true);
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
    amount: 2_000,
    currency: "EUR",
    payment_token: "pm_card_visa",
    description: "Order 1001",
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
  const own = ["digest", "key", "payment", "request", "terms"].map((name) => `cardlane_own_${name}`);
  expect(Object.keys([...at.books.intents.values()][0]?.metadata ?? {}).toSorted()).toEqual([
    "cardlane_account",
    ...own,
    "cardlane_reference",
    "gift",
    "order",
  ]);
  // A call that died before its id was stored is closed by the same request, under the same key.
  at.faults.next("create", "lost after");
  const lost = await settled(tenant, () => tenant.create(body, { key: "lost" }));
  expect([201, 402]).toContain(lost.status);
  expect([...at.books.intents.values()].map(({ description }) => description)).toEqual(["Order 1001", "Order 1001"]);
  await expectClean();
});

describe("a request that reached no issuer is refused with the cause, and nothing is held", () => {
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
  ])("continues by a message if the shopper never returns; passed: %s", async (passed, status) => {
    const tenant = await newTenant();
    const { body } = await tenant.create(card("4000000000003220"));
    const { url } = body.next_action.redirect_to_url;
    expect(url.startsWith(double.endpoint)).toBe(true);
    const back = new URL((await answerChallenge(url, passed)) ?? "");
    expect(back.pathname).toMatch(/^\/challenge\//);
    await takeIn(tenant, await reportsOf(tenant));
    expect(await tenant.get(body.id)).toMatchObject({ status, next_action: null });
    await takeIn(tenant, await reportsOf(tenant));
    // A declined payment is canceled there, too, so that no other card can be tried on it.
    const intents = [...double.books.intents.values()].filter(
      ({ metadata }) => metadata[METADATA.account] === tenant.environmentId,
    );
    expect(intents.map((intent) => intent.status)).toEqual([passed ? "succeeded" : "canceled"]);
    await expectClean();
  });
});

test("a challenge after which Stripe waits for a confirmation is canceled there before it counts as declined", async () => {
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
  test("a decline stores Stripe's code and the network's, and the card's known details", async () => {
    const tenant = await newTenant();
    const { body, status } = await tenant.create(card("4000000000009995"));
    expect([status, body.decline_code]).toEqual([402, "insufficient_funds"]);
    const { processor } = (await reporterOf(tenant)).from;
    const [operation] = await tenant.operations(body.payment_id);
    const intent = company.intentOf(operation?.id ?? "");
    const outcome = await processor.inquire({
      reference: operation?.id ?? "",
      authorization: operation?.id ?? "",
      kind: "authorize",
      account: tenant.environmentId,
      challengePage: "https://cardlane.example/",
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

// These tests run last: their books do not agree with the double's, and some payments stay open.
describe("an approval by Stripe of a payment that was declined here", () => {
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
  ])("is reversed, once: %o", async (body, held) => {
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
  ])("is reversed, too, when it was %s in the dashboard after a refusal", async (how, body, held) => {
    const tenant = await declinedHere(body);
    const { own, environmentId } = tenant;
    const [intent] = [...own.books.intents.values()];
    if (!intent) throw new Error("the payment is there");
    tenant.script.next((inquires) => inquires(), says({ kind: "declined", decline_code: null }));
    await takeIn(tenant, await tenant.news());
    expect(await tenant.states()).toEqual(["declined"]);
    // The trace of an earlier release that Stripe then refuses.
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

  test("counts as not reversed once its refund is returned", async () => {
    const tenant = await declinedHere(card("4000000000005126"));
    await takeIn(tenant, await tenant.news());
    expect(await tenant.states()).toEqual(["succeeded"]);
    companyOf(tenant.own).giveBack(tenant.environmentId);
    await takeIn(tenant, await tenant.news());
    expect(await tenant.states()).toEqual(["failed"]);
    expect(await tenant.brokenRules()).toEqual(["late_approvals_are_undone"]);
  });
});
