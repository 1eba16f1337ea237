import type { Lease } from "@/db/queries/operations";
import type { ActorRecord, OperationKind } from "@/db/schema/operations";
import type { Mode } from "@/lib/contract/transaction-words";

/** An operation whose intent is written and whose outcome is not known, in this process's hands. */
export type OpenOperation = {
  readonly environmentId: string;
  readonly mode: Mode;
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
  readonly asked: AskedBy | null;
};

/** What an operation is about. */
export type OperationSubject = Pick<OpenOperation, "id" | "kind" | "paymentId" | "transactionId">;

/** What it takes to answer the first request as it would have been answered, whoever finishes the work. */
export type AskedBy = {
  readonly key: string;
  readonly operationName: string;
  readonly path: string;
  readonly requestId: string;
};

/**
 * How long a call may be sent to the processor, and how long nobody else touches the operation. The lease outlives the
 * call, so that nobody asks about one that is still under way. Both run by the database's clock.
 */
export function leaseOf(processorTimeoutMs: number): Lease {
  return { sendWithinMs: processorTimeoutMs, heldForMs: processorTimeoutMs + 2_000 };
}
