import type { ActorRecord, OperationKind } from "@/db/schema/operations";
import type { Mode } from "@/lib/contract/transaction";

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
export type AskedBy = { readonly key: string; readonly operationName: string; readonly path: string; readonly requestId: string };

/** The lease outlives the processor's deadline, so that nobody asks about a call that is still under way. */
export function leaseMs(processorTimeoutMs: number): number {
  return processorTimeoutMs + 2_000;
}
