/** The overview's figures as plain data: what the server counts and the browser draws. Days are `YYYY-MM-DD`. */
import type { ATTENTION } from "@/lib/contract/transactions/words";

export type DayRange = { from: string; to: string };

/** Money in minor units of one currency. */
export type Figures = {
  /** Captured: the gross volume. */
  gross: number;
  captures: number;
  /** Given back; a refund that failed afterwards is taken off again on the day that it failed. */
  refunded: number;
  refunds: number;
  /** Of these and earlier ones, how many failed afterwards; they are in `refunds` all the same. */
  refundsFailed: number;
  fees: number;
  /** Captured less refunds and fees. */
  net: number;
  /** Attempts to charge a card, by how they ended and the day they were made. */
  approved: number;
  declined: number;
  /** Neither: nothing moved, and no issuer said no. */
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
  /** Days are this zone's; IANA name. */
  timeZone: string;
  today: string;
  /** The merchant's first day. */
  firstDay: string;
  /** Null while nothing ever happened in any currency. */
  currency: string | null;
  /** Every currency that occurs, most used first. */
  currencies: string[];
  figures: Figures;
  unit: BucketUnit;
  buckets: Bucket[];
  /** The period before; null when it lies before the merchant's first day. */
  previous: (DayRange & { figures: Figures; buckets: Bucket[] }) | null;
  /** Most frequent first. */
  declines: Decline[];
};

/** Approved attempts per attempt that an issuer answered; null when there was none. */
export function approvalRate({ approved, declined }: Pick<Figures, "approved" | "declined">): number | null {
  const answered = approved + declined;
  return answered === 0 ? null : approved / answered;
}

/** What somebody should look at, as plain data. Ids are public ones, times ISO 8601, amounts in minor units. */

export type AttentionRow = {
  paymentId: string;
  /** Of the failed refund. */
  transactionId: string | null;
  /** What was asked of the processor; null when nothing is under way. */
  doing: "authorize" | "continue" | "capture" | "void" | "refund" | null;
  amount: number;
  currency: string;
  /** When it runs out, failed, or became unknown. */
  at: string;
};

export type AttentionKind = (typeof ATTENTION)[number] | "to_capture";

/** `rows` are the most urgent of `count`; none where a list has exactly these. */
export type AttentionItem = { kind: AttentionKind; count: number; rows: AttentionRow[] };
