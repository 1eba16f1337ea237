/** Descriptions of acts by the team and Cardlane's support staff. Without zod. */
import { fullTimeText, moneyTextWithCode } from "@/lib/contract/format";
import type { Mode } from "@/lib/contract/transactions/words";

export type ActivityItem = {
  id: string;
  at: string;
  actor: { type: "user" | "staff" | "api_key" | "shopper" | "customer" | "system"; name: string };
  action: string;
  mode: Mode | null;
  objectId: string | null;
  /** In minor units: what a payment's act was about. */
  money: { amount: number; currency: string } | null;
  detail: Record<string, unknown> | null;
};

const ACTIONS: Record<string, string> = {
  "payment.authorized": "Authorized a payment",
  "payment.captured": "Captured a payment",
  "payment.requires_action": "Began a payment that needs its customer",
  "payment.declined": "Tried a payment, which was declined",
  "payment.failed": "Tried a payment, which failed",
  "payment.capture_failed": "Tried to capture a payment",
  "payment.partially_refunded": "Refunded part of a payment",
  "payment.refunded": "Refunded a payment",
  "payment.voided": "Voided a payment",
  "payment.void_failed": "Tried to void a payment",
  "payment.receipt_sent": "Sent a receipt",
  "refund.succeeded": "Refunded a payment",
  "refund.failed": "Tried to refund a payment",
  "payment_method.created": "Stored a card",
  "payment_method.removed": "Removed a card",
  "subscription.created": "Created a subscription",
  "subscription.activated": "Activated a subscription",
  "subscription.updated": "Changed a subscription",
  "subscription.past_due": "Charged a subscription, which is past due",
  "subscription.paused": "Paused a subscription",
  "subscription.resumed": "Resumed a subscription",
  "subscription.cancelled": "Cancelled a subscription",
  "subscription.expired": "Created a subscription, which expired",
  "invoice.created": "Created an invoice",
  "invoice.opened": "Opened an invoice",
  "invoice.paid": "Charged an invoice",
  "invoice.payment_failed": "Charged an invoice, which wasn’t paid",
  "invoice.voided": "Voided an invoice",
  "invoice.uncollectible": "Marked an invoice as uncollectible",
  "portal_session.created": "Opened a customer’s portal",
  "note.created": "Wrote a note",
  "note.updated": "Changed a note",
  "note.deleted": "Deleted a note",
  "approval_request.created": "Requested approval",
  "approval_request.approved": "Approved a request",
  "approval_request.rejected": "Rejected a request",
  "approval_request.withdrawn": "Withdrew a request",
  "approval_request.failed": "Ended a request that was no longer possible",
  "plan.created": "Created a plan",
  "plan.updated": "Changed a plan",
  "plan.activated": "Activated a plan",
  "plan.deactivated": "Deactivated a plan",
  "payment_link.created": "Created a payment link",
  "payment_link.updated": "Changed a payment link",
  "client_session.created": "Created a client session",
  "client_session.cancelled": "Cancelled a client session",
  "webhook_endpoint.created": "Created a webhook endpoint",
  "webhook_endpoint.updated": "Changed a webhook endpoint",
  "webhook_endpoint.deleted": "Deleted a webhook endpoint",
  "webhook_endpoint.secret_rotated": "Rotated a webhook secret",
  "webhook_endpoint.disabled": "Disabled a webhook endpoint",
  "webhook_endpoint.test": "Sent a test event",
  "api_key.created": "Created an API key",
  "api_key.updated": "Changed an API key",
  "api_key.disabled": "Disabled an API key",
  "api_key.enabled": "Enabled an API key",
  "api_key.revoked": "Revoked an API key",
  "api_key.rotated": "Rotated an API key",
  "settings.account_opened": "Created the account",
  "settings.account_closed": "Closed an unused account",
  "settings.business_updated": "Changed the business profile",
  "settings.fee_changed": "Changed the fee",
  "settings.approvals_updated": "Changed the rules for approvals",
  "settings.checkout_appearance_updated": "Changed the payment form’s appearance",
  "settings.logo_updated": "Changed the logo",
  "settings.receipts_updated": "Changed receipt settings",
  "settings.documents_updated": "Changed tax or language of documents",
  "settings.subscriptions_updated": "Changed subscription settings",
  "settings.bank_account_updated": "Changed the bank account",
  "settings.payout_retried": "Retried a payout",
  "settings.processor_connected": "Connected a processor",
  "settings.processor_changed": "Changed a processor connection",
  "settings.processor_disconnected": "Disconnected a processor",
  "settings.processor_rules_replaced": "Changed the routing rules",
  "settings.account_updated": "Changed their name or e-mail address",
  "settings.email_verified": "Confirmed their e-mail address",
  "settings.password_changed": "Changed their password",
  "settings.password_reset": "Reset their password by e-mail",
  "settings.second_factor_enabled": "Turned on two-factor authentication",
  "settings.second_factor_disabled": "Turned off two-factor authentication",
  "settings.recovery_codes_replaced": "Generated new recovery codes",
  "settings.recovery_code_used": "Signed in with a recovery code",
  "settings.signed_in": "Signed in",
  "settings.sign_in_failed": "Failed to sign in",
  "settings.identity_proved": "Confirmed identity",
  "settings.proof_failed": "Failed to confirm their identity",
  "settings.idempotency_key_viewed": "Viewed an idempotency key",
  "settings.transactions_exported": "Exported transactions",
  "settings.subscriptions_exported": "Exported subscriptions",
  "settings.invoices_exported": "Exported invoices",
  "settings.settlement_batch_exported": "Exported a settlement batch",
  "settings.payout_exported": "Exported a payout",
  "settings.payouts_exported": "Exported payouts",
  "settings.settlement_batches_exported": "Exported settlement batches",
  "settings.movements_exported": "Exported movements of the balance",
  "settings.customers_exported": "Exported customers",
  "settings.disputes_exported": "Exported disputes",
  "settings.report_exported": "Exported a report",
  "settings.activity_exported": "Exported the activity",
  "settings.sign_in_locked": "Locked a sign-in after ten failures",
  "settings.sessions_ended": "Signed out other browsers",
  "team.member_invited": "Invited a member to the team",
  "team.invitation_resent": "Sent an invitation again",
  "team.invitation_accepted": "Joined the team",
  "team.role_changed": "Changed a role",
  "team.member_removed": "Removed a member from the team",
  "support.searched": "Searched",
  "support.found": "Support search returned your data",
  "support.viewed_merchant": "Viewed the account",
  "support.viewed_payment": "Viewed a payment",
  "support.viewed_subscription": "Viewed a subscription",
  "support.viewed_invoice": "Viewed an invoice",
  "support.viewed_dispute": "Viewed a dispute",
  "support.viewed_key": "Viewed an idempotency key",
  "support.viewed_request": "Viewed an API request",
  "support.viewed_audit": "Viewed the activity",
  "support.viewed_unknown_outcomes": "Viewed payments with an unknown outcome",
  "support.getPayment": "Read a payment",
  "support.listPayments": "Listed payments",
  "support.getTransaction": "Read a transaction",
  "support.listTransactions": "Listed transactions",
  "support.searchTransactions": "Searched transactions",
  "support.getPlan": "Read a subscription plan",
  "support.listPlans": "Listed subscription plans",
  "support.getPaymentMethod": "Read a stored card",
  "support.listPaymentMethods": "Listed stored cards",
  "support.getSubscription": "Read a subscription",
  "support.listSubscriptions": "Listed subscriptions",
  "support.previewSubscriptionChange": "Previewed a change of a subscription",
  "support.getInvoice": "Read an invoice",
  "support.listInvoices": "Listed invoices",
  "support.createReport": "Created a report",
  "support.getReport": "Read a report",
  "support.listReports": "Listed reports",
  "support.getDispute": "Read a dispute",
  "support.getFile": "Read a file",
  "support.listDisputes": "Listed disputes",
  "support.listCustomers": "Listed customers",
  "support.getCustomer": "Read a customer",
  "support.listEvents": "Listed events",
  "support.getEvent": "Read an event",
  "support.streamEvents": "Streamed events",
  "support.listWebhookEndpoints": "Listed webhook endpoints",
  "support.getWebhookEndpoint": "Read a webhook endpoint",
  "support.listWebhookDeliveries": "Listed webhook deliveries",
  "support.getWebhookDelivery": "Read a webhook delivery",
  "support.getBalance": "Read the balance",
  "support.listMovements": "Listed balance movements",
  "support.listPayouts": "Listed payouts",
  "support.getPayout": "Read a payout",
  "support.listSettlementBatches": "Listed settlement batches",
  "support.getSettlementBatch": "Read a settlement batch",
  "support.refundPayment": "Refunded a payment",
  "support.refundTransaction": "Refunded a transaction",
  "support.asked_again": "Checked an unknown outcome with the processor",
  "support.asked_processor": "Checked a payment with the processor",
  "support.suspended_merchant": "Suspended the account",
  "support.reinstated_merchant": "Reinstated the account",
  "support.unlocked_person": "Unlocked a sign-in",
};

/** Describes an action; one without a text of its own at least gets a readable name. */
export function actionText(action: string): string {
  const known = ACTIONS[action];
  if (known) return known;
  const words = action
    .slice(action.indexOf(".") + 1)
    .replace(/([A-Z])/g, " $1")
    .replaceAll("_", " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const FIELDS: Record<string, string> = {
  name: "Name",
  email: "E-mail",
  website: "Website",
  support_email: "Support e-mail",
  business_address: "Business address",
  tax_number: "Tax number",
  time_zone: "Time zone",
  refund_limit_usd: "Daily refunds without confirmation, US dollars",
  fee_basis_points: "Fee",
  logo: "Logo",
  receipts_on_capture: "Receipts of payments",
  receipts_on_refund: "Receipts of refunds",
  roles: "Roles that need approval",
  bank_account_roles: "Roles that need approval: bank account",
  live_key_roles: "Roles that need approval: live keys",
  above_usd: "Refunds without approval up to, US dollars",
  day_usd: "Refunds a day without approval, US dollars",
  finance_decides: "Finance may approve",
  tax: "Tax",
  document_locale: "Default language of documents",
  dunning_steps: "Days between attempts",
  after_last_attempt: "After the last attempt",
  mail_trial_ending: "E-mail: trial ends",
  mail_receipt: "E-mail: receipt",
  mail_payment_failed: "E-mail: payment failed",
  mail_card_expiring: "E-mail: card expires",
  mail_cancelled: "E-mail: subscription cancelled",
  portal_change_card: "Portal: change card",
  portal_cancel: "Portal: cancel",
  portal_invoices: "Portal: invoices",
  role: "Role",
  preset: "Style",
  theme: "Scheme",
  accent_color: "Accent",
  background_color: "Background",
  text_color: "Text",
  border_radius: "Corner radius",
  font_family: "Font",
  permissions: "Permissions",
  expires_at: "Expires",
  ip_allow_list: "Addresses",
  limits: "Refund limits",
};

/** Further details, one per line: the amount, the user concerned, the changes, the reason. */
export function activityDetails({ detail, money }: ActivityItem): string[] {
  const amount = money === null ? [] : [moneyTextWithCode(money.amount, money.currency)];
  if (detail === null) return amount;
  const { email, role, name, count, reason, query, key, mode, batch, changes } = detail;
  const who = [name, email].filter((part) => typeof part === "string" && part !== "").join(", ");
  return [
    ...amount,
    ...(who ? [who] : []),
    ...(typeof role === "string" ? [`Role: ${role}`] : []),
    ...(typeof count === "number" && count > 1 ? [`${count} sessions`] : []),
    ...(typeof mode === "string" ? [mode === "live" ? "Live mode" : "Test mode"] : []),
    ...(typeof batch === "string" ? [`Batch: ${batch}`] : []),
    ...changeLines(changes),
    ...(typeof query === "string" ? [`Searched for: ${query}`] : []),
    ...(typeof key === "string" ? [`Key: ${key}`] : []),
    ...(typeof reason === "string" ? [`Reason: ${reason}`] : []),
  ];
}

function changeLines(changes: unknown): string[] {
  if (typeof changes !== "object" || changes === null) return [];
  return Object.entries(changes).flatMap(([field, values]) =>
    Array.isArray(values) ? [`${FIELDS[field] ?? field}: ${shown(field, values[0])} → ${shown(field, values[1])}`] : [],
  );
}

/** Texts for keys without an expiry or an IP allow list. */
const NOTHING: Record<string, string> = { expires_at: "never", ip_allow_list: "any" };

function shown(field: string, value: unknown): string {
  if (value === null || value === "") return NOTHING[field] ?? "none";
  if (field === "after_last_attempt") return value === "KEEP" ? "keep the subscription" : "cancel the subscription";
  if (field === "fee_basis_points") return `${Number(value) / 100}%`;
  return field === "expires_at" ? fullTimeText(new Date(String(value)), "UTC") : String(value);
}
