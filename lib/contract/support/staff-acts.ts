/** Recorded look-ups and actions of support staff: action → description. */
export const STAFF_ACTS = {
  "support.signed_in": "Signed in",
  "support.sign_in_failed": "Failed to sign in",
  "support.identity_proved": "Confirmed identity",
  "support.proof_failed": "Failed to confirm their identity",
  "support.searched": "Searched",
  "support.found": "Appeared in search results",
  "support.viewed_merchant": "Opened the merchant",
  "support.viewed_payment": "Opened the payment",
  "support.viewed_subscription": "Opened the subscription",
  "support.viewed_invoice": "Opened the invoice",
  "support.viewed_dispute": "Opened the dispute",
  "support.viewed_key": "Looked up an idempotency key",
  "support.viewed_request": "Opened an API request",
  "support.viewed_unknown_outcomes": "Viewed unknown outcomes",
  "support.viewed_reconciliation": "Viewed a comparison with the processor",
  "support.viewed_audit": "Read the audit log",
  "support.asked_again": "Checked the status of an unknown outcome",
  "support.getPayment": "Read the payment",
  "support.listPayments": "Listed payments",
  "support.getTransaction": "Read the transaction",
  "support.listTransactions": "Listed transactions",
  "support.searchTransactions": "Searched the transactions",
  "support.getPlan": "Read the subscription plan",
  "support.listCustomers": "Listed customers",
  "support.getCustomer": "Read the customer",
  "support.listPlans": "Listed subscription plans",
  "support.getPaymentMethod": "Read the stored card",
  "support.listPaymentMethods": "Listed stored cards",
  "support.getSubscription": "Read the subscription",
  "support.listSubscriptions": "Listed subscriptions",
  "support.previewSubscriptionChange": "Previewed a change of the subscription",
  "support.getInvoice": "Read the invoice",
  "support.listInvoices": "Listed invoices",
  "support.createReport": "Created a report",
  "support.getReport": "Read the report",
  "support.listReports": "Listed reports",
  "support.getDispute": "Read the dispute",
  "support.getFile": "Read the file",
  "support.listDisputes": "Listed disputes",
  "support.listEvents": "Listed events",
  "support.getEvent": "Read the event",
  "support.streamEvents": "Streamed events",
  "support.listWebhookEndpoints": "Listed webhook endpoints",
  "support.getWebhookEndpoint": "Read the webhook endpoint",
  "support.listWebhookDeliveries": "Listed webhook deliveries",
  "support.getWebhookDelivery": "Read the webhook delivery",
  "support.getBalance": "Read the balance",
  "support.listMovements": "Listed movements of the balance",
  "support.listPayouts": "Listed payouts",
  "support.getPayout": "Read the payout",
  "support.listSettlementBatches": "Listed settlement batches",
  "support.getSettlementBatch": "Read the settlement batch",
  "support.refundPayment": "Refunded the payment",
  "support.refundTransaction": "Refunded the transaction",
  "support.suspended_merchant": "Suspended the merchant",
  "support.reinstated_merchant": "Reinstated the merchant",
  "support.unlocked_person": "Unlocked a sign-in",
} as const;
type StaffAction = keyof typeof STAFF_ACTS;

export function staffActWords(action: string): string {
  return Object.hasOwn(STAFF_ACTS, action) ? STAFF_ACTS[action as StaffAction] : action;
}

export type StaffActView = {
  readonly id: string;
  readonly action: string;
  readonly staff: { readonly id: string; readonly email: string; readonly name: string | null };
  readonly merchant: { readonly id: string; readonly name: string } | null;
  /** Public id of the object. */
  readonly objectId: string | null;
  /** The search text, or the given reason. */
  readonly query: string | null;
  readonly reason: string | null;
  readonly requestId: string | null;
  readonly at: string;
};

/** Public ids, as in the page's address; undefined = no filter. */
export type StaffActFilter = {
  staff: string | undefined;
  merchant: string | undefined;
  action: string | undefined;
  before: string | undefined;
};

export type StaffActPage = {
  readonly acts: readonly StaffActView[];
  /** `before` of the next page; null on the last one. */
  readonly next: string | null;
};

export const ACTS_PER_PAGE = 50;
