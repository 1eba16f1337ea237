import { describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { says } from "@/e2e/fixtures/scripted-processor";
import { subscriptionTenant } from "@/e2e/fixtures/subscriptions";

const { db } = await testDatabase({ max: 20 });
/** With as few connections as a small service has. */
const { db: narrow } = await testDatabase({ max: 1 });

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
      kind: "CHANGE",
      status: "DRAFT",
      number: null,
      total: 2_000,
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
      number: "INV-000002",
      status: "PAID",
      total: 2_000,
      amount_paid: 2_000,
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

  test("without proration leave the period as paid: a later change credits only what was charged", async () => {
    const tenant = await subscriptionTenant(db);
    const plan_id = await tenant.plan({ full_price: 1_000, name: "Small" });
    const large = await tenant.plan({ full_price: 4_000, name: "Large" });
    const yearly = await tenant.plan({ full_price: 30_000, billing_frequency_value: 12 });
    const { body } = await tenant.create({ plan_id, payment_method_id: await tenant.card() });
    const hundred = { plan_id: large, quantity: 100, when: "now", proration: "none" };
    expect(await tenant.change(body.id, hundred)).toMatchObject({ status: 200, body: { quantity: 100, credit: 0 } });
    const year = await tenant.preview(body.id, { plan_id: yearly, quantity: 1, when: "now" });
    expect(year.body.lines).toMatchObject([
      { type: "PLAN", amount: 30_000 },
      { type: "CREDIT", description: "Small, unused part of the period", quantity: 1, amount: -1_000 },
    ]);
    const two = { plan_id: large, quantity: 2, when: "now" };
    expect(await tenant.change(body.id, two)).toMatchObject({ status: 200, body: { credit: 0 } });
    expect((await tenant.invoices(body.id)).at(-1)).toMatchObject({ kind: "CHANGE", amount_paid: 7_000 });
    // The next change credits what this one charged.
    const back = await tenant.change(body.id, { plan_id, quantity: 1, when: "now" });
    expect(back.body).toMatchObject({ quantity: 1, credit: 7_000 });
    expect((await tenant.invoices(body.id)).at(-1)?.lines).toMatchObject([
      { description: "Large, unused part of the period", quantity: 2, amount: -8_000 },
      { description: "Small, rest of the period", amount: 1_000 },
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
      kind: "PERIOD",
      total: 28_450,
      status: "PAID",
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
      next_invoice_amount: 2_100,
      plan_id: a,
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

test("concurrent previews need no more connections than there are", async () => {
  const tenant = await subscriptionTenant(narrow);
  const { body } = await tenant.create({ plan_id: await tenant.plan(), payment_method_id: await tenant.card() });
  const change = { plan_id: await tenant.plan({ name: "Large", full_price: 4_000 }), when: "now" };
  const previews = await Promise.all(Array.from({ length: 6 }, () => tenant.preview(body.id, change)));
  expect(previews.map(({ status }) => status)).toEqual(previews.map(() => 200));
});
