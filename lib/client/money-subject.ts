import type { Payment } from "@/lib/contract/payment";
import type { ActionSubject } from "./action-reasons";
import { cardText } from "./card-text";
import type { MoneyAction, MoneyRecord } from "./money-record";
import { moneyText } from "./money-text";

/** What a money action needs to see of a payment, and compares to notice that another has changed it. */
export type MoneySubject = {
  readonly paymentId: string;
  readonly chargeId: string;
  readonly status: Payment["status"];
  readonly currency: string;
  /** Minor units, all of them. */
  readonly amount: number;
  readonly captured: number;
  readonly capturable: number;
  readonly refunded: number;
  readonly refundable: number;
  readonly actions: readonly MoneyAction[];
  readonly refunds: readonly { id: string; amount: number; status: string }[];
  readonly captureBefore: string | null;
  readonly voidReason: string | null;
  /** `Visa •••• 4242`. */
  readonly card: string;
};

export function subjectOf(payment: Payment): MoneySubject {
  const charge = payment.transactions.find(({ type }) => type === "CHARGE");
  if (!charge) throw new Error(`${payment.id} has no charge`);
  return {
    paymentId: payment.id,
    chargeId: charge.id,
    status: payment.status,
    currency: payment.currency,
    amount: payment.amount,
    captured: payment.amount_captured,
    capturable: payment.amount_capturable,
    refunded: payment.amount_refunded,
    refundable: payment.amount_refundable,
    actions: payment.available_actions,
    refunds: payment.transactions
      .filter(({ type }) => type === "REFUND")
      .map(({ id, amount, status }) => ({ id, amount, status })),
    captureBefore: charge.capture_before,
    voidReason: charge.void_reason,
    card: cardText(charge.card_brand, charge.card_last4),
  };
}

/** What the reasons against an action look at. */
export const reasonSubject = (subject: MoneySubject): ActionSubject => ({ ...subject, type: "CHARGE" });

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
  if (before.refundable !== after.refundable) {
    changes.push(
      `${moneyText(after.refundable, after.currency)} is left to refund, not ${moneyText(before.refundable, before.currency)}.`,
    );
  }
  if (changes.length === 0 && before.status !== after.status) changes.push(`It is ${after.status} now.`);
  return changes;
}

/** What is known of a request that was sent. Minor units. */
export type SentRequest = Pick<MoneyRecord, "action" | "amount" | "knownRefunds" | "transactionId">;

/** How a sent request stands, as the payment itself shows it. */
export type Finding =
  | { kind: "done" }
  | { kind: "failed" }
  /** `hint`: what the payment shows, in a sentence. */
  | { kind: "open"; hint: string };

/**
 * Looks for what a sent request did. Only what cannot have another cause is said to be done: a payment is captured or
 * voided once, and a refund is known by its id.
 */
export function findingOf(record: SentRequest, arrived: boolean, now: MoneySubject): Finding {
  if (record.action === "refund") return refundFinding(record, now);
  const wanted = record.action === "capture" ? now.captured === record.amount : now.status === "VOIDED";
  if (wanted) return { kind: "done" };
  if (now.status !== "AUTHORIZED") return { kind: "failed" };
  // Nothing is under way any more on a payment where this was: it came to nothing.
  if (arrived && now.actions.length > 0) return { kind: "failed" };
  return { kind: "open", hint: "The payment is still authorized: nothing has been captured or voided so far." };
}

function refundFinding(record: SentRequest, now: MoneySubject): Finding {
  const made = now.refunds.find(({ id }) => id === record.transactionId);
  if (made && made.status !== "PENDING") return { kind: made.status === "FAILED" ? "failed" : "done" };
  if (made) return { kind: "open", hint: "The refund is with the processor, which has not said yet how it went." };
  const known = new Set(record.knownRefunds);
  const like = now.refunds.find(({ id, amount }) => !known.has(id) && amount === record.amount);
  return {
    kind: "open",
    hint: like
      ? `The payment has a new refund of this amount (${like.status.toLowerCase()}). Retrying safely tells whether it is this one.`
      : "The payment has no new refund so far. The request may still arrive.",
  };
}
