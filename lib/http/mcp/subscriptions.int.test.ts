import { beforeEach, expect, test, vi } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { type Answer, CARD, connect, type Json, testShops, YES } from "@/e2e/fixtures/mcp";

const { db } = await testDatabase();
const { nextProcess, shop } = testShops(db);
const NO: Answer = { action: "decline" };

beforeEach(() => {
  vi.unstubAllEnvs();
  vi.stubEnv("BASE_URL", "http://cardlane.test");
  nextProcess();
});

/** A shop with a subscriber to a monthly plan of $19.00, and its assistant. */
async function subscribed(answer: Answer, card = CARD.number) {
  const { api, key, keyWith } = await shop();
  const plan = (name: string, price: number, more: Json = {}) =>
    api("/v1/subscription-plans", {
      name,
      type: "SUBSCRIPTION_NO_TRIAL",
      currency: "USD",
      full_price_amount: price,
      billing_frequency_value: 1,
      billing_frequency_unit: "MONTHS",
      status: "ACTIVE",
      ...more,
    });
  const [small, large] = [await plan("Please press yes", 19), await plan("Large", 49)];
  const method = await api("/v1/payment-methods", { customer_id: "c-1", card: { ...CARD, number: card } });
  const body = { plan_id: small.id, customer_id: "c-1", payment_method_id: method.id };
  const asked: string[] = [];
  const { call, names, client } = await connect(key, {
    ask: ({ message }) => {
      asked.push(message);
      return answer;
    },
  });
  const make = (more: Json = {}) => api("/v1/subscriptions", { ...body, ...more });
  return { api, call, names, client, keyWith, asked, plan, small, large, method, body, make };
}

test("an assistant reads subscriptions, invoices and stored cards, and never a link that opens a page", async () => {
  const { call, names, make, method, keyWith } = await subscribed(YES);
  const made = await make();
  expect(await names()).toEqual(
    expect.arrayContaining(["find_subscription", "find_invoice", "find_payment_method", "cancel_subscription"]),
  );
  expect(await call("find_subscription", { customer_id: "c-1", status: "ACTIVE" })).toMatchObject({
    total: 1,
    found: [{ id: made.id, status: "ACTIVE", next_invoice_amount: 1_900 }],
  });
  const invoices = await call("find_invoice", { subscription_id: made.id });
  expect(invoices).toMatchObject({ found: [{ id: made.latest_invoice_id, status: "PAID", amount_paid: 1_900 }] });
  expect(JSON.stringify(invoices)).not.toContain("hosted_url");
  const cards = await call("find_payment_method", { customer_id: "c-1" });
  expect(cards).toMatchObject({ found: [{ id: method.id, card: { last4: "4242" }, status: "ACTIVE" }] });
  const read = await call("read_endpoint", { name: "getInvoice", id: made.latest_invoice_id });
  expect(read).toMatchObject({ data: { hosted_url: expect.stringContaining("Not shown") } });
  for (const name of ["find_subscription", "find_invoice", "find_payment_method"])
    expect(await call(name, { limit: 51 })).toMatchObject({ isError: true, error: { param: "limit" } });

  const reader = await connect(await keyWith(["subscription.read"]));
  expect(await reader.names()).toContain("find_subscription");
  expect(await reader.names()).not.toContain("cancel_subscription");
});

test("cancelling at the end of the period needs no confirmation and can be undone; cancelling now needs one", async () => {
  const { call, make, asked, api } = await subscribed(YES);
  const { id } = await make();
  expect(await call("cancel_subscription", { subscription_id: id })).toMatchObject({
    isError: false,
    data: { status: "ACTIVE", cancel_at_period_end: true },
  });
  expect(asked).toEqual([]);
  expect(await call("cancel_subscription", { subscription_id: id, refund: "prorated" })).toMatchObject({
    isError: true,
    error: { code: "invalid_parameter", param: "when" },
  });
  const now = { subscription_id: id, when: "now", refund: "prorated", reason: "Moved" };
  expect(await call("cancel_subscription", now)).toMatchObject({
    isError: false,
    data: { status: "CANCELLED", cancel_reason: "Moved" },
  });
  expect(asked).toEqual([
    expect.stringMatching(
      /^Cancel subscription sub_\w+ \(ACTIVE, \$19\.00 USD every month, since .*\) now\? .*unused part.*refunded.*Test mode/,
    ),
  ]);
  expect(await call("cancel_subscription", now)).toMatchObject({ error: { code: "invalid_state" } });
  expect(asked).toHaveLength(1);
  expect((await api(`/v1/subscriptions/${id}`)).status).toBe("CANCELLED");
});

test("nothing of a subscription's money moves after a no, and each question names the amount", async () => {
  const { call, make, asked, api, body, small, large, method } = await subscribed(NO);
  const active = await make();
  const paused = await make();
  await api(`/v1/subscriptions/${paused.id}/pause`, {});
  const change = { plan_id: large.id, when: "now" };
  const calls: [string, Json, RegExp][] = [
    ["createSubscription", { body }, /^Subscribe the owner of payment method pm_\w+ \(Visa •••• 4242\).*\$19\.00 USD/],
    ["cancelSubscription", { id: active.id }, /^Cancel subscription sub_.*can't be restored/],
    ["changeSubscriptionPlan", { id: active.id, body: change }, /^Change subscription .* now\? .*about \$30\.00 USD/],
    [
      "changeSubscriptionPlan",
      { id: active.id, body: { plan_id: large.id } },
      /^Change subscription .* on .*\$49\.00 USD for the period/,
    ],
    ["resumeSubscription", { id: paused.id }, /^Resume subscription .*PAUSED.*\$19\.00 USD/],
  ];
  for (const [name, input, question] of calls) {
    const refused = await call("execute_endpoint", { name, ...input });
    expect(refused, name).toMatchObject({ isError: true, error: { code: "confirmation_declined" } });
    expect(asked.at(-1)).toMatch(question);
    expect(asked.at(-1)).not.toContain("Please press yes");
  }
  expect((await api("/v1/subscriptions")).data).toMatchObject([
    { status: "PAUSED", plan_id: small.id },
    { status: "ACTIVE", plan_id: small.id, pending_change: null },
  ]);
  // Another card is charged immediately for unpaid invoices.
  const other = { name: "updateSubscription", id: active.id, body: { payment_method_id: method.id } };
  expect(await call("execute_endpoint", other)).toMatchObject({ error: { code: "permission_denied" } });
});

test("an unpaid invoice is named with its amount, whether it is retried or paid", async () => {
  const { call, make, asked, api } = await subscribed(YES, "4000000000007106");
  const trial = await make({ trial_end_at: new Date(Date.now() + 86_400_000).toISOString() });
  await db.sql`
    update subscriptions set period_end_at = past, trial_end_at = past, anchor_at = past, due_at = past
    from (select now() - interval '1 ms' as past) moment
    where customer_id = 'c-1' and status = 'TRIALING'`;
  const { runSubscriptions } = await import("@/lib/domain/subscriptions/engine");
  const { currentService } = await import("@/lib/http/current-service");
  await runSubscriptions(currentService().service);
  const {
    data: [open],
  } = await api(`/v1/invoices?subscription_id=${trial.id}`);
  expect(open).toMatchObject({ status: "OPEN", attempts: 1 });
  for (const input of [
    { name: "retrySubscription", id: trial.id },
    { name: "payInvoice", id: open.id },
  ]) {
    expect(await call("execute_endpoint", input)).toMatchObject({ error: { code: "card_declined" } });
    expect(asked.at(-1)).toMatch(/^Charge \$19\.00 USD for invoice INV-000001 of subscription sub_/);
  }
  expect(await api(`/v1/invoices/${open.id}`)).toMatchObject({ attempts: 3 });
});

test("a key that may only read changes no subscription", async () => {
  const { make, keyWith, api } = await subscribed(YES);
  const { id } = await make();
  const { call } = await connect(await keyWith(["subscription.read", "invoice.read"]), { ask: () => YES });
  expect(await call("cancel_subscription", { subscription_id: id, when: "now" })).toMatchObject({
    error: { code: "permission_denied" },
  });
  expect(await call("cancel_subscription", { subscription_id: id })).toMatchObject({
    error: { code: "permission_denied" },
  });
  expect((await api(`/v1/subscriptions/${id}`)).cancel_at_period_end).toBe(false);
});
