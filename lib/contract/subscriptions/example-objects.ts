import { PAYMENT_METHOD_ID } from "@/lib/contract/example-objects";
import { encodeId } from "@/lib/contract/ids";
import type { Invoice } from "@/lib/contract/invoices/invoice";
import type { Plan } from "@/lib/contract/plans/plan";
import type { Subscription } from "./subscription";

export const PLAN_ID = encodeId("plan", "019a9c1e-2f40-7d15-a8b7-93e5c1d7f204");

export const plan: Plan = {
  id: PLAN_ID,
  object: "subscription_plan",
  type: "SUBSCRIPTION_FREE_TRIAL",
  name: "Pro monthly",
  currency: "USD",
  full_price_amount: 19.99,
  status: "DRAFT",
  description: "Everything, billed monthly",
  billing_frequency_value: 1,
  billing_frequency_unit: "MONTHS",
  trial_period_value: 14,
  trial_period_unit: "DAYS",
  trial_price_amount: null,
  environment: "sandbox",
  created_at: "2026-11-19T12:20:10.304Z",
  updated_at: "2026-11-19T12:20:10.304Z",
};

export const SUBSCRIPTION_ID = encodeId("subscription", "019a9c2b-71d0-7a28-b6e4-0c5f9d3e8a17");
export const INVOICE_ID = encodeId("invoice", "019ae445-90c0-7b13-8d5f-4a7e2c6f1b90");
const TRIAL_END_AT = "2026-12-03T12:34:20.112Z";
const FIRST_PERIOD = { number: 1, start_at: TRIAL_END_AT, end_at: "2027-01-03T12:34:20.112Z" };

/** A two-week trial, then monthly periods. */
export const subscription: Subscription = {
  id: SUBSCRIPTION_ID,
  object: "subscription",
  status: "TRIALING",
  plan_id: PLAN_ID,
  plan: {
    type: "SUBSCRIPTION_FREE_TRIAL",
    name: "Pro monthly",
    currency: "USD",
    amount: 1999,
    trial_amount: null,
    interval: { value: 1, unit: "MONTHS" },
    trial: { value: 14, unit: "DAYS" },
  },
  customer_id: "cus_1042",
  customer_email: "ada@example.com",
  payment_method_id: PAYMENT_METHOD_ID,
  quantity: 1,
  currency: "USD",
  time_zone: "America/Los_Angeles",
  anchor_at: TRIAL_END_AT,
  period: { number: 0, start_at: "2026-11-19T12:34:20.112Z", end_at: TRIAL_END_AT },
  trial_end_at: TRIAL_END_AT,
  trial_refused: false,
  cancel_at_period_end: false,
  cancelled_at: null,
  ended_at: null,
  cancel_reason: null,
  paused_at: null,
  pending_change: null,
  credit: 0,
  latest_invoice_id: null,
  next_invoice_at: TRIAL_END_AT,
  next_invoice_amount: 1999,
  next_action: null,
  metadata: {},
  environment: "sandbox",
  created_at: "2026-11-19T12:34:20.112Z",
  updated_at: "2026-11-19T12:34:20.112Z",
};
export const activeSubscription: Subscription = {
  ...subscription,
  status: "ACTIVE",
  period: FIRST_PERIOD,
  latest_invoice_id: INVOICE_ID,
  next_invoice_at: FIRST_PERIOD.end_at,
  updated_at: "2026-12-03T12:34:21.530Z",
};

/** The invoice of the first period. */
export const openInvoice: Invoice = {
  id: INVOICE_ID,
  object: "invoice",
  number: "INV-000001",
  kind: "PERIOD",
  subscription_id: SUBSCRIPTION_ID,
  customer_id: "cus_1042",
  status: "OPEN",
  period: FIRST_PERIOD,
  lines: [
    {
      type: "PLAN",
      description: "Pro monthly",
      quantity: 1,
      unit_amount: 1999,
      amount: 1999,
      start_at: FIRST_PERIOD.start_at,
      end_at: FIRST_PERIOD.end_at,
    },
  ],
  total: 1999,
  tax: { name: "VAT", percentage: 20, net: 1666, amount: 333 },
  credit_used: 0,
  amount_due: 1999,
  amount_paid: 0,
  currency: "USD",
  attempts: 0,
  next_attempt_at: "2026-12-03T12:34:20.410Z",
  payment_ids: [],
  hosted_url: `https://sandbox.cardlane.example/invoice/${encodeId("environment", "019a9c2a-10b0-7a11-9c5e-2f4d6b8a1c33")}.${INVOICE_ID}.5f0c3b9aQk7xWn2LrVtYp8ZsEu1H3c`,
  paid_at: null,
  voided_at: null,
  metadata: {},
  environment: "sandbox",
  created_at: "2026-12-03T12:34:20.410Z",
  updated_at: "2026-12-03T12:34:20.410Z",
};
export const invoice: Invoice = {
  ...openInvoice,
  status: "PAID",
  amount_paid: 1999,
  attempts: 1,
  next_attempt_at: null,
  payment_ids: [encodeId("payment", "019ae445-9510-7c84-a1f7-6b3d8e0c2f45")],
  paid_at: "2026-12-03T12:34:21.530Z",
  updated_at: "2026-12-03T12:34:21.530Z",
};
