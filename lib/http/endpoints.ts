import * as clientSessions from "@/lib/contract/checkout/endpoints";
import * as customers from "@/lib/contract/customers/endpoints";
import * as disputes from "@/lib/contract/disputes/endpoints";
import type { BodyOf, Endpoint, QueryOf } from "@/lib/contract/endpoint";
import * as events from "@/lib/contract/events/endpoints";
import * as invoices from "@/lib/contract/invoices/endpoints";
import * as paymentMethods from "@/lib/contract/payment-methods/endpoints";
import * as payments from "@/lib/contract/payments/endpoints";
import * as plans from "@/lib/contract/plans/endpoints";
import * as portal from "@/lib/contract/portal/endpoints";
import * as reports from "@/lib/contract/reports/endpoints";
import * as settlement from "@/lib/contract/settlement/endpoints";
import * as subscriptions from "@/lib/contract/subscriptions/endpoints";
import * as testClock from "@/lib/contract/test-clock/endpoints";
import * as transactions from "@/lib/contract/transactions/endpoints";
import * as webhooks from "@/lib/contract/webhooks/endpoints";
import { cancelClientSession, createClientSession, getClientSession } from "@/lib/domain/checkout/client-sessions";
import type { Context, Reply } from "@/lib/domain/context";
import { getCustomer, listCustomers } from "@/lib/domain/customers/customers";
import { createFile, getFile } from "@/lib/domain/disputes/files";
import { getDispute, listDisputes } from "@/lib/domain/disputes/read-disputes";
import { acceptDispute, submitDispute } from "@/lib/domain/disputes/respond";
import { updateDispute } from "@/lib/domain/disputes/update-evidence";
import { getEvent, listEvents } from "@/lib/domain/events/read-events";
import { markInvoiceUncollectible, voidInvoice } from "@/lib/domain/invoices/end-invoice";
import { payInvoice, retrySubscription } from "@/lib/domain/invoices/pay-invoice";
import { getInvoice, listInvoices } from "@/lib/domain/invoices/read-invoices";
import {
  getPaymentMethod,
  listPaymentMethods,
  removePaymentMethod,
} from "@/lib/domain/payment-methods/payment-methods";
import { createPaymentMethod } from "@/lib/domain/payment-methods/store-card";
import { createPayment } from "@/lib/domain/payments/create-payment";
import { capturePayment, refundPayment, voidPayment } from "@/lib/domain/payments/follow-up";
import { getPayment, listPayments } from "@/lib/domain/payments/read-payments";
import { activatePlan, createPlan, deactivatePlan, getPlan, listPlans, updatePlan } from "@/lib/domain/plans/plans";
import { createPortalSession } from "@/lib/domain/portal/portal-sessions";
import { createReport, getReport, listReports } from "@/lib/domain/reports/reports";
import { getBalance, listMovements } from "@/lib/domain/settlement/balance";
import { getPayout, listPayouts } from "@/lib/domain/settlement/payouts";
import { getSettlementBatch, listSettlementBatches } from "@/lib/domain/settlement/read-batches";
import { cancelSubscription, pauseSubscription, updateSubscription } from "@/lib/domain/subscriptions/actions";
import {
  changeSubscriptionPlan,
  previewSubscriptionChange,
  resumeSubscription,
} from "@/lib/domain/subscriptions/change-plan";
import { createSubscription } from "@/lib/domain/subscriptions/create";
import { getSubscription, listSubscriptions } from "@/lib/domain/subscriptions/read-subscriptions";
import { advanceTestClock, getTestClock } from "@/lib/domain/test-clock/test-clock";
import { captureTransaction, refundTransaction, voidTransaction } from "@/lib/domain/transactions/act-on-transactions";
import { getTransaction, listTransactions, searchTransactions } from "@/lib/domain/transactions/read-transactions";
import {
  getWebhookDelivery,
  listWebhookDeliveries,
  replayWebhookEndpoint,
  resendWebhookDelivery,
  testWebhookEndpoint,
} from "@/lib/domain/webhooks/deliveries";
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from "@/lib/domain/webhooks/endpoints";

/** An endpoint of the contract and the verb that handles it. */
export type Served = {
  readonly endpoint: Endpoint;
  /** Returns the object to respond with, or a reply that stores its own bytes. */
  readonly run: (ctx: Context, input: never) => Promise<Reply | object>;
};

type Input<O extends Endpoint> = (O["path"] extends `${string}{id}${string}` ? { id: string } : object) &
  (O["body"] extends object ? BodyOf<O> : object) &
  (O["takesFile"] extends true ? { bytes: Buffer } : object) &
  (O["query"] extends object ? QueryOf<O> : object);

function serve<O extends Endpoint>(
  endpoint: O,
  run: (ctx: Context, input: Input<O>) => Promise<Reply | object>,
): Served {
  return { endpoint, run };
}

/**
 * The verb for each endpoint. A test fails unless this, the contract and `app/v1` name the same endpoints.
 */
const SERVED: readonly Served[] = [
  serve(payments.createPayment, createPayment),
  serve(payments.listPayments, listPayments),
  serve(payments.getPayment, getPayment),
  serve(payments.capturePayment, capturePayment),
  serve(payments.voidPayment, voidPayment),
  serve(payments.refundPayment, refundPayment),
  serve(transactions.listTransactions, listTransactions),
  serve(transactions.searchTransactions, searchTransactions),
  serve(transactions.getTransaction, getTransaction),
  serve(transactions.captureTransaction, captureTransaction),
  serve(transactions.voidTransaction, voidTransaction),
  serve(transactions.refundTransaction, refundTransaction),
  serve(disputes.listDisputes, listDisputes),
  serve(disputes.getDispute, getDispute),
  serve(disputes.updateDispute, updateDispute),
  serve(disputes.submitDispute, submitDispute),
  serve(disputes.acceptDispute, acceptDispute),
  serve(disputes.createFile, createFile),
  serve(disputes.getFile, getFile),
  serve(customers.listCustomers, listCustomers),
  serve(customers.getCustomer, getCustomer),
  serve(paymentMethods.createPaymentMethod, createPaymentMethod),
  serve(paymentMethods.listPaymentMethods, listPaymentMethods),
  serve(paymentMethods.getPaymentMethod, getPaymentMethod),
  serve(paymentMethods.removePaymentMethod, removePaymentMethod),
  serve(plans.createPlan, createPlan),
  serve(plans.listPlans, listPlans),
  serve(plans.getPlan, getPlan),
  serve(plans.updatePlan, updatePlan),
  serve(plans.activatePlan, activatePlan),
  serve(plans.deactivatePlan, deactivatePlan),
  serve(subscriptions.createSubscription, createSubscription),
  serve(subscriptions.listSubscriptions, listSubscriptions),
  serve(subscriptions.getSubscription, getSubscription),
  serve(subscriptions.updateSubscription, updateSubscription),
  serve(subscriptions.cancelSubscription, cancelSubscription),
  serve(subscriptions.pauseSubscription, pauseSubscription),
  serve(subscriptions.resumeSubscription, resumeSubscription),
  serve(subscriptions.changeSubscriptionPlan, changeSubscriptionPlan),
  serve(subscriptions.previewSubscriptionChange, previewSubscriptionChange),
  serve(subscriptions.retrySubscription, retrySubscription),
  serve(invoices.listInvoices, listInvoices),
  serve(invoices.getInvoice, getInvoice),
  serve(invoices.payInvoice, payInvoice),
  serve(invoices.voidInvoice, voidInvoice),
  serve(invoices.markInvoiceUncollectible, markInvoiceUncollectible),
  serve(portal.createPortalSession, createPortalSession),
  serve(clientSessions.createClientSession, createClientSession),
  serve(clientSessions.getClientSession, getClientSession),
  serve(clientSessions.cancelClientSession, cancelClientSession),
  serve(events.listEvents, listEvents),
  serve(events.getEvent, getEvent),
  serve(webhooks.createWebhookEndpoint, createWebhookEndpoint),
  serve(webhooks.listWebhookEndpoints, listWebhookEndpoints),
  serve(webhooks.getWebhookEndpoint, getWebhookEndpoint),
  serve(webhooks.updateWebhookEndpoint, updateWebhookEndpoint),
  serve(webhooks.deleteWebhookEndpoint, deleteWebhookEndpoint),
  serve(webhooks.rotateWebhookSecret, rotateWebhookSecret),
  serve(webhooks.testWebhookEndpoint, testWebhookEndpoint),
  serve(webhooks.replayWebhookEndpoint, replayWebhookEndpoint),
  serve(webhooks.listWebhookDeliveries, listWebhookDeliveries),
  serve(webhooks.getWebhookDelivery, getWebhookDelivery),
  serve(webhooks.resendWebhookDelivery, resendWebhookDelivery),
  serve(settlement.getBalance, getBalance),
  serve(settlement.listMovements, listMovements),
  serve(settlement.listPayouts, listPayouts),
  serve(settlement.getPayout, getPayout),
  serve(settlement.listSettlementBatches, listSettlementBatches),
  serve(settlement.getSettlementBatch, getSettlementBatch),
  serve(reports.createReport, createReport),
  serve(reports.listReports, listReports),
  serve(reports.getReport, getReport),
  serve(testClock.getTestClock, getTestClock),
  serve(testClock.advanceTestClock, advanceTestClock),
];

const BY_NAME: ReadonlyMap<string, Served> = new Map(SERVED.map((entry) => [entry.endpoint.name, entry]));

/** The handler of an endpoint; null for an endpoint without a verb (the OpenAPI document). */
export function findServed(endpoint: Endpoint): Served | null {
  return BY_NAME.get(endpoint.name) ?? null;
}
