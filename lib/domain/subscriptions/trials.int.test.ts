import { describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { CARDS, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { listCustomers, noteCustomers } from "../customers/customers";

const { db } = await testDatabase({ max: 20 });

const types = (rows: { type: string }[]) => rows.map(({ type }) => type);

describe("a trial", () => {
  const trial = { type: "SUBSCRIPTION_FREE_TRIAL", trial_period_value: 14, trial_period_unit: "DAYS" } as const;

  test("costs nothing, is announced, and is followed by period 1", async () => {
    const tenant = await subscriptionTenant(db);
    const body = { plan_id: await tenant.plan(trial), payment_method_id: await tenant.card() };
    const { status, body: made } = await tenant.create(body);
    expect(status).toBe(201);
    expect(made).toMatchObject({
      status: "TRIALING",
      anchor_at: "2026-02-14T10:00:00.000Z",
      period: { number: 0, end_at: "2026-02-14T10:00:00.000Z" },
      trial_end_at: "2026-02-14T10:00:00.000Z",
      latest_invoice_id: null,
    });
    await tenant.travel("2026-02-11T09:59:59.999Z");
    expect(types(await tenant.events())).toEqual(["subscription.created"]);
    await tenant.travel("2026-02-11T10:00:00.000Z");
    expect(types(await tenant.events())).toEqual(["subscription.created", "subscription.trial_will_end"]);
    await tenant.travel("2026-02-14T10:00:00.000Z");
    expect(await tenant.get(made.id)).toMatchObject({ status: "ACTIVE", period: { number: 1 } });
    expect(await tenant.invoices(made.id)).toMatchObject([{ kind: "PERIOD", period: { number: 1 }, status: "PAID" }]);
  });

  test("makes its subscriber a customer before the first payment", async () => {
    const tenant = await subscriptionTenant(db);
    const body = {
      plan_id: await tenant.plan(trial),
      payment_method_id: await tenant.card(),
      customer_email: "Ada@shop.example",
    };
    const { body: made } = await tenant.create(body);
    const customers = async () => {
      while ((await noteCustomers(tenant.service)) > 0);
      return (await listCustomers(tenant.context(), {})).data;
    };
    const ada = { customer_id: "cus_1", email: "ada@shop.example" };
    const without = { first_payment_at: null, last_payment_at: null, payments: 0, currencies: [] };
    expect(await customers()).toEqual([expect.objectContaining({ ...ada, ...without })]);
    await tenant.travel("2026-02-14T10:00:00.000Z");
    expect(await tenant.get(made.id)).toMatchObject({ status: "ACTIVE" });
    const paid = {
      first_payment_at: "2026-02-14T10:00:00.000Z",
      last_payment_at: "2026-02-14T10:00:00.000Z",
      payments: 1,
    };
    expect(await customers()).toEqual([expect.objectContaining({ ...ada, ...paid })]);
    // A later subscription is no payment.
    await tenant.travel("2026-02-15T10:00:00.000Z");
    await tenant.create({ ...body, plan_id: await tenant.plan({ ...trial, name: "Another" }) });
    expect(await customers()).toEqual([expect.objectContaining({ ...ada, ...paid })]);
  });

  test("doesn't begin with a card that has expired since it was stored", async () => {
    const tenant = await subscriptionTenant(db);
    const body = { plan_id: await tenant.plan(trial), payment_method_id: await tenant.card() };
    await tenant.setClock("2041-01-01T00:00:00.000Z");
    const refused = await tenant.create(body, { key: "k" });
    expect(refused).toMatchObject({ status: 402, code: "card_declined", body: { decline_code: "expired_card" } });
    expect(await tenant.create(body, { key: "k" })).toEqual(refused);
    expect(await tenant.events()).toEqual([]);
  });

  test("is granted once for each customer, card and mailbox", async () => {
    const tenant = await subscriptionTenant(db);
    const plan_id = await tenant.plan(trial);
    const first = { plan_id, payment_method_id: await tenant.card(), customer_email: "Ada+1@Example.com" };
    expect((await tenant.create(first)).body).toMatchObject({ status: "TRIALING", trial_refused: false });
    const others = [
      { ...first, customer_email: null },
      { plan_id, customer_id: "cus_2", payment_method_id: await tenant.card(CARDS.good, "cus_2") },
      {
        plan_id,
        customer_id: "cus_3",
        payment_method_id: await tenant.card("5555555555554444", "cus_3"),
        customer_email: "ada+2@example.com",
      },
    ];
    for (const other of others) {
      const { body } = await tenant.create(other);
      const made = [body.customer_id, body.customer_email, body.status, body.trial_refused, body.trial_end_at];
      expect(made).toEqual([body.customer_id, body.customer_email, "ACTIVE", true, null]);
    }
    const stranger = {
      plan_id,
      customer_id: "cus_4",
      payment_method_id: await tenant.card("6011111111111117", "cus_4"),
    };
    expect((await tenant.create(stranger)).body).toMatchObject({ status: "TRIALING", trial_refused: false });
  });

  test("is followed by dunning if its first charge is declined, and the period keeps its dates", async () => {
    const tenant = await subscriptionTenant(db);
    const card = await tenant.card(CARDS.alwaysPoor);
    const { body } = await tenant.create({ plan_id: await tenant.plan(trial), payment_method_id: card });
    expect(body).toMatchObject({ status: "TRIALING", latest_invoice_id: null });
    const end = "2026-02-14T10:00:00.000Z";
    await tenant.travel("2026-02-11T10:00:00.000Z");
    await tenant.travel(end);
    expect(await tenant.get(body.id)).toMatchObject({ status: "PAST_DUE", period: { number: 1, start_at: end } });
    expect(await tenant.invoices(body.id)).toMatchObject([
      { kind: "PERIOD", status: "OPEN", attempts: 1, next_attempt_at: "2026-02-17T10:00:00.000Z" },
    ]);
    expect(types(await tenant.events())).toEqual([
      "subscription.created",
      "subscription.trial_will_end",
      "subscription.updated",
      "invoice.created",
      "invoice.opened",
      "invoice.payment_failed",
      "subscription.past_due",
    ]);
    await tenant.update(body.id, { payment_method_id: await tenant.card("5555555555554444") });
    await tenant.run();
    expect(await tenant.get(body.id)).toMatchObject({ status: "ACTIVE", anchor_at: end, period: { number: 1 } });
    expect(await tenant.invoices(body.id)).toMatchObject([{ status: "PAID", attempts: 2 }]);
  });

  test("that costs something is charged immediately, and a decline doesn't use it up", async () => {
    const tenant = await subscriptionTenant(db);
    const paid = { ...trial, type: "SUBSCRIPTION_PAID_TRIAL", trial_price: 100 } as const;
    const plan_id = await tenant.plan(paid);
    const bad = await tenant.create({ plan_id, payment_method_id: await tenant.card(CARDS.alwaysPoor) });
    expect(bad.status).toBe(402);
    const { body } = await tenant.create({ plan_id, payment_method_id: await tenant.card() });
    expect(body).toMatchObject({ status: "TRIALING", trial_refused: false, period: { number: 0 } });
    await tenant.travel("2026-02-14T10:00:00.000Z");
    expect(await tenant.invoices(body.id)).toMatchObject([
      { kind: "TRIAL", total: 100, status: "PAID" },
      { kind: "PERIOD", total: 1_999, status: "PAID" },
    ]);
  });

  test("ends within 100 years, whether set at the start or later", async () => {
    const tenant = await subscriptionTenant(db);
    const order = { plan_id: await tenant.plan(), payment_method_id: await tenant.card() };
    for (const trial_end_at of ["9999-12-31", "2126-02-02"]) {
      expect(await tenant.create({ ...order, trial_end_at })).toMatchObject({ status: 400, code: "invalid_parameter" });
    }
    const { body } = await tenant.create({ ...order, trial_end_at: "2126-01-01" });
    expect(body).toMatchObject({ status: "TRIALING", trial_end_at: "2126-01-01T00:00:00.000Z" });
    expect(await tenant.update(body.id, { trial_end_at: "9999-12-31" })).toMatchObject({ status: 400 });
  });

  test("that is extended past a month's end moves the anchor and skips no invoice", async () => {
    const tenant = await subscriptionTenant(db);
    const { body } = await tenant.create({ plan_id: await tenant.plan(trial), payment_method_id: await tenant.card() });
    const changed = await tenant.update(body.id, { trial_end_at: "2026-03-31T10:00:00Z" });
    expect(changed.body).toMatchObject({
      anchor_at: "2026-03-31T10:00:00.000Z",
      trial_end_at: "2026-03-31T10:00:00.000Z",
    });
    await tenant.travel("2026-06-30T10:00:00.000Z");
    expect((await tenant.invoices(body.id)).map(({ period }) => [period.number, period.start_at.slice(0, 10)])).toEqual(
      [
        ...[
          [1, "2026-03-31"],
          [2, "2026-04-30"],
          [3, "2026-05-31"],
          [4, "2026-06-30"],
        ],
      ],
    );
    expect(await tenant.update(body.id, { trial_end_at: "2026-09-01T00:00:00Z" })).toMatchObject({
      code: "invalid_state",
    });
  });
});
