import { type ClockColumns, type ClockSetting, clockSettingOf } from "@/db/queries/clock";
import type { Order } from "@/db/queries/payments/intents";
import type { Lease } from "@/db/queries/payments/operations";
import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import { type ActorRecord, type OperationKind, type OperationRow, SYSTEM } from "@/db/schema/operations";
import type { Mode } from "@/lib/contract/transactions/words";
import type { KeyedRequest } from "../context";

/*
 * The life of an operation: one movement of money at the processor.
 *
 *   order ──T1──▶ open ───────────call──────────▶ outcome ──T2──▶ succeeded · declined · failed · action_required
 *    │ execute()   │ intent, reservation, key,     │ finishOperation(): payment, charge, refund, ledger, event,
 *    │             │ lease: one statement          │ audit, stored response: one statement
 *    ▼             │                               │
 *   refused        │                               └─ pending ──▶ open, accepted: the processor works on it
 *                  │                               └─ unknown ──▶ open, unknown: it may or may not have happened
 *                  │
 *                  └─ its process died, or the outcome is unknown: the recovery worker, a retry of the request or
 *                     support take it over under the next epoch, after its lease has run out, and resolve it
 *
 * Lease    Time during which no other process touches it. It outlasts the call, so a call in flight is never checked.
 * Epoch    Counts its holders. Only the latest may write an outcome: a process that wakes from a pause writes nothing.
 * Accepted The processor has confirmed the operation: from then on "not found" proves nothing.
 * Quiet    The time since a call for it can last have been in flight. "Not found" proves nothing before it has been
 *          quiet for a while, and too little after that: an authorization is closed at the processor before it fails.
 * Report   A later message of the processor. An accepted refund can be reversed: it goes from succeeded to failed.
 * Late     An approval after the payment ended as declined or failed. It is voided, and the void retried until done.
 *
 * All times of an operation are the database's real time, even if a test clock is ahead. Operations are never
 * deleted, and never get a second reference.
 */

/** A request with its digest, which decides whether a retry is the same request. */
export type TracedRequest = KeyedRequest & { readonly digest?: Buffer };

/** An operation that this process holds: its intent is written, its outcome unknown. */
export type OpenOperation = {
  readonly environmentId: string;
  readonly mode: Mode;
  /** UUID: the processor's reference. */
  readonly id: string;
  readonly kind: OperationKind;
  readonly epoch: number;
  readonly paymentId: string;
  /** The transaction that it creates or changes: the charge, or the refund. */
  readonly transactionId: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** Void reason, or the challenge's result. */
  readonly detail: string | null;
  readonly actor: ActorRecord;
  /** UUID of the request that started it; null for Cardlane's own operations. */
  readonly requestId: string | null;
  /** The request that waits for the response, or null. */
  readonly request: TracedRequest | null;
  /** The processor must not execute a call for it after this, by the database's clock. */
  readonly notAfter: string;
  /** Its environment's clock when it was written or taken over; T2 reads it again if it has moved since. */
  readonly clock: ClockSetting;
};

/** Time in which a call may be sent to the processor, and in which no other process touches the operation. */
export function leaseOf(processorTimeoutMs: number): Lease {
  return { sendWithinMs: processorTimeoutMs, heldForMs: processorTimeoutMs + 2_000 };
}

/** The operation that T1 has written for an order. */
export function operationFromOrder(
  order: Order,
  { payment }: PaymentSnapshot,
  amount: number,
  reservation: { not_after: string } & ClockColumns,
): OpenOperation {
  const refund = order.kind === "authorize" ? null : order.refund;
  return {
    environmentId: order.environment.id,
    mode: order.environment.mode,
    id: order.id,
    kind: order.kind,
    epoch: 1,
    paymentId: payment.id,
    transactionId: refund?.id ?? payment.charge_id,
    amount,
    currency: payment.currency,
    detail: order.detail,
    actor: order.claim?.actor ?? SYSTEM,
    requestId: order.claim?.requestId ?? null,
    request: order.claim,
    notAfter: reservation.not_after,
    clock: clockSettingOf(reservation),
  };
}

/** The operation of a row that this process has taken over. */
export function operationFromRow(
  row: OperationRow & { mode: Mode; not_after: string } & ClockColumns,
  request: TracedRequest | null,
): OpenOperation {
  return {
    environmentId: row.environment_id,
    mode: row.mode,
    id: row.id,
    kind: row.kind,
    epoch: row.epoch,
    paymentId: row.payment_id,
    transactionId: row.transaction_id,
    amount: row.amount,
    currency: row.currency,
    detail: row.detail,
    actor: row.actor,
    requestId: row.request_id,
    request,
    notAfter: row.not_after,
    clock: clockSettingOf(row),
  };
}
