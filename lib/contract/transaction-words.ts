/** The words of transactions, without zod: what browser code needs of the contract at run time. */

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

export const CARD_BRANDS = ["visa", "mastercard", "amex", "discover"] as const;
export type CardBrand = (typeof CARD_BRANDS)[number];

export const ACTIONS = ["capture", "void", "refund"] as const;
export type Action = (typeof ACTIONS)[number];

export const REFUND_REASONS = ["DUPLICATE", "FRAUDULENT", "CUSTOMER_REQUEST", "RETURN", "OTHER"] as const;
export type RefundReason = (typeof REFUND_REASONS)[number];

/** Address verification results, the card networks' letters. */
export const AVS_RESULTS = {
  Y: "Street and five-digit postal code match",
  X: "Street and nine-digit postal code match",
  D: "Street and postal code match (international)",
  F: "Street and postal code match (United Kingdom)",
  M: "Street and postal code match (international)",
  A: "Street matches, postal code does not",
  B: "Street matches, postal code not verified (international)",
  Z: "Five-digit postal code matches, street does not",
  W: "Nine-digit postal code matches, street does not",
  P: "Postal code matches, street not verified (international)",
  N: "Neither street nor postal code matches",
  C: "Not verified: incompatible formats (international)",
  I: "Not verified (international)",
  G: "The issuer outside the US does not take part",
  U: "The address information is unavailable",
  R: "The system is unavailable: try again",
  S: "The issuer does not support address verification",
  E: "The address data is in error",
} as const;
export type AvsResult = keyof typeof AVS_RESULTS;

/** Security code verification results. */
export const CVV_RESULTS = {
  M: "The security code matches",
  N: "The security code does not match",
  P: "Not processed",
  S: "The code should be on the card, but was said to be missing",
  U: "The issuer does not verify security codes",
} as const;
export type CvvResult = keyof typeof CVV_RESULTS;

/** How good a check's result is. */
export type CheckTone = "good" | "partly" | "bad" | "unknown";
const CHECK_TONES: Record<"avs" | "cvv", Record<Exclude<CheckTone, "unknown">, string>> = {
  avs: { good: "YXDFM", partly: "ABZWP", bad: "N" },
  cvv: { good: "M", partly: "", bad: "NS" },
};

/** Whether the result of an address or security code check speaks for the shopper, partly, against, or not at all. */
export function checkTone(check: "avs" | "cvv", result: string): CheckTone {
  const tones = CHECK_TONES[check];
  if (tones.good.includes(result)) return "good";
  if (tones.partly.includes(result)) return "partly";
  return tones.bad.includes(result) ? "bad" : "unknown";
}

export const API_ENVIRONMENTS = { test: "sandbox", live: "live" } as const;

export const MODES = ["test", "live"] as const;
export type Mode = (typeof MODES)[number];
export const isMode = (text: string): text is Mode => (MODES as readonly string[]).includes(text);

export const SORT_FIELDS = ["created_at", "amount", "status"] as const;
export type SortField = (typeof SORT_FIELDS)[number];
