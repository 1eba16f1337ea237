import { describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { copyTransaction } from "@/e2e/fixtures/money";
import { says } from "@/e2e/fixtures/scripted-processor";
import { CARDS, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { MAX_REFUNDS } from "@/lib/contract/payments/payment";
import { newId } from "@/lib/ids";

const { db } = await testDatabase({ max: 20 });

const types = (rows: { type: string }[]) => rows.map(({ type }) => type);

describe("a subscription without a trial", () => {
  test("is charged immediately and every month, always counted from the anchor", async () => {
    const tenant = await subscriptionTenant(db);
    const made = await tenant.create({ plan_id: await tenant.plan(), payment_method_id: await tenant.card() });
    expect(made).toMatchObject({
      status: 201,
      body: {
        status: "ACTIVE",
        anchor_at: "2026-01-31T10:00:00.000Z",
        period: { number: 1, start_at: "2026-01-31T10:00:00.000Z", end_at: "2026-02-28T10:00:00.000Z" },
        next_invoice_at: "2026-02-28T10:00:00.000Z",
        next_invoice_amount: 1_999,
      },
    });
    const { id } = made.body;
    expect(await tenant.get(id)).toEqual(made.body);
    for (const at of ["2026-02-28", "2026-03-31", "2026-04-30"]) await tenant.travel(`${at}T10:00:00.000Z`);
    const invoices = await tenant.invoices(id);
    expect(
      invoices.map(({ number, status, kind, period, amount_paid, attempts }) => [
        ...[number, status, kind, period.number, period.start_at.slice(0, 10), amount_paid, attempts],
      ]),
    ).toEqual([
      ["INV-000001", "PAID", "PERIOD", 1, "2026-01-31", 1_999, 1],
      ["INV-000002", "PAID", "PERIOD", 2, "2026-02-28", 1_999, 1],
      ["INV-000003", "PAID", "PERIOD", 3, "2026-03-31", 1_999, 1],
      ["INV-000004", "PAID", "PERIOD", 4, "2026-04-30", 1_999, 1],
    ]);
    expect(await tenant.payments()).toMatchObject(invoices.map(() => ({ status: "CAPTURED", amount: 1_999 })));
    expect(types(await tenant.events(id))).toEqual([
      "subscription.created",
      "subscription.activated",
      ...Array.from({ length: 3 }, () => "subscription.updated"),
    ]);
    const first = invoices[1];
    expect(types(await tenant.events(first?.id))).toEqual(["invoice.created", "invoice.opened", "invoice.paid"]);
  });

  test("isn't created if its first payment is declined with a 402", async () => {
    const tenant = await subscriptionTenant(db);
    const body = { plan_id: await tenant.plan(), payment_method_id: await tenant.card(CARDS.alwaysPoor) };
    const made = await tenant.create(body, { key: "k" });
    expect(made).toMatchObject({ status: 402, code: "card_declined", body: { decline_code: "insufficient_funds" } });
    expect(await tenant.create(body, { key: "k" })).toEqual(made);
    expect(await tenant.payments()).toMatchObject([{ status: "DECLINED" }]);
    expect(await tenant.events()).toEqual([]);
    const [row] =
      await db.sql`select count(*)::int as n from subscriptions where environment_id = ${tenant.environmentId}`;
    expect(row).toEqual({ n: 0 });
    // Its number was not used up.
    const good = await tenant.create({ plan_id: body.plan_id, payment_method_id: await tenant.card() });
    expect(await tenant.invoice(good.body.latest_invoice_id)).toMatchObject({ number: "INV-000001" });
  });

  test("is INCOMPLETE after a lost response until the outcome is known, which the same key then returns", async () => {
    const tenant = await subscriptionTenant(db);
    const body = { plan_id: await tenant.plan(), payment_method_id: await tenant.card() };
    tenant.script.next(async (real) => {
      await real();
      return { kind: "unknown", reason: "lost" };
    });
    const made = await tenant.create(body, { key: "k" });
    expect(made).toMatchObject({ status: 202, body: { status: "INCOMPLETE" } });
    expect(await tenant.get(made.body.id)).toMatchObject({ status: "INCOMPLETE" });
    expect(await tenant.cancel(made.body.id)).toMatchObject({ status: 409, code: "invalid_state" });
    await db.sql`update operations set next_attempt_at = now() - interval '1 ms', lease_until = now() - interval '1 ms' where environment_id = ${tenant.environmentId}`;
    await tenant.complete();
    expect(await tenant.get(made.body.id)).toMatchObject({ status: "ACTIVE" });
    expect(await tenant.create(body, { key: "k" })).toMatchObject({ status: 201, body: { status: "ACTIVE" } });
    expect(types(await tenant.events(made.body.id))).toEqual(["subscription.created", "subscription.activated"]);
    expect(await tenant.payments()).toHaveLength(1);
  });
});

describe("cancellation", () => {
  test("takes effect immediately, and nothing more is charged", async () => {
    const tenant = await subscriptionTenant(db);
    const { body } = await tenant.create({
      plan_id: await tenant.plan(),
      payment_method_id: await tenant.card(CARDS.poorLater),
    });
    await tenant.travel("2026-02-28T10:00:00.000Z");
    await tenant.travel("2026-03-31T10:00:00.000Z");
    const ended = await tenant.cancel(body.id, { reason: "moved" });
    expect(ended).toMatchObject({
      status: 200,
      body: { status: "CANCELLED", cancel_reason: "moved", next_invoice_at: null },
    });
    expect((await tenant.invoices(body.id)).at(-1)).toMatchObject({ status: "VOID", next_attempt_at: null });
    await tenant.travel("2026-12-31T10:00:00.000Z");
    expect(await tenant.payments()).toHaveLength(3);
    expect(await tenant.cancel(body.id)).toMatchObject({
      status: 409,
      code: "invalid_state",
      body: { allowed_actions: [] },
    });
  });

  test("takes effect at the end of the period, unless it is withdrawn", async () => {
    const tenant = await subscriptionTenant(db);
    const { body } = await tenant.create({ plan_id: await tenant.plan(), payment_method_id: await tenant.card() });
    await tenant.update(body.id, { cancel_at_period_end: true });
    expect(await tenant.get(body.id)).toMatchObject({ cancel_at_period_end: true, next_invoice_at: null });
    await tenant.update(body.id, { cancel_at_period_end: false });
    await tenant.travel("2026-02-28T10:00:00.000Z");
    await tenant.update(body.id, { cancel_at_period_end: true });
    await tenant.travel("2026-05-01T10:00:00.000Z");
    expect(await tenant.get(body.id)).toMatchObject({ status: "CANCELLED", ended_at: "2026-03-31T10:00:00.000Z" });
    expect(await tenant.invoices(body.id)).toHaveLength(2);
  });

  test("refunds the unused part by the second", async () => {
    const tenant = await subscriptionTenant(db);
    const plan_id = await tenant.plan({
      full_price: 3_000,
      billing_frequency_value: 30,
      billing_frequency_unit: "DAYS",
    });
    const { body } = await tenant.create({ plan_id, payment_method_id: await tenant.card() });
    await tenant.setClock("2026-02-10T10:00:00.000Z");
    expect(await tenant.cancel(body.id, { refund: "prorated" })).toMatchObject({ body: { status: "CANCELLED" } });
    await tenant.complete();
    const rows =
      await db.sql`select amount, status from transactions where environment_id = ${tenant.environmentId} and type = 'REFUND'`;
    expect([...rows]).toEqual([{ amount: 2_000, status: "CAPTURED" }]);
    expect(await tenant.invoices(body.id)).toMatchObject([{ status: "PAID" }]);
  });

  test.each(["Cardlane", "the merchant"])(
    "refunds the unused part of a payment that has the max number of refunds, connected by %s",
    async (by) => {
      const tenant = await subscriptionTenant(db);
      const { environmentId, service } = tenant;
      const plan_id = await tenant.plan({
        full_price: 3_000,
        billing_frequency_value: 30,
        billing_frequency_unit: "DAYS",
      });
      const { body } = await tenant.create({ plan_id, payment_method_id: await tenant.card() });
      const paymentId = (await tenant.payments())[0]?.id ?? "";
      expect(await tenant.refund(paymentId, { amount: 1 })).toMatchObject({ status: 201 });
      const [{ id } = { id: "" }] = await db.sql<
        { id: string }[]
      >`select id from transactions where environment_id = ${environmentId} and type = 'REFUND'`;
      await copyTransaction(db, { environmentId, id, times: MAX_REFUNDS - 1 });
      expect(await tenant.refund(paymentId, { amount: 1 })).toMatchObject({ status: 409, code: "invalid_state" });
      if (by === "the merchant") {
        const connectionId = newId();
        await db.sql`insert into processor_connections (environment_id, id, processor, account, account_id, label, status, hint,
          credentials, takes_webhooks, raw_cards, is_default, checked_at, created_at, updated_at)
        values (${environmentId}, ${connectionId}, 'stripe', 'Shop', 'acct_1', '', 'CONNECTED', '', '{}', false, false, false,
          now(), now(), now())`;
        await db.sql.begin(async (tx) => {
          // A trigger keeps a payment where it is.
          await tx`set local session_replication_role = replica`;
          await tx`update payments set connection_id = ${connectionId} where environment_id = ${environmentId}`;
        });
        const { processors } = service;
        const find = () => processors.find({ id: environmentId, mode: "test" }, null);
        Object.assign(service, { processors: { ...processors, find } });
      }
      await tenant.setClock("2026-02-10T10:00:00.000Z");
      expect(await tenant.cancel(body.id, { refund: "prorated" })).toMatchObject({ body: { status: "CANCELLED" } });
      await tenant.complete();
      const rows = await db.sql`select amount, status from transactions
      where environment_id = ${environmentId} and type = 'REFUND' and status <> 'FAILED' order by id`;
      expect([...rows]).toEqual([1, 2_000].map((amount) => ({ amount, status: "CAPTURED" })));
      expect([...(await db.sql`select refund_due from subscriptions where environment_id = ${environmentId}`)]).toEqual(
        [{ refund_due: 0 }],
      );
    },
  );
});

describe("a pause", () => {
  test("creates no invoices, and resuming begins a new period with a new anchor", async () => {
    const tenant = await subscriptionTenant(db);
    const { body } = await tenant.create({ plan_id: await tenant.plan(), payment_method_id: await tenant.card() });
    await tenant.setClock("2026-02-10T10:00:00.000Z");
    expect(await tenant.pause(body.id)).toMatchObject({
      body: { status: "PAUSED", paused_at: "2026-02-10T10:00:00.000Z" },
    });
    await tenant.travel("2026-06-05T08:00:00.000Z");
    expect(await tenant.invoices(body.id)).toHaveLength(1);
    tenant.script.next(says({ kind: "declined", decline_code: "insufficient_funds" }));
    expect(await tenant.resume(body.id)).toMatchObject({ status: 402 });
    expect(await tenant.get(body.id)).toMatchObject({ status: "PAUSED" });
    expect(await tenant.resume(body.id)).toMatchObject({
      status: 200,
      body: { status: "ACTIVE", paused_at: null, anchor_at: "2026-06-05T08:00:00.000Z", period: { number: 1 } },
    });
    await tenant.travel("2026-07-05T08:00:00.000Z");
    expect(await tenant.invoices(body.id)).toHaveLength(3);
  });
});

test("a first payment that the issuer wants confirmed leaves an INCOMPLETE subscription, which the customer pays", async () => {
  const tenant = await subscriptionTenant(db);
  const asked = { plan_id: await tenant.plan(), payment_method_id: await tenant.card(CARDS.needsCustomer) };
  const made = await tenant.create(asked, { key: "first" });
  expect(made.status).toBe(201);
  const [invoice] = await tenant.invoices(made.body.id);
  expect(made.body).toMatchObject({
    status: "INCOMPLETE",
    latest_invoice_id: invoice?.id,
    next_action: { type: "redirect_to_url", redirect_to_url: { url: invoice?.hosted_url } },
  });
  expect(invoice).toMatchObject({ status: "OPEN", attempts: 1, next_attempt_at: null });
  expect(await tenant.get(made.body.id)).toEqual(made.body);
  expect((await tenant.create(asked, { key: "first" })).body).toEqual(made.body);
  expect(await tenant.payments()).toMatchObject([{ status: "DECLINED" }]);
  const paid = await tenant.pay(invoice?.id ?? "", { payment_method_id: await tenant.card(CARDS.good) });
  expect(paid.body).toMatchObject({ status: "PAID" });
  expect(await tenant.get(made.body.id)).toMatchObject({ status: "ACTIVE", next_action: null });
});
