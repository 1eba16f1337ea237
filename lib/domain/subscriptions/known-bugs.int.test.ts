import { describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { losesAnswer, says } from "@/e2e/fixtures/scripted-processor";
import { type SubscriptionTenant, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { encodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { runSubscriptions } from "./engine";

/** Bugs of other billing engines, as far as no other test has them. */

const { db } = await testDatabase({ max: 30 });

const NOT_HERE = new Set(["processor_knows_our_operations"]);

async function expectClean(): Promise<void> {
  const broken = (await verifyBooks(db)).checks.filter(({ check, count }) => count > 0 && !NOT_HERE.has(check));
  expect(broken.map(({ check, rows }) => [check, rows[0]])).toEqual([]);
}

async function subscribed(terms: Parameters<SubscriptionTenant["plan"]>[0] = {}, start = "2026-01-31T10:00:00.000Z") {
  const tenant = await subscriptionTenant(db, { start });
  const { body } = await tenant.create({ plan_id: await tenant.plan(terms), payment_method_id: await tenant.card() });
  return { tenant, id: body.id as string, plan_id: body.plan_id as string };
}

const starts = async (tenant: SubscriptionTenant, id: string) =>
  (await tenant.invoices(id))
    .filter(({ kind }) => kind === "PERIOD")
    .map(({ period }) => [period.number, period.start_at.slice(0, 10)]);

const engines = (tenant: SubscriptionTenant) =>
  Promise.all(Array.from({ length: 5 }, () => runSubscriptions(tenant.service, undefined, tenant.environmentId)));

const MONTHLY_TRIAL = {
  type: "SUBSCRIPTION_FREE_TRIAL",
  trial_period_value: 14,
  trial_period_unit: "DAYS",
} as const;

describe("the anchor", () => {
  test("outlives an upgrade within the period", async () => {
    const { tenant, id } = await subscribed();
    await tenant.travel("2026-02-28T10:00:00.000Z");
    await tenant.setClock("2026-03-10T10:00:00.000Z");
    const plan_id = await tenant.plan({ full_price: 5_000 });
    expect(await tenant.change(id, { plan_id, when: "now" })).toMatchObject({
      status: 200,
      body: { anchor_at: "2026-01-31T10:00:00.000Z", period: { number: 2, end_at: "2026-03-31T10:00:00.000Z" } },
    });
    for (const at of ["2026-03-31", "2026-04-30", "2026-05-31"]) await tenant.travel(`${at}T10:00:00.000Z`);
    expect(await starts(tenant, id)).toEqual([
      [1, "2026-01-31"],
      [2, "2026-02-28"],
      [3, "2026-03-31"],
      [4, "2026-04-30"],
      [5, "2026-05-31"],
    ]);
  });

  test("of a change of the interval at the period's end begins one new period, with several engines", async () => {
    const { tenant, id } = await subscribed();
    const plan_id = await tenant.plan({ billing_frequency_value: 2, billing_frequency_unit: "WEEKS" });
    await tenant.change(id, { plan_id });
    await tenant.setClock("2026-02-28T10:00:00.000Z");
    await engines(tenant);
    await tenant.run();
    expect(await tenant.get(id)).toMatchObject({
      anchor_at: "2026-02-28T10:00:00.000Z",
      period: { number: 1, end_at: "2026-03-14T10:00:00.000Z" },
      pending_change: null,
    });
    await tenant.travel("2026-03-14T10:00:00.000Z");
    expect(await starts(tenant, id)).toEqual([
      [1, "2026-01-31"],
      [1, "2026-02-28"],
      [2, "2026-03-14"],
    ]);
    await expectClean();
  });
});

test("proration counts the whole period, even if it began on the last day of a short month", async () => {
  const { tenant, id } = await subscribed({ full_price: 3_100 });
  await tenant.travel("2026-02-28T10:00:00.000Z");
  // 16 of 31 days are left.
  await tenant.setClock("2026-03-15T10:00:00.000Z");
  const plan_id = await tenant.plan({ full_price: 6_200 });
  const { body } = await tenant.preview(id, { plan_id, when: "now" });
  expect(body).toMatchObject({ total: 1_600, lines: [{ amount: -1_600 }, { amount: 3_200 }] });
});

describe("copies of a request with one key", () => {
  test("make one invoice and one charge for a change", async () => {
    const { tenant, id } = await subscribed();
    await tenant.setClock("2026-02-10T10:00:00.000Z");
    const body = { plan_id: await tenant.plan({ full_price: 5_000 }), when: "now" };
    const made = await Promise.all(Array.from({ length: 5 }, () => tenant.change(id, body, { key: "one" })));
    expect(made.map(({ status }) => status)).toContain(200);
    expect(await tenant.change(id, body, { key: "one" })).toMatchObject({ status: 200 });
    expect(await tenant.invoices(id)).toHaveLength(2);
    expect(await tenant.payments()).toHaveLength(2);
    await expectClean();
  });

  test("resume once, with one new period", async () => {
    const { tenant, id } = await subscribed();
    await tenant.pause(id);
    await tenant.setClock("2026-03-15T10:00:00.000Z");
    await Promise.all(Array.from({ length: 5 }, () => tenant.resume(id, { key: "one" })));
    expect(await tenant.resume(id, { key: "one" })).toMatchObject({ status: 200, body: { status: "ACTIVE" } });
    expect(await tenant.invoices(id)).toHaveLength(2);
    expect(await tenant.payments()).toHaveLength(2);
  });

  test("update once, and get the same response later", async () => {
    const { tenant, id } = await subscribed();
    const first = await tenant.update(id, { metadata: { order: "1" } }, { key: "one" });
    await tenant.update(id, { metadata: { order: "2" } });
    expect(await tenant.update(id, { metadata: { order: "1" } }, { key: "one" })).toEqual(first);
    expect((await tenant.get(id)).metadata).toEqual({ order: "2" });
    expect(await tenant.update(id, { metadata: { order: "3" } }, { key: "one" })).toMatchObject({
      status: 409,
      code: "idempotency_key_reused",
    });
  });
});

test("a slow queue skips no period and repeats none", async () => {
  const { tenant, id } = await subscribed();
  await tenant.setClock("2026-06-15T10:00:00.000Z");
  for (let round = 0; round < 6; round++) await engines(tenant);
  await tenant.run();
  expect(await starts(tenant, id)).toEqual([
    [1, "2026-01-31"],
    [2, "2026-02-28"],
    [3, "2026-03-31"],
    [4, "2026-04-30"],
    [5, "2026-05-31"],
  ]);
  expect(await tenant.payments()).toHaveLength(5);
  await expectClean();
});

describe("a subscription that ended", () => {
  test("in its trial stays CANCELLED at the trial's end", async () => {
    const { tenant, id } = await subscribed(MONTHLY_TRIAL);
    await tenant.cancel(id);
    await tenant.travel("2026-02-14T10:00:00.000Z");
    await tenant.travel("2026-03-14T10:00:00.000Z");
    expect(await tenant.get(id)).toMatchObject({ status: "CANCELLED" });
    expect(await tenant.invoices(id)).toEqual([]);
    expect(await tenant.payments()).toEqual([]);
  });

  test("in the second in which its trial ends stays CANCELLED", async () => {
    for (let round = 0; round < 6; round++) {
      const { tenant, id } = await subscribed(MONTHLY_TRIAL);
      await tenant.setClock("2026-02-14T10:00:00.000Z");
      const [cancelled] = await Promise.all([tenant.cancel(id), engines(tenant)]);
      expect(cancelled.status).toBe(200);
      await tenant.run();
      // Sends the refund of a charge that succeeded after the cancel.
      await tenant.complete();
      expect(await tenant.get(id)).toMatchObject({ status: "CANCELLED" });
      const [invoice] = await tenant.invoices(id);
      if (invoice) expect(["PAID", "VOID"]).toContain(invoice.status);
    }
    await expectClean();
  });

  test("never becomes PAST_DUE by a decline that comes later", async () => {
    const { tenant, id } = await subscribed();
    tenant.script.next(
      says({ kind: "unknown", reason: "lost" }),
      says({ kind: "declined", decline_code: "lost_card" }),
    );
    await tenant.travel("2026-02-28T10:00:00.000Z");
    expect(await tenant.cancel(id)).toMatchObject({ status: 200 });
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.get(id)).toMatchObject({ status: "CANCELLED" });
    expect((await tenant.invoices(id)).at(-1)).toMatchObject({ status: "VOID" });
    await expectClean();
  });

  test.each([
    { refund: "none", at: "2026-02-28T10:00:01.000Z" },
    { refund: "prorated", at: "2026-02-28T10:00:01.000Z" },
    // The payment is then of the period before the one that was paid last.
    { refund: "none", at: "2026-03-31T10:00:00.000Z" },
  ] as const)("refunds a payment that succeeds later, once: %o", async ({ refund, at }) => {
    const { tenant, id } = await subscribed();
    tenant.script.next(losesAnswer);
    await tenant.travel("2026-02-28T10:00:00.000Z");
    await tenant.travel(at);
    await tenant.setClock(at.replace("00.000Z", "30.000Z"));
    const late = (await tenant.invoices(id))[1];
    if (!late) throw new Error("the renewal has no invoice");
    expect(late).toMatchObject({ status: "OPEN", amount_paid: 0 });
    expect(await tenant.cancel(id, { refund })).toMatchObject({ status: 200 });
    for (let i = 0; i < 3; i++) {
      await tenant.endLeases();
      await tenant.complete();
      await engines(tenant);
    }
    expect(await tenant.get(id)).toMatchObject({ status: "CANCELLED" });
    expect(await tenant.invoice(late.id)).toMatchObject({ status: "PAID" });
    const refunded = (await tenant.payments()).filter(({ status }) => status !== "CAPTURED");
    expect(refunded.map(({ status, invoice_id }) => [status, encodeId("invoice", invoice_id ?? "")])).toEqual([
      ["REFUNDED", late.id],
    ]);
    expect(tenant.script.count("refund")).toBe(1);
    await expectClean();
  });

  test("refunds a payment whose outcome was read just before the end and written after it", async () => {
    const { tenant, id } = await subscribed();
    tenant.script.next(losesAnswer);
    await tenant.travel("2026-02-28T10:00:00.000Z");
    await tenant.travel("2026-03-31T10:00:00.000Z");
    await tenant.setClock("2026-03-31T10:00:30.000Z");
    const late = (await tenant.invoices(id))[1];
    expect(await tenant.cancel(id, { refund: "none" })).toMatchObject({ status: 200 });
    await tenant.setClock("2026-03-31T10:00:29.999Z");
    await tenant.endLeases();
    await tenant.complete();
    await tenant.setClock("2026-03-31T10:00:31.000Z");
    await engines(tenant);
    await tenant.complete();
    const refunded = (await tenant.payments()).filter(({ status }) => status === "REFUNDED");
    expect(refunded.map(({ invoice_id }) => encodeId("invoice", invoice_id ?? ""))).toEqual([late?.id]);
    await expectClean();
  });

  test("refunds no other payment if somebody has refunded the one that succeeded later", async () => {
    const { tenant, id } = await subscribed();
    tenant.script.next(losesAnswer);
    await tenant.travel("2026-02-28T10:00:00.000Z");
    await tenant.travel("2026-03-31T10:00:00.000Z");
    await tenant.setClock("2026-03-31T10:00:30.000Z");
    const late = (await tenant.invoices(id))[1];
    expect(await tenant.cancel(id, { refund: "none" })).toMatchObject({ status: 200 });
    await tenant.endLeases();
    await tenant.complete();
    const payment = (await tenant.payments()).find(
      ({ invoice_id }) => encodeId("invoice", invoice_id ?? "") === late?.id,
    );
    expect(await tenant.refund(payment?.id ?? "")).toMatchObject({ status: 201 });
    await engines(tenant);
    await tenant.complete();
    const refunded = (await tenant.payments()).filter(({ status }) => status !== "CAPTURED");
    expect(refunded.map(({ invoice_id }) => encodeId("invoice", invoice_id ?? ""))).toEqual([late?.id]);
    expect(tenant.script.count("refund")).toBe(1);
    await expectClean();
  });
});

test("an engine that dies before it calls the processor stops no later attempt", async () => {
  const { tenant, id } = await subscribed();
  // Nothing reached the processor, which closing the reference proves.
  tenant.script.next(says({ kind: "unknown", reason: "the process is gone" }));
  await tenant.travel("2026-02-28T10:00:00.000Z");
  await tenant.endLeases();
  await db.sql`update operations set send_until = now() - interval '1 minute', unknown_at = now() - interval '1 minute'
    where environment_id = ${tenant.environmentId} and state = 'open'`;
  await tenant.complete();
  expect((await tenant.payments()).at(-1)).toMatchObject({ status: "FAILED" });
  await tenant.travel("2026-02-28T11:00:00.000Z");
  expect((await tenant.invoices(id)).at(-1)).toMatchObject({ status: "PAID", attempts: 2 });
  await expectClean();
});

test.each([
  { currency: "JPY", price: 1_003, large: 3_000, proration: [-502, 1_500] },
  { currency: "KWD", price: 10_001, large: 30_000, proration: [-5_000, 15_000] },
])("$currency is charged and prorated in its own minor units", async ({ currency, price, large, proration }) => {
  const days = { billing_frequency_value: 30, billing_frequency_unit: "DAYS" } as const;
  const { tenant, id } = await subscribed({ currency, full_price: price, ...days });
  await tenant.setClock("2026-02-15T10:00:00.000Z");
  const plan_id = await tenant.plan({ currency, full_price: large, ...days });
  expect(await tenant.change(id, { plan_id, when: "now" })).toMatchObject({ status: 200 });
  const [first, change] = await tenant.invoices(id);
  expect(first).toMatchObject({ currency, amount_paid: price });
  expect(change?.lines.map(({ amount }) => amount)).toEqual(proration);
  const amounts = (await tenant.payments()).map(({ amount }) => amount);
  expect(amounts).toEqual([price, proration.reduce((sum, part) => sum + part, 0)]);
  await expectClean();
});

test("credit larger than the invoices pays them one after the other, and only the rest is charged", async () => {
  const days = { billing_frequency_value: 30, billing_frequency_unit: "DAYS" } as const;
  const { tenant, id } = await subscribed({ full_price: 30_000, ...days });
  const plan_id = await tenant.plan({ full_price: 1_000, ...days });
  expect(await tenant.change(id, { plan_id, when: "now" })).toMatchObject({ status: 200, body: { credit: 29_000 } });
  for (let month = 1; month <= 30; month++) {
    await tenant.travel(new Date(Date.parse("2026-01-31T10:00:00.000Z") + month * 30 * 86_400_000).toISOString());
  }
  const invoices = (await tenant.invoices(id)).slice(2);
  expect(invoices.map(({ amount_due, credit_used }) => [amount_due, credit_used])).toEqual([
    ...Array.from({ length: 29 }, () => [0, 1_000]),
    [1_000, 0],
  ]);
  expect(await tenant.payments()).toHaveLength(2);
  expect(await tenant.get(id)).toMatchObject({ status: "ACTIVE", credit: 0 });
  await expectClean();
});

test("a refund leaves the invoice paid and the subscription active", async () => {
  const { tenant, id } = await subscribed();
  await tenant.travel("2026-02-28T10:00:00.000Z");
  for (const { id: paymentId } of await tenant.payments()) {
    expect(await tenant.refund(paymentId)).toMatchObject({ status: 201 });
  }
  await tenant.travel("2026-03-20T10:00:00.000Z");
  expect(await tenant.invoices(id)).toMatchObject([
    { status: "PAID", amount_paid: 1_999, next_attempt_at: null },
    { status: "PAID", amount_paid: 1_999, next_attempt_at: null },
  ]);
  expect(await tenant.get(id)).toMatchObject({ status: "ACTIVE" });
  expect(await tenant.payments()).toHaveLength(2);
  await expectClean();
});
