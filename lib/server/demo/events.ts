import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import type { ShownBatchRow } from "@/db/queries/settlement/batches";
import type { ShownPaymentRow } from "@/db/queries/transactions/columns";
import type { NumberedEvent } from "@/db/schema/events";
import type { PaymentRow } from "@/db/schema/payments";
import type { PayoutRow } from "@/db/schema/payouts";
import type { TransactionRow } from "@/db/schema/transactions";
import {
  newEvent,
  type PaymentEventType,
  paymentData,
  transactionData,
  transactionEventType,
} from "@/lib/domain/events/event";
import { AUTHORIZATION_DAYS, refundedEvent } from "@/lib/domain/payments/outcome";
import { statusOfCaptured } from "@/lib/domain/payments/states";
import { presentPayout } from "@/lib/domain/settlement/payouts";
import { presentSettlementBatch } from "@/lib/domain/settlement/read-batches";

type Row = Record<string, unknown>;

/** A payment of the past in its present state. */
export type PastPayment = { payment: Row; charge: Row; refunds: Row[] };

/** A change of a payment and its charge, or of a refund. */
export type PastEvent = { at: string; operationId: string; of: PastPayment } & (
  | { type: PaymentEventType }
  | { type: "refund.succeeded" | "transaction.settled"; refund: Row }
);

/** Columns that no transaction of the history has. */
const NEVER_SET = { client_session_id: null };
/** Columns of payments that the history sets. The compiler demands all others below. */
type PastColumn =
  | "id"
  | "charge_id"
  | "status"
  | "amount"
  | "currency"
  | "capture_method"
  | "amount_captured"
  | "amount_refunded"
  | "refund_pending"
  | "capture_before"
  | "payment_method_id"
  | "initiator"
  | "invoice_id"
  | "created_at"
  | "updated_at";
const NEVER_SET_OF_PAYMENT: Omit<ShownPaymentRow, PastColumn> = {
  open_operation_id: null,
  next_action: null,
  dispute_id: null,
  dispute_status: null,
  amount_disputed: 0,
  capture_reversed_at: null,
};
const DAY_MS = 86_400_000;

/** Rows of events in order of time. Sets `event_sequence` of the payments and transactions. */
export function rowsOfEvents(environmentId: string, events: PastEvent[]): Row[] {
  return events
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .flatMap((event) => eventsOf(event).map((one) => rowOf(environmentId, one)));
}

function eventsOf(event: PastEvent): NumberedEvent[] {
  if (!("refund" in event)) return [paymentEvent(event), transactionEvent(event, event.of.charge)];
  if (event.type === "transaction.settled") return [transactionEvent(event, event.refund)];
  return [
    refundEvent(event, event.refund),
    paymentRefundEvent(event),
    transactionEvent(event, event.refund),
    transactionEvent(event, event.of.charge),
  ];
}

const nextNumber = (row: Row): number => {
  row.event_sequence = Number(row.event_sequence) + 1;
  return row.event_sequence as number;
};

const justBefore = (at: string) => new Date(Date.parse(at) - 1).toISOString();

/** A settlement batch's one event. */
export function rowOfBatchEvent(batch: Row, net_amount: number): Row {
  const { environment_id, id } = batch;
  const batchId = String(id);
  const object = presentSettlementBatch({ ...(batch as ShownBatchRow), net_amount, payout_id: null }, "test");
  const about = { objectId: batchId, operationId: batchId };
  const event = newEvent("settlement_batch.created", about, { object, previous: null }, String(batch.created_at));
  return rowOf(environment_id, { ...event, sequence: 1 });
}

/** A payout's events: its creation, and its arrival at `updated_at`. */
export function rowsOfPayoutEvents(payout: Row): Row[] {
  const paid = payout as PayoutRow;
  const { id: objectId, environment_id, created_at, updated_at } = paid;
  const about = { objectId, operationId: null };
  const created = presentPayout({ ...paid, status: "PENDING", updated_at: created_at }, "test");
  const sent = { status: "IN_TRANSIT", updated_at: created_at } as const;
  const arrived = { object: presentPayout(paid, "test"), previous: sent };
  return [
    newEvent("payout.created", about, { object: created, previous: null }, created_at),
    newEvent("payout.paid", about, arrived, updated_at),
  ].map((event, index) => rowOf(environment_id, { ...event, sequence: index + 1 }));
}

/** Rows are inserted as JSON, so `data` is an object. */
const rowOf = (environment_id: unknown, event: NumberedEvent): Row => ({
  ...event,
  environment_id,
  data: JSON.parse(event.data),
});

function paymentEvent({ type, of, at, operationId }: Extract<PastEvent, { type: PaymentEventType }>): NumberedEvent {
  const data = paymentData(snapshotAt(of, justBefore(at)), snapshotAt(of, at), "test");
  const about = { objectId: String(of.payment.id), operationId };
  return { ...newEvent(type, about, data, at), sequence: nextNumber(of.payment) };
}

function paymentRefundEvent(event: PastEvent): NumberedEvent {
  return paymentEvent({ ...event, type: refundedEvent(snapshotAt(event.of, event.at).payment) });
}

function refundEvent({ of, at, operationId }: PastEvent, refund: Row): NumberedEvent {
  const data = transactionData(null, transactionAt(of, refund, at), "test");
  const about = { objectId: String(refund.id), operationId };
  return { ...newEvent("refund.succeeded", about, data, at), sequence: nextNumber(refund) };
}

function transactionEvent({ type, of, at, operationId }: PastEvent, row: Row): NumberedEvent {
  const after = transactionAt(of, row, at);
  const sequence = nextNumber(row);
  const before = sequence === 1 ? null : transactionAt(of, row, justBefore(at));
  const isSettled = type === "payment.settled" || type === "transaction.settled";
  const eventType = isSettled ? "transaction.settled" : transactionEventType(after.row.status);
  const about = { objectId: String(row.id), operationId };
  return { ...newEvent(eventType, about, transactionData(before, after, "test"), at), sequence };
}

/** A transaction as it was at an earlier time; a refund that was not accepted by then was pending. */
function transactionAt(of: PastPayment, { id }: Row, at: string) {
  const { payment, transactions } = snapshotAt(of, at);
  const row = transactions.find((transaction) => transaction.id === id);
  if (row) return { row, payment };
  const refund = of.refunds.find((each) => each.id === id);
  const pending = {
    ...NEVER_SET,
    ...refund,
    status: "PENDING",
    captured_at: null,
    refunded_at: null,
    settled_at: null,
    settlement_batch_id: null,
    updated_at: refund?.created_at,
  };
  return { row: pending as unknown as TransactionRow, payment };
}

/** The payment as it was at an earlier time. */
function snapshotAt({ payment, charge, refunds }: PastPayment, at: string): PaymentSnapshot {
  const by = (time: unknown) => (typeof time === "string" && time <= at ? time : null);
  const accepted = refunds.filter((row) => by(row.captured_at) !== null);
  const amount_refunded = accepted.reduce((sum, row) => sum + Number(row.amount), 0);
  const times = {
    authorized_at: by(charge.authorized_at),
    captured_at: by(charge.captured_at),
    settled_at: by(charge.settled_at),
    voided_at: by(charge.voided_at),
    refunded_at: accepted.length > 0 ? by(charge.refunded_at) : null,
  };
  const amount_captured = times.captured_at ? Number(payment.amount_captured) : 0;
  const status = times.captured_at
    ? statusOfCaptured({ amount_captured, amount_refunded, settled: times.settled_at !== null })
    : times.voided_at
      ? "VOIDED"
      : times.authorized_at
        ? "AUTHORIZED"
        : payment.status;
  const heldUntil = new Date(Date.parse(String(charge.authorized_at)) + AUTHORIZATION_DAYS * DAY_MS);
  // A decline has no time of its own, only its row's last change.
  const updated_at = [...Object.values(times), by(charge.updated_at)].reduce<string>(
    (last, time) => (time && time > last ? time : last),
    String(charge.created_at),
  );
  const now = { status, updated_at };
  return {
    payment: {
      ...NEVER_SET_OF_PAYMENT,
      ...payment,
      ...now,
      amount_captured,
      amount_refunded,
      capture_before: status === "AUTHORIZED" ? heldUntil.toISOString() : null,
    } as unknown as PaymentRow,
    transactions: [
      {
        ...NEVER_SET,
        ...charge,
        ...now,
        ...times,
        void_reason: times.voided_at ? charge.void_reason : null,
        settlement_batch_id: times.settled_at ? charge.settlement_batch_id : null,
      },
      ...accepted.map((row) => ({
        ...NEVER_SET,
        ...row,
        updated_at: by(row.settled_at) ?? row.captured_at,
        settled_at: by(row.settled_at),
        status: by(row.settled_at) ? "SETTLED" : "CAPTURED",
        settlement_batch_id: by(row.settled_at) ? row.settlement_batch_id : null,
      })),
    ] as unknown as TransactionRow[],
  };
}
