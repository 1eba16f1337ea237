import type { Lease } from "@/db/queries/payments/operations";
import type { ActorRecord, OperationKind, OperationRow } from "@/db/schema/operations";
import type { Mode } from "@/lib/contract/transactions/words";
import type { KeyedRequest } from "../context";

/*
 * The life of an operation: one movement of money at the processor.
 *
 *   order ──T1──▶ open ───────────call──────────▶ outcome ──T2──▶ succeeded · declined · failed · action_required
 *    │ execute()   │ intent, reservation, key,     │ finishOperation(): payment, charge, refund, ledger, event,
 *    │             │ lease: one statement          │ audit, stored answer: one statement
 *    ▼             │                               │
 *   refused        │                               └─ pending ──▶ open, accepted: the processor works on it
 *                  │                               └─ unknown ──▶ open, not known: it may or may not have happened
 *                  │
 *                  └─ its process died, or does not know: the recovery worker, a retry of the request or support
 *                     take it over under the next epoch, once its lease has run out, and find out
 *
 * Lease    How long no other process touches it. It outlives the call, so that none checks a call that is under way.
 * Epoch    Counts its holders. An outcome is written only under the latest: a process that was paused and wakes writes nothing.
 * Accepted The processor confirmed that it has it: from then on "not found" proves nothing.
 * Quiet    For how long no call for it can have been under way. "Not found" proves nothing before it has been quiet for a
 *          while, and not enough after: an authorization is closed at the processor before it counts as failed.
 * Report   A later message of the processor: an accepted refund can come back. It goes from succeeded to failed.
 * Late     An approval of a payment that has ended as declined or failed here: a void gives its money back, again until it is done.
 *
 * All times are the database's. Nothing deletes an operation, and none gets another reference.
 */

/** An operation that this process holds: its intent is written, its outcome not known. */
export type OpenOperation = {
  readonly environmentId: string;
  readonly mode: Mode;
  /** UUID: the processor's reference. */
  readonly id: string;
  readonly kind: OperationKind;
  readonly epoch: number;
  readonly paymentId: string;
  /** The transaction it makes or changes: the charge, or the refund. */
  readonly transactionId: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** Void reason, or the challenge's result. */
  readonly detail: string | null;
  readonly actor: ActorRecord;
  /** UUID of the request that began it; null for Cardlane's own. */
  readonly requestId: string | null;
  /** The request that waits for the answer; null when none does. */
  readonly request: KeyedRequest | null;
  /** The processor must not execute a call for it after this, by the database's clock. */
  readonly notAfter: string;
};

/** Cardlane itself, where no request is behind it. */
export const SYSTEM: ActorRecord = { type: "system", id: null };

/**
 * How long a call may be sent to the processor, and how long no other process touches the operation. Both by the database's
 * clock.
 */
export function leaseOf(processorTimeoutMs: number): Lease {
  return { sendWithinMs: processorTimeoutMs, heldForMs: processorTimeoutMs + 2_000 };
}

/** The operation in a row that this process has taken over. */
export function operationOf(
  row: OperationRow & { mode: Mode; not_after: string },
  request: KeyedRequest | null,
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
  };
}
