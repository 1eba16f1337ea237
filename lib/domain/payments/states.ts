import { type DisputeStatus, isLost } from "@/lib/contract/disputes/statuses";
import type { PaymentStatus } from "@/lib/contract/payments/payment";
import type { Action, TransactionStatus, TransactionType } from "@/lib/contract/transactions/words";

/**
 * The one table of status changes. Database triggers enforce the same (a test compares them pair by pair), so
 * no code path, script or console can make any other change.
 */
export const PAYMENT_TRANSITIONS: Record<PaymentStatus, readonly PaymentStatus[]> = {
  PENDING: ["REQUIRES_ACTION", "AUTHORIZED", "CAPTURED", "DECLINED", "FAILED"],
  // PENDING again while the challenge's result is sent to the processor.
  REQUIRES_ACTION: ["PENDING"],
  AUTHORIZED: ["CAPTURED", "VOIDED"],
  CAPTURED: ["SETTLED", "PARTIALLY_REFUNDED", "REFUNDED"],
  SETTLED: ["PARTIALLY_REFUNDED", "REFUNDED"],
  // The transitions back are those of an accepted refund that failed later.
  PARTIALLY_REFUNDED: ["REFUNDED", "CAPTURED", "SETTLED"],
  REFUNDED: ["PARTIALLY_REFUNDED", "CAPTURED", "SETTLED"],
  VOIDED: [],
  DECLINED: [],
  FAILED: [],
};

const NONE: readonly TransactionStatus[] = [];

export const TRANSACTION_TRANSITIONS: Record<
  TransactionType,
  Record<TransactionStatus, readonly TransactionStatus[]>
> = {
  CHARGE: {
    PENDING: ["AUTHORIZED", "CAPTURED", "DECLINED", "FAILED"],
    AUTHORIZED: ["CAPTURED", "VOIDED"],
    CAPTURED: ["SETTLED", "PARTIALLY_REFUNDED", "REFUNDED"],
    SETTLED: ["PARTIALLY_REFUNDED", "REFUNDED"],
    PARTIALLY_REFUNDED: ["REFUNDED", "CAPTURED", "SETTLED"],
    REFUNDED: ["PARTIALLY_REFUNDED", "CAPTURED", "SETTLED"],
    VOIDED: NONE,
    DECLINED: NONE,
    FAILED: NONE,
  },
  REFUND: {
    PENDING: ["CAPTURED", "FAILED"],
    CAPTURED: ["SETTLED", "FAILED"],
    SETTLED: ["FAILED"],
    AUTHORIZED: NONE,
    VOIDED: NONE,
    REFUNDED: NONE,
    PARTIALLY_REFUNDED: NONE,
    DECLINED: NONE,
    FAILED: NONE,
  },
};

const REFUNDABLE: ReadonlySet<PaymentStatus> = new Set(["CAPTURED", "SETTLED", "PARTIALLY_REFUNDED"]);

/** The payment's columns that the rules use. Amounts in minor units. */
export type PaymentMoney = {
  status: PaymentStatus;
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  refund_pending: number;
  open_operation_id: string | null;
  dispute_status: DisputeStatus | null;
  capture_reversed_at: string | null;
};

/**
 * Refundable amount; zero if a lost dispute returned the money to the cardholder, or the capture was
 * reversed.
 */
export function amountRefundable(payment: PaymentMoney): number {
  if (isLost(payment.dispute_status) || payment.capture_reversed_at !== null) return 0;
  return payment.amount_captured - payment.amount_refunded - payment.refund_pending;
}

export function amountCapturable(payment: PaymentMoney): number {
  return payment.status === "AUTHORIZED" ? payment.amount : 0;
}

const NO_ACTIONS: Action[] = [];
const HELD: Action[] = ["capture", "void"];
const PAID: Action[] = ["refund"];

/** The actions allowed now, for buttons and refusals. */
export function availableActions(payment: PaymentMoney): Action[] {
  if (payment.open_operation_id !== null) return NO_ACTIONS;
  if (payment.status === "AUTHORIZED") return HELD;
  return REFUNDABLE.has(payment.status) && amountRefundable(payment) > 0 ? PAID : NO_ACTIONS;
}

/** The payment ended without taking money. */
export function hasEndedUnpaid(status: PaymentStatus): boolean {
  return status === "DECLINED" || status === "FAILED";
}

export function isRefundable(status: PaymentStatus): boolean {
  return REFUNDABLE.has(status);
}

/** Status of a captured charge, from its counters. */
export function statusOfCaptured(charge: { amount_captured: number; amount_refunded: number; settled: boolean }) {
  if (charge.amount_refunded === charge.amount_captured) return "REFUNDED";
  if (charge.amount_refunded > 0) return "PARTIALLY_REFUNDED";
  return charge.settled ? "SETTLED" : "CAPTURED";
}
