import { describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { holds, losesAnswer, says } from "@/e2e/fixtures/scripted-processor";
import { CARDS, type SubscriptionTenant, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { newId } from "@/lib/ids";
import { createApiKey } from "../api-keys/issue-keys";
import { processStoredCardReport } from "../payment-methods/stored-card-reports";

const { db } = await testDatabase({ max: 20 });
/** With as few connections as a small service has. */
const { db: narrow } = await testDatabase({ max: 1 });

const RENEWAL = "2026-02-28T10:00:00.000Z";
const AWAY = says({ kind: "not_sent", reason: "the processor is away" });
const AUTHORIZED = says({ kind: "approved", captured: false });
const APPROVED = says({ kind: "approved" });
const POOR = says({ kind: "declined", decline_code: "insufficient_funds" });

/** The sandbox doesn't know of scripted outcomes. */
const NOT_HERE = new Set(["processor_knows_our_operations"]);

async function expectClean(): Promise<void> {
  const broken = (await verifyBooks(db)).checks.filter(({ check, count }) => count > 0 && !NOT_HERE.has(check));
  expect(broken.map(({ check, rows }) => [check, rows[0]])).toEqual([]);
}

/** A tenant with an active subscription, on the day before its first renewal. */
async function active(card: string = CARDS.good) {
  const tenant = await subscriptionTenant(db);
  const { body } = await tenant.create({ plan_id: await tenant.plan(), payment_method_id: await tenant.card(card) });
  expect(body.status).toBe("ACTIVE");
  return { tenant, id: body.id as string };
}

const last = async (tenant: SubscriptionTenant, id: string) => (await tenant.invoices(id)).at(-1);
const lastPayment = async (tenant: SubscriptionTenant) => (await tenant.payments()).at(-1)?.id ?? "";
const types = (rows: { type: string }[]) => rows.map(({ type }) => type);

/** Three refusals in a row, after which a payment is FAILED. */
const away = (tenant: SubscriptionTenant) => tenant.script.next(AWAY, AWAY, AWAY);

describe("an attempt that reaches no issuer", () => {
  test("is repeated an hour later, uses no dunning step and isn't a decline", async () => {
    const { tenant, id } = await active();
    away(tenant);
    await tenant.travel(RENEWAL);
    const invoice = await last(tenant, id);
    expect(invoice).toMatchObject({ status: "OPEN", attempts: 1, next_attempt_at: "2026-02-28T11:00:00.000Z" });
    expect(await tenant.payments()).toMatchObject([{ status: "CAPTURED" }, { status: "FAILED" }]);
    expect(await tenant.get(id)).toMatchObject({ status: "ACTIVE" });
    expect(types(await tenant.events(invoice?.id))).toEqual(["invoice.created", "invoice.opened"]);
    away(tenant);
    await tenant.travel("2026-02-28T11:00:00.000Z");
    // The first decline is the first of the dunning steps.
    tenant.script.next(POOR);
    await tenant.travel("2026-02-28T12:00:00.000Z");
    expect(await last(tenant, id)).toMatchObject({ attempts: 3, next_attempt_at: "2026-03-03T12:00:00.000Z" });
    expect(await tenant.get(id)).toMatchObject({ status: "PAST_DUE" });
    await tenant.travel("2026-03-03T12:00:00.000Z");
    expect(await last(tenant, id)).toMatchObject({ status: "PAID", attempts: 4 });
    await expectClean();
  });

  test("counts as a soft decline once a day of attempts has failed", async () => {
    const { tenant, id } = await active();
    const at = (hours: number) => new Date(Date.parse(RENEWAL) + hours * 3_600_000).toISOString();
    for (let hour = 0; hour <= 24; hour++) {
      expect(await tenant.get(id)).toMatchObject({ status: "ACTIVE" });
      away(tenant);
      await tenant.travel(at(hour));
    }
    expect(await last(tenant, id)).toMatchObject({ attempts: 25, next_attempt_at: at(24 + 72) });
    expect(await tenant.get(id)).toMatchObject({ status: "PAST_DUE" });
  });

  test("and is manual changes nothing but the number of attempts", async () => {
    const { tenant, id } = await active(CARDS.poorLater);
    await tenant.travel(RENEWAL);
    await tenant.travel("2026-03-31T10:00:00.000Z");
    away(tenant);
    expect(await tenant.retry(id)).toMatchObject({ status: 402, code: "payment_failed" });
    expect(await last(tenant, id)).toMatchObject({ attempts: 2, next_attempt_at: "2026-04-03T10:00:00.000Z" });
  });
});

describe("a payment that is authorized but not captured", () => {
  /** A renewal whose payment is authorized. */
  async function authorized() {
    const { tenant, id } = await active();
    tenant.script.next(AUTHORIZED);
    await tenant.travel(RENEWAL);
    const invoice = await last(tenant, id);
    expect(invoice).toMatchObject({ status: "OPEN", attempts: 1 });
    expect(await tenant.get(id)).toMatchObject({ status: "ACTIVE" });
    return { tenant, id, invoice: invoice?.id ?? "", payment: await lastPayment(tenant) };
  }

  test("blocks every other attempt, and pays the invoice when it is captured", async () => {
    const { tenant, id, invoice, payment } = await authorized();
    await tenant.travel("2026-03-03T10:00:00.000Z");
    expect(await tenant.pay(invoice)).toMatchObject({ status: 409, code: "outcome_pending" });
    expect(await tenant.void(invoice)).toMatchObject({ status: 409, code: "outcome_pending" });
    expect(await tenant.capture(payment, { amount: 5 })).toMatchObject({ status: 400, code: "invalid_parameter" });
    tenant.script.next(APPROVED);
    expect(await tenant.capture(payment)).toMatchObject({
      status: 200,
      body: { object: "payment", status: "CAPTURED" },
    });
    expect(await tenant.invoice(invoice)).toMatchObject({ status: "PAID", attempts: 1 });
    expect(types(await tenant.events(invoice))).toEqual(["invoice.created", "invoice.opened", "invoice.paid"]);
    await tenant.run();
    expect(await tenant.payments()).toHaveLength(2);
    await expectClean();
    expect(await tenant.get(id)).toMatchObject({ status: "ACTIVE" });
  });

  test("blocks the next attempt with the sandbox's card for it, and is a soft decline once it is voided", async () => {
    const tenant = await subscriptionTenant(db);
    const held = await tenant.card("4000000000000341");
    const trial = { type: "SUBSCRIPTION_FREE_TRIAL", trial_period_value: 14, trial_period_unit: "DAYS" } as const;
    const { body } = await tenant.create({ plan_id: await tenant.plan(trial), payment_method_id: held });
    await tenant.travel("2026-02-14T10:00:00.000Z");
    expect(await tenant.payments()).toMatchObject([{ status: "AUTHORIZED" }]);
    const [invoice] = await tenant.invoices(body.id);
    expect(invoice).toMatchObject({ status: "OPEN", attempts: 1 });
    expect(await tenant.capture(await lastPayment(tenant))).toMatchObject({ status: 402, code: "payment_failed" });
    await tenant.travel("2026-02-18T10:00:00.000Z");
    expect(await tenant.payments()).toHaveLength(1);
    expect(await tenant.voidPayment(await lastPayment(tenant))).toMatchObject({ status: 200 });
    expect(await tenant.get(body.id)).toMatchObject({ status: "PAST_DUE" });
    expect(await tenant.invoices(body.id)).toMatchObject([
      { status: "OPEN", attempts: 1, next_attempt_at: "2026-02-21T10:00:00.000Z" },
    ]);
    await expectClean();
  });

  test("leaves a new subscription INCOMPLETE with the sandbox's card for it, and its capture fails", async () => {
    const tenant = await subscriptionTenant(db);
    const held = await tenant.card("4000000000000341");
    const made = await tenant.create({ plan_id: await tenant.plan(), payment_method_id: held });
    expect(made).toMatchObject({ status: 201, body: { status: "INCOMPLETE" } });
    expect(await tenant.capture(await lastPayment(tenant))).toMatchObject({ status: 402, code: "payment_failed" });
    expect(await tenant.voidPayment(await lastPayment(tenant))).toMatchObject({ status: 200 });
    await tenant.travel("2026-02-01T10:00:00.000Z");
    const events = types(await tenant.events()).filter((type) => type.startsWith("subscription."));
    expect(events).toEqual(["subscription.created", "subscription.expired"]);
    await expectClean();
  });

  test("counts as a soft decline when it is voided, and the next attempt follows", async () => {
    const { tenant, id, invoice, payment } = await authorized();
    tenant.script.next(APPROVED);
    expect(await tenant.voidPayment(payment)).toMatchObject({ status: 200, body: { status: "VOIDED" } });
    expect(await tenant.invoice(invoice)).toMatchObject({
      status: "OPEN",
      next_attempt_at: "2026-03-03T10:00:00.000Z",
    });
    expect(await tenant.get(id)).toMatchObject({ status: "PAST_DUE" });
    await tenant.travel("2026-03-03T10:00:00.000Z");
    expect(await tenant.invoice(invoice)).toMatchObject({ status: "PAID", attempts: 2 });
    await expectClean();
  });

  test.each(["capture", "void"] as const)(
    "is charged once when a %s, the engine and manual attempts are concurrent",
    async (how) => {
      const { tenant, id, invoice, payment } = await authorized();
      await tenant.setClock("2026-03-07T09:00:00.000Z");
      tenant.script.next(APPROVED);
      const end = how === "capture" ? tenant.capture(payment) : tenant.voidPayment(payment);
      await Promise.all([end, tenant.run(), tenant.pay(invoice), tenant.retry(id), tenant.run()]);
      expect((await end).status).toBe(200);
      await tenant.travel("2026-03-27T09:00:00.000Z");
      const taken = (await tenant.payments()).filter(
        ({ status, invoice_id }) => status === "CAPTURED" && invoice_id !== null,
      );
      expect(taken).toHaveLength(2);
      expect(await tenant.invoice(invoice)).toMatchObject({ status: "PAID" });
      await expectClean();
    },
  );

  test("of an invoice of a subscription that was cancelled in the meantime voids the invoice with it", async () => {
    const { tenant, id, invoice, payment } = await authorized();
    expect(await tenant.cancel(id)).toMatchObject({ status: 200 });
    tenant.script.next(APPROVED);
    await tenant.voidPayment(payment);
    expect(await tenant.invoice(invoice)).toMatchObject({ status: "VOID" });
    await expectClean();
  });

  test("leaves a new subscription INCOMPLETE, which begins when it is captured", async () => {
    const tenant = await subscriptionTenant(db);
    tenant.script.next(AUTHORIZED);
    const made = await tenant.create({ plan_id: await tenant.plan(), payment_method_id: await tenant.card() });
    expect(made).toMatchObject({ status: 201, body: { status: "INCOMPLETE" } });
    tenant.script.next(APPROVED);
    expect(await tenant.capture(await lastPayment(tenant))).toMatchObject({ status: 200 });
    expect(await tenant.get(made.body.id)).toMatchObject({ status: "ACTIVE" });
    await expectClean();
  });

  test("refuses manual attempts, and a change takes effect when it is captured", async () => {
    const { tenant, id } = await active();
    const plan_id = await tenant.plan({ full_price: 5_000 });
    tenant.script.next(AUTHORIZED);
    expect(await tenant.change(id, { plan_id, when: "now" })).toMatchObject({ status: 402, code: "payment_failed" });
    expect(await tenant.get(id)).toMatchObject({ plan: { amount: 1_999 } });
    tenant.script.next(APPROVED);
    await tenant.capture(await lastPayment(tenant));
    expect(await tenant.get(id)).toMatchObject({ plan: { amount: 5_000 } });
    await expectClean();
  });
});

describe("a hard decline", () => {
  const trial = { type: "SUBSCRIPTION_FREE_TRIAL", trial_period_value: 1, trial_period_unit: "MONTHS" } as const;

  test("stops later periods, too, until there is another card", async () => {
    const tenant = await subscriptionTenant(db);
    const card = await tenant.card(CARDS.stolen);
    const { body } = await tenant.create({ plan_id: await tenant.plan(trial), payment_method_id: card });
    for (const at of [RENEWAL, "2026-03-28T10:00:00.000Z", "2026-04-28T10:00:00.000Z"]) await tenant.travel(at);
    expect(await tenant.payments()).toHaveLength(1);
    expect(await tenant.get(body.id)).toMatchObject({ status: "PAST_DUE" });
    const unpaid = { status: "OPEN", next_attempt_at: null };
    expect(await tenant.invoices(body.id)).toMatchObject([unpaid, unpaid, unpaid]);
    await tenant.update(body.id, { payment_method_id: await tenant.card("5555555555554444") });
    await tenant.run();
    const paid = { status: "PAID" };
    expect(await tenant.invoices(body.id)).toMatchObject([paid, paid, paid]);
    expect(await tenant.get(body.id)).toMatchObject({ status: "ACTIVE" });
    await expectClean();
  });

  test("of a manual attempt stops the planned ones, unless it was of another card", async () => {
    const { tenant, id } = await active(CARDS.poorLater);
    await tenant.travel(RENEWAL);
    await tenant.travel("2026-03-31T10:00:00.000Z");
    const invoice = (await last(tenant, id))?.id ?? "";
    await tenant.pay(invoice, { payment_method_id: await tenant.card(CARDS.stolen) });
    expect(await last(tenant, id)).toMatchObject({ attempts: 2, next_attempt_at: "2026-04-03T10:00:00.000Z" });
    tenant.script.next(says({ kind: "declined", decline_code: "lost_card" }));
    await tenant.retry(id);
    expect(await last(tenant, id)).toMatchObject({ attempts: 3, next_attempt_at: null });
    await tenant.travel("2026-04-30T10:00:00.000Z");
    expect(await last(tenant, id)).toMatchObject({ attempts: 0, next_attempt_at: null });
    // The card works again, as a manual attempt shows.
    tenant.script.next(APPROVED, APPROVED);
    expect(await tenant.retry(id)).toMatchObject({ status: 200 });
    expect(await tenant.retry(id)).toMatchObject({ status: 200, body: { status: "ACTIVE" } });
    tenant.script.next(APPROVED);
    await tenant.travel("2026-05-31T10:00:00.000Z");
    expect(await last(tenant, id)).toMatchObject({ status: "PAID" });
    await expectClean();
  });
});

describe("dunning by the merchant's settings", () => {
  test("has its steps, and after the last attempt keeps subscription and invoice as they are", async () => {
    const { tenant, id } = await active(CARDS.poorLater);
    await tenant.settings({ dunning_steps: [1, 2], after_last_attempt: "KEEP" });
    await tenant.travel(RENEWAL);
    await tenant.travel("2026-03-31T10:00:00.000Z");
    expect(await last(tenant, id)).toMatchObject({ next_attempt_at: "2026-04-01T10:00:00.000Z" });
    await tenant.travel("2026-04-01T10:00:00.000Z");
    expect(await last(tenant, id)).toMatchObject({ next_attempt_at: "2026-04-03T10:00:00.000Z" });
    await tenant.travel("2026-04-03T10:00:00.000Z");
    expect(await last(tenant, id)).toMatchObject({ status: "OPEN", attempts: 3, next_attempt_at: null });
    expect(await tenant.get(id)).toMatchObject({ status: "PAST_DUE", cancel_reason: null });
    await tenant.travel("2026-04-29T10:00:00.000Z");
    expect(await last(tenant, id)).toMatchObject({ status: "OPEN", attempts: 3 });
    await tenant.update(id, { payment_method_id: await tenant.card("5555555555554444") });
    await tenant.run();
    expect(await last(tenant, id)).toMatchObject({ status: "PAID", attempts: 4 });
    expect(await tenant.get(id)).toMatchObject({ status: "ACTIVE" });
  });

  test("with eight steps makes nine attempts and then cancels", async () => {
    const { tenant, id } = await active(CARDS.poorLater);
    await tenant.settings({ dunning_steps: [1, 1, 1, 1, 1, 1, 1, 1] });
    await tenant.travel(RENEWAL);
    for (let day = 0; day <= 8; day++) {
      expect(await tenant.get(id)).not.toMatchObject({ status: "CANCELLED" });
      await tenant.travel(new Date(Date.parse("2026-03-31T10:00:00.000Z") + day * 86_400_000).toISOString());
    }
    expect(await last(tenant, id)).toMatchObject({ status: "UNCOLLECTIBLE", attempts: 9 });
    expect(await tenant.get(id)).toMatchObject({ status: "CANCELLED", cancel_reason: "payment_failed" });
  });
});

describe("a prorated refund", () => {
  async function cancelled(database = db) {
    const tenant = await subscriptionTenant(database);
    const plan_id = await tenant.plan({
      full_price: 3_000,
      billing_frequency_value: 30,
      billing_frequency_unit: "DAYS",
    });
    const { body } = await tenant.create({ plan_id, payment_method_id: await tenant.card() });
    await tenant.setClock("2026-02-10T10:00:00.000Z");
    return { tenant, id: body.id as string };
  }

  const refunds = async ({ environmentId }: SubscriptionTenant) => [
    ...(await db.sql`select amount, status from transactions where environment_id = ${environmentId} and type = 'REFUND'`),
  ];

  test("is made once by concurrent cancels, engines and recovery workers", async () => {
    const { tenant, id } = await cancelled();
    await Promise.all([
      ...Array.from({ length: 3 }, () => tenant.cancel(id, { refund: "prorated" })),
      ...Array.from({ length: 3 }, () => tenant.run()),
    ]);
    await tenant.run();
    await Promise.all([tenant.complete(), tenant.complete()]);
    expect(await refunds(tenant)).toEqual([{ amount: 2_000, status: "CAPTURED" }]);
    await expectClean();
  });

  test("waits while its processor is disconnected, and is made afterwards", async () => {
    const { tenant, id } = await cancelled();
    const connectionId = newId();
    await db.sql`insert into processor_connections (environment_id, id, processor, account, account_id, label, status, hint,
        takes_webhooks, raw_cards, is_default, checked_at, created_at, updated_at)
      values (${tenant.environmentId}, ${connectionId}, 'stripe', 'Shop', 'acct_1', '', 'DISCONNECTED', '', false, false,
        false, now(), now(), now())`;
    await db.sql.begin(async (tx) => {
      // A trigger keeps a payment where it is.
      await tx`set local session_replication_role = replica`;
      for (const table of ["payments", "payment_methods"])
        await tx`update ${tx(table)} set connection_id = ${connectionId} where environment_id = ${tenant.environmentId}`;
    });
    expect(await tenant.cancel(id, { refund: "prorated" })).toMatchObject({ status: 200 });
    await tenant.run();
    expect(await refunds(tenant)).toEqual([]);
    await db.sql`update processor_connections set status = 'CONNECTED', credentials = '{}' where id = ${connectionId}`;
    const { processors } = tenant.service;
    Object.assign(tenant.service, {
      processors: { ...processors, find: () => processors.find({ id: tenant.environmentId, mode: "test" }, null) },
    });
    await tenant.run();
    await tenant.complete();
    expect(await refunds(tenant)).toEqual([{ amount: 2_000, status: "CAPTURED" }]);
    await expectClean();
  });

  test("of many subscriptions at connected processors at once needs no more connections than there are", async () => {
    const tenants = await Promise.all(Array.from({ length: 6 }, () => cancelled(narrow)));
    const replies = await Promise.all(
      tenants.map(({ tenant, id }) => {
        const processors = { ...tenant.service.processors, hasOthers: () => true };
        return tenant.cancel(id, { refund: "prorated" }, { service: { ...tenant.service, processors } });
      }),
    );
    expect(replies.map(({ status }) => status)).toEqual(tenants.map(() => 200));
  });

  test("counts against the limits of the API key that cancels", async () => {
    const { tenant, id } = await cancelled();
    const { environmentId, service } = tenant;
    const apiKey = async (refund_amount_per_day: number) => {
      const settings = { environmentId, name: "Support", permissions: ["subscription.write" as const] };
      const limits = { refund_max: null, refunds_per_day: null, refund_amount_per_day, currency: "USD" };
      return (await createApiKey(service, { ...settings, limits })).row.id;
    };
    const [small, large] = [await apiKey(1_999), await apiKey(2_000)];
    const refused = await tenant.cancel(id, { refund: "prorated" }, { apiKeyId: small });
    expect(refused).toMatchObject({ status: 403, code: "limit_exceeded", body: { extra: { remaining: 1_999 } } });
    expect(await tenant.get(id)).toMatchObject({ status: "ACTIVE" });
    expect(await tenant.cancel(id, { refund: "prorated" }, { apiKeyId: large })).toMatchObject({ status: 200 });
    await tenant.complete();
    expect(await refunds(tenant)).toEqual([{ amount: 2_000, status: "CAPTURED" }]);
    const counted =
      await db.sql`select limited_refunds, limited_amount from api_keys where id in ${db.sql([small, large])}
      order by limited_amount`;
    expect([...counted]).toEqual([
      { limited_refunds: 0, limited_amount: 0 },
      { limited_refunds: 1, limited_amount: 2_000 },
    ]);
    await expectClean();
  });

  test("is made by the engine if the process dies right after the cancel", async () => {
    const { tenant, id } = await cancelled();
    await db.sql`update subscriptions set status = 'CANCELLED', refund_due = 2000, due_at = updated_at, cancelled_at = updated_at, ended_at = updated_at
      where environment_id = ${tenant.environmentId}`;
    await tenant.run();
    await tenant.complete();
    expect(await refunds(tenant)).toEqual([{ amount: 2_000, status: "CAPTURED" }]);
    expect(await tenant.get(id)).toMatchObject({ status: "CANCELLED" });
  });
});

test("a payment whose response is lost and whose invoice is voided in the meantime is never charged twice", async () => {
  const { tenant, id } = await active();
  tenant.script.next(losesAnswer);
  await tenant.travel(RENEWAL);
  const invoice = (await last(tenant, id))?.id ?? "";
  expect(await tenant.void(invoice)).toMatchObject({ status: 409, code: "outcome_pending" });
  const { step, reached, release } = holds();
  tenant.script.next(step);
  await tenant.endLeases();
  const recovery = tenant.complete();
  await reached;
  await Promise.all([tenant.run(), tenant.retry(id), tenant.pay(invoice)]);
  release();
  await recovery;
  expect(await tenant.invoice(invoice)).toMatchObject({ status: "PAID", attempts: 1 });
  expect(await tenant.payments()).toHaveLength(2);
  await expectClean();
});

test("a refused card that its network renews is charged immediately, and a repeated report changes nothing", async () => {
  const { tenant, id } = await active();
  tenant.script.next(says({ kind: "declined", decline_code: "expired_card" }));
  await tenant.travel(RENEWAL);
  const invoice = await last(tenant, id);
  expect(invoice).toMatchObject({ status: "OPEN", attempts: 1, next_attempt_at: null });
  const from = await tenant.service.processors.reporter("sandbox");
  const [card] =
    await db.sql`select processor_token from payment_methods where environment_id = ${tenant.environmentId}`;
  if (!from) throw new Error("the sandbox stores cards");
  const renewed = { brand: null, bin: null, last4: "4242", exp_month: 1, exp_year: 2045 };
  const report = { id: "evt_1", storedCard: card?.processor_token, change: "updated", card: renewed } as const;
  expect(await processStoredCardReport(tenant.service, from, report)).toBe(true);
  tenant.script.next(says({ kind: "declined", decline_code: "stolen_card" }));
  await tenant.run();
  expect(await last(tenant, id)).toMatchObject({ status: "OPEN", attempts: 2, next_attempt_at: null });
  expect(await processStoredCardReport(tenant.service, from, report)).toBe(true);
  await tenant.run();
  expect(await last(tenant, id)).toMatchObject({ status: "OPEN", attempts: 2 });
  const again = { ...report, id: "evt_2", card: { ...renewed, exp_year: 2046 } };
  expect(await processStoredCardReport(tenant.service, from, again)).toBe(true);
  await tenant.run();
  expect(await last(tenant, id)).toMatchObject({ status: "PAID", attempts: 3 });
  expect(await tenant.get(id)).toMatchObject({ status: "ACTIVE" });
  await expectClean();
});
