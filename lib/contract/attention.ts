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

export type AttentionKind = "expiring" | "failed_refund" | "unknown_outcome";

/** `rows` are the most urgent of `count`. */
export type AttentionItem = { kind: AttentionKind; count: number; rows: AttentionRow[] };
