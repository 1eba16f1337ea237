import { randomUUID } from "node:crypto";
import type { Sql } from "@/db/client";
import { createClientSession } from "@/lib/contract/checkout/endpoints";
import { decodeId } from "@/lib/contract/ids";
import { listInvoices } from "@/lib/contract/invoices/endpoints";
import type { Invoice } from "@/lib/contract/invoices/invoice";
import { createPaymentMethod } from "@/lib/contract/payment-methods/endpoints";
import type { PaymentMethod } from "@/lib/contract/payment-methods/payment-method";
import {
  capturePayment,
  createPayment,
  getPayment,
  refundPayment,
  voidPayment,
} from "@/lib/contract/payments/endpoints";
import type { Payment } from "@/lib/contract/payments/payment";
import { createPlan } from "@/lib/contract/plans/endpoints";
import { createSubscription } from "@/lib/contract/subscriptions/endpoints";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { advanceTestClock, getTestClock } from "@/lib/contract/test-clock/endpoints";
import {
  captureTransaction,
  getTransaction,
  refundTransaction,
  voidTransaction,
} from "@/lib/contract/transactions/endpoints";
import type { Transaction } from "@/lib/contract/transactions/transaction";
import { createWebhookEndpoint } from "@/lib/contract/webhooks/endpoints";
import { runSettlement } from "@/lib/domain/settlement/settle";
import type { Api } from "./client";
import { expect, type Tenant } from "./fixtures/playwright";

export const CARDS = {
  approved: "4242424242424242",
  amex: "378282246310005",
  declined: "4000000000000002",
  challenge: "4000000000003220",
  captureFails: "4000000000000341",
  lostAnswer: "4000000000001976",
  refusesOnce: "4000000000001984",
  garbage: "4000000000001968",
  slow: "4000000000001992",
  refundFails: "4000000000005126",
} as const;

export const aCard = (number: string = CARDS.approved, overrides: object = {}) => ({
  number,
  exp_month: 12,
  exp_year: new Date().getUTCFullYear() + 3,
  cvv: number === CARDS.amex ? "1234" : "123",
  ...overrides,
});

/** Request body of a 100.00 USD payment that is captured immediately. */
export const aPayment = (overrides: object = {}) => ({
  amount: 10_000,
  currency: "USD",
  card: aCard(),
  ...overrides,
});

/** Request body that stores a card. */
export const aStoredCard = (overrides: object = {}) => ({ customer_id: "cus_1042", card: aCard(), ...overrides });

export const newPaymentMethod = async (api: Api, overrides: object = {}): Promise<PaymentMethod> =>
  (await api.call(createPaymentMethod, { body: aStoredCard(overrides) })).ok();

/** A monthly subscription, paid for its first period. */
export async function newSubscription(api: Api, overrides: object = {}): Promise<Subscription> {
  const plan = await newPlan(api, {
    type: "SUBSCRIPTION_NO_TRIAL",
    status: "ACTIVE",
    billing_frequency_value: 1,
    billing_frequency_unit: "MONTHS",
  });
  const method = await newPaymentMethod(api);
  const body = { plan_id: plan.id, customer_id: method.customer_id, payment_method_id: method.id, ...overrides };
  return (await api.call(createSubscription, { body })).ok();
}

/**
 * The sandbox's card that is refused every charge by the merchant, and passes the check before it is stored.
 */
const ALWAYS_POOR = "4000000000007106";
const DAY_MS = 86_400_000;

/** Advances the tenant's test clock, and waits until everything due has happened. */
async function advanceDays(api: Api, days: number): Promise<void> {
  const { now } = (await api.call(getTestClock)).ok();
  const to = new Date(Date.parse(now) + days * DAY_MS).toISOString();
  (await api.call(advanceTestClock, { body: { to } })).ok(202);
  await expect.poll(async () => (await api.call(getTestClock)).ok().status, { timeout: 30_000 }).toBe("READY");
}

/**
 * An OPEN invoice of 19.99 USD whose first attempt was declined as a trial ended. Advances the clock by 8
 * days.
 */
export async function overdueInvoice(api: Api): Promise<Invoice> {
  const plan = await newPlan(api, {
    type: "SUBSCRIPTION_FREE_TRIAL",
    status: "ACTIVE",
    billing_frequency_value: 1,
    billing_frequency_unit: "MONTHS",
    trial_period_value: 7,
    trial_period_unit: "DAYS",
  });
  const customer_id = "cus_overdue";
  const method = await newPaymentMethod(api, { customer_id, card: aCard(ALWAYS_POOR) });
  const body = { plan_id: plan.id, customer_id, payment_method_id: method.id };
  (await api.call(createSubscription, { body })).ok();
  await advanceDays(api, 8);
  const [invoice] = (await api.call(listInvoices, { query: { customer_id } })).ok().data;
  if (!invoice) throw new Error("the trial ended without an invoice");
  return invoice;
}

/** The form of an upload. */
export function aFile(bytes: Buffer = Buffer.from("%PDF-1.7\n%%EOF"), name = "proof.pdf", part = "file"): FormData {
  const form = new FormData();
  form.set(part, new Blob([new Uint8Array(bytes)]), name);
  return form;
}

export const aPlan = (overrides: object = {}) => ({
  type: "ONE_TIME",
  name: `Plan ${randomUUID().slice(0, 8)}`,
  currency: "USD",
  full_price_amount: 19.99,
  ...overrides,
});

export const aSession = (overrides: object = {}) => ({ amount: 2_500, currency: "EUR", ...overrides });

/** Each has a unique URL. */
export const anEndpoint = (overrides: object = {}) => ({
  url: `http://127.0.0.1:9/webhooks/${randomUUID()}`,
  ...overrides,
});

/** Request body that replays the events of the last hour. */
export const aReplay = () => ({ since: new Date(Date.now() - 3_600_000).toISOString() });

export const newEndpoint = async (api: Api, overrides: object = {}) =>
  (await api.call(createWebhookEndpoint, { body: anEndpoint(overrides) })).ok();

export const captured = async (api: Api, overrides: object = {}): Promise<Payment> =>
  (await api.call(createPayment, { body: aPayment(overrides) })).ok();

export const authorized = (api: Api, overrides: object = {}): Promise<Payment> =>
  captured(api, { capture_method: "manual", ...overrides });

/** A captured payment that a settlement batch has settled. */
export async function settled({ api, merchant, context }: Tenant, overrides: object = {}): Promise<Payment> {
  const { id } = await captured(api, overrides);
  await runSettlement(context().service, { environmentId: merchant.test.id });
  return (await api.call(getPayment, { id })).ok();
}

const TRIES = 20;

/**
 * A payment whose authorization was lost and is over a day old, so that it waits for staff. Retries with
 * another payment if the service checked the status first, which it does within a second.
 */
export async function waitingPayment({ api, merchant }: Tenant, sql: Sql, amount: number): Promise<Payment> {
  for (let tries = 0; tries < TRIES; tries++) {
    const body = aPayment({ amount, card: aCard(CARDS.lostAnswer) });
    const payment = (await api.call(createPayment, { body })).ok(202);
    const aged = await sql`
      update operations set created_at = created_at - interval '25 hours'
      where environment_id = ${merchant.test.id} and payment_id = ${decodeId("payment", payment.id)} and state = 'open'
        and lease_until <= now()
      returning 1`;
    if (aged.length === 1) return payment;
  }
  throw new Error("every outcome was known before it could be delayed");
}

export const newPlan = async (api: Api, overrides: object = {}) =>
  (await api.call(createPlan, { body: aPlan(overrides) })).ok();

export const newSession = async (api: Api, overrides: object = {}) =>
  (await api.call(createClientSession, { body: aSession(overrides) })).ok();

export const chargeOf = (payment: Payment): Transaction => {
  const [charge] = payment.transactions;
  if (!charge) throw new Error(`${payment.id} has no charge`);
  return charge;
};

/** The same three operations by payment and by charge. */
export const DOORS = [
  {
    name: "payment",
    get: getPayment,
    capture: capturePayment,
    void: voidPayment,
    refund: refundPayment,
    idOf: (payment: Payment) => payment.id,
  },
  {
    name: "transaction",
    get: getTransaction,
    capture: captureTransaction,
    void: voidTransaction,
    refund: refundTransaction,
    idOf: (payment: Payment) => chargeOf(payment).id,
  },
] as const;
