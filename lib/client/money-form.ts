import { formatMinor } from "@/lib/contract/currencies";
import type { RefundReason } from "@/lib/contract/transaction-words";
import { parseAmount } from "./amount-text";
import type { Refusal } from "./money-attempt";
import { moneyText } from "./money-text";

/** Minor units → "12.00": what stands in the field, with all decimals of the currency. */
export const amountField = (minor: number, currency: string): string =>
  formatMinor(minor, currency).split(" ")[0] ?? "";

export type AmountReading = { amount: number; error: null } | { amount: null; error: string };

/** What was typed in major units, as minor units, or what is wrong with it. `most` in minor units. */
export function readAmount(text: string, currency: string, most: number, verb: string): AmountReading {
  if (text.trim() === "") return { amount: null, error: "Enter an amount." };
  const amount = parseAmount(text, currency);
  const example = amountField(Math.max(most, 1), currency);
  if (amount === null) return { amount: null, error: `Enter an amount in ${currency}, such as ${example}.` };
  if (amount === 0) return { amount: null, error: "The amount must be more than zero." };
  if (amount > most) return { amount: null, error: `At most ${moneyText(most, currency)} can be ${verb}.` };
  return { amount, error: null };
}

export const REFUND_REASON_LABELS: Record<RefundReason, string> = {
  CUSTOMER_REQUEST: "Requested by the customer",
  RETURN: "Goods returned",
  DUPLICATE: "Duplicate payment",
  FRAUDULENT: "Fraudulent",
  OTHER: "Other",
};

/** "Other" says nothing without a note. */
export const noteError = (reason: RefundReason, note: string): string | null =>
  reason === "OTHER" && note.trim() === "" ? "Say what the reason is." : null;

/** What the API found wrong with a field of the form; null when it was something else. */
export function fieldError(refusal: Refusal | null, param: string): string | null {
  if (!refusal) return null;
  const named = refusal.errors.find((error) => error.param === param)?.message;
  return named ?? (refusal.param === param ? refusal.detail : null);
}
