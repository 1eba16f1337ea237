/**
 * How long each table keeps its rows, and which job of `lib/jobs/jobs.ts` sees to it. What has no job is the books, or
 * grows with people and shops and not with traffic. A test fails for a table that is not listed here.
 */
export type Lifetime = { readonly kept: string; readonly job: string | null };

const FOR_EVER = { kept: "for ever: who did what, and the proof of it", job: null };
/** Test data goes as a whole when nobody proved an address for its account in `UNPROVED_ACCOUNT_DAYS`. */
const ABANDONED = "remove abandoned test data";
const BOOKS = { kept: "for ever: the books; abandoned test data for an hour", job: ABANDONED };
const WITH_THE_MERCHANT = { kept: "as long as the merchant", job: null };
const OF_THE_MERCHANT = { kept: "as long as the merchant; abandoned test data for an hour", job: ABANDONED };
const WITH_THE_PERSON = { kept: "as long as the person", job: null };

export const LIFETIMES: Readonly<Record<string, Lifetime>> = {
  "public.payments": BOOKS,
  "public.transactions": BOOKS,
  "public.operations": BOOKS,
  "public.processor_objects": BOOKS,
  "public.ledger_entries": BOOKS,
  "public.settlement_batches": BOOKS,
  "public.daily_totals": BOOKS,
  // 90 days is how far back the contract has GET /v1/events list, which this version does not have. The books need the row
  // itself: it proves that an outcome was told, once, and in which order.
  "public.events": BOOKS,
  "public.audit_log": FOR_EVER,
  "public.support_audit_log": FOR_EVER,
  "public.audit_links": FOR_EVER,
  "public.audit_seals": FOR_EVER,
  "public.audit_pending": { kept: "until the row is chained, within seconds", job: "chain audit logs" },
  "public.client_sessions": {
    ...BOOKS,
    kept: "for ever: payments name their session; abandoned test data for an hour",
  },
  "sandbox_processor.charges": BOOKS,
  "sandbox_processor.operations": BOOKS,
  "public.merchants": WITH_THE_MERCHANT,
  "public.environments": WITH_THE_MERCHANT,
  "public.api_keys": OF_THE_MERCHANT,
  "public.plans": OF_THE_MERCHANT,
  "public.saved_views": WITH_THE_PERSON,
  "public.users": {
    kept: "as long as the person; where nobody proved an address, 30 days after the last visit if the account owns nothing, `UNPROVED_ACCOUNT_DAYS` after it was opened if it has test data",
    job: "close abandoned accounts",
  },
  "public.recovery_codes": WITH_THE_PERSON,
  "public.refund_allowances": WITH_THE_PERSON,
  "public.service_settings": { kept: "for ever: a handful of rows", job: null },
  "public.total_deltas": { kept: "until they are in the daily totals, about a second", job: "daily totals" },
  "public.idempotency_keys": { kept: "25 hours", job: "remove expired keys" },
  "public.request_errors": { kept: "30 days", job: "remove old request errors" },
  "public.user_sessions": { kept: "30 days after their last use", job: "remove old sign-ins" },
  "public.user_tokens": { kept: "30 days after their end", job: "remove old sign-ins" },
  "public.mail_outbox": { kept: "30 days", job: "remove old sign-ins" },
  "public.payment_tokens": { kept: "25 hours after their end; the card until their end", job: "forget old cards" },
  "sandbox_processor.recent_attempts": { kept: "10 minutes", job: "forget old cards" },
  "sandbox_processor.refusals": { kept: "7 days", job: "forget old cards" },
  "sandbox_processor.reports": { kept: "7 days after they were acknowledged", job: "forget old cards" },
};
