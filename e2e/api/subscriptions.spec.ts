import { randomUUID } from "node:crypto";
import { getInvoice, listInvoices, payInvoice } from "@/lib/contract/invoices/endpoints";
import { removePaymentMethod } from "@/lib/contract/payment-methods/endpoints";
import { getPayment } from "@/lib/contract/payments/endpoints";
import {
  cancelSubscription,
  changeSubscriptionPlan,
  createSubscription,
  getSubscription,
  listSubscriptions,
  pauseSubscription,
  previewSubscriptionChange,
  resumeSubscription,
  updateSubscription,
} from "@/lib/contract/subscriptions/endpoints";
import { expect, test } from "../fixtures/playwright";
import { aCard, newPaymentMethod, newPlan, newSubscription } from "../samples";

const MONTHLY = {
  type: "SUBSCRIPTION_NO_TRIAL",
  status: "ACTIVE",
  billing_frequency_value: 1,
  billing_frequency_unit: "MONTHS",
};

test("a subscription is created, read, listed, changed, paused, resumed and cancelled", async ({ api }) => {
  const made = await newSubscription(api, { metadata: { order: "7" } });
  expect(made).toMatchObject({ object: "subscription", status: "ACTIVE", quantity: 1, metadata: { order: "7" } });
  expect((await api.call(getSubscription, { id: made.id })).ok()).toEqual(made);
  const query = { customer_id: made.customer_id, status: "ACTIVE", plan_id: made.plan_id };
  expect((await api.call(listSubscriptions, { query })).ok().data).toEqual([made]);
  const [invoice] = (await api.call(listInvoices, { query: { subscription_id: made.id } })).ok().data;
  expect(invoice).toMatchObject({ status: "PAID", number: "INV-000001", amount_paid: 1_999 });
  const payment = (await api.call(getPayment, { id: invoice?.payment_ids[0] ?? "" })).ok();
  expect(payment).toMatchObject({
    status: "CAPTURED",
    subscription_id: made.id,
    invoice_id: invoice?.id,
    initiator: "merchant",
  });
  const change = { plan_id: made.plan_id, quantity: 3, when: "now" };
  const preview = (await api.call(previewSubscriptionChange, { id: made.id, body: change })).ok();
  expect(preview).toMatchObject({ kind: "CHANGE", status: "DRAFT", number: null });
  const changed = (await api.call(changeSubscriptionPlan, { id: made.id, body: change })).ok();
  expect(changed).toMatchObject({ quantity: 3 });
  expect((await api.call(getInvoice, { id: changed.latest_invoice_id ?? "" })).ok().number).toBe("INV-000002");
  expect((await api.call(pauseSubscription, { id: made.id, body: {} })).ok().status).toBe("PAUSED");
  expect((await api.call(resumeSubscription, { id: made.id, body: {} })).ok().status).toBe("ACTIVE");
  const patch = { cancel_at_period_end: true, metadata: {} };
  expect((await api.call(updateSubscription, { id: made.id, body: patch })).ok()).toMatchObject(patch);
  const ended = (await api.call(cancelSubscription, { id: made.id, body: { refund: "prorated" } })).ok();
  expect(ended).toMatchObject({ status: "CANCELLED", next_invoice_at: null });
  (await api.call(cancelSubscription, { id: made.id, body: {} })).problem("invalid_state");
});

test("unsuitable requests are rejected, and a declined first payment leaves nothing", async ({ api, stranger }) => {
  const plan = await newPlan(api, MONTHLY);
  const method = await newPaymentMethod(api);
  const body = { plan_id: plan.id, customer_id: method.customer_id, payment_method_id: method.id };
  const create = (change: object) => api.call(createSubscription, { body: { ...body, ...change } });
  (await create({ plan_id: (await newPlan(api, { status: "ACTIVE" })).id })).problem("plan_not_recurring");
  (await create({ plan_id: (await newPlan(api, { ...MONTHLY, status: "DRAFT" })).id })).problem("plan_not_active");
  (await create({ customer_id: "somebody_else" })).problem("resource_not_found");
  (await create({ payment_method_id: (await newPaymentMethod(stranger.api)).id })).problem("resource_not_found");
  (await create({ plan_id: (await newPlan(stranger.api, MONTHLY)).id })).problem("resource_not_found");
  (await create({ quantity: 0 })).problem("invalid_parameter");
  (await create({ time_zone: "Mars/Base" })).problem("invalid_parameter");
  (await create({ trial_end_at: "2020-01-01" })).problem("invalid_parameter");
  (await create({ price: 1 })).problem("unknown_parameter");
  const poor = await newPaymentMethod(api, { card: aCard("4000000000007106") });
  expect((await create({ payment_method_id: poor.id })).problem("card_declined")).toMatchObject({
    decline_code: "insufficient_funds",
  });
  expect((await api.call(listSubscriptions)).ok().data).toEqual([]);
});

test("a card that a subscription uses cannot be removed before it ends", async ({ api }) => {
  const { id, payment_method_id } = await newSubscription(api);
  (await api.call(removePaymentMethod, { id: payment_method_id ?? "" })).problem("invalid_state");
  (await api.call(cancelSubscription, { id, body: {} })).ok();
  expect((await api.call(removePaymentMethod, { id: payment_method_id ?? "" })).ok().status).toBe("REMOVED");
});

test("an update and a preview honor a key", async ({ api }) => {
  const { id, plan_id } = await newSubscription(api);
  const key = { key: randomUUID() };
  const first = (await api.call(updateSubscription, { id, body: { metadata: { a: "1" } }, ...key })).ok();
  (await api.call(updateSubscription, { id, body: { metadata: { a: "2" } } })).ok();
  expect((await api.call(updateSubscription, { id, body: { metadata: { a: "1" } }, ...key })).ok()).toEqual(first);
  (await api.call(updateSubscription, { id, body: { metadata: { a: "3" } }, ...key })).problem(
    "idempotency_key_reused",
  );
  const preview = { id, body: { plan_id, quantity: 2 }, key: randomUUID() };
  const invoice = (await api.call(previewSubscriptionChange, preview)).ok();
  expect((await api.call(previewSubscriptionChange, preview)).ok()).toEqual(invoice);
});

test("a paid invoice is not paid again", async ({ api }) => {
  const { latest_invoice_id } = await newSubscription(api);
  (await api.call(payInvoice, { id: latest_invoice_id ?? "", body: {} })).problem("invalid_state");
});
