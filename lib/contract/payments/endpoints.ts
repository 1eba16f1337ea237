import { z } from "zod";
import { dashboardEndpoint, endpoint, MONEY_ERRORS, QUERY_ERRORS } from "@/lib/contract/endpoint";
import {
  captureBody,
  createPaymentBody,
  listPaymentsQuery,
  MAX_REFUNDS,
  payment,
  paymentList,
  refundBody,
  voidBody,
} from "./payment";
import type { PaymentDetail } from "./payment-detail";

export const createPayment = endpoint({
  name: "createPayment",
  method: "POST",
  path: "/v1/payments",
  tag: "Payments",
  summary: "Create a payment",
  description:
    "Authorizes a card and, unless `capture_method` is `manual`, captures the amount. Returns 201 when the card is approved or needs 3-D Secure (`REQUIRES_ACTION`), 402 when it is declined, and 202 with status `PENDING` while the outcome is unknown: send the same request with the same key until you know. `payment_method_id` charges a stored card; a removed one is refused with `invalid_state`.",
  permissions: ["payment.create"],
  idempotency: "required",
  movesMoney: true,
  body: createPaymentBody,
  status: 201,
  response: payment,
  errors: [
    ...MONEY_ERRORS,
    "card_declined",
    "payment_failed",
    "processor_refused",
    "resource_not_found",
    "invalid_state",
    "currency_not_supported",
    "plan_not_active",
    "processor_not_configured",
    "outcome_pending",
  ],
});

export const listPayments = endpoint({
  name: "listPayments",
  list: true,
  method: "GET",
  path: "/v1/payments",
  tag: "Payments",
  summary: "List payments",
  description: "Newest first. `starting_after` pages through long lists at a constant cost.",
  permissions: ["payment.read", "transaction.read"],
  idempotency: "none",
  query: listPaymentsQuery,
  status: 200,
  response: paymentList,
  errors: QUERY_ERRORS,
});

export const getPayment = endpoint({
  name: "getPayment",
  long: true,
  method: "GET",
  path: "/v1/payments/{id}",
  tag: "Payments",
  summary: "Get a payment",
  description: "The payment with its charge and latest refunds.",
  permissions: ["payment.read", "transaction.read"],
  idempotency: "none",
  status: 200,
  response: payment,
  errors: ["resource_not_found"],
});

export const capturePayment = endpoint({
  name: "capturePayment",
  method: "POST",
  path: "/v1/payments/{id}/capture",
  tag: "Payments",
  summary: "Capture a payment",
  description:
    "Captures all or part of an authorized payment and releases the rest of the hold. A payment can be captured once.",
  permissions: ["transaction.capture"],
  idempotency: "required",
  movesMoney: true,
  body: captureBody,
  bodyOptional: true,
  status: 200,
  response: payment,
  errors: [
    ...MONEY_ERRORS,
    "resource_not_found",
    "invalid_state",
    "outcome_pending",
    "amount_exceeds_capturable",
    "payment_failed",
    "processor_refused",
  ],
});

export const voidPayment = endpoint({
  name: "voidPayment",
  method: "POST",
  path: "/v1/payments/{id}/void",
  tag: "Payments",
  summary: "Void a payment",
  description: "Releases the hold of an authorized payment that has not been captured.",
  permissions: ["transaction.void"],
  idempotency: "required",
  movesMoney: true,
  body: voidBody,
  bodyOptional: true,
  status: 200,
  response: payment,
  errors: [
    ...MONEY_ERRORS,
    "resource_not_found",
    "invalid_state",
    "outcome_pending",
    "payment_failed",
    "processor_refused",
  ],
});

export const refundPayment = endpoint({
  name: "refundPayment",
  method: "POST",
  path: "/v1/payments/{id}/refund",
  tag: "Payments",
  summary: "Refund a payment",
  description: `Returns captured money to the card: the given amount, or all that remains. A payment can have at most ${MAX_REFUNDS} refunds.`,
  permissions: ["transaction.refund"],
  idempotency: "required",
  movesMoney: true,
  body: refundBody,
  bodyOptional: true,
  status: 201,
  response: payment,
  errors: [
    ...MONEY_ERRORS,
    "resource_not_found",
    "invalid_state",
    "limit_exceeded",
    "payment_disputed",
    "amount_exceeds_refundable",
    "payment_failed",
    "processor_refused",
  ],
});

/** A payment with all related data, for its page and the side panel. */
export const getPaymentDetail = dashboardEndpoint({
  name: "getPaymentDetail",
  method: "GET",
  path: "/api/dashboard/{mode}/payments/{id}",
  permission: "payment.read",
  status: 200,
  response: z.custom<PaymentDetail>(),
});
