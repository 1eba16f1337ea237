import type { LinkedCustomer } from "@/lib/contract/customers/customer";
import type { Dispute } from "@/lib/contract/disputes/dispute";
import type { DeclineCode } from "@/lib/contract/errors";
import type { InvoiceStatus, SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";
import type { Transaction } from "@/lib/contract/transactions/transaction";
import type { Payment } from "./payment";
import type { LedgerAccountName } from "./words";

/**
 * A payment for its page: with its latest refunds, and with transactions that don't repeat the payment's own
 * fields. All metadata, repeated for each refund, would be megabytes.
 */
export type ShownPayment = Omit<Payment, "transactions"> & {
  transactions: Omit<Transaction, "metadata" | "billing_address" | "description">[];
};

/** A payment in full, for its page. Types only, because browser code imports this file. */
export type PaymentDetail = {
  payment: ShownPayment;
  /** Fields of the transactions that the API doesn't show, in the same order. */
  notes: TransactionNote[];
  /** True if something is in progress, so the page will change by itself. */
  pending: boolean;
  decline: { code: DeclineCode; meaning: string; advice: string } | null;
  /** Oldest first. `meaning`: the status and where the money is, in a sentence. */
  disputes: (Dispute & { meaning: string })[];
  /** The processor's own ids; null if the processor gives none. */
  processor: ShownProcessor | null;
  /** Oldest first. */
  timeline: TimelineEntry[];
  ledger: LedgerLine[];
  /** Cardlane's fee on the captured amount, in minor units. */
  fee: number;
  events: PaymentEvent[];
  requests: ShownRequest[];
  linked: LinkedObjects;
  /** True if refunds, timeline, ledger, events or requests have more entries than shown. */
  truncated: boolean;
};

export type ShownProcessor = {
  /** Display name, such as "Stripe"; null while not connected. */
  name: string | null;
  /** Oldest first. `url`: the object in the processor's dashboard. */
  objects: { kind: string; id: string; url: string | null }[];
};

type TransactionNote = {
  /** `txn_…`. */
  id: string;
  refund_comment: string | null;
  /** In plain words; null until the processor has scored it. */
  fraud_reasons: string[] | null;
  /** `CN-…` of a refund, once it has succeeded. */
  credit_note: string | null;
};

/** Author of an action. */
export type ShownActor = {
  type: "api_key" | "user" | "staff" | "shopper" | "customer" | "system";
  /** `key_…`, `usr_…`, or a shopper's `cs_…`; null for customers, Cardlane and its staff. */
  id: string | null;
  name: string;
  /** A key's prefix and last 4, or a user's e-mail address. */
  detail: string | null;
};

/** `accepted`: a dispute that the merchant gave up. */
export type TimelineOutcome = "succeeded" | "declined" | "failed" | "pending" | "action_required" | "accepted";

export type TimelineEntry = {
  id: string;
  kind:
    | "authorize"
    | "continue"
    | "capture"
    | "void"
    | "refund"
    | "refund_returned"
    | "capture_reversed"
    | "settle"
    | "dispute";
  outcome: TimelineOutcome;
  title: string;
  /** Minor units. */
  amount: number;
  currency: string;
  /** `txn_…`: the charge or the refund. */
  transaction_id: string;
  /** Time of the outcome; until it is known, time of the start. */
  at: string;
  actor: ShownActor;
  /** Name of the member whose request the actor approved; null for any other act. */
  requested_by: string | null;
  idempotency_key: string | null;
  request_id: string | null;
  /** The processor's reason, in plain words. */
  said: string | null;
  /** The user's reason. */
  reason: string | null;
  /** Calls to the processor, including status checks. */
  attempts: number;
  settlement_batch_id: string | null;
};

export type LedgerLine = {
  id: string;
  /** Kind of operation: "Capture", "Refund" … */
  title: string;
  debit: LedgerAccountName;
  credit: LedgerAccountName;
  /** Minor units. */
  amount: number;
  currency: string;
  at: string;
};

export type PaymentEvent = { id: string; type: string; at: string };

/** An API request that started an operation of the payment. */
export type ShownRequest = {
  key: string;
  method: string;
  path: string;
  request_id: string;
  actor: ShownActor;
  at: string;
  /** Null while there is no response. */
  status: number | null;
  /** Without card number and CVV; null if it had none, or none was kept. */
  body: unknown;
  /** The stored response. */
  response: unknown;
  /** Both bodies are omitted, because this and the later requests are too long together. */
  too_long: boolean;
  replay_count: number;
  last_replayed_at: string | null;
  reuse_count: number;
};

export type LinkedObjects = {
  plan: { id: string; name: string; status: string } | null;
  client_session: { id: string; status: string; created_at: string } | null;
  /** The payment link that created its session. */
  payment_link: { id: string; title: string } | null;
  subscription: { id: string; plan_name: string; status: SubscriptionStatus } | null;
  invoice: { id: string; number: string | null; status: InvoiceStatus } | null;
  /** Null if the payment names none, or its customer isn't known yet. */
  customer: LinkedCustomer | null;
  /** Other payments of the same customer; null if the payment names none. */
  customer_payments: { count: number; more: boolean } | null;
  batches: { id: string; currency: string; created_at: string }[];
};
