import type { ApiKey } from "./api-keys/api-keys";
import type { ApprovalRequestObject } from "./approvals/approvals";
import type { ClientSession } from "./checkout/client-session";
import type { Customer } from "./customers/customer";
import { encodeId } from "./ids";
import type { PaymentMethod } from "./payment-methods/payment-method";
import type { Payment } from "./payments/payment";
import type { Report } from "./reports/report";
import type { Payout } from "./settlement/payout";
import type { SettlementBatch } from "./settlement/settlement-batch";
import type { Transaction } from "./transactions/transaction";
import type { WebhookAttempt, WebhookDelivery } from "./webhooks/webhook-delivery";
import type { WebhookEndpoint } from "./webhooks/webhook-endpoint";

/** All examples share one scenario: a shop charges an order, captures it and refunds a part. */
export const PAYMENT_ID = encodeId("payment", "019aa0c4-5a10-7c3e-9d21-6f0b8e4a7c15");
export const CHARGE_ID = encodeId("transaction", "019aa0c4-5a11-7b42-8f3a-2c9d5e7f1a60");
const REFUND_ID = encodeId("transaction", "019aa153-b7c8-7a94-b1e6-4d8f0a2c6e33");
export const SESSION_ID = encodeId("clientSession", "019aa0b8-90d2-7e61-bc4f-7a1e3d5b9c82");
export const REQUEST_ID = encodeId("request", "019aa0c4-5a0f-7f18-a2d4-5b6c7e8f9a01");

const CREATED_AT = "2026-11-20T09:30:00.016Z";
const CAPTURED_AT = "2026-11-20T11:02:41.310Z";
const REFUNDED_AT = "2026-11-20T12:06:17.544Z";

const billingAddress = {
  line1: "1 Market Street",
  line2: null,
  city: "San Francisco",
  state: "CA",
  postal_code: "94105",
  country: "US",
};

export const charge: Transaction = {
  id: CHARGE_ID,
  object: "transaction",
  payment_id: PAYMENT_ID,
  type: "CHARGE",
  status: "CAPTURED",
  amount: 4999,
  currency: "USD",
  amount_captured: 4999,
  amount_refunded: 0,
  amount_refundable: 4999,
  available_actions: ["refund"],
  customer_id: "cus_1042",
  customer_email: "ada@example.com",
  customer_name: "Ada Park",
  billing_address: billingAddress,
  card_brand: "visa",
  card_last4: "4242",
  card_exp_month: 12,
  card_exp_year: 2030,
  card_bin: "424242",
  avs_result: "Y",
  cvv_result: "M",
  fraud_score: 0,
  decline_code: null,
  subscription_id: null,
  plan_id: null,
  client_session_id: null,
  refund_of: null,
  refund_reason: null,
  void_reason: null,
  settlement_batch_id: null,
  description: "Order 1001",
  metadata: { order_id: "1001" },
  environment: "sandbox",
  capture_before: null,
  dispute: null,
  capture_reversed_at: null,
  authorized_at: CREATED_AT,
  captured_at: CREATED_AT,
  settled_at: null,
  voided_at: null,
  refunded_at: null,
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
};

/** The refund of a part of {@link charge}. */
export const refund: Transaction = {
  ...charge,
  id: REFUND_ID,
  type: "REFUND",
  amount: 1500,
  amount_captured: 0,
  amount_refundable: 0,
  available_actions: [],
  avs_result: null,
  cvv_result: null,
  fraud_score: null,
  refund_of: CHARGE_ID,
  refund_reason: "CUSTOMER_REQUEST",
  authorized_at: null,
  captured_at: REFUNDED_AT,
  refunded_at: REFUNDED_AT,
  created_at: REFUNDED_AT,
  updated_at: REFUNDED_AT,
};
export const pendingRefund: Transaction = { ...refund, status: "PENDING", captured_at: null, refunded_at: null };

/** The charge in its other states. */
export const pendingCharge: Transaction = {
  ...charge,
  status: "PENDING",
  amount_captured: 0,
  amount_refundable: 0,
  available_actions: [],
  avs_result: null,
  cvv_result: null,
  fraud_score: null,
  authorized_at: null,
  captured_at: null,
};
export const authorizedCharge: Transaction = {
  ...charge,
  status: "AUTHORIZED",
  amount_captured: 0,
  amount_refundable: 0,
  available_actions: ["capture", "void"],
  captured_at: null,
  capture_before: "2026-11-27T09:30:00.016Z",
};
export const capturedCharge: Transaction = {
  ...charge,
  captured_at: CAPTURED_AT,
  updated_at: CAPTURED_AT,
};
export const voidedCharge: Transaction = {
  ...authorizedCharge,
  status: "VOIDED",
  available_actions: [],
  capture_before: null,
  void_reason: "Out of stock",
  voided_at: CAPTURED_AT,
  updated_at: CAPTURED_AT,
};
export const refundedCharge: Transaction = {
  ...charge,
  status: "PARTIALLY_REFUNDED",
  amount_refunded: 1500,
  amount_refundable: 3499,
  refunded_at: REFUNDED_AT,
  updated_at: REFUNDED_AT,
};
/** While one of its operations has an unknown outcome, a charge accepts no other. */
export const heldCharge: Transaction = { ...authorizedCharge, available_actions: [] };
export const refundingCharge: Transaction = { ...charge, amount_refundable: 3499 };

/** A payment as the API shows it around its charge. */
export function paymentOf(
  of: Transaction,
  refunds: Transaction[] = [],
  capture: Payment["capture_method"] = "automatic",
): Payment {
  return {
    id: PAYMENT_ID,
    object: "payment",
    status: of.status,
    amount: of.amount,
    currency: of.currency,
    capture_method: capture,
    amount_captured: of.amount_captured,
    amount_capturable: of.status === "AUTHORIZED" ? of.amount : 0,
    amount_refunded: of.amount_refunded,
    amount_refundable: of.amount_refundable,
    available_actions: of.available_actions,
    customer_id: of.customer_id,
    customer_email: of.customer_email,
    customer_name: of.customer_name,
    billing_address: billingAddress,
    card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2030, bin: "424242" },
    payment_method_id: null,
    initiator: null,
    plan_id: null,
    subscription_id: null,
    invoice_id: null,
    client_session_id: null,
    description: of.description,
    metadata: of.metadata,
    next_action: null,
    transactions: [of, ...refunds],
    dispute: of.dispute,
    amount_disputed: 0,
    capture_reversed_at: of.capture_reversed_at,
    transactions_has_more: false,
    environment: "sandbox",
    created_at: of.created_at,
    updated_at: of.updated_at,
  };
}

export const CUSTOMER_ID = encodeId("customer", "5f2c1d9a-7b3e-8c41-9e60-2d8f7a1b4c53");

export const customer: Customer = {
  id: CUSTOMER_ID,
  object: "customer",
  customer_id: "cus_1042",
  email: "ada@example.com",
  name: "Ada Park",
  first_payment_at: "2026-08-02T09:12:44.107Z",
  last_payment_at: "2026-11-19T12:31:54.880Z",
  payments: 7,
  declined: 1,
  currencies: [{ currency: "USD", captured: 28450, refunded: 1500, net: 26950, disputed: 0 }],
  cards: [{ brand: "visa", last4: "4242", exp_month: 12, exp_year: 2030, last_used_at: "2026-11-19T12:31:54.880Z" }],
};

export const PAYMENT_METHOD_ID = encodeId("paymentMethod", "019aa0b9-3c18-7a56-9d0e-4b7f2e6a8c31");

export const paymentMethod: PaymentMethod = {
  id: PAYMENT_METHOD_ID,
  object: "payment_method",
  customer_id: "cus_1042",
  card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2030, bin: "424242" },
  status: "ACTIVE",
  consent: { at: "2026-11-20T09:18:01.000Z", ip: "203.0.113.7", text: "Keep this card for later orders." },
  metadata: {},
  environment: "sandbox",
  created_at: "2026-11-20T09:18:02.456Z",
  updated_at: "2026-11-20T09:18:02.456Z",
};
export const removedPaymentMethod: PaymentMethod = {
  ...paymentMethod,
  status: "REMOVED",
  updated_at: "2026-11-21T16:40:37.912Z",
};

export const session: ClientSession = {
  id: SESSION_ID,
  object: "client_session",
  client_session_token: null,
  status: "OPEN",
  mode: "payment",
  amount: 4999,
  currency: "USD",
  plan_id: null,
  payment_id: null,
  payment_method_id: null,
  subscription_id: null,
  capture_method: "automatic",
  customer_id: "cus_1042",
  customer_email: "ada@example.com",
  customer_name: null,
  billing_address: null,
  allowed_origins: ["https://shop.example"],
  return_url: "https://shop.example/thanks",
  appearance: { theme: "system", accent_color: "#0f6b82" },
  metadata: { order_id: "1001" },
  attempts_left: 5,
  iframe_url: null,
  environment: "sandbox",
  expires_at: "2026-11-21T09:17:08.242Z",
  created_at: "2026-11-20T09:17:08.242Z",
  updated_at: "2026-11-20T09:17:08.242Z",
};

export const webhookEndpoint: WebhookEndpoint = {
  id: encodeId("webhookEndpoint", "019aa0e2-7a10-7c55-8f3b-2d6e90b1c4a7"),
  object: "webhook_endpoint",
  url: "https://shop.example/webhooks",
  description: "Orders",
  event_types: ["payment.captured", "refund.failed"],
  payload: "full",
  signature: "v1",
  status: "ENABLED",
  disabled_reason: null,
  secret: null,
  public_key: null,
  environment: "sandbox",
  created_at: "2026-11-20T09:02:31.440Z",
  updated_at: "2026-11-20T09:02:31.440Z",
};

export const webhookDelivery: WebhookDelivery = {
  id: encodeId("webhookDelivery", "019aa0fb-9f3c-7d21-9b64-5e1c7a3f8d02"),
  object: "webhook_delivery",
  webhook_endpoint_id: webhookEndpoint.id,
  event_id: encodeId("event", "019aa0fb-9f3c-7a4e-b1d7-03c86e5f2a91"),
  event_type: "payment.captured",
  status: "PENDING",
  attempt_count: 1,
  next_attempt_at: "2026-11-20T09:30:06.102Z",
  delivered_at: null,
  environment: "sandbox",
  created_at: "2026-11-20T09:30:00.316Z",
  updated_at: "2026-11-20T09:30:01.024Z",
};

export const webhookAttempt: WebhookAttempt = {
  created_at: "2026-11-20T09:30:00.871Z",
  duration_ms: 152,
  request: {
    url: webhookEndpoint.url,
    headers: {
      "content-type": "application/json",
      "user-agent": "Cardlane-Webhooks/1",
      "webhook-id": webhookDelivery.event_id,
      "webhook-timestamp": "1795167000",
      "webhook-signature": "v1,Yr5jTn0kRZpXc3wq1bQv8sLh6uGd2mEa9oFi4yBtCzM=",
    },
    payload: "full",
  },
  response: { status: 503, body: "Service Unavailable" },
  error: "It answered 503.",
};

const PAYOUT_ID = encodeId("payout", "019aa39a-0d41-7b36-8c95-e17f40a2d6b8");

export const settlementBatch: SettlementBatch = {
  id: encodeId("settlementBatch", "019aa399-1c58-7e0d-b3c4-58a1f6d2e907"),
  object: "settlement_batch",
  currency: "USD",
  charge_count: 1,
  charge_amount: 4999,
  refund_count: 0,
  refund_amount: 0,
  reversal_count: 0,
  reversal_amount: 0,
  fee_amount: 145,
  net_amount: 4854,
  transaction_count: 1,
  payout_id: PAYOUT_ID,
  environment: "sandbox",
  created_at: "2026-11-21T01:00:04.120Z",
};

export const payout: Payout = {
  id: PAYOUT_ID,
  object: "payout",
  status: "IN_TRANSIT",
  amount: 4854,
  currency: "USD",
  arrival_date: "2026-11-23",
  settlement_batch_ids: [settlementBatch.id],
  dispute_amount: 0,
  failure_reason: null,
  bank_account: { bank_name: "Sandbox Bank", country: "US", last4: "6789" },
  environment: "sandbox",
  created_at: "2026-11-21T01:01:05.793Z",
  updated_at: "2026-11-21T01:02:06.011Z",
};

export const refusedPayout = {
  ...payout,
  status: "FAILED" as const,
  failure_reason: "The bank has no account with this number.",
  bank_account: { ...payout.bank_account, last4: "0000" },
};

export const report: Report = {
  id: encodeId("report", "019aa6f0-3d20-7b18-9c64-1f7e5a2d8b04"),
  object: "report",
  type: "activity",
  status: "READY",
  from: "2026-11-01",
  to: "2026-11-30",
  time_zone: "America/Los_Angeles",
  currency: null,
  format: "csv",
  locale: "en-US",
  rows: 21,
  totals: [
    {
      currency: "USD",
      rows: 21,
      amounts: { captures: 318, gross: 1284500, refund_count: 4, refunds: 12600, fees: 37251, net: 1234649 },
    },
  ],
  failure_reason: null,
  file_url:
    "https://cardlane.example/report-file/env_01h455vb4pex5vsknk084sn02q.rep_01h455vb4pex5vsknk084sn02q.1796115600.5c0a7f1eQx0cV3m9k2Yb7nTzLr4H1w",
  environment: "sandbox",
  created_at: "2026-12-01T09:30:00.000Z",
  updated_at: "2026-12-01T09:30:01.000Z",
};
export const pendingReport: Report = {
  ...report,
  status: "PENDING",
  rows: null,
  totals: null,
  file_url: null,
  updated_at: report.created_at,
};

export const ROTATED_KEY_ID = encodeId("apiKey", "019aa1b1-9c30-7d42-8e75-3b6a0f9d2c81");
export const apiKey: ApiKey = {
  id: encodeId("apiKey", "019a9b30-1c20-7a63-9f41-5e8d2b7c0a94"),
  object: "api_key",
  name: "Server",
  prefix: "sk_test_",
  last4: "x9Qd",
  permissions: ["payment.create", "payment.read", "transaction.refund"],
  status: "ACTIVE",
  ip_allow_list: ["203.0.113.0/24"],
  limits: { refund_max: 10_000, refunds_per_day: 20, refund_amount_per_day: 50_000, currency: "USD" },
  expires_at: null,
  last_used_at: null,
  last_used_ip: null,
  rotated_from: null,
  replaced_by: null,
  available_actions: ["edit", "rotate", "disable", "revoke"],
  created_at: "2026-11-19T08:15:02.464Z",
  updated_at: "2026-11-19T08:15:02.464Z",
};

export const APPROVER_ID = encodeId("user", "019aa0a2-6e40-7c91-b3d8-5a2f7e9c1b64");
/** A colleague has to approve the refund of the example. */
export const approvalRequest: ApprovalRequestObject = {
  id: encodeId("approval", "019aa1c6-2d80-7b35-9e4a-8c1f6d3b7a20"),
  object: "approval_request",
  action: "REFUND",
  subject: PAYMENT_ID,
  parameters: {
    amount: refund.amount,
    currency: refund.currency,
    reason: "CUSTOMER_REQUEST",
    comment: null,
    acknowledge_dispute: false,
  },
  reason: "The parcel is lost.",
  status: "PENDING",
  requested_by: { id: encodeId("user", "019aa0a1-3c20-7d84-8f5b-4e9a2c7d6b13") },
  decided_by: null,
  decided_at: null,
  comment: null,
  result: null,
  environment: "sandbox",
  expires_at: "2026-11-27T15:31:04.902Z",
  created_at: "2026-11-20T15:31:04.902Z",
};

/** Fields common to all lists in examples. */
export const page = { object: "list", limit: 20, offset: 0, has_more: false, total_capped: false } as const;
