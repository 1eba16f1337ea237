/**
 * Figures of the overview as plain data, computed by the server and drawn in the browser. Days are
 * `YYYY-MM-DD`.
 */
import type { ATTENTION } from "@/lib/contract/transactions/words";

export type DayRange = { from: string; to: string };

/** Money in minor units of one currency. */
export type Figures = {
  /** Captured: the gross volume. */
  gross: number;
  captures: number;
  /** Refunded; a refund that failed later is subtracted on the day that it failed. */
  refunded: number;
  refunds: number;
  /** Refunds that failed later, of these and earlier ones; `refunds` includes them. */
  refundsFailed: number;
  fees: number;
  /** Captured less refunds and fees. */
  net: number;
  /** Attempts to charge a card by result, counted on the day of their creation. */
  approved: number;
  declined: number;
  /** Neither approved nor declined: nothing moved, and no issuer refused it. */
  failed: number;
};

const BUCKET_UNITS = ["day", "week", "month"] as const;
export type BucketUnit = (typeof BUCKET_UNITS)[number];

export type Bucket = DayRange & { figures: Figures };

export type Decline = {
  code: string;
  /** The reason in a sentence. */
  meaning: string;
  count: number;
  /** Minor units. */
  amount: number;
};

export type Overview = DayRange & {
  /** Time zone of the days; IANA name. */
  timeZone: string;
  today: string;
  /** The merchant's first day. */
  firstDay: string;
  /** Null if there was no activity in any currency. */
  currency: string | null;
  /** Every currency that occurs, most used first. */
  currencies: string[];
  figures: Figures;
  unit: BucketUnit;
  buckets: Bucket[];
  /** The previous period; null if it is before the merchant's first day. */
  previous: (DayRange & { figures: Figures; buckets: Bucket[] }) | null;
  /** Most frequent first. */
  declines: Decline[];
};

/** Share of approved attempts among those an issuer decided; null if there were none. */
export function approvalRate({ approved, declined }: Pick<Figures, "approved" | "declined">): number | null {
  const decided = approved + declined;
  return decided === 0 ? null : approved / decided;
}

/** Items that need attention, as plain data. Ids are public ones, times ISO 8601, amounts in minor units. */

export type AttentionRow = {
  /** Null for an invoice. */
  paymentId: string | null;
  /** The failed refund. */
  transactionId: string | null;
  invoiceId: string | null;
  /** The dispute that needs a response. */
  disputeId: string | null;
  /** Pending operation at the processor, or null. */
  doing: "authorize" | "continue" | "capture" | "void" | "refund" | null;
  amount: number;
  currency: string;
  /** Time of expiry, of the failure, the deadline, or since when the outcome is unknown or the invoice waits. */
  at: string;
};

export type AttentionKind = (typeof ATTENTION)[number] | "to_capture" | "waiting_invoice" | "dispute";

/** `rows` are the most urgent of `count`; empty if a list shows exactly these. */
export type AttentionItem = { kind: AttentionKind; count: number; rows: AttentionRow[] };
