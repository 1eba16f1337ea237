import { describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { CARDS, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { FIRST_INVOICES } from "@/lib/contract/invoices/list";
import { churnRate } from "@/lib/contract/reporting/subscription-figures";
import { FIRST_SUBSCRIPTIONS } from "@/lib/contract/subscriptions/list";
import { environmentNow } from "../context";
import { searchInvoiceTable } from "../invoices/search-invoices";
import { previewReport } from "../reports/read-report";
import { searchSubscriptionTable } from "../subscriptions/search-subscriptions";
import { getSubscriptionFigures, listRecurringCurrencies, monthlyRevenue } from "./subscription-figures";

const { db } = await testDatabase({ max: 10 });

const every = (unit: "DAYS" | "WEEKS" | "MONTHS", value: number, amount: number) => ({
  unit,
  value,
  amount: String(amount),
});

describe("monthly revenue", () => {
  test.each([
    ["a month's price", [every("MONTHS", 1, 1_999)], 1_999],
    ["a year's price by twelve", [every("MONTHS", 12, 12_000)], 1_000],
    ["a week's price by 52 twelfths", [every("WEEKS", 1, 900)], 3_900],
    ["a price of two weeks", [every("WEEKS", 2, 1_200)], 2_600],
    ["a day's price by 365 twelfths", [every("DAYS", 1, 12)], 365],
    ["a half rounded to the even number below", [every("MONTHS", 12, 6)], 0],
    ["a half rounded to the even number above", [every("MONTHS", 12, 18)], 2],
    ["halves that are summed before rounding", [every("MONTHS", 12, 6), every("MONTHS", 24, 12)], 1],
    ["thirds without a rounding error", Array.from({ length: 3 }, () => every("MONTHS", 3, 100)), 100],
    ["nothing", [], 0],
  ])("is %s", (_, intervals, expected) => {
    expect(monthlyRevenue(intervals)).toBe(expected);
  });
});

/** A shop after two and a half months: each kind of subscription, in two currencies. */
async function shop() {
  const tenant = await subscriptionTenant(db, { start: "2026-01-10T10:00:00.000Z" });
  const plans = {
    monthly: await tenant.plan({ full_price: 1_999 }),
    yearly: await tenant.plan({ full_price: 10_001, billing_frequency_value: 12 }),
    weekly: await tenant.plan({ full_price: 777, billing_frequency_unit: "WEEKS" }),
    fortnight: await tenant.plan({ full_price: 3_333, billing_frequency_value: 14, billing_frequency_unit: "DAYS" }),
    euros: await tenant.plan({ full_price: 4_900, currency: "EUR" }),
    trial: await tenant.plan({
      type: "SUBSCRIPTION_FREE_TRIAL",
      full_price: 2_500,
      trial_period_value: 20,
      trial_period_unit: "DAYS",
    }),
  };
  let customers = 0;
  const subscribe = async (
    plan: string,
    { card = CARDS.good, quantity = 1 }: { card?: string; quantity?: number } = {},
  ) => {
    const customer_id = `cus_${++customers}`;
    const payment_method_id = await tenant.card(card, customer_id);
    const made = await tenant.create({ plan_id: plan, customer_id, payment_method_id, quantity });
    expect(made.status).toBe(201);
    return made.body.id as string;
  };
  await subscribe(plans.monthly, { quantity: 3 });
  await subscribe(plans.yearly, { quantity: 7 });
  await subscribe(plans.weekly);
  await subscribe(plans.fortnight, { quantity: 2 });
  await subscribe(plans.euros);
  await subscribe(plans.monthly, { card: CARDS.poorLater });
  const paused = await subscribe(plans.monthly);
  const leaver = await subscribe(plans.monthly);
  const longGone = await subscribe(plans.monthly);
  await tenant.travel("2026-02-01T10:00:00.000Z");
  await tenant.cancel(longGone);
  await tenant.pause(paused);
  await tenant.travel("2026-03-11T12:00:00.000Z");
  await tenant.cancel(leaver);
  await subscribe(plans.trial);
  // With another card, because a card gets one trial.
  const triedOnly = await subscribe(plans.trial, { card: "5555555555554444" });
  await tenant.cancel(triedOnly);
  await tenant.travel("2026-03-25T12:00:00.000Z");
  return tenant;
}

test("equals figures computed in SQL from the rows, per currency and by the environment's clock", async () => {
  const tenant = await shop();
  const ctx = tenant.context();
  expect(await listRecurringCurrencies(ctx)).toEqual(["EUR", "USD"]);
  for (const currency of ["USD", "EUR"]) {
    const figures = await getSubscriptionFigures(ctx, currency, "UTC");
    const [mrr] = await db.sql<{ mrr: string; paying: number }[]>`
      select round(sum((plan ->> 'amount')::numeric * quantity * case plan -> 'interval' ->> 'unit'
          when 'MONTHS' then 1.0 when 'WEEKS' then 52 / 12.0 else 365 / 12.0 end
          / (plan -> 'interval' ->> 'value')::numeric))::text as mrr, count(*)::int as paying
      from subscriptions
      where environment_id = ${tenant.environmentId} and currency = ${currency} and status in ('ACTIVE', 'PAST_DUE')`;
    const [ended] = await db.sql<{ count: number }[]>`
      select count(*)::int as count from subscriptions
      where environment_id = ${tenant.environmentId} and currency = ${currency} and cancelled_at > '2026-02-24'
        and cancelled_at > coalesce(trial_end_at, '-infinity')`;
    expect(figures).toMatchObject({
      mrr: Number(mrr?.mrr),
      paying: mrr?.paying,
      churned: ended?.count,
    });
  }
  const dollars = await getSubscriptionFigures(ctx, "USD", "UTC");
  expect(dollars).toMatchObject({ paying: 5, trials: 1, trialsEnding: 1, churned: 1, failed: 1, failedAmount: 1_999 });
  expect(churnRate(dollars)).toBeCloseTo(1 / 6);
  expect(await getSubscriptionFigures(ctx, "EUR", "UTC")).toMatchObject({ mrr: 4_900, churned: 0, failed: 0 });
});

test("has exactly the rows of the lists that the overview links to", async () => {
  const tenant = await shop();
  const ctx = tenant.context();
  const figures = await getSubscriptionFigures(ctx, "USD", "UTC");
  const listed = async (query: object) =>
    (await searchSubscriptionTable(ctx, { ...FIRST_SUBSCRIPTIONS, currency: ["USD"], ...query }, "UTC")).total;
  expect(await listed({ status: ["ACTIVE", "PAST_DUE"] })).toBe(figures.paying);
  expect(await listed({ status: ["TRIALING"] })).toBe(figures.trials);
  const ended = { status: ["CANCELLED"], stage: ["paid"], ended_at: { preset: "last-30-days" } };
  expect(await listed(ended)).toBe(figures.churned);
  const query = { ...FIRST_INVOICES, currency: ["USD"] as const, payment: ["failed"] as const };
  const invoices = await searchInvoiceTable(ctx, query, "UTC");
  expect([invoices.total, invoices.sums]).toEqual([
    figures.failed,
    [{ currency: "USD", due: figures.failedAmount, paid: 0, open: figures.failedAmount }],
  ]);
});

test("doesn't count another merchant's subscriptions", async () => {
  await shop();
  const other = await subscriptionTenant(db);
  expect(await listRecurringCurrencies(other.context())).toEqual([]);
  expect(await getSubscriptionFigures(other.context(), "USD", "UTC")).toMatchObject({ mrr: 0, paying: 0, trials: 0 });
});

test("the subscriptions report has the overview's figures, also of an earlier day", async () => {
  const tenant = await shop();
  const ctx = tenant.context();
  const before = environmentNow(ctx);
  const days30 = new Date(before.getTime() - 30 * 86_400_000);
  const reportOf = async (currency: string, range: { from: Date; before: Date }) =>
    (await previewReport(ctx, { type: "subscriptions", timeZone: "UTC", currency, ...range }, 100)).totals[0]?.amounts;
  for (const currency of ["USD", "EUR"]) {
    const { mrr, paying, churned } = await getSubscriptionFigures(ctx, currency, "UTC");
    const report = await reportOf(currency, { from: days30, before });
    expect(report).toMatchObject({ paying, churned });
    // Each subscription is rounded, the overview's sum once.
    expect(Math.abs((report?.mrr ?? 0) - mrr)).toBeLessThanOrEqual(2);
  }
  const february = { from: new Date("2026-02-01T00:00:00Z"), before: new Date("2026-03-01T00:00:00Z") };
  expect(await reportOf("USD", february)).toMatchObject({ paying: 6, churned: 1, churned_mrr: 1_999 });
});
