import { describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { says } from "@/e2e/fixtures/scripted-processor";
import { CARDS, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { FIRST_INVOICES } from "@/lib/contract/invoices/list";
import { searchInvoiceTable } from "../invoices/search-invoices";
import { listAttention } from "../reporting/overview";

const { db } = await testDatabase({ max: 20 });

describe("a renewal that is declined", () => {
  test("is retried 3, 5 and 7 days after the previous attempt, then the subscription ends", async () => {
    const tenant = await subscriptionTenant(db);
    const { body } = await tenant.create({
      plan_id: await tenant.plan(),
      payment_method_id: await tenant.card(CARDS.poorLater),
    });
    await tenant.travel("2026-02-28T10:00:00.000Z");
    expect(await tenant.get(body.id)).toMatchObject({ status: "ACTIVE" });
    const attempts = [
      ["2026-03-31T10:00:00.000Z", "2026-04-03T10:00:00.000Z", 1],
      ["2026-04-03T10:00:00.000Z", "2026-04-08T10:00:00.000Z", 2],
      ["2026-04-08T10:00:00.000Z", "2026-04-15T10:00:00.000Z", 3],
    ] as const;
    for (const [at, next_attempt_at, count] of attempts) {
      await tenant.travel(new Date(Date.parse(at) - 1).toISOString());
      await tenant.travel(at);
      expect((await tenant.invoices(body.id)).at(-1)).toMatchObject({
        status: "OPEN",
        attempts: count,
        next_attempt_at,
      });
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
      attempts: 2,
      next_attempt_at: "2026-04-03T10:00:00.000Z",
      status: "OPEN",
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
    const { data } = await searchInvoiceTable(tenant.context(), { ...FIRST_INVOICES, payment: ["waiting"] }, "UTC");
    expect(data).toHaveLength(1);
    expect(await listAttention(tenant.context())).toMatchObject([
      { kind: "waiting_invoice", count: 1, rows: [{ invoiceId: data[0]?.id, paymentId: null }] },
    ]);
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

test("a card that has expired by the test clock is declined at the renewal, and not tried again", async () => {
  const tenant = await subscriptionTenant(db);
  const made = await tenant.create({ plan_id: await tenant.plan(), payment_method_id: await tenant.card() });
  await db.sql`update sandbox_processor.stored_cards set exp_year = 2026, exp_month = 2 where account = ${tenant.environmentId}`;
  await tenant.travel("2026-02-28T10:00:00.000Z");
  expect(await tenant.get(made.body.id)).toMatchObject({ status: "ACTIVE" });
  await tenant.travel("2026-03-31T10:00:00.000Z");
  expect(await tenant.get(made.body.id)).toMatchObject({ status: "PAST_DUE" });
  const [, , invoice] = await tenant.invoices(made.body.id);
  expect(invoice).toMatchObject({ status: "OPEN", attempts: 1, next_attempt_at: null });
  const [charge] = await db.sql`select decline_code from transactions
    where environment_id = ${tenant.environmentId} and status = 'DECLINED'`;
  expect(charge).toEqual({ decline_code: "expired_card" });
});
