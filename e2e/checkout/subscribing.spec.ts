import { getClientSession } from "@/lib/contract/checkout/endpoints";
import { listPaymentMethods } from "@/lib/contract/payment-methods/endpoints";
import { listPayments } from "@/lib/contract/payments/endpoints";
import { listSubscriptions } from "@/lib/contract/subscriptions/endpoints";
import { expectAccessible, expectNoSidewaysScroll } from "../browser";
import { expect } from "../fixtures/playwright";
import { CARDS, newPlan } from "../samples";
import { expectStep, fillCard, issuerIn, pay, payButton, TEXTS, test } from "./fixtures";

const NO_PRICE = { amount: undefined, currency: undefined };
const SETUP = { ...NO_PRICE, mode: "setup", customer_id: "c-1" };
const MONTHLY = { status: "ACTIVE", billing_frequency_value: 1, billing_frequency_unit: "MONTHS" };
const TRIAL = { trial_period_value: 14, trial_period_unit: "DAYS" };

test("an embedded setup form stores the card after the shopper agrees, and notifies the page", async ({
  page,
  api,
  openCheckout,
}) => {
  const checkout = await openCheckout(page, {}, SETUP);
  await expect(checkout.form.getByText("Save your card")).toBeVisible();
  await fillCard(checkout.form);
  await payButton(checkout.form).click();
  await expect(checkout.form.getByText(TEXTS.problems.consent_missing)).toBeVisible();
  await expect(checkout.form.locator("#consent")).toBeFocused();
  await checkout.form.getByRole("checkbox", { name: /may charge this card for later payments until I cancel/ }).check();
  await expect(checkout.form.getByText(TEXTS.problems.consent_missing)).toBeHidden();
  await payButton(checkout.form).click();
  await expectStep(checkout.form, TEXTS.done.storedTitle);
  const session = (await api.call(getClientSession, { id: checkout.session.id })).ok();
  await expect
    .poll(() => checkout.told("onSuccess"))
    .toEqual([
      {
        clientSessionId: checkout.session.id,
        paymentId: null,
        paymentMethodId: session.payment_method_id,
        subscriptionId: null,
        status: "COMPLETED",
        paymentToken: null,
        returnUrl: null,
      },
    ]);
});

test("the issuer confirms a stored card inside the form", async ({ page, api, openCheckout }) => {
  const checkout = await openCheckout(page, {}, SETUP);
  await pay(checkout.form, CARDS.challenge);
  await expect(issuerIn(checkout.form).getByRole("heading", { level: 1 })).toHaveText("Confirm your card");
  expect((await api.call(listPaymentMethods)).ok().data).toEqual([]);
  await issuerIn(checkout.form).getByRole("button", { name: "Approve the card" }).click();
  await expectStep(checkout.form, TEXTS.done.storedTitle);
  expect((await api.call(listPaymentMethods)).ok().data).toMatchObject([{ customer_id: "c-1", status: "ACTIVE" }]);
});

test("a recurring plan's page says what is charged, and when, before and after the shopper subscribes", async ({
  page,
  api,
  newCheckoutSession,
}) => {
  const plan = await newPlan(api, {
    ...MONTHLY,
    type: "SUBSCRIPTION_NO_TRIAL",
    name: "Print of the month",
    currency: "EUR",
    full_price_amount: 21.9,
  });
  const { iframe_url } = await newCheckoutSession({ ...NO_PRICE, plan_id: plan.id });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(iframe_url ?? "");
  const schedule = /^€21\.90 today, then €21\.90 every month from \w{3} \d{1,2}, \d{4}$/;
  await expect(page.getByText(schedule)).toBeVisible();
  await expect(page.getByText(/^You can cancel at any time/)).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await pay(page);
  await expectStep(page, TEXTS.done.title);
  await expect(page.getByText(schedule).last()).toBeVisible();
  expect((await api.call(listSubscriptions)).ok().data).toMatchObject([{ status: "ACTIVE", plan_id: plan.id }]);
});

test("a trial that the card has used before is announced as such, and charged only after the shopper agrees again", async ({
  page,
  api,
  newCheckoutSession,
}) => {
  const plan = await newPlan(api, { ...MONTHLY, ...TRIAL, type: "SUBSCRIPTION_FREE_TRIAL", full_price_amount: 19 });
  const first = await newCheckoutSession({ ...NO_PRICE, plan_id: plan.id, customer_id: "ann" });
  await page.goto(first.iframe_url ?? "");
  await pay(page);
  await expectStep(page, TEXTS.done.trialTitle);

  const second = await newCheckoutSession({ ...NO_PRICE, plan_id: plan.id, customer_id: "bob" });
  await page.goto(second.iframe_url ?? "");
  await expect(payButton(page)).toHaveText(TEXTS.button.startTrial);
  await pay(page);
  await expect(page.getByText(TEXTS.notices.trial_used)).toBeVisible();
  await expect(payButton(page)).toHaveText(TEXTS.button.pay("$19.00"));
  await expect(page.locator("#consent")).not.toBeChecked();
  await expect(page.getByText(/^\$19\.00 today, then \$19\.00 every month/)).toBeVisible();
  expect((await api.call(listPayments)).ok().data).toEqual([]);
  await page.locator("#cvv").fill("123");
  await page.locator("#consent").check();
  await payButton(page).click();
  await expectStep(page, TEXTS.done.title);
  const { data } = (await api.call(listSubscriptions)).ok();
  expect(data.map(({ customer_id, status }) => [customer_id, status])).toEqual([
    ["bob", "ACTIVE"],
    ["ann", "TRIALING"],
  ]);
});
