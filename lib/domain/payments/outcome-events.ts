import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import type { ClientSessionRow } from "@/db/schema/checkout";
import type { NewEvent, NumberedEvent } from "@/db/schema/events";
import type { PaymentMethodRow } from "@/db/schema/payment-methods";
import type { TransactionRow } from "@/db/schema/transactions";
import { presentClientSession } from "../checkout/present-session";
import {
  changedMembers,
  newEvent,
  paymentData,
  type RefundEventType,
  transactionData,
  transactionEventType,
} from "../events/event";
import { presentPaymentMethod } from "../payment-methods/stored-card";
import type { OpenOperation } from "./operation";
import type { Change, OperationSnapshot, OutcomeEventType } from "./outcome";

const isRefundEvent = (type: OutcomeEventType): type is RefundEventType => type.startsWith("refund.");

/**
 * The events of an outcome: those of the payment or refund, then one for each changed transaction. Sequence
 * numbers continue those in the object's row. A refund's event has only that refund: with all earlier ones in
 * each, the events of a payment would grow quadratically.
 */
export function outcomeEvents(
  operation: OpenOperation,
  change: Change,
  before: PaymentSnapshot,
  was: OperationSnapshot,
  transactions: TransactionRow[],
): NumberedEvent[] {
  const { id: operationId, mode } = operation;
  const at = change.payment.updated_at;
  const numbers = new Map<string, number>();
  const numberOf = (id: string, last: number) => {
    const next = (numbers.get(id) ?? last) + 1;
    numbers.set(id, next);
    return next;
  };
  const changes = changedTransactions(was, change);
  const eventOfTransaction = (
    type: RefundEventType | ReturnType<typeof transactionEventType>,
    { from, to }: Changed,
  ) => {
    const sequence = numberOf(from.id, from.event_sequence);
    const previous = sequence === 1 ? null : { row: from, payment: was.payment };
    const data = transactionData(previous, { row: to, payment: change.payment }, mode);
    return { sequence, ...newEvent(type, { objectId: to.id, operationId }, data, at) };
  };
  const named = change.events.map((type) => {
    if (isRefundEvent(type)) return eventOfTransaction(type, refundChange(was, change));
    const data = paymentData(before, { payment: change.payment, transactions }, mode);
    const about = { objectId: change.payment.id, operationId };
    return { sequence: numberOf(change.payment.id, before.payment.event_sequence), ...newEvent(type, about, data, at) };
  });
  return [...named, ...changes.map((changed) => eventOfTransaction(transactionEventType(changed.to.status), changed))];
}

type Changed = { from: TransactionRow; to: TransactionRow };

function refundChange(was: OperationSnapshot, is: OperationSnapshot): Changed {
  if (!was.refund || !is.refund) throw new Error(`a refund of payment ${is.payment.id} has no transaction`);
  return { from: was.refund, to: is.refund };
}

/**
 * Transactions with a new status, a charge with a new refunded amount, and one that now waits for the
 * shopper.
 */
function changedTransactions(was: OperationSnapshot, is: OperationSnapshot): Changed[] {
  const pairs = [{ from: was.charge, to: is.charge }];
  if (was.refund && is.refund) pairs.push({ from: was.refund, to: is.refund });
  return pairs.filter(
    ({ from, to }) =>
      from.status !== to.status ||
      (to.type === "CHARGE" && was.payment.amount_refunded !== is.payment.amount_refunded) ||
      (to.status === "PENDING" && from.event_sequence === 0),
  );
}

/**
 * The event of a transaction whose outcome is not known yet; null if it has an event already or is not
 * pending.
 */
export function pendingEvent(operation: OpenOperation, known: PaymentSnapshot, now: Date): NewEvent | null {
  const row = known.transactions.find(({ id }) => id === operation.transactionId);
  if (row?.status !== "PENDING" || row.event_sequence > 0) return null;
  const data = transactionData(null, { row, payment: known.payment }, operation.mode);
  return newEvent("transaction.pending", { objectId: row.id, operationId: operation.id }, data, now.toISOString());
}

/** The event of a card that a payment has stored. `now`: ISO time. */
export function storedCardEvent(operation: OpenOperation, row: PaymentMethodRow, now: string): NumberedEvent {
  const data = { object: presentPaymentMethod(row, operation.mode, new Date(now)), previous: null };
  const about = { objectId: row.id, operationId: operation.id };
  return { sequence: 1, ...newEvent("payment_method.created", about, data, now) };
}

/** The event of a session that a payment has completed. `open`: the session before. */
export function sessionCompletedEvent(operation: OpenOperation, { payment }: Change, open: ClientSessionRow): NewEvent {
  const seen = { mode: operation.mode, now: new Date(payment.updated_at) };
  const completed: ClientSessionRow = {
    ...open,
    status: "COMPLETED",
    payment_id: payment.id,
    payment_method_id: payment.saves_card ? payment.payment_method_id : null,
    open_payment_id: null,
    updated_at: payment.updated_at,
  };
  const object = presentClientSession(completed, seen);
  const previous = changedMembers(presentClientSession(open, seen), object);
  const about = { objectId: open.id, operationId: operation.id };
  return newEvent("client_session.completed", about, { object, previous }, payment.updated_at);
}
