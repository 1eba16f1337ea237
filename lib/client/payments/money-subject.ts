import { cardText, moneyText } from "@/lib/contract/format";
import type { ShownPayment } from "@/lib/contract/payments/payment-detail";
import { type ActionSubject, subjectOfPayment } from "./action-reasons";

/** The part of a payment that a money action needs, also compared to detect concurrent changes. */
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

/** Relevant concurrent changes since `before`, in sentences; empty if there are none. */
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
    changes.push(`It is disputed: ${after.dispute.toLowerCase().replace("_", " ")}.`);
  if (before.refundable !== after.refundable) {
    changes.push(
      `${moneyText(after.refundable, after.currency)} is left to refund, not ${moneyText(before.refundable, before.currency)}.`,
    );
  }
  if (changes.length === 0 && before.status !== after.status) changes.push(`It is ${after.status} now.`);
  return changes;
}
