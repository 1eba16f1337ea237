/** Fields of the money dialogs, loaded only when one opens. */
import { moneyText } from "@/lib/contract/format";
import type { RefundReason } from "@/lib/contract/transactions/words";
import { type AmountChoice, readTypedAmount } from "@/lib/contract/typed-amount";
import type { Refusal } from "./money-attempt";

type AmountReading =
  | { amount: number; error: null }
  | { amount: null; error: string; choices?: readonly AmountChoice[] };

/** The typed amount in minor units, or its problem. `max` is in minor units. */
export function readAmount(text: string, currency: string, max: number, verb: string): AmountReading {
  if (text.trim() === "") return { amount: null, error: "Enter an amount." };
  const typed = readTypedAmount(text, currency);
  if (typed.minor === null) return { amount: null, error: typed.message, choices: typed.choices };
  const amount = typed.minor;
  if (amount === 0) return { amount: null, error: "The amount must be more than zero." };
  if (amount > max) return { amount: null, error: `At most ${moneyText(max, currency)} can be ${verb}.` };
  return { amount, error: null };
}

export const REFUND_REASON_LABELS: Record<RefundReason, string> = {
  CUSTOMER_REQUEST: "Requested by the customer",
  RETURN: "Goods returned",
  DUPLICATE: "Duplicate payment",
  FRAUDULENT: "Fraudulent",
  OTHER: "Other",
};

/** The reason "Other" requires a note. */
export const noteError = (reason: RefundReason, note: string): string | null =>
  reason === "OTHER" && note.trim() === "" ? "Describe the reason." : null;

/** The API's message about a form field; null if the refusal names another field or none. */
export function fieldError(refusal: Refusal | null, param: string): string | null {
  if (!refusal) return null;
  const named = refusal.errors.find((error) => error.param === param)?.message;
  return named ?? (refusal.param === param ? refusal.detail : null);
}
