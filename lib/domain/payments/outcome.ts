import type { NewLedgerLine } from "@/db/queries/payments/outcomes";
import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import type { OperationState } from "@/db/schema/operations";
import type { PaymentRow } from "@/db/schema/payments";
import type { TransactionRow } from "@/db/schema/transactions";
import { formatMinor } from "@/lib/contract/currencies";
import { AppError, type DeclineCode } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { NextAction } from "@/lib/contract/payments/payment";
import { OUTSIDE_REFUND } from "@/lib/contract/payments/words";
import type { KnownCard } from "@/lib/processor/cards";
import type { Checks, Outcome } from "@/lib/processor/port";
import type { Result } from "../context";
import type { PaymentEventType, RefundEventType } from "../events/event";
import type { OpenOperation } from "./operation";
import { amountRefundable, hasEndedUnpaid, statusOfCaptured } from "./states";

/**
 * An outcome that ends an operation. `failed`: provably no money moved. `reversed`: an accepted refund was
 * returned.
 */
export type FinalOutcome =
  | Extract<Outcome, { kind: "approved" | "action_required" }>
  /**
   * `elsewhere`: for a refused refund, the amount refunded at the processor but not booked here yet, in minor
   * units.
   */
  | (Extract<Outcome, { kind: "declined" }> & { elsewhere?: number })
  | { kind: "failed"; reason: string }
  | { kind: "reversed" };

/**
 * The rows that an operation changes, read together. `refund`: the one that the operation creates, if any.
 */
export type OperationSnapshot = { payment: PaymentRow; charge: TransactionRow; refund: TransactionRow | null };

/** Event of the payment, or of the refund that the operation creates. */
export type OutcomeEventType = PaymentEventType | RefundEventType;

/** The snapshot after an outcome, with the ledger lines, events and result of the operation. */
export type Change = OperationSnapshot & {
  operationState: OperationState;
  ledger: NewLedgerLine[];
  /** Captured amount on which the fee is taken, in minor units. */
  feeOn: number;
  /**
   * Events for the merchant, in this order. The first is also the audit log's action unless `audit` names
   * another.
   */
  events: readonly [OutcomeEventType, ...OutcomeEventType[]];
  audit?: string;
  /** The result of the caller's request: success, or the refusal. */
  result:
    | { kind: "ok" }
    | { kind: "card_declined"; declineCode: DeclineCode }
    /** `reason`: a sentence. */
    | { kind: "processor_refused"; reason: string }
    /** The processor has refunds that are not booked here yet. Amounts in minor units. */
    | { kind: "refunded_elsewhere"; elsewhere: number; remaining: number }
    | { kind: "payment_failed" | "only_authorized" };
};

const DAY_MS = 86_400_000;
/** Card networks hold an authorization for about this long. */
export const AUTHORIZATION_DAYS = 7;
/** Time that a shopper has for the 3-D Secure challenge. */
export const CHALLENGE_MINUTES = 30;

/** Change without a refund and without ledger lines. */
const UNBOOKED = { refund: null, ledger: [], feeOn: 0 };

const addMs = (now: string, ms: number) => new Date(Date.parse(now) + ms).toISOString();

/**
 * Applies an outcome to a payment. Pure, so the request, the recovery worker and the tests get the same
 * result. `now` is an ISO time.
 */
export function applyOutcome(
  snapshot: OperationSnapshot,
  operation: Pick<OpenOperation, "kind" | "amount" | "detail">,
  outcome: FinalOutcome,
  now: string,
): Change {
  switch (operation.kind) {
    case "authorize":
    case "continue":
      return authorized(snapshot, outcome, now);
    case "capture":
      return outcome.kind === "approved"
        ? captured(snapshot, operation.amount, now)
        : refused(snapshot, outcome, now, "payment.capture_failed");
    case "void":
      if (hasEndedUnpaid(snapshot.payment.status)) return lateApprovalVoided(snapshot, outcome, now);
      return outcome.kind === "approved"
        ? voided(snapshot, operation.detail, now)
        : refused(snapshot, outcome, now, "payment.void_failed");
    case "refund":
      if (outcome.kind === "approved") return refunded(snapshot, operation.detail === OUTSIDE_REFUND, now);
      return outcome.kind === "reversed" ? reversed(snapshot, now) : refundFailed(snapshot, outcome, now);
    default:
      return operation.kind satisfies never;
  }
}

function authorized({ payment, charge }: OperationSnapshot, outcome: FinalOutcome, now: string): Change {
  const checked = { ...charge, ...mergeChecks(outcome, charge), ...mergeCard(outcome, charge), updated_at: now };
  const closed = { ...payment, open_operation_id: null, next_action: null, updated_at: now };
  switch (outcome.kind) {
    case "approved":
      if (payment.capture_method === "manual" || outcome.captured === false) {
        return {
          ...UNBOOKED,
          payment: { ...closed, status: "AUTHORIZED", capture_before: addMs(now, AUTHORIZATION_DAYS * DAY_MS) },
          charge: { ...checked, status: "AUTHORIZED", authorized_at: now },
          operationState: "succeeded",
          events: ["payment.authorized"],
          // We requested an immediate capture but the processor only authorized: the caller may capture or
          // void.
          result: { kind: payment.capture_method === "manual" ? "ok" : "only_authorized" },
        };
      }
      return {
        payment: { ...closed, status: "CAPTURED", amount_captured: payment.amount },
        charge: { ...checked, status: "CAPTURED", authorized_at: now, captured_at: now },
        refund: null,
        ...captureLines(payment.amount),
        operationState: "succeeded",
        events: ["payment.captured"],
        result: { kind: "ok" },
      };
    case "action_required": {
      const nextAction: NextAction = {
        type: "redirect_to_url",
        redirect_to_url: { url: outcome.challenge.url },
        expires_at: addMs(now, CHALLENGE_MINUTES * 60_000),
      };
      return {
        ...UNBOOKED,
        payment: { ...closed, status: "REQUIRES_ACTION", next_action: nextAction },
        charge: checked,
        operationState: "action_required",
        events: ["payment.requires_action"],
        result: { kind: "ok" },
      };
    }
    case "declined": {
      // The processor refused the request before an issuer saw it, so it is no decline.
      if (outcome.refusal !== undefined) return unpaid(closed, checked, refusedWith(outcome));
      const declineCode = outcome.decline_code ?? "generic_decline";
      return {
        ...UNBOOKED,
        payment: { ...closed, status: "DECLINED" },
        charge: { ...checked, status: "DECLINED", decline_code: declineCode },
        operationState: "declined",
        events: ["payment.declined"],
        result: { kind: "card_declined", declineCode },
      };
    }
    case "failed":
    case "reversed":
      return unpaid(closed, checked, { kind: "payment_failed" });
    default:
      return outcome satisfies never;
  }
}

const unpaid = (payment: PaymentRow, charge: TransactionRow, result: Change["result"]): Change => ({
  ...UNBOOKED,
  payment: { ...payment, status: "FAILED" },
  charge: { ...charge, status: "FAILED" },
  operationState: "failed",
  events: ["payment.failed"],
  result,
});

/** The result of a refusal. If the request itself was wrong, it has the processor's own sentence. */
function refusedWith(outcome: FinalOutcome): Change["result"] {
  const reason = outcome.kind === "declined" ? outcome.refusal : undefined;
  return reason === undefined ? { kind: "payment_failed" } : { kind: "processor_refused", reason };
}

function mergeChecks(outcome: FinalOutcome, charge: TransactionRow) {
  const checks: Checks | undefined = "checks" in outcome ? outcome.checks : undefined;
  return {
    avs_result: checks?.avs_result ?? charge.avs_result,
    cvv_result: checks?.cvv_result ?? charge.cvv_result,
    fraud_score: checks?.fraud_score ?? charge.fraud_score,
    fraud_reasons: checks?.fraud_reasons ?? charge.fraud_reasons,
  };
}

/**
 * Fills in card details from the outcome, because little is known of a processor's own token. Known values
 * stay.
 */
function mergeCard(outcome: FinalOutcome, charge: TransactionRow) {
  const card: KnownCard | undefined = "card" in outcome ? outcome.card : undefined;
  return {
    card_brand: charge.card_brand ?? card?.brand ?? null,
    card_last4: charge.card_last4 ?? card?.last4 ?? null,
    card_exp_month: charge.card_exp_month ?? card?.exp_month ?? null,
    card_exp_year: charge.card_exp_year ?? card?.exp_year ?? null,
    card_bin: charge.card_bin ?? card?.bin ?? null,
  };
}

/** The processor owes Cardlane the amount, and Cardlane owes it to the merchant, less the fee. */
function captureLines(amount: number): Pick<Change, "ledger" | "feeOn"> {
  return { ledger: [{ line: 1, debit: "processor_receivable", credit: "merchant_payable", amount }], feeOn: amount };
}

function captured({ payment, charge }: OperationSnapshot, amount: number, now: string): Change {
  return {
    payment: {
      ...payment,
      status: "CAPTURED",
      amount_captured: amount,
      open_operation_id: null,
      capture_before: null,
      updated_at: now,
    },
    charge: { ...charge, status: "CAPTURED", captured_at: now, updated_at: now },
    refund: null,
    ...captureLines(amount),
    operationState: "succeeded",
    events: ["payment.captured"],
    result: { kind: "ok" },
  };
}

function voided({ payment, charge }: OperationSnapshot, reason: string | null, now: string): Change {
  return {
    payment: { ...payment, status: "VOIDED", open_operation_id: null, capture_before: null, updated_at: now },
    charge: { ...charge, status: "VOIDED", void_reason: reason, voided_at: now, updated_at: now },
    ...UNBOOKED,
    operationState: "succeeded",
    events: ["payment.voided"],
    result: { kind: "ok" },
  };
}

/** The void of a late approval: the payment keeps its final status, whether or not the void succeeded. */
function lateApprovalVoided(snapshot: OperationSnapshot, outcome: FinalOutcome, now: string): Change {
  const failed = refused(snapshot, outcome, now, "payment.void_failed");
  if (outcome.kind !== "approved") return { ...failed, audit: "payment.late_approval_not_undone" };
  return {
    ...failed,
    operationState: "succeeded",
    events: ["payment.voided"],
    audit: "payment.late_approval_undone",
    result: { kind: "ok" },
  };
}

/** A capture or void that the processor refused: the authorization stays as it was. */
function refused(
  { payment, charge }: OperationSnapshot,
  outcome: FinalOutcome,
  now: string,
  event: OutcomeEventType,
): Change {
  return {
    payment: { ...payment, open_operation_id: null, updated_at: now },
    charge: { ...charge, updated_at: now },
    ...UNBOOKED,
    operationState: outcome.kind === "declined" ? "declined" : "failed",
    events: [event],
    result: refusedWith(outcome),
  };
}

/** The refund that an operation creates; throws if there is none. */
function requireRefund(snapshot: OperationSnapshot): TransactionRow {
  if (!snapshot.refund) throw new Error(`a refund of payment ${snapshot.payment.id} has no transaction`);
  return snapshot.refund;
}

/** Payment and charge with these refund totals; their status follows from them. */
function withRefunded(
  { payment, charge }: OperationSnapshot,
  amountRefunded: number,
  refundPending: number,
  now: string,
) {
  const status = statusOfCaptured({
    amount_captured: payment.amount_captured,
    amount_refunded: amountRefunded,
    settled: charge.settled_at !== null,
  });
  return {
    payment: { ...payment, status, amount_refunded: amountRefunded, refund_pending: refundPending, updated_at: now },
    charge: { ...charge, status, updated_at: now },
  } as const;
}

/** The payment's event after a refund. */
export const refundedEvent = ({ status }: Pick<PaymentRow, "status">) =>
  status === "REFUNDED" ? "payment.refunded" : "payment.partially_refunded";

function refunded(snapshot: OperationSnapshot, isOutside: boolean, now: string): Change {
  const { payment } = snapshot;
  const refund = requireRefund(snapshot);
  const after = withRefunded(
    snapshot,
    payment.amount_refunded + refund.amount,
    payment.refund_pending - refund.amount,
    now,
  );
  return {
    payment: after.payment,
    charge: { ...after.charge, refunded_at: now },
    refund: { ...refund, status: "CAPTURED", captured_at: now, refunded_at: now, updated_at: now },
    ledger: [{ line: 1, debit: "merchant_payable", credit: "processor_receivable", amount: refund.amount }],
    feeOn: 0,
    operationState: "succeeded",
    events: [isOutside ? "payment.refunded_externally" : "refund.succeeded", refundedEvent(after.payment)],
    result: { kind: "ok" },
  };
}

function refundFailed(snapshot: OperationSnapshot, outcome: FinalOutcome, now: string): Change {
  const { payment } = snapshot;
  const refund = requireRefund(snapshot);
  const after = withRefunded(snapshot, payment.amount_refunded, payment.refund_pending - refund.amount, now);
  const elsewhere = "elsewhere" in outcome ? (outcome.elsewhere ?? 0) : 0;
  const remaining = Math.max(0, amountRefundable(after.payment) - elsewhere);
  return {
    ...after,
    refund: { ...refund, status: "FAILED", updated_at: now },
    ledger: [],
    feeOn: 0,
    operationState: outcome.kind === "declined" ? "declined" : "failed",
    events: ["refund.failed"],
    result:
      elsewhere > 0 && refund.amount > remaining
        ? { kind: "refunded_elsewhere", elsewhere, remaining }
        : refusedWith(outcome),
  };
}

/** An accepted refund was returned: a second ledger line reverses the first; nothing is rewritten. */
function reversed(snapshot: OperationSnapshot, now: string): Change {
  const { payment } = snapshot;
  const refund = requireRefund(snapshot);
  const left = payment.amount_refunded - refund.amount;
  const after = withRefunded(snapshot, left, payment.refund_pending, now);
  return {
    payment: after.payment,
    charge: { ...after.charge, refunded_at: left === 0 ? null : after.charge.refunded_at },
    refund: { ...refund, status: "FAILED", refunded_at: null, updated_at: now },
    ledger: [{ line: 2, debit: "processor_receivable", credit: "merchant_payable", amount: refund.amount }],
    feeOn: 0,
    operationState: "failed",
    events: ["refund.failed", "payment.refund_reversed"],
    result: { kind: "payment_failed" },
  };
}

/**
 * The caller's result once the outcome is known. `transactions`: all of the payment's afterwards, oldest
 * first.
 */
export function toResult(
  change: Change,
  transactions: PaymentSnapshot["transactions"],
  { transactionId, mode }: OpenOperation,
): Result {
  if (change.result.kind !== "ok") return { kind: "refused", error: toRefusal(change) };
  return { kind: "done", snapshot: { payment: change.payment, transactions }, transactionId, mode };
}

const DECLINE_DETAIL: Partial<Record<string, string>> = {
  insufficient_funds: "The card has insufficient funds. Ask the customer for another card.",
  expired_card: "The card has expired. Ask the customer for another card.",
  incorrect_cvv: "The security code is wrong. Ask the customer to check it and try again.",
  incorrect_number: "The card number is wrong. Ask the customer to check it and try again.",
  authentication_failed:
    "The customer did not pass the issuer's authentication. Let them try again or use another card.",
  fraud_suspected: "The payment was refused because of its fraud score. Review it yourself before you retry.",
  processing_error: "The issuer could not process the card. Try again later with a new idempotency key.",
};

const CUSTOMER_NEEDED =
  "The issuer wants the customer to confirm this payment. Charge the card again with initiator customer while the customer is present, or ask for another card.";
const NOTHING_MOVED = "The processor could not complete this and no money moved. Try again with a new idempotency key.";
const ONLY_AUTHORIZED =
  "The processor authorized the payment but could not capture it; no money moved. Capture it again later, or void it.";

function refundedElsewhere(
  { elsewhere, remaining }: { elsewhere: number; remaining: number },
  currency: string,
  ids: object,
): AppError {
  const rest =
    remaining > 0
      ? `At most ${formatMinor(remaining, currency)} can be refunded. Send that amount or less, with a new idempotency key.`
      : "Nothing is left to refund.";
  const detail = `${formatMinor(elsewhere, currency)} was refunded at the processor, outside of this API. ${rest}`;
  return new AppError("amount_exceeds_refundable", detail, { param: "amount", extra: { remaining, ...ids } });
}

function toRefusal({ result, payment, charge, refund }: Change): AppError {
  const ids = {
    payment_id: encodeId("payment", payment.id),
    transaction_id: encodeId("transaction", refund?.id ?? charge.id),
  };
  if (result.kind === "refunded_elsewhere") return refundedElsewhere(result, payment.currency, ids);
  if (result.kind === "processor_refused") return new AppError("processor_refused", result.reason, { extra: ids });
  if (result.kind !== "card_declined") {
    const detail = result.kind === "only_authorized" ? ONLY_AUTHORIZED : NOTHING_MOVED;
    return new AppError("payment_failed", detail, { extra: ids });
  }
  if (result.declineCode === "authentication_failed" && payment.initiator === "merchant") {
    const extra = { decline_code: result.declineCode, next_action: null, ...ids };
    return new AppError("card_declined", CUSTOMER_NEEDED, { extra });
  }
  const detail =
    DECLINE_DETAIL[result.declineCode] ?? "The issuer declined the card. Ask the customer for another card.";
  return new AppError("card_declined", detail, { extra: { decline_code: result.declineCode, ...ids } });
}
