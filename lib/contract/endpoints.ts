import { z } from "zod";
import { cancelClientSession, createClientSession, getClientSession } from "./checkout/endpoints";
import { getCustomer, listCustomers } from "./customers/endpoints";
import {
  acceptDispute,
  createFile,
  getDispute,
  getFile,
  listDisputes,
  submitDispute,
  updateDispute,
} from "./disputes/endpoints";
import { type Endpoint, endpoint } from "./endpoint";
import { getEvent, listEvents, streamEvents } from "./events/endpoints";
import { getInvoice, listInvoices, markInvoiceUncollectible, payInvoice, voidInvoice } from "./invoices/endpoints";
import {
  createPaymentMethod,
  getPaymentMethod,
  listPaymentMethods,
  removePaymentMethod,
} from "./payment-methods/endpoints";
import {
  capturePayment,
  createPayment,
  getPayment,
  listPayments,
  refundPayment,
  voidPayment,
} from "./payments/endpoints";
import { activatePlan, createPlan, deactivatePlan, getPlan, listPlans, updatePlan } from "./plans/endpoints";
import { createPortalSession } from "./portal/endpoints";
import { createReport, getReport, listReports } from "./reports/endpoints";
import {
  getBalance,
  getPayout,
  getSettlementBatch,
  listMovements,
  listPayouts,
  listSettlementBatches,
} from "./settlement/endpoints";
import {
  cancelSubscription,
  changeSubscriptionPlan,
  createSubscription,
  getSubscription,
  listSubscriptions,
  pauseSubscription,
  previewSubscriptionChange,
  resumeSubscription,
  retrySubscription,
  updateSubscription,
} from "./subscriptions/endpoints";
import { advanceTestClock, getTestClock } from "./test-clock/endpoints";
import {
  captureTransaction,
  getTransaction,
  listTransactions,
  refundTransaction,
  searchTransactions,
  voidTransaction,
} from "./transactions/endpoints";
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookDelivery,
  getWebhookEndpoint,
  listWebhookDeliveries,
  listWebhookEndpoints,
  replayWebhookEndpoint,
  resendWebhookDelivery,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from "./webhooks/endpoints";

export const health = z
  .object({ status: z.enum(["live", "ready"]).describe("`live`: the process runs. `ready`: it can serve requests.") })
  .meta({ id: "Health" });

export const getOpenApi = endpoint({
  name: "getOpenApi",
  method: "GET",
  path: "/v1/openapi.json",
  tag: "Service",
  summary: "Get this document",
  description: "The OpenAPI 3.1 description of this API, generated from the schemas that validate requests.",
  permissions: [],
  idempotency: "none",
  status: 200,
  response: z.record(z.string(), z.unknown()),
  errors: ["rate_limited"],
});

/** Every endpoint of the service. */
export const ENDPOINTS: readonly Endpoint[] = [
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
  listDisputes,
  getDispute,
  updateDispute,
  submitDispute,
  acceptDispute,
  createFile,
  getFile,
  listCustomers,
  getCustomer,
  createPaymentMethod,
  listPaymentMethods,
  getPaymentMethod,
  removePaymentMethod,
  createPlan,
  listPlans,
  getPlan,
  updatePlan,
  activatePlan,
  deactivatePlan,
  createSubscription,
  listSubscriptions,
  getSubscription,
  updateSubscription,
  cancelSubscription,
  pauseSubscription,
  resumeSubscription,
  changeSubscriptionPlan,
  previewSubscriptionChange,
  retrySubscription,
  listInvoices,
  getInvoice,
  payInvoice,
  voidInvoice,
  markInvoiceUncollectible,
  createPortalSession,
  createClientSession,
  getClientSession,
  cancelClientSession,
  listEvents,
  getEvent,
  streamEvents,
  createWebhookEndpoint,
  listWebhookEndpoints,
  getWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
  replayWebhookEndpoint,
  listWebhookDeliveries,
  getWebhookDelivery,
  resendWebhookDelivery,
  getBalance,
  listMovements,
  listPayouts,
  getPayout,
  listSettlementBatches,
  getSettlementBatch,
  createReport,
  listReports,
  getReport,
  getTestClock,
  advanceTestClock,
  getOpenApi,
];
