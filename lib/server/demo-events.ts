import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import type { ShownBatchRow } from "@/db/queries/settlement/batches";
import type { NumberedEvent } from "@/db/schema/events";
import type { PaymentRow } from "@/db/schema/payments";
import type { TransactionRow } from "@/db/schema/transactions";
import { newEvent, type PaymentEventType, paymentData } from "@/lib/domain/events/event";
import { AUTHORIZATION_DAYS } from "@/lib/domain/payments/outcome";
import { presentTransaction } from "@/lib/domain/payments/present";
import { statusOfCaptured } from "@/lib/domain/payments/states";
import { presentSettlementBatch } from "@/lib/domain/settlement/read-batches";
import { idAt } from "@/lib/ids";

type Row = Record<string, unknown>;

/** A payment of the past as it stands now. */
export type PastPayment = { payment: Row; charge: Row; refunds: Row[] };

/** What was told of it, and when: the payment's own, or a refund's by its row. */
export type PastEvent = { at: string; operationId: string } & (
  | { type: PaymentEventType; of: PastPayment }
  | { type: "refund.succeeded"; of: PastPayment; refund: Row }
);

const NEVER_HAD = { subscription_id: null, client_session_id: null };
const DAY_MS = 86_400_000;

/** The rows of some events, in order of time; the payments' rows learn the number of their last. */
export function rowsOfEvents(environmentId: string, events: PastEvent[]): Row[] {
  return events
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .map((event) => {
      const made = event.type === "refund.succeeded" ? refundEvent(event) : paymentEvent(event);
      return rowOf(environmentId, made, event.at);
    });
}

/** A settlement batch's one event. */
export function rowOfBatchEvent(batch: Row, net_amount: number): Row {
  const { environment_id, id } = batch;
  const batchId = String(id);
  const object = presentSettlementBatch({ ...(batch as ShownBatchRow), net_amount, payout_id: null }, "test");
  const about = { objectId: batchId, operationId: batchId };
  const event = newEvent("settlement_batch.created", about, { object, previous: null });
  return rowOf(environment_id, { ...event, sequence: 1 }, String(batch.created_at));
}

/** Rows of a history go to the database as JSON, and their data within them; their ids have their time. */
const rowOf = (environmentId: unknown, event: NumberedEvent, at: string): Row => ({
  ...event,
  ...{ environment_id: environmentId, id: idAt(new Date(at)), data: JSON.parse(event.data), created_at: at },
});

function paymentEvent({ type, of, at, operationId }: Extract<PastEvent, { type: PaymentEventType }>): NumberedEvent {
  const justBefore = new Date(Date.parse(at) - 1).toISOString();
  const data = paymentData(snapshotAt(of, justBefore), snapshotAt(of, at), "test");
  const sequence = Number(of.payment.event_sequence) + 1;
  of.payment.event_sequence = sequence;
  return { ...newEvent(type, { objectId: String(of.payment.id), operationId }, data), sequence };
}

function refundEvent({ of, refund, at, operationId }: Extract<PastEvent, { refund: Row }>): NumberedEvent {
  const { payment, transactions } = snapshotAt(of, at);
  const row = transactions.find(({ id }) => id === refund.id) as TransactionRow;
  const data = { object: presentTransaction(row, payment, "test"), previous: null };
  return { ...newEvent("refund.succeeded", { objectId: row.id, operationId }, data), sequence: 1 };
}

/** The payment as it stood at an earlier time. */
function snapshotAt({ payment, charge, refunds }: PastPayment, at: string): PaymentSnapshot {
  const by = (time: unknown) => (typeof time === "string" && time <= at ? time : null);
  const made = refunds.filter((row) => by(row.captured_at) !== null);
  const amount_refunded = made.reduce((sum, row) => sum + Number(row.amount), 0);
  const times = {
    authorized_at: by(charge.authorized_at),
    captured_at: by(charge.captured_at),
    settled_at: by(charge.settled_at),
    voided_at: by(charge.voided_at),
    refunded_at: made.length > 0 ? by(charge.refunded_at) : null,
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
  // The time of a decline is its row's last change, and nothing else.
  const updated_at = [...Object.values(times), by(charge.updated_at)].reduce<string>(
    (last, time) => (time && time > last ? time : last),
    String(charge.created_at),
  );
  const now = { status, updated_at };
  return {
    payment: {
      ...payment,
      ...now,
      ...{ amount_captured, amount_refunded, open_operation_id: null, next_action: null },
      capture_before: status === "AUTHORIZED" ? heldUntil.toISOString() : null,
    } as unknown as PaymentRow,
    transactions: [
      {
        ...{ ...NEVER_HAD, ...charge, ...now, ...times },
        void_reason: times.voided_at ? charge.void_reason : null,
        settlement_batch_id: times.settled_at ? charge.settlement_batch_id : null,
      },
      ...made.map((row) => ({
        ...{ ...NEVER_HAD, ...row, updated_at: by(row.settled_at) ?? row.captured_at, settled_at: by(row.settled_at) },
        status: by(row.settled_at) ? "SETTLED" : "CAPTURED",
        settlement_batch_id: by(row.settled_at) ? row.settlement_batch_id : null,
      })),
    ] as unknown as TransactionRow[],
  };
}
