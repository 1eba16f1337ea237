import { type DisputeStatus, isLost } from "@/lib/contract/disputes/statuses";
import { moneyText } from "@/lib/contract/format";
import type { ShownPayment } from "@/lib/contract/payments/payment-detail";
import type { UserPermission } from "@/lib/contract/permissions";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import type { Action, TransactionType } from "@/lib/contract/transactions/words";

/** The data behind the reasons: a payment, or a transaction in a list. Amounts in minor units. */
export type ActionSubject = {
  readonly type: TransactionType;
  readonly status: ShownPayment["status"];
  readonly currency: string;
  readonly captured: number;
  readonly refunded: number;
  readonly refundable: number;
  readonly actions: readonly Action[];
  readonly voidReason: string | null;
  readonly dispute: DisputeStatus | null;
  readonly captureReversed: boolean;
};

export const subjectOfTransaction = (transaction: ListedTransaction): ActionSubject => ({
  type: transaction.type,
  status: transaction.status,
  currency: transaction.currency,
  captured: transaction.amount_captured,
  refunded: transaction.amount_refunded,
  refundable: transaction.amount_refundable,
  actions: transaction.available_actions,
  voidReason: transaction.void_reason,
  dispute: transaction.dispute?.status ?? null,
  captureReversed: transaction.capture_reversed_at !== null,
});

export const subjectOfPayment = (payment: ShownPayment): ActionSubject => ({
  type: "CHARGE",
  status: payment.status,
  currency: payment.currency,
  captured: payment.amount_captured,
  refunded: payment.amount_refunded,
  refundable: payment.amount_refundable,
  actions: payment.available_actions,
  voidReason: payment.transactions.find(({ type }) => type === "CHARGE")?.void_reason ?? null,
  dispute: payment.dispute?.status ?? null,
  captureReversed: payment.capture_reversed_at !== null,
});

const ACTION_PERMISSIONS = {
  capture: "transaction.capture",
  void: "transaction.void",
  refund: "transaction.refund",
} as const satisfies Record<Action, UserPermission>;

const VERBS = { capture: "capture", void: "void", refund: "refund" } as const;
const PAST = { capture: "captured", void: "voided", refund: "refunded" } as const;

/** Reason why an action isn't possible now, or null. Explains the service's decision without making one. */
export function reasonAgainst(
  action: Action,
  subject: ActionSubject,
  can: (permission: UserPermission) => boolean,
): string | null {
  if (!subject.actions.includes(action)) return reasonOfState(action, subject);
  if (can(ACTION_PERMISSIONS[action])) return null;
  return `Your role does not allow you to ${VERBS[action]} payments. Ask an owner of this account.`;
}

function reasonOfState(action: Action, subject: ActionSubject): string {
  if (subject.type === "REFUND") return `This is a refund. Only the charge it belongs to can be ${PAST[action]}.`;
  switch (subject.status) {
    case "PENDING":
      return "The outcome of this payment is not known yet.";
    case "REQUIRES_ACTION":
      return "The customer has not finished 3-D Secure yet, so no money has been held or taken.";
    case "DECLINED":
      return "The card was declined: no money was taken.";
    case "FAILED":
      return "The payment failed: no money was taken.";
    case "VOIDED":
      return subject.voidReason === "expired"
        ? "The authorization expired before it was captured: the money was never taken."
        : "The payment was voided: the money was never taken.";
    case "AUTHORIZED":
      if (action === "refund") return "Nothing has been captured yet, so there is nothing to refund. Void it instead.";
      return "A capture or void of this payment is under way. Its outcome is not known yet.";
    case "CAPTURED":
    case "SETTLED":
    case "PARTIALLY_REFUNDED":
    case "REFUNDED":
      return action === "refund" ? reasonAgainstRefund(subject) : reasonAgainstHold(action, subject);
    default:
      return subject.status satisfies never;
  }
}

function reasonAgainstRefund(subject: ActionSubject): string {
  const { status, captured, refunded, refundable, currency } = subject;
  if (isLost(subject.dispute))
    return `A dispute of this payment was ${subject.dispute === "ACCEPTED" ? "accepted" : "lost"}: the bank returned the money to the cardholder.`;
  if (subject.captureReversed) return "The processor reported that the capture failed later: its money never came.";
  if (status === "REFUNDED" || refunded >= captured) {
    return `The whole ${moneyText(captured, currency)} has already been refunded.`;
  }
  if (refundable <= 0) return "A refund of the remainder is pending.";
  return "Another operation on this payment is under way. Try again in a moment.";
}

function reasonAgainstHold(action: "capture" | "void", { status }: ActionSubject): string {
  if (action === "capture") return "The payment has already been captured.";
  return status === "SETTLED"
    ? "The payment is settled. Refund it instead."
    : "The payment has been captured. Refund it instead.";
}
