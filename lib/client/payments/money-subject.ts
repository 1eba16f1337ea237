import { cardText, moneyText } from "@/lib/contract/format";
import { DISPUTE_STATUS_WORDS } from "@/lib/contract/payments/dispute-words";
import type { ShownPayment } from "@/lib/contract/payments/payment-detail";
import type { RefundReason } from "@/lib/contract/transactions/words";
import { type AmountChoice, readTypedAmount } from "@/lib/contract/typed-amount";
import { type ActionSubject, subjectOfPayment } from "./action-reasons";
import type { Refusal } from "./money-attempt";

/** What a money action needs to see of a payment, and compares to notice that another has changed it. */
export type MoneySubject = ActionSubject & {
  readonly paymentId: string;
  readonly chargeId: string;
  /** Minor units. */
  readonly amount: number;
  readonly capturable: number;
  readonly refunds: readonly { id: string; amount: number; status: string }[];
  readonly captureBefore: string | null;
  /** `Visa •••• 4242`. */
  readonly card: string;
};

export function subjectOf(payment: ShownPayment): MoneySubject {
  const charge = payment.transactions.find(({ type }) => type === "CHARGE");
  if (!charge) throw new Error(`${payment.id} has no charge`);
  return {
    ...subjectOfPayment(payment),
    paymentId: payment.id,
    chargeId: charge.id,
    amount: payment.amount,
    capturable: payment.amount_capturable,
    refunds: payment.transactions
      .filter(({ type }) => type === "REFUND")
      .map(({ id, amount, status }) => ({ id, amount, status })),
    captureBefore: charge.capture_before,
    card: cardText(charge.card_brand, charge.card_last4),
  };
}

/** What another did to the payment since `before`, in sentences; empty when nothing that matters here. */
export function changesBetween(before: MoneySubject, after: MoneySubject): string[] {
  const changes: string[] = [];
  const known = new Set(before.refunds.map(({ id }) => id));
  for (const refund of after.refunds.filter(({ id }) => !known.has(id))) {
    const state = refund.status === "PENDING" ? "is under way" : refund.status === "FAILED" ? "failed" : "was made";
    changes.push(`A refund of ${moneyText(refund.amount, after.currency)} ${state}.`);
  }
  if (before.captured !== after.captured) changes.push(`${moneyText(after.captured, after.currency)} was captured.`);
  if (before.status !== after.status && after.status === "VOIDED") changes.push("It was voided.");
  if (before.dispute !== after.dispute && after.dispute)
    changes.push(`It is disputed: ${DISPUTE_STATUS_WORDS[after.dispute].title.toLowerCase()}.`);
  if (before.refundable !== after.refundable) {
    changes.push(
      `${moneyText(after.refundable, after.currency)} is left to refund, not ${moneyText(before.refundable, before.currency)}.`,
    );
  }
  if (changes.length === 0 && before.status !== after.status) changes.push(`It is ${after.status} now.`);
  return changes;
}

type AmountReading =
  | { amount: number; error: null }
  | { amount: null; error: string; choices?: readonly AmountChoice[] };

/** The typed amount in minor units, or what is wrong with it. `most` in minor units. */
export function readAmount(text: string, currency: string, most: number, verb: string): AmountReading {
  if (text.trim() === "") return { amount: null, error: "Enter an amount." };
  const typed = readTypedAmount(text, currency);
  if (typed.minor === null) return { amount: null, error: typed.message, choices: typed.choices };
  const amount = typed.minor;
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
  reason === "OTHER" && note.trim() === "" ? "Describe the reason." : null;

/** What the API found wrong with a field of the form; null when it was something else. */
export function fieldError(refusal: Refusal | null, param: string): string | null {
  if (!refusal) return null;
  const named = refusal.errors.find((error) => error.param === param)?.message;
  return named ?? (refusal.param === param ? refusal.detail : null);
}
