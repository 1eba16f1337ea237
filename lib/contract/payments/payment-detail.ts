import type { DeclineCode } from "@/lib/contract/errors";
import type { Transaction } from "@/lib/contract/transactions/transaction";
import type { Dispute } from "./dispute";
import type { Payment } from "./payment";
import type { LedgerAccountName } from "./words";

/**
 * A payment as its page shows it: with the latest of its refunds, and of its transactions without what each has from the payment.
 * All metadata there may be, once for each refund, would be megabytes.
 */
export type ShownPayment = Omit<Payment, "transactions"> & {
  transactions: Omit<Transaction, "metadata" | "billing_address" | "description">[];
};

/** Everything that is known of one payment, as its page shows it. Types alone: browser code takes nothing else from here. */
export type PaymentDetail = {
  payment: ShownPayment;
  /** What the API does not show of the transactions, in their order. */
  notes: TransactionNote[];
  /** Whether something is under way, so that the page will change by itself. */
  pending: boolean;
  decline: { code: DeclineCode; meaning: string; advice: string } | null;
  /** Oldest first. */
  disputes: ShownDispute[];
  /** What the processor calls it; null where the processor gives no ids of its own. */
  processor: ShownProcessor | null;
  /** Oldest first. */
  timeline: TimelineEntry[];
  ledger: LedgerLine[];
  /** Cardlane's fee on what was captured, in minor units. */
  fee: number;
  events: PaymentEvent[];
  requests: ShownRequest[];
  linked: LinkedObjects;
  /** Whether there is more of the refunds, timeline, ledger, events or requests than is shown. */
  truncated: boolean;
};

/** `url`: where it is answered, in the processor's dashboard. */
type ShownDispute = Dispute & { url: string | null };

export type ShownProcessor = {
  /** Its name for people, such as "Stripe"; null while it is not connected. */
  name: string | null;
  /** Oldest first. `url`: where to look at it, in the processor's dashboard. */
  objects: { kind: string; id: string; url: string | null }[];
};

type TransactionNote = {
  /** `txn_…`. */
  id: string;
  refund_comment: string | null;
  /** Plain words; null until the processor scored it. */
  fraud_reasons: string[] | null;
};

/** Who did something. */
export type ShownActor = {
  type: "api_key" | "user" | "staff" | "shopper" | "system";
  /** `key_…`, `usr_…`, or the `cs_…` of a shopper; null for Cardlane and its staff. */
  id: string | null;
  name: string;
  /** A key's beginning and last 4, a person's e-mail address. */
  detail: string | null;
};

export type TimelineOutcome = "succeeded" | "declined" | "failed" | "pending" | "action_required";

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
  /** `txn_…`: the charge, or the refund. */
  transaction_id: string;
  /** When the outcome was known; until then, when it began. */
  at: string;
  actor: ShownActor;
  idempotency_key: string | null;
  request_id: string | null;
  /** What the processor said, in plain words. */
  said: string | null;
  /** Why it was done, as the person gave it. */
  reason: string | null;
  /** How often the processor was called or asked about it. */
  attempts: number;
  settlement_batch_id: string | null;
};

export type LedgerLine = {
  id: string;
  /** What it belongs to: "Capture", "Refund" … */
  title: string;
  debit: LedgerAccountName;
  credit: LedgerAccountName;
  /** Minor units. */
  amount: number;
  currency: string;
  at: string;
};

export type PaymentEvent = { id: string; type: string; at: string };

/** A request of the API that began an operation of the payment. */
export type ShownRequest = {
  key: string;
  method: string;
  path: string;
  request_id: string;
  actor: ShownActor;
  at: string;
  /** Null while there is no answer. */
  status: number | null;
  /** With no card number and no CVV; null when it had none, or none was kept. */
  body: unknown;
  /** The stored answer. */
  response: unknown;
  /** Both are left out, as this and the later requests are too long together. */
  too_long: boolean;
  replay_count: number;
  last_replayed_at: string | null;
  reuse_count: number;
};

export type LinkedObjects = {
  plan: { id: string; name: string; status: string } | null;
  client_session: { id: string; status: string; created_at: string } | null;
  /** The payment link that opened its session. */
  payment_link: { id: string; title: string } | null;
  subscription_id: string | null;
  /** `cust_…`; null where the payment names none, or its customer is not known yet. */
  customer: string | null;
  /** Other payments of the same customer; null when the payment names none. */
  customer_payments: { count: number; more: boolean } | null;
  batches: { id: string; currency: string; created_at: string }[];
};
