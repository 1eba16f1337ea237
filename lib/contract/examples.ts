import type { z } from "zod";
import * as objects from "./example-objects";
import type { Operation, ResponseOf } from "./operation";

type Operations = typeof import("./checkout/operations") &
  typeof import("./payments/operations") &
  typeof import("./plans/operations") &
  typeof import("./operations") &
  typeof import("./transactions/operations");
export type OperationName = {
  [K in keyof Operations]: Operations[K] extends Operation ? K : never;
}[keyof Operations];

export type Example<O extends Operation = Operation> = {
  /** Path parameter. */
  id?: string;
  query?: Record<string, string>;
  body?: O["body"] extends z.ZodType ? z.input<O["body"]> : never;
  /** Successful answers, the usual one first, each with a short name in words. */
  responses: Record<string, ResponseOf<O>>;
  /** The 202 answer of a money operation whose outcome is not known yet. */
  pending?: ResponseOf<O>;
};

const { charge, paymentOf, plan, session, PAYMENT_ID, CHARGE_ID, PLAN_ID, SESSION_ID } = objects;

const captured = paymentOf(charge);
const partlyRefunded = paymentOf(objects.refundedCharge, [objects.refund]);
const refundBody = { amount: 1500, reason: "CUSTOMER_REQUEST", comment: "One of two arrived broken" } as const;
const page = { object: "list", limit: 20, offset: 0, has_more: false, total_capped: false } as const;
const activePlan = { ...plan, status: "ACTIVE", updated_at: "2026-11-19T12:31:54.880Z" } as const;
const token = "cst_2rXn8QvLw5TzKb4HyJm7PdGc9FsAe3Ru";

/** A request and its answers for every operation: the API reference shows them, and a test parses them. */
export const EXAMPLES: { readonly [K in OperationName]: Example<Operations[K]> } = {
  createPayment: {
    body: {
      amount: 4999,
      currency: "USD",
      card: { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvv: "123" },
      customer_id: "cus_1042",
      customer_email: "ada@example.com",
      customer_name: "Ada Park",
      billing_address: {
        line1: "1 Market Street",
        city: "San Francisco",
        state: "CA",
        postal_code: "94105",
        country: "US",
      },
      description: "Order 1001",
      metadata: { order_id: "1001" },
    },
    responses: {
      "Captured at once": captured,
      "Authorized, to be captured": paymentOf(objects.authorizedCharge, [], "manual"),
    },
    pending: paymentOf(objects.pendingCharge),
  },
  listPayments: {
    query: { limit: "20", status: "CAPTURED" },
    responses: { "One page": { ...page, data: [captured], total: 1 } },
  },
  getPayment: { id: PAYMENT_ID, responses: { "Partially refunded": partlyRefunded } },
  capturePayment: {
    id: PAYMENT_ID,
    body: { amount: 4999 },
    responses: { Captured: paymentOf(objects.capturedCharge, [], "manual") },
    pending: paymentOf(objects.heldCharge, [], "manual"),
  },
  voidPayment: {
    id: PAYMENT_ID,
    body: { reason: "Out of stock" },
    responses: { Voided: paymentOf(objects.voidedCharge, [], "manual") },
    pending: paymentOf(objects.heldCharge, [], "manual"),
  },
  refundPayment: {
    id: PAYMENT_ID,
    body: refundBody,
    responses: { "Partially refunded": partlyRefunded },
    pending: paymentOf(objects.refundingCharge, [objects.pendingRefund]),
  },
  listTransactions: {
    query: { limit: "20", card_brand: "visa", min_amount: "1000", created_after: "2026-11-01T00:00:00Z" },
    responses: { "One page": { ...page, data: [objects.refund, objects.refundedCharge], total: 2 } },
  },
  searchTransactions: {
    body: {
      filters: {
        status: ["CAPTURED", "SETTLED"],
        card_brand: ["visa", "mastercard"],
        amount: { gte: 1000, lte: 10000 },
        created_at: { gte: "2026-11-01", lte: "2026-11-30" },
      },
      sort: { field: "amount", order: "desc" },
      limit: 20,
    },
    responses: { "One page": { ...page, data: [charge], total: 1 } },
  },
  getTransaction: { id: CHARGE_ID, responses: { "A charge": charge, "A refund": objects.refund } },
  captureTransaction: {
    id: CHARGE_ID,
    body: { amount: 4999 },
    responses: { Captured: objects.capturedCharge },
    pending: objects.heldCharge,
  },
  voidTransaction: {
    id: CHARGE_ID,
    body: { reason: "Out of stock" },
    responses: { Voided: objects.voidedCharge },
    pending: objects.heldCharge,
  },
  refundTransaction: {
    id: CHARGE_ID,
    body: refundBody,
    responses: { "The refund": objects.refund },
    pending: objects.pendingRefund,
  },
  createPlan: {
    body: {
      type: "SUBSCRIPTION_FREE_TRIAL",
      name: "Pro monthly",
      currency: "USD",
      full_price_amount: 19.99,
      description: "Everything, billed monthly",
      billing_frequency_value: 1,
      billing_frequency_unit: "MONTHS",
      trial_period_value: 14,
      trial_period_unit: "DAYS",
    },
    responses: { "A draft": plan },
  },
  listPlans: { query: { status: "ACTIVE" }, responses: { "One page": { ...page, data: [activePlan], total: 1 } } },
  getPlan: { id: PLAN_ID, responses: { "An active plan": activePlan } },
  updatePlan: {
    id: PLAN_ID,
    body: { name: "Pro, monthly" },
    responses: { Renamed: { ...plan, name: "Pro, monthly", updated_at: "2026-11-19T12:25:40.112Z" } },
  },
  activatePlan: { id: PLAN_ID, body: {}, responses: { Active: activePlan } },
  deactivatePlan: { id: PLAN_ID, body: {}, responses: { Inactive: { ...activePlan, status: "INACTIVE" } } },
  createClientSession: {
    body: {
      amount: 4999,
      currency: "USD",
      customer_id: "cus_1042",
      customer_email: "ada@example.com",
      allowed_origins: ["https://shop.example"],
      return_url: "https://shop.example/thanks",
      appearance: { theme: "system", accent_color: "#0f6b82" },
      metadata: { order_id: "1001" },
    },
    responses: {
      "Open, with its token": {
        ...session,
        client_session_token: token,
        iframe_url: `https://sandbox.cardlane.example/pay/${token}`,
      },
    },
  },
  getClientSession: {
    id: SESSION_ID,
    responses: { Completed: { ...session, status: "COMPLETED", payment_id: PAYMENT_ID, attempts_left: 4 } },
  },
  cancelClientSession: { id: SESSION_ID, body: {}, responses: { Cancelled: { ...session, status: "CANCELLED" } } },
  getOpenApi: { responses: { "The document": { openapi: "3.1.1", info: { title: "Cardlane API" }, paths: {} } } },
};
