/** Enums of transactions, without zod: the runtime part of the contract for browser code. */

export const TRANSACTION_STATUSES = [
  "PENDING",
  "AUTHORIZED",
  "CAPTURED",
  "SETTLED",
  "VOIDED",
  "REFUNDED",
  "PARTIALLY_REFUNDED",
  "DECLINED",
  "FAILED",
] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

export const TRANSACTION_TYPES = ["CHARGE", "REFUND"] as const;
export type TransactionType = (typeof TRANSACTION_TYPES)[number];

/** Negative for refunds, whose API amounts have no sign. */
export const signedAmount = ({ type, amount }: { type: TransactionType; amount: number }): number =>
  type === "REFUND" ? -amount : amount;

export const CARD_BRANDS = ["visa", "mastercard", "amex", "discover"] as const;
export type CardBrand = (typeof CARD_BRANDS)[number];

export const BRAND_NAMES: Record<CardBrand, string> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  discover: "Discover",
};

export const DECLINE_CODES = [
  "generic_decline",
  "insufficient_funds",
  "lost_card",
  "stolen_card",
  "expired_card",
  "incorrect_cvv",
  "incorrect_number",
  "authentication_failed",
  "fraud_suspected",
  "processing_error",
] as const;

/**
 * Reasons for attention: no final outcome, a refund or capture that failed within 30 days, a hold about to
 * expire.
 */
export const ATTENTION = ["unknown_outcome", "failed_refund", "capture_reversed", "expiring"] as const;

export const ACTIONS = ["capture", "void", "refund"] as const;
export type Action = (typeof ACTIONS)[number];

export const REFUND_REASONS = ["DUPLICATE", "FRAUDULENT", "CUSTOMER_REQUEST", "RETURN", "OTHER"] as const;
export type RefundReason = (typeof REFUND_REASONS)[number];

export const API_ENVIRONMENTS = { test: "sandbox", live: "live" } as const;

export const MODES = ["test", "live"] as const;
export type Mode = (typeof MODES)[number];
export const isMode = (text: string): text is Mode => (MODES as readonly string[]).includes(text);

export const SORT_FIELDS = ["created_at", "amount", "status"] as const;
export type SortField = (typeof SORT_FIELDS)[number];
