/**
 * Retention of each table, and the job of `lib/jobs/jobs.ts` that enforces it. Tables without a job are the
 * books, or grow with users and merchants rather than with traffic. A test fails for a table that is not
 * listed.
 */
export type Lifetime = { readonly kept: string; readonly job: string | null };

const FOREVER = { kept: "for ever: who did what, and the proof of it", job: null };
/** Test data is removed as a whole if its account has no verified address after `UNVERIFIED_ACCOUNT_DAYS`. */
const ABANDONED = "remove abandoned test data";
const BOOKS = { kept: "for ever: the books; abandoned test data for an hour", job: ABANDONED };
const WITH_THE_TRANSACTION = { kept: "as long as the transaction that they find", job: ABANDONED };
const WITH_THE_MERCHANT = { kept: "as long as the merchant", job: null };
const OF_THE_MERCHANT = { kept: "as long as the merchant; abandoned test data for an hour", job: ABANDONED };
const WITH_THE_PERSON = { kept: "as long as the person", job: null };
const WITH_THE_EVENT = {
  kept: "90 days, as long as events are shown, and until their week ends; those of a deleted endpoint for minutes",
  job: "remove old webhook deliveries",
};

const WITH_THE_PAYMENTS = {
  kept: "as long as the payments that name them; abandoned test data for an hour",
  job: ABANDONED,
};

export const LIFETIMES: Readonly<Record<string, Lifetime>> = {
  "public.payments": BOOKS,
  "public.transactions": BOOKS,
  "public.transaction_words": WITH_THE_TRANSACTION,
  "public.transaction_texts": WITH_THE_TRANSACTION,
  "public.customers_due": { kept: "until the payment is with its customer, within seconds", job: "note customers" },
  "public.customers": WITH_THE_PAYMENTS,
  "public.customer_words": WITH_THE_PAYMENTS,
  "public.operations": BOOKS,
  "public.processor_objects": BOOKS,
  "public.disputes": BOOKS,
  "public.dispute_movements": BOOKS,
  "public.files": {
    kept: "until 180 days after its dispute ended, or 7 in test mode; unused, for a day",
    job: "remove unused files",
  },
  "public.reconciliation_runs": { kept: "400 days", job: "compare with processors" },
  // Credentials are removed on disconnecting; the row stays, because payments reference it.
  "public.processor_connections": OF_THE_MERCHANT,
  "public.processor_routes": OF_THE_MERCHANT,
  "public.processor_journal": { kept: "as long as its connector needs it", job: "catch up processor reports" },
  "public.operator_connections": { kept: "for ever: payments name it", job: null },
  "public.ledger_entries": BOOKS,
  "public.settlement_batches": BOOKS,
  "public.payouts": BOOKS,
  "public.reports": OF_THE_MERCHANT,
  "public.bank_accounts": OF_THE_MERCHANT,
  "public.daily_totals": BOOKS,
  // The API shows 90 days. The books need every row: it proves that an outcome was reported, once, and in
  // which order.
  "public.events": BOOKS,
  "public.audit_log": FOREVER,
  "public.support_audit_log": FOREVER,
  "public.audit_links": FOREVER,
  "public.audit_seals": FOREVER,
  "public.audit_pending": { kept: "until the row is chained, within seconds", job: "chain audit logs" },
  "public.client_sessions": {
    kept: "for ever: payments name their session; those that a payment link opened and nobody tried to pay, for a week after they expire",
    job: "remove untried sessions",
  },
  "public.payment_links": OF_THE_MERCHANT,
  "public.receipts": WITH_THE_PAYMENTS,
  "public.receipt_mails": WITH_THE_PAYMENTS,
  "public.receipt_settings": OF_THE_MERCHANT,
  "sandbox_processor.charges": BOOKS,
  "sandbox_processor.operations": BOOKS,
  "sandbox_processor.disputes": BOOKS,
  "public.merchants": WITH_THE_MERCHANT,
  "public.environments": WITH_THE_MERCHANT,
  "public.merchant_logos": WITH_THE_MERCHANT,
  "public.api_keys": OF_THE_MERCHANT,
  "public.plans": OF_THE_MERCHANT,
  "public.payment_methods": OF_THE_MERCHANT,
  "public.subscriptions": OF_THE_MERCHANT,
  "public.subscription_trials": OF_THE_MERCHANT,
  "public.subscription_settings": OF_THE_MERCHANT,
  "public.subscription_mails": { kept: "until the mail is written, within seconds", job: "mail about subscriptions" },
  "public.invoices": BOOKS,
  "public.invoice_counters": BOOKS,
  "public.credit_notes": BOOKS,
  "public.credit_note_counters": BOOKS,
  "public.portal_sessions": { kept: "7 days after they expired", job: "remove expired portal sessions" },
  "sandbox_processor.stored_cards": OF_THE_MERCHANT,
  "public.saved_views": WITH_THE_PERSON,
  "public.notes": OF_THE_MERCHANT,
  "public.approval_rules": OF_THE_MERCHANT,
  "public.approval_requests": OF_THE_MERCHANT,
  "public.approval_allowances": OF_THE_MERCHANT,
  "public.report_mails": WITH_THE_PERSON,
  "public.users": {
    kept: "as long as the person; without a verified address, 30 days after the last visit if the account owns nothing, `UNVERIFIED_ACCOUNT_DAYS` after it was opened if it has test data",
    job: "close abandoned accounts",
  },
  "public.recovery_codes": WITH_THE_PERSON,
  "public.refund_allowances": WITH_THE_PERSON,
  "public.service_settings": { kept: "for ever: a handful of rows", job: null },
  "public.total_deltas": { kept: "until they are in the daily totals, about a second", job: "daily totals" },
  "public.webhook_endpoints": OF_THE_MERCHANT,
  "public.webhook_secrets": OF_THE_MERCHANT,
  "public.webhook_deliveries": WITH_THE_EVENT,
  "public.webhook_attempts": WITH_THE_EVENT,
  "public.idempotency_keys": { kept: "25 hours", job: "remove expired keys" },
  "public.request_log": { kept: "30 days", job: "keep the request log" },
  "public.user_sessions": { kept: "30 days after their last use", job: "remove old sign-ins" },
  "public.user_tokens": { kept: "30 days after their end", job: "remove old sign-ins" },
  "public.mail_outbox": { kept: "30 days", job: "remove old sign-ins" },
  "public.payment_tokens": { kept: "25 hours after their end; the card until their end", job: "forget old cards" },
  "sandbox_processor.recent_attempts": { kept: "10 minutes", job: "forget old cards" },
  "sandbox_processor.refusals": { kept: "7 days", job: "forget old cards" },
  "sandbox_processor.reports": { kept: "7 days after they were acknowledged", job: "forget old cards" },
};
