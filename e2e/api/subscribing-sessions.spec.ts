import type { CheckoutPage } from "@/lib/contract/checkout/checkout";
import { consentTexts } from "@/lib/contract/checkout/consent";
import { createClientSession, getClientSession } from "@/lib/contract/checkout/endpoints";
import { listInvoices } from "@/lib/contract/invoices/endpoints";
import { getPaymentMethod, listPaymentMethods } from "@/lib/contract/payment-methods/endpoints";
import { getPayment, listPayments } from "@/lib/contract/payments/endpoints";
import { listSubscriptions } from "@/lib/contract/subscriptions/endpoints";
import { expect } from "../fixtures/playwright";
import { type OpenedSession, formTest as test } from "../payment-form";
import { aCard, CARDS, newPlan } from "../samples";

const NO_PRICE = { amount: undefined, currency: undefined };
const SETUP = { ...NO_PRICE, mode: "setup", customer_id: "c-1" };
const MONTHLY = { status: "ACTIVE", billing_frequency_value: 1, billing_frequency_unit: "MONTHS" };
const TRIAL = { trial_period_value: 14, trial_period_unit: "DAYS" };

/** The sentence that the form shows beside its checkbox. */
async function sentenceOf({ form }: OpenedSession): Promise<string> {
  const html = await (await form.page()).text();
  const json = /<script type="application\/json" id="checkout">(.*?)<\/script>/s.exec(html)?.[1] ?? "";
  const { page } = JSON.parse(json) as { page: CheckoutPage };
  return page.consent?.en ?? "";
}

for (const [what, body, param] of [
  ["a customer is missing", { mode: "setup" }, "customer_id"],
  ["it has an amount", { ...SETUP, amount: 100, currency: "USD" }, "amount"],
  ["it would capture later", { ...SETUP, capture_method: "manual" }, "capture_method"],
  ["it has a plan", { ...SETUP, plan_id: "plan_x" }, "plan_id"],
  ["the mode is unknown", { ...SETUP, mode: "store" }, "mode"],
] as const) {
  test(`a setup session is refused: ${what}`, async ({ api }) => {
    const refused = await api.call(createClientSession, { body });
    expect(refused.problem(param === "customer_id" ? "missing_parameter" : "invalid_parameter").param).toBe(param);
  });
}

test("a setup session stores the card with the shopper's agreement", async ({ api, open }) => {
  const opened = await open(SETUP);
  const consent = consentTexts("Test merchant", null).de;
  expect(consent).toMatch(/^Ich bin einverstanden, dass .* diese Karte für spätere Zahlungen belasten darf/);
  const { state } = (await opened.form.attempt({ mode: "setup", consent })).taken();
  expect(state).toMatchObject({ status: "COMPLETED", payment: null, payment_method_id: expect.any(String) });
  const session = (await api.call(getClientSession, { id: opened.id })).ok();
  expect(session).toMatchObject({ mode: "setup", status: "COMPLETED", amount: null, currency: null, payment_id: null });
  const method = (await api.call(getPaymentMethod, { id: session.payment_method_id ?? "" })).ok();
  expect(method).toMatchObject({ customer_id: "c-1", consent: { text: consent, ip: expect.any(String) } });
  expect((await api.call(listPayments)).ok().data).toEqual([]);
});

test("a setup session stores no card that is declined, and none without an agreement", async ({ api, open }) => {
  const opened = await open(SETUP);
  const consent = consentTexts("Test merchant", null).en;
  expect((await opened.form.attempt({})).refused("missing_parameter").param).toBe("consent");
  const { state } = (await opened.form.attempt({ card: aCard(CARDS.declined), consent })).taken();
  expect(state).toMatchObject({ status: "OPEN", failure: "card_declined" });
  expect((await api.call(listPaymentMethods)).ok().data).toEqual([]);
});

test("a session of a recurring plan begins the subscription that its payment names", async ({ api, open }) => {
  const plan = await newPlan(api, {
    type: "SUBSCRIPTION_NO_TRIAL",
    ...MONTHLY,
    currency: "EUR",
    full_price_amount: 21.9,
  });
  const opened = await open({ ...NO_PRICE, plan_id: plan.id });
  const consent = await sentenceOf(opened);
  expect(consent).toMatch(/^I agree that .* charges this card €21\.90 every month until I cancel\.$/);
  expect((await opened.form.attempt({ consent })).refused("missing_parameter").param).toBe("email");
  const { state } = (await opened.form.attempt({ consent, email: "Ann@Example.com" })).taken();
  expect(state).toMatchObject({ status: "COMPLETED", subscription_id: expect.any(String) });
  const session = (await api.call(getClientSession, { id: opened.id })).ok();
  const [subscription] = (await api.call(listSubscriptions)).ok().data;
  expect(subscription).toMatchObject({
    id: session.subscription_id,
    status: "ACTIVE",
    customer_id: "ann@example.com",
    payment_method_id: session.payment_method_id,
  });
  expect((await api.call(getPayment, { id: session.payment_id ?? "" })).ok()).toMatchObject({
    subscription_id: session.subscription_id,
    plan_id: plan.id,
    amount: 2_190,
  });
  expect((await api.call(listInvoices)).ok().data).toMatchObject([
    { status: "PAID", payment_ids: [session.payment_id] },
  ]);
});

test("a free trial begins without a payment", async ({ api, open }) => {
  const plan = await newPlan(api, { type: "SUBSCRIPTION_FREE_TRIAL", ...MONTHLY, ...TRIAL, full_price_amount: 19 });
  const opened = await open({ ...NO_PRICE, plan_id: plan.id, customer_id: "c-1" });
  expect((await api.call(getClientSession, { id: opened.id })).ok()).toMatchObject({
    amount: 0,
    currency: plan.currency,
  });
  const consent = await sentenceOf(opened);
  const { state } = (await opened.form.attempt({ consent })).taken();
  expect(state).toMatchObject({ status: "COMPLETED", payment: null, subscription_id: expect.any(String) });
  expect((await api.call(listSubscriptions)).ok().data).toMatchObject([{ status: "TRIALING" }]);
  expect((await api.call(listPayments)).ok().data).toEqual([]);
});
