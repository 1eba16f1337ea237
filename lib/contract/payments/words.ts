/**
 * Enums of payments and the check digit of cards, without zod; separate from the enums that every list needs.
 */

import type { DisputeReason, DisputeStatus } from "@/lib/contract/disputes/statuses";
import type { RefundReason } from "@/lib/contract/transactions/words";

export const REFUND_REASON_WORDS: Record<RefundReason, string> = {
  DUPLICATE: "Duplicate payment",
  FRAUDULENT: "Fraudulent",
  CUSTOMER_REQUEST: "Requested by the customer",
  RETURN: "Goods returned",
  OTHER: "Other",
};

export const LEDGER_ACCOUNT_WORDS = {
  processor_receivable: "Owed by the processor",
  merchant_payable: "Pending",
  merchant_available: "Available",
  merchant_in_payout: "In payout",
  disputes: "Disputes",
  fees: "Cardlane fees",
  bank: "Bank",
  suspense: "Under review",
} as const satisfies Record<string, string>;
export type LedgerAccountName = keyof typeof LEDGER_ACCOUNT_WORDS;

/** Address verification results: the card networks' letters. */
export const AVS_RESULTS = {
  Y: "Street and five-digit postal code match",
  X: "Street and nine-digit postal code match",
  D: "Street and postal code match (international)",
  F: "Street and postal code match (United Kingdom)",
  M: "Street and postal code match (international)",
  A: "Street matches, postal code does not",
  B: "Street matches, postal code not checked",
  Z: "Five-digit postal code matches, street does not",
  W: "Nine-digit postal code matches, street does not",
  P: "Postal code matches, street not checked",
  N: "No match: nothing that was checked matches",
  C: "Not verified: incompatible formats (international)",
  I: "Not verified (international)",
  G: "The issuer is outside the US and does not take part",
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
  S: "The code should be on the card, but was reported missing",
  U: "The issuer does not verify security codes",
} as const;
export type CvvResult = keyof typeof CVV_RESULTS;

/** Grade of a check's result. */
type CheckTone = "good" | "partly" | "bad" | "unknown";
const CHECK_TONES: Record<"avs" | "cvv", Record<Exclude<CheckTone, "unknown">, string>> = {
  avs: { good: "YXDFM", partly: "ABZWP", bad: "N" },
  cvv: { good: "M", partly: "", bad: "NS" },
};

/** Grades an address or security code check: favorable, partly, unfavorable, or unknown. */
export function checkTone(check: "avs" | "cvv", result: string): CheckTone {
  const tones = CHECK_TONES[check];
  if (tones.good.includes(result)) return "good";
  if (tones.partly.includes(result)) return "partly";
  return tones.bad.includes(result) ? "bad" : "unknown";
}

/** The zero of each script of digits on keyboards; one to nine follow it. */
const ZEROS = [
  0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50, 0x0ed0,
  0x0f20, 0x1040, 0x17e0, 0x1810, 0xff10,
];

/** Replaces digits of any script with 0–9. The length doesn't change, so positions stay valid. */
export function withAsciiDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.charCodeAt(0);
    const zero = ZEROS.find((first) => code >= first && code <= first + 9);
    return zero === undefined ? digit : String(code - zero);
  });
}

/** The digits of a text, as 0–9. */
export const digitsOf = (text: string): string => withAsciiDigits(text).replace(/[^0-9]/g, "");

/** The Luhn check digit, which catches every single mistyped digit. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Detail of a refund made at the processor instead of here. */
export const OUTSIDE_REFUND = "refunded at the processor";
/** Detail of a void that releases a late approval. */
export const LATE_APPROVAL = "approved after the payment had ended";

/** Dispute reasons in plain words. */
export const DISPUTE_REASON_WORDS: Record<DisputeReason, string> = {
  FRAUDULENT: "Fraudulent",
  NOT_RECEIVED: "Not received",
  NOT_AS_DESCRIBED: "Not as described",
  DUPLICATE: "Duplicate",
  CANCELLED: "Cancelled",
  CREDIT_NOT_PROCESSED: "Credit not processed",
  OTHER: "Other",
};

/** Dispute statuses in plain words. */
export const DISPUTE_STATUS_WORDS: Record<DisputeStatus, { readonly title: string; readonly meaning: string }> = {
  NEEDS_RESPONSE: {
    title: "Needs a response",
    meaning: "The cardholder’s bank asks for evidence that the payment is legitimate.",
  },
  UNDER_REVIEW: { title: "Under review", meaning: "The evidence is with the cardholder’s bank, which decides." },
  WON: { title: "Won", meaning: "The bank decided in your favor." },
  LOST: { title: "Lost", meaning: "The bank decided in the cardholder’s favor." },
  ACCEPTED: { title: "Accepted", meaning: "The dispute was accepted." },
};
