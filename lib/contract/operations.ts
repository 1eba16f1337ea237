import { z } from "zod";
import { clientSession, createClientSessionBody } from "./client-session";
import { type Operation, operation } from "./operation";
import {
  captureBody,
  createPaymentBody,
  listPaymentsQuery,
  payment,
  paymentList,
  refundBody,
  voidBody,
} from "./payment";
import { createPlanBody, listPlansQuery, plan, planList, updatePlanBody } from "./plan";
import { listTransactionsQuery, searchTransactionsBody, transaction, transactionList } from "./transaction";

const IDEMPOTENCY_ERRORS = ["idempotency_key_reused", "idempotency_request_in_progress"] as const;
const MONEY_ERRORS = [
  "malformed_json",
  "invalid_parameter",
  "missing_parameter",
  "unknown_parameter",
  "idempotency_key_missing",
  "idempotency_key_invalid",
  ...IDEMPOTENCY_ERRORS,
  "body_too_large",
  "unsupported_media_type",
] as const;
const BODY_ERRORS = [
  "malformed_json",
  "invalid_parameter",
  "missing_parameter",
  "unknown_parameter",
  "body_too_large",
  "unsupported_media_type",
] as const;
const QUERY_ERRORS = ["invalid_parameter", "unknown_parameter"] as const;

export const createPayment = operation({
  name: "createPayment",
  method: "POST",
  path: "/v1/payments",
  tag: "Payments",
  summary: "Create a payment",
  description:
    "Authorizes a card and, unless `capture_method` is `manual`, captures the amount. Answers 201 when the card was approved or 3-D Secure is needed (`REQUIRES_ACTION`), 402 when it was declined, and 202 with status `PENDING` while the outcome is unknown: send the same request with the same key until it is known.",
  permissions: ["payment.create"],
  idempotency: "required",
  body: createPaymentBody,
  status: 201,
  response: payment,
  errors: [
    ...MONEY_ERRORS,
    "card_declined",
    "payment_failed",
    "resource_not_found",
    "currency_not_supported",
    "plan_not_active",
    "processor_not_configured",
  ],
});

export const listPayments = operation({
  name: "listPayments",
  method: "GET",
  path: "/v1/payments",
  tag: "Payments",
  summary: "List payments",
  description: "Newest first. `starting_after` pages deeply at a constant cost.",
  permissions: ["payment.read", "transaction.read"],
  idempotency: "none",
  query: listPaymentsQuery,
  status: 200,
  response: paymentList,
  errors: QUERY_ERRORS,
});

export const getPayment = operation({
  name: "getPayment",
  method: "GET",
  path: "/v1/payments/{id}",
  tag: "Payments",
  summary: "Get a payment",
  description: "The payment with its charge and all its refunds.",
  permissions: ["payment.read", "transaction.read"],
  idempotency: "none",
  status: 200,
  response: payment,
  errors: ["resource_not_found"],
});

export const capturePayment = operation({
  name: "capturePayment",
  method: "POST",
  path: "/v1/payments/{id}/capture",
  tag: "Payments",
  summary: "Capture a payment",
  description:
    "Captures an authorized payment, all of it or a part; the rest of the hold is released. A payment is captured once.",
  permissions: ["transaction.capture"],
  idempotency: "required",
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
  ],
});

export const voidPayment = operation({
  name: "voidPayment",
  method: "POST",
  path: "/v1/payments/{id}/void",
  tag: "Payments",
  summary: "Void a payment",
  description: "Releases the hold of an authorized payment that has not been captured.",
  permissions: ["transaction.void"],
  idempotency: "required",
  body: voidBody,
  bodyOptional: true,
  status: 200,
  response: payment,
  errors: [...MONEY_ERRORS, "resource_not_found", "invalid_state", "outcome_pending", "payment_failed"],
});

export const refundPayment = operation({
  name: "refundPayment",
  method: "POST",
  path: "/v1/payments/{id}/refund",
  tag: "Payments",
  summary: "Refund a payment",
  description: "Returns captured money to the card: the given amount, or all that is left.",
  permissions: ["transaction.refund"],
  idempotency: "required",
  body: refundBody,
  bodyOptional: true,
  status: 201,
  response: payment,
  errors: [...MONEY_ERRORS, "resource_not_found", "invalid_state", "amount_exceeds_refundable", "payment_failed"],
});

export const listTransactions = operation({
  name: "listTransactions",
  method: "GET",
  path: "/v1/transactions",
  tag: "Transactions",
  summary: "List transactions",
  description:
    "Newest first, with ten filters. `total` is exact up to 10,000. `starting_after` pages deeply at a constant cost.",
  permissions: ["transaction.read", "transaction.search"],
  idempotency: "none",
  query: listTransactionsQuery,
  status: 200,
  response: transactionList,
  errors: QUERY_ERRORS,
});

export const searchTransactions = operation({
  name: "searchTransactions",
  method: "POST",
  path: "/v1/transactions/search",
  tag: "Transactions",
  summary: "Search transactions",
  description: "Filters, sorts and pages through transactions. Reads only, so it takes no idempotency key.",
  permissions: ["transaction.read", "transaction.search"],
  idempotency: "none",
  body: searchTransactionsBody,
  bodyOptional: true,
  status: 200,
  response: transactionList,
  errors: BODY_ERRORS,
});

export const getTransaction = operation({
  name: "getTransaction",
  method: "GET",
  path: "/v1/transactions/{id}",
  tag: "Transactions",
  summary: "Get a transaction",
  description: "One charge or refund.",
  permissions: ["transaction.read", "transaction.search"],
  idempotency: "none",
  status: 200,
  response: transaction,
  errors: ["resource_not_found"],
});

export const captureTransaction = operation({
  ...capturePayment,
  name: "captureTransaction",
  path: "/v1/transactions/{id}/capture",
  tag: "Transactions",
  summary: "Capture a transaction",
  description: "The same as capturing its payment; answers the transaction.",
  response: transaction,
});

export const voidTransaction = operation({
  ...voidPayment,
  name: "voidTransaction",
  path: "/v1/transactions/{id}/void",
  tag: "Transactions",
  summary: "Void a transaction",
  description: "The same as voiding its payment; answers the transaction.",
  response: transaction,
});

export const refundTransaction = operation({
  ...refundPayment,
  name: "refundTransaction",
  path: "/v1/transactions/{id}/refund",
  tag: "Transactions",
  summary: "Refund a transaction",
  description: "The same as refunding its payment; answers the new transaction of type `REFUND`.",
  response: transaction,
});

export const createPlan = operation({
  name: "createPlan",
  method: "POST",
  path: "/v1/subscription-plans",
  tag: "Subscription plans",
  summary: "Create a subscription plan",
  description:
    "What a customer pays and when. `ONE_TIME` is a single purchase. `full_price_amount` is in major units: 19.99.",
  permissions: ["subscription_plan.write"],
  idempotency: "optional",
  body: createPlanBody,
  status: 201,
  response: plan,
  errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS, "currency_not_supported"],
});

export const listPlans = operation({
  name: "listPlans",
  method: "GET",
  path: "/v1/subscription-plans",
  tag: "Subscription plans",
  summary: "List subscription plans",
  description: "Newest first.",
  permissions: ["subscription_plan.read"],
  idempotency: "none",
  query: listPlansQuery,
  status: 200,
  response: planList,
  errors: QUERY_ERRORS,
});

export const getPlan = operation({
  name: "getPlan",
  method: "GET",
  path: "/v1/subscription-plans/{id}",
  tag: "Subscription plans",
  summary: "Get a subscription plan",
  description: "One plan.",
  permissions: ["subscription_plan.read"],
  idempotency: "none",
  status: 200,
  response: plan,
  errors: ["resource_not_found"],
});

export const updatePlan = operation({
  name: "updatePlan",
  method: "PATCH",
  path: "/v1/subscription-plans/{id}",
  tag: "Subscription plans",
  summary: "Update a subscription plan",
  description: "Changes what is sent. The price and timing of a plan that is `ACTIVE` never change.",
  permissions: ["subscription_plan.write"],
  idempotency: "none",
  body: updatePlanBody,
  status: 200,
  response: plan,
  errors: [...BODY_ERRORS, "resource_not_found", "invalid_state", "currency_not_supported"],
});

export const activatePlan = operation({
  name: "activatePlan",
  method: "POST",
  path: "/v1/subscription-plans/{id}/activate",
  tag: "Subscription plans",
  summary: "Activate a subscription plan",
  description: "Makes the plan usable in payments and client sessions. Activating an active plan changes nothing.",
  permissions: ["subscription_plan.write"],
  idempotency: "none",
  body: z.strictObject({}),
  bodyOptional: true,
  status: 200,
  response: plan,
  errors: [...BODY_ERRORS, "resource_not_found"],
});

export const deactivatePlan = operation({
  ...activatePlan,
  name: "deactivatePlan",
  path: "/v1/subscription-plans/{id}/deactivate",
  summary: "Deactivate a subscription plan",
  description:
    "Stops new use of the plan. Deactivating an inactive plan changes nothing; a draft cannot be deactivated.",
  errors: [...BODY_ERRORS, "resource_not_found", "invalid_state"],
});

export const createClientSession = operation({
  name: "createClientSession",
  method: "POST",
  path: "/v1/client-sessions",
  tag: "Client sessions",
  summary: "Create a client session",
  description:
    "Opens a session in which one shopper pays one amount, set here by your server and never by the browser. Valid for 24 hours, five attempts, one successful payment.",
  permissions: ["client_session.create"],
  idempotency: "optional",
  body: createClientSessionBody,
  status: 201,
  response: clientSession,
  errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS, "resource_not_found", "currency_not_supported", "plan_not_active"],
});

export const getClientSession = operation({
  name: "getClientSession",
  method: "GET",
  path: "/v1/client-sessions/{id}",
  tag: "Client sessions",
  summary: "Get a client session",
  description: "The session as it stands; its token is never shown again.",
  permissions: ["client_session.create"],
  idempotency: "none",
  status: 200,
  response: clientSession,
  errors: ["resource_not_found"],
});

export const cancelClientSession = operation({
  name: "cancelClientSession",
  method: "POST",
  path: "/v1/client-sessions/{id}/cancel",
  tag: "Client sessions",
  summary: "Cancel a client session",
  description: "Closes an open session: it takes no more attempts.",
  permissions: ["client_session.create"],
  idempotency: "none",
  body: z.strictObject({}),
  bodyOptional: true,
  status: 200,
  response: clientSession,
  errors: [...BODY_ERRORS, "resource_not_found", "invalid_state"],
});

export const getOpenApi = operation({
  name: "getOpenApi",
  method: "GET",
  path: "/v1/openapi.json",
  tag: "Service",
  summary: "Get this document",
  description: "The OpenAPI 3.1 description of this API, made from the same schemas that check requests.",
  permissions: [],
  idempotency: "none",
  status: 200,
  response: z.record(z.string(), z.unknown()),
  errors: [],
});

export const health = z
  .object({ status: z.enum(["live", "ready"]).describe("`live`: the process runs. `ready`: it can serve requests.") })
  .meta({ id: "Health" });

/** Every endpoint of the service. */
export const OPERATIONS: readonly Operation[] = [
  createPayment,
  listPayments,
  getPayment,
  capturePayment,
  voidPayment,
  refundPayment,
  listTransactions,
  searchTransactions,
  getTransaction,
  captureTransaction,
  voidTransaction,
  refundTransaction,
  createPlan,
  listPlans,
  getPlan,
  updatePlan,
  activatePlan,
  deactivatePlan,
  createClientSession,
  getClientSession,
  cancelClientSession,
  getOpenApi,
];
