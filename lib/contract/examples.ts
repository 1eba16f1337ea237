import * as disputes from "./disputes/example-objects";
import type { EndpointNameIn, ExamplesOf } from "./endpoint";
import { EVENTS } from "./events/event";
import * as objects from "./example-objects";
import { encodeId } from "./ids";
import type { BalanceMovement } from "./settlement/balance";
import { SUBSCRIPTION_EXAMPLES } from "./subscriptions/examples";

type Endpoints = typeof import("./checkout/endpoints") &
  typeof import("./customers/endpoints") &
  typeof import("./disputes/endpoints") &
  typeof import("./events/endpoints") &
  typeof import("./payment-methods/endpoints") &
  typeof import("./payments/endpoints") &
  typeof import("./plans/endpoints") &
  typeof import("./subscriptions/endpoints") &
  typeof import("./invoices/endpoints") &
  typeof import("./portal/endpoints") &
  typeof import("./endpoints") &
  typeof import("./transactions/endpoints") &
  typeof import("./webhooks/endpoints") &
  typeof import("./settlement/endpoints") &
  typeof import("./reports/endpoints") &
  typeof import("./test-clock/endpoints");
export type EndpointName = EndpointNameIn<Endpoints>;

const {
  charge,
  paymentOf,
  page,
  session,
  webhookEndpoint,
  webhookDelivery,
  settlementBatch,
  payout,
  PAYMENT_ID,
  CHARGE_ID,
  SESSION_ID,
} = objects;

const captured = paymentOf(charge);
const partlyRefunded = paymentOf(objects.refundedCharge, [objects.refund]);
const refundBody = { amount: 1500, reason: "CUSTOMER_REQUEST", comment: "One of two arrived broken" } as const;
const testClock = {
  object: "test_clock",
  now: "2026-11-20T09:30:00.000Z",
  offset_seconds: 0,
  status: "ADVANCING",
  advancing_to: "2026-12-20T09:30:00.000Z",
  failure_reason: null,
} as const;
const refundEvent = {
  id: encodeId("event", "019aa153-bd42-7c0b-96a8-0f5e2d7c4b18"),
  object: "event",
  type: "refund.succeeded",
  api_version: "v1",
  environment: "sandbox",
  sequence: 1,
  created_at: objects.refund.updated_at,
  data: EVENTS["refund.succeeded"].example,
} as const;
const secret = "whsec_Q0w3bVh2c1RhZ2Y5R1lxZFNrS1pVb2pOcHhMYnJFMmM=";
const token = "cst_2rXn8QvLw5TzKb4HyJm7PdGc9FsAe3Ru";

/** The movements of one charge, from its capture to its settlement. */
function movementOf(type: "capture" | "fee" | "settlement"): BalanceMovement {
  const settles = type === "settlement";
  const { fee_amount, net_amount, id, created_at } = settlementBatch;
  const uuids = {
    capture: "019aa0c4-5a12-1f0e-8b67-1d3c5a7e9f24",
    fee: "019aa0c4-5a12-2f0e-8b67-1d3c5a7e9f24",
    settlement: "019aa399-1c58-4e0d-b3c4-58a1f6d2e907",
  };
  return {
    id: encodeId("balanceMovement", uuids[type]),
    object: "balance_movement",
    type,
    currency: "USD",
    amount: { capture: 4999, fee: -fee_amount, settlement: net_amount }[type],
    transaction_id: settles ? null : CHARGE_ID,
    settlement_batch_id: settles ? id : null,
    payout_id: null,
    dispute_id: null,
    created_at: settles ? created_at : charge.created_at,
  };
}

const respondedDispute = (status: "UNDER_REVIEW" | "ACCEPTED") => ({
  ...(status === "ACCEPTED" ? disputes.dispute : disputes.disputeWithEvidence),
  status,
  respond_by: null,
  available_actions: [],
  updated_at: "2026-11-25T10:03:51.904Z",
});

/** Example request and responses of every endpoint: the API reference shows them, and a test parses them. */
export const EXAMPLES: ExamplesOf<Endpoints> = {
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
      "Captured immediately": captured,
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
  listCustomers: {
    query: { limit: "20", q: "ada" },
    responses: { "One page": { ...page, data: [objects.customer], total: 1 } },
  },
  getCustomer: { id: objects.CUSTOMER_ID, responses: { "One customer": objects.customer } },
  createPaymentMethod: {
    body: {
      customer_id: "cus_1042",
      card: { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvv: "123" },
      consent: { text: "Keep this card for later orders.", ip: "203.0.113.7" },
    },
    responses: { Stored: objects.paymentMethod },
  },
  listPaymentMethods: {
    query: { customer_id: "cus_1042", status: "ACTIVE" },
    responses: { "One page": { ...page, data: [objects.paymentMethod], total: 1 } },
  },
  getPaymentMethod: { id: objects.PAYMENT_METHOD_ID, responses: { "An active card": objects.paymentMethod } },
  removePaymentMethod: { id: objects.PAYMENT_METHOD_ID, responses: { Removed: objects.removedPaymentMethod } },
  ...SUBSCRIPTION_EXAMPLES,
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
  listEvents: {
    query: { object_id: refundEvent.data.object.id },
    responses: { "One page": { ...page, data: [refundEvent], total: 1 } },
  },
  getEvent: { id: refundEvent.id, responses: { "A refund that succeeded": refundEvent } },
  streamEvents: { responses: { "One event": refundEvent } },
  createWebhookEndpoint: {
    body: {
      url: "https://shop.example/webhooks",
      description: "Orders",
      event_types: ["payment.captured", "refund.failed"],
    },
    responses: { "Enabled, with its secret": { ...webhookEndpoint, secret } },
  },
  listWebhookEndpoints: {
    query: { limit: "20" },
    responses: { "One page": { ...page, data: [webhookEndpoint], total: 1 } },
  },
  getWebhookEndpoint: { id: webhookEndpoint.id, responses: { Enabled: webhookEndpoint } },
  updateWebhookEndpoint: {
    id: webhookEndpoint.id,
    body: { status: "DISABLED" },
    responses: { Disabled: { ...webhookEndpoint, status: "DISABLED", disabled_reason: "manual" } },
  },
  deleteWebhookEndpoint: {
    id: webhookEndpoint.id,
    responses: { Deleted: { id: webhookEndpoint.id, object: "webhook_endpoint", deleted: true } },
  },
  rotateWebhookSecret: {
    id: webhookEndpoint.id,
    body: { overlap_hours: 24 },
    responses: { "With the new secret": { ...webhookEndpoint, secret } },
  },
  testWebhookEndpoint: {
    id: webhookEndpoint.id,
    body: {},
    responses: { "Soon to be sent": { ...webhookDelivery, event_type: "webhook_endpoint.test" } },
  },
  replayWebhookEndpoint: {
    id: webhookEndpoint.id,
    body: { since: "2026-11-19T00:00:00Z", types: ["payment.captured"] },
    responses: {
      "All in one call": {
        object: "webhook_replay",
        webhook_endpoint_id: webhookEndpoint.id,
        delivery_count: 212,
        next_since: null,
      },
      "Call again with next_since": {
        object: "webhook_replay",
        webhook_endpoint_id: webhookEndpoint.id,
        delivery_count: 0,
        next_since: "2026-11-19T14:21:08.417Z",
      },
    },
  },
  listWebhookDeliveries: {
    id: webhookEndpoint.id,
    query: { status: "PENDING" },
    responses: { "One page": { ...page, data: [webhookDelivery], total: 1 } },
  },
  getWebhookDelivery: {
    id: webhookDelivery.id,
    responses: { "Tried once": { ...webhookDelivery, attempts: [objects.webhookAttempt] } },
  },
  resendWebhookDelivery: { id: webhookDelivery.id, body: {}, responses: { "To be sent right away": webhookDelivery } },
  getBalance: {
    responses: {
      "In one currency": {
        object: "balance",
        environment: "sandbox",
        currencies: [{ currency: "USD", pending: 7319, available: 0, in_payout: 4854, in_dispute: 0 }],
      },
    },
  },
  listMovements: {
    query: { currency: "USD", limit: "3" },
    responses: {
      "One page": {
        ...page,
        limit: 3,
        data: [movementOf("settlement"), movementOf("fee"), movementOf("capture")],
        total: 3,
      },
    },
  },
  listDisputes: {
    query: { status: "NEEDS_RESPONSE" },
    responses: { "One page": { ...page, data: [disputes.dispute], total: 1 } },
  },
  getDispute: { id: disputes.dispute.id, responses: { Dispute: disputes.dispute } },
  updateDispute: {
    id: disputes.dispute.id,
    body: {
      evidence: {
        product_description: "Two prints, framed, order 1001.",
        shipping_carrier: "DHL",
        shipping_tracking: "00340434161094042557",
        shipped_at: "2026-11-14T08:00:00Z",
        files: [disputes.file.id],
      },
    },
    responses: { "Draft saved": disputes.disputeWithEvidence },
  },
  submitDispute: {
    id: disputes.dispute.id,
    body: {},
    responses: { Submitted: respondedDispute("UNDER_REVIEW") },
    pending: { ...disputes.disputeWithEvidence, available_actions: [], pending_action: "submit" },
  },
  acceptDispute: {
    id: disputes.dispute.id,
    body: {},
    responses: { Accepted: respondedDispute("ACCEPTED") },
    pending: { ...disputes.dispute, available_actions: [], pending_action: "accept" },
  },
  createFile: {
    body: {
      file: {
        name: disputes.file.name,
        size: disputes.file.size,
        sha256: "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
      },
    },
    responses: { File: disputes.file },
  },
  getFile: { id: disputes.file.id, responses: { File: disputes.file } },
  listPayouts: {
    query: { status: "IN_TRANSIT" },
    responses: { "One page": { ...page, data: [payout], total: 1 } },
  },
  getPayout: {
    id: payout.id,
    responses: {
      "On its way": payout,
      "Refused by the bank": objects.refusedPayout,
    },
  },
  listSettlementBatches: {
    query: { currency: "USD" },
    responses: { "One page": { ...page, data: [settlementBatch], total: 1 } },
  },
  getSettlementBatch: { id: settlementBatch.id, responses: { "Paid out": settlementBatch } },
  createReport: {
    body: { type: "activity", from: "2026-11-01", to: "2026-11-30" },
    responses: { "It is being added up": objects.pendingReport },
  },
  listReports: { query: { limit: "20" }, responses: { "One page": { ...page, data: [objects.report], total: 1 } } },
  getReport: {
    id: objects.report.id,
    responses: {
      Ready: objects.report,
      "Being added up": objects.pendingReport,
    },
  },
  getTestClock: {
    responses: {
      "It runs": {
        ...testClock,
        status: "READY",
        advancing_to: null,
        now: "2026-12-20T09:30:00.000Z",
        offset_seconds: 2_592_000,
      },
    },
  },
  advanceTestClock: { body: { to: "2026-12-20T09:30:00Z" }, responses: { "It is moving": testClock } },
  getOpenApi: { responses: { "The document": { openapi: "3.1.1", info: { title: "Cardlane API" }, paths: {} } } },
};
