import type { ExamplesOf } from "@/lib/contract/endpoint";
import { PAYMENT_METHOD_ID, page } from "@/lib/contract/example-objects";
import {
  activeSubscription,
  INVOICE_ID,
  invoice,
  openInvoice,
  PLAN_ID,
  plan,
  SUBSCRIPTION_ID,
  subscription,
} from "./example-objects";

type Endpoints = typeof import("@/lib/contract/plans/endpoints") &
  typeof import("@/lib/contract/subscriptions/endpoints") &
  typeof import("@/lib/contract/invoices/endpoints") &
  typeof import("@/lib/contract/portal/endpoints");

const activePlan = { ...plan, status: "ACTIVE", updated_at: "2026-11-19T12:31:54.880Z" } as const;
const ending = { cancel_at_period_end: true, next_invoice_at: null, next_invoice_amount: null } as const;
const ENDED_AT = "2026-12-10T08:00:00.000Z";
const cancelled = {
  ...activeSubscription,
  status: "CANCELLED" as const,
  cancelled_at: ENDED_AT,
  ended_at: ENDED_AT,
  cancel_reason: "Moved away" as const,
  next_invoice_at: null,
  next_invoice_amount: null,
  updated_at: ENDED_AT,
} as const;
const voidedInvoice = {
  ...openInvoice,
  status: "VOID" as const,
  voided_at: ENDED_AT,
  next_attempt_at: null,
  updated_at: ENDED_AT,
} as const;
const preview = {
  ...openInvoice,
  number: null,
  kind: "CHANGE" as const,
  status: "DRAFT" as const,
  total: 999,
  tax: null,
  amount_due: 999,
  next_attempt_at: null,
  hosted_url: null,
  lines: openInvoice.lines.flatMap((line) => [
    { ...line, type: "PRORATION" as const, description: "Pro monthly, unused part of the period", amount: -999 },
    { ...line, type: "PRORATION" as const, description: "Pro monthly, rest of the period", quantity: 2, amount: 1998 },
  ]),
};

/** Examples of subscriptions, with their plans, invoices and customer portal. */
export const SUBSCRIPTION_EXAMPLES: ExamplesOf<Endpoints> = {
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
  createSubscription: {
    body: {
      plan_id: PLAN_ID,
      customer_id: "cus_1042",
      customer_email: "ada@example.com",
      payment_method_id: PAYMENT_METHOD_ID,
      time_zone: "America/Los_Angeles",
    },
    responses: { "In its trial": subscription },
    pending: { ...activeSubscription, status: "INCOMPLETE" },
  },
  listSubscriptions: {
    query: { status: "ACTIVE" },
    responses: { "One page": { ...page, data: [activeSubscription], total: 1 } },
  },
  getSubscription: { id: SUBSCRIPTION_ID, responses: { Active: activeSubscription } },
  updateSubscription: {
    id: SUBSCRIPTION_ID,
    body: { cancel_at_period_end: true },
    responses: { "Ends with its period": { ...activeSubscription, ...ending } },
  },
  cancelSubscription: {
    id: SUBSCRIPTION_ID,
    body: { reason: "Moved away", refund: "prorated" },
    responses: { Cancelled: cancelled },
    pending: cancelled,
  },
  pauseSubscription: {
    id: SUBSCRIPTION_ID,
    body: {},
    responses: {
      Paused: {
        ...activeSubscription,
        status: "PAUSED",
        paused_at: "2026-12-10T08:00:00.000Z",
        next_invoice_at: null,
        next_invoice_amount: null,
      },
    },
  },
  resumeSubscription: {
    id: SUBSCRIPTION_ID,
    body: {},
    responses: { Active: activeSubscription },
    pending: activeSubscription,
  },
  changeSubscriptionPlan: {
    id: SUBSCRIPTION_ID,
    body: { plan_id: PLAN_ID, quantity: 2, when: "now" },
    responses: { Changed: { ...activeSubscription, quantity: 2, next_invoice_amount: 3998 } },
    pending: activeSubscription,
  },
  previewSubscriptionChange: {
    id: SUBSCRIPTION_ID,
    body: { plan_id: PLAN_ID, quantity: 2, when: "now" },
    responses: { "The invoice": preview },
  },
  retrySubscription: {
    id: SUBSCRIPTION_ID,
    body: {},
    responses: { Paid: activeSubscription },
    pending: activeSubscription,
  },
  listInvoices: {
    query: { subscription_id: SUBSCRIPTION_ID },
    responses: { "One page": { ...page, data: [invoice], total: 1 } },
  },
  getInvoice: { id: INVOICE_ID, responses: { Paid: invoice } },
  payInvoice: {
    id: INVOICE_ID,
    body: {},
    responses: { Paid: invoice },
    pending: openInvoice,
  },
  voidInvoice: { id: INVOICE_ID, body: {}, responses: { Void: voidedInvoice } },
  markInvoiceUncollectible: {
    id: INVOICE_ID,
    body: {},
    responses: { Uncollectible: { ...openInvoice, status: "UNCOLLECTIBLE", next_attempt_at: null } },
  },
  createPortalSession: {
    body: { customer_id: "cus_1042", return_url: "https://shop.example/account" },
    responses: {
      "Open for an hour": {
        object: "portal_session",
        url: "https://sandbox.cardlane.example/portal/prt_8LmQ2vXtR5nKc7JyHw4BzGd9FsAe3PuT6oYi1NrVk0E",
        expires_at: "2026-12-03T13:34:20.410Z",
      },
    },
  },
};
