import { describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { says } from "@/e2e/fixtures/scripted-processor";
import { CARDS, subscriptionTenant } from "@/e2e/fixtures/subscriptions";

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
    await db.sql`update operations set next_attempt_at = now(), lease_until = now() where environment_id = ${tenant.environmentId}`;
    await tenant.complete();
    expect(await tenant.get(made.body.id)).toMatchObject({ status: "ACTIVE" });
    expect(await tenant.create(body, { key: "k" })).toMatchObject({ status: 201, body: { status: "ACTIVE" } });
    expect(types(await tenant.events(made.body.id))).toEqual(["subscription.created", "subscription.activated"]);
    expect(await tenant.payments()).toHaveLength(1);
  });
});

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

  test("is granted once for each customer, card and mailbox", async () => {
    const tenant = await subscriptionTenant(db);
    const plan_id = await tenant.plan(trial);
    const first = { plan_id, payment_method_id: await tenant.card(), customer_email: "Ada+1@Example.com" };
    expect((await tenant.create(first)).body).toMatchObject({ status: "TRIALING", trial_refused: false });
    const others = [
      { ...first, customer_email: null },
      { plan_id, customer_id: "cus_2", payment_method_id: await tenant.card(CARDS.good, "cus_2") },
      {
        ...{ plan_id, customer_id: "cus_3", payment_method_id: await tenant.card("5555555555554444", "cus_3") },
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

describe("a renewal that is declined", () => {
  test("is retried 3, 5 and 7 days after the previous attempt, then the subscription ends", async () => {
    const tenant = await subscriptionTenant(db);
    const { body } = await tenant.create({
      plan_id: await tenant.plan(),
      payment_method_id: await tenant.card(CARDS.poorLater),
    });
    await tenant.travel("2026-02-28T10:00:00.000Z");
    expect(await tenant.get(body.id)).toMatchObject({ status: "ACTIVE" });
    const tries = [
      ["2026-03-31T10:00:00.000Z", "2026-04-03T10:00:00.000Z", 1],
      ["2026-04-03T10:00:00.000Z", "2026-04-08T10:00:00.000Z", 2],
      ["2026-04-08T10:00:00.000Z", "2026-04-15T10:00:00.000Z", 3],
    ] as const;
    for (const [at, next_attempt_at, attempts] of tries) {
      await tenant.travel(new Date(Date.parse(at) - 1).toISOString());
      await tenant.travel(at);
      expect((await tenant.invoices(body.id)).at(-1)).toMatchObject({ status: "OPEN", attempts, next_attempt_at });
      expect(await tenant.get(body.id)).toMatchObject({ status: "PAST_DUE" });
    }
    await tenant.travel("2026-04-15T10:00:00.000Z");
    expect((await tenant.invoices(body.id)).at(-1)).toMatchObject({ status: "UNCOLLECTIBLE", attempts: 4 });
    expect(await tenant.get(body.id)).toMatchObject({ status: "CANCELLED", cancel_reason: "payment_failed" });
    await tenant.travel("2027-01-01T00:00:00.000Z");
    expect(await tenant.payments()).toHaveLength(6);
  });

  test("can be retried manually without using up a step, and is retried immediately with a new card", async () => {
    const tenant = await subscriptionTenant(db);
    const { body } = await tenant.create({
      plan_id: await tenant.plan(),
      payment_method_id: await tenant.card(CARDS.poorLater),
    });
    await tenant.travel("2026-02-28T10:00:00.000Z");
    await tenant.travel("2026-03-31T10:00:00.000Z");
    expect(await tenant.retry(body.id)).toMatchObject({ status: 402, code: "card_declined" });
    expect((await tenant.invoices(body.id)).at(-1)).toMatchObject({
      ...{ attempts: 2, next_attempt_at: "2026-04-03T10:00:00.000Z", status: "OPEN" },
    });
    const card = await tenant.card("5555555555554444");
    expect(await tenant.update(body.id, { payment_method_id: card })).toMatchObject({ body: { status: "PAST_DUE" } });
    await tenant.run();
    expect(await tenant.get(body.id)).toMatchObject({ status: "ACTIVE", payment_method_id: card });
    expect((await tenant.invoices(body.id)).at(-1)).toMatchObject({
      status: "PAID",
      attempts: 3,
      next_attempt_at: null,
    });
  });

  test("with a hard decline waits for a new card", async () => {
    const tenant = await subscriptionTenant(db);
    const trial = { type: "SUBSCRIPTION_FREE_TRIAL", trial_period_value: 1, trial_period_unit: "MONTHS" } as const;
    const { body } = await tenant.create({
      plan_id: await tenant.plan(trial),
      payment_method_id: await tenant.card(CARDS.stolen),
    });
    await tenant.travel("2026-02-28T10:00:00.000Z");
    expect(await tenant.get(body.id)).toMatchObject({ status: "PAST_DUE" });
    expect(await tenant.invoices(body.id)).toMatchObject([{ status: "OPEN", attempts: 1, next_attempt_at: null }]);
    await tenant.travel("2026-03-20T10:00:00.000Z");
    expect(await tenant.payments()).toHaveLength(1);
  });

  test("isn't retried while its outcome is unknown", async () => {
    const tenant = await subscriptionTenant(db);
    const { body } = await tenant.create({ plan_id: await tenant.plan(), payment_method_id: await tenant.card() });
    tenant.script.next(says({ kind: "unknown", reason: "lost" }));
    await tenant.travel("2026-02-28T10:00:00.000Z");
    expect((await tenant.invoices(body.id)).at(-1)).toMatchObject({ status: "OPEN", attempts: 1 });
    await tenant.run();
    expect(await tenant.retry(body.id)).toMatchObject({ status: 409 });
    expect(await tenant.payments()).toHaveLength(2);
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
});

describe("changes", () => {
  test("that are immediate prorate the rest of the period by the second, and a decline changes nothing", async () => {
    const tenant = await subscriptionTenant(db);
    const days = { billing_frequency_value: 30, billing_frequency_unit: "DAYS" } as const;
    const small = await tenant.plan({ full_price: 1_000, ...days });
    const large = await tenant.plan({ full_price: 4_000, ...days });
    const { body } = await tenant.create({ plan_id: small, payment_method_id: await tenant.card() });
    await tenant.setClock("2026-02-10T10:00:00.000Z");
    const change = { plan_id: large, when: "now" };
    const preview = await tenant.preview(body.id, change);
    expect(preview.body).toMatchObject({
      ...{ kind: "CHANGE", status: "DRAFT", number: null, total: 2_000 },
      lines: [
        { type: "PRORATION", amount: -667 },
        { type: "PRORATION", amount: 2_667 },
      ],
    });
    tenant.script.next(says({ kind: "declined", decline_code: "insufficient_funds" }));
    expect(await tenant.change(body.id, change)).toMatchObject({ status: 402 });
    expect(await tenant.get(body.id)).toMatchObject({ plan_id: small });
    expect(await tenant.invoices(body.id)).toHaveLength(1);
    expect(await tenant.change(body.id, change)).toMatchObject({ status: 200, body: { plan_id: large, credit: 0 } });
    expect((await tenant.invoices(body.id)).at(-1)).toMatchObject({
      ...{ number: "INV-000002", status: "PAID", total: 2_000, amount_paid: 2_000 },
    });
    // Changing back: the difference becomes credit, which the next invoice uses up.
    const back = await tenant.change(body.id, { plan_id: small, when: "now" });
    expect(back.body).toMatchObject({ credit: 2_000, next_invoice_amount: 0 });
    await tenant.travel("2026-03-02T10:00:00.000Z");
    await tenant.travel("2026-04-01T10:00:00.000Z");
    await tenant.travel("2026-05-01T10:00:00.000Z");
    expect((await tenant.invoices(body.id)).slice(-3)).toMatchObject([
      { status: "PAID", credit_used: 1_000, amount_due: 0, attempts: 0 },
      { status: "PAID", credit_used: 1_000, amount_due: 0, attempts: 0 },
      { status: "PAID", credit_used: 0, amount_due: 1_000, attempts: 1 },
    ]);
  });

  test("of the interval begin a new period immediately", async () => {
    const tenant = await subscriptionTenant(db);
    const monthly = await tenant.plan({ full_price: 3_100 });
    const yearly = await tenant.plan({ full_price: 30_000, billing_frequency_value: 12 });
    const { body } = await tenant.create({ plan_id: monthly, payment_method_id: await tenant.card() });
    await tenant.travel("2026-03-31T10:00:00.000Z");
    await tenant.setClock("2026-04-15T10:00:00.000Z");
    const { body: changed } = await tenant.change(body.id, { plan_id: yearly, when: "now" });
    expect(changed).toMatchObject({
      anchor_at: "2026-04-15T10:00:00.000Z",
      period: { number: 1, start_at: "2026-04-15T10:00:00.000Z", end_at: "2027-04-15T10:00:00.000Z" },
    });
    expect((await tenant.invoices(body.id)).at(-1)).toMatchObject({
      ...{ kind: "PERIOD", total: 28_450, status: "PAID" },
      lines: [
        { type: "PLAN", amount: 30_000 },
        { type: "CREDIT", amount: -1_550 },
      ],
    });
    await tenant.travel("2027-04-15T10:00:00.000Z");
    expect((await tenant.invoices(body.id)).at(-1)).toMatchObject({
      period: { number: 2 },
      total: 30_000,
      status: "PAID",
    });
  });

  test("at the period's end replace earlier ones, and keep the anchor", async () => {
    const tenant = await subscriptionTenant(db);
    const [a, b, c] = [
      await tenant.plan(),
      await tenant.plan({ full_price: 500 }),
      await tenant.plan({ full_price: 700 }),
    ];
    const { body } = await tenant.create({ plan_id: a, payment_method_id: await tenant.card() });
    await tenant.change(body.id, { plan_id: b });
    const { body: pending } = await tenant.change(body.id, { plan_id: c, quantity: 3 });
    expect(pending).toMatchObject({
      pending_change: { plan_id: c, quantity: 3, at: "2026-02-28T10:00:00.000Z" },
      ...{ next_invoice_amount: 2_100, plan_id: a },
    });
    await tenant.travel("2026-03-31T10:00:00.000Z");
    expect((await tenant.invoices(body.id)).map(({ total, period }) => [total, period.start_at.slice(0, 10)])).toEqual([
      ...[
        [1_999, "2026-01-31"],
        [2_100, "2026-02-28"],
        [2_100, "2026-03-31"],
      ],
    ]);
    expect(await tenant.get(body.id)).toMatchObject({ plan_id: c, quantity: 3, pending_change: null });
  });
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

describe("an invoice", () => {
  test("is voided, marked as uncollectible or paid manually", async () => {
    const tenant = await subscriptionTenant(db);
    const { body } = await tenant.create({
      plan_id: await tenant.plan(),
      payment_method_id: await tenant.card(CARDS.poorLater),
    });
    await tenant.travel("2026-02-28T10:00:00.000Z");
    await tenant.travel("2026-03-31T10:00:00.000Z");
    const unpaid = (await tenant.invoices(body.id)).at(-1)?.id ?? "";
    expect(await tenant.void(unpaid)).toMatchObject({ body: { status: "VOID" } });
    expect(await tenant.get(body.id)).toMatchObject({ status: "ACTIVE" });
    expect(await tenant.pay(unpaid)).toMatchObject({ status: 409, code: "invalid_state" });
    await tenant.travel("2026-04-30T10:00:00.000Z");
    const next = (await tenant.invoices(body.id)).at(-1)?.id ?? "";
    expect(await tenant.pay(next, { payment_method_id: await tenant.card() })).toMatchObject({
      status: 200,
      body: { status: "PAID", attempts: 2 },
    });
    expect(await tenant.get(body.id)).toMatchObject({ status: "ACTIVE" });
    await tenant.travel("2026-05-31T10:00:00.000Z");
    const last = (await tenant.invoices(body.id)).at(-1)?.id ?? "";
    expect(await tenant.giveUp(last)).toMatchObject({ body: { status: "UNCOLLECTIBLE" } });
    await tenant.travel("2026-06-20T10:00:00.000Z");
    expect(await tenant.invoice(last)).toMatchObject({ attempts: 1, status: "UNCOLLECTIBLE" });
  });
});
