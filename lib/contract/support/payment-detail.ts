import type { PaymentDetail } from "@/lib/contract/payments/payment-detail";
import type { Mode } from "@/lib/contract/transactions/words";
import type { StaffActView } from "./staff-acts";

/** A call to the processor, as recorded by Cardlane. */
export type SupportOperation = {
  /** UUID, also the processor's reference. */
  readonly id: string;
  readonly kind: "authorize" | "continue" | "capture" | "void" | "refund";
  readonly state: "open" | "succeeded" | "declined" | "failed" | "action_required";
  readonly amount: number;
  readonly currency: string;
  readonly detail: string | null;
  readonly epoch: number;
  readonly attempts: number;
  readonly leaseUntil: string;
  /** Held by a worker at the moment. */
  readonly held: boolean;
  /** Time of the last call with an unknown outcome. */
  readonly unknownAt: string | null;
  /** Time when the processor acknowledged it. */
  readonly acceptedAt: string | null;
  readonly lastAnswer: string | null;
  /** Null if it is closed, or needs staff. */
  readonly nextAttemptAt: string | null;
  readonly waits: boolean;
  readonly idempotencyKey: string | null;
  readonly requestId: string | null;
  readonly createdAt: string;
  readonly completedAt: string | null;
};

export type PaymentAuditEntry = {
  readonly id: string;
  readonly action: string;
  /** Author, in plain words. */
  readonly actor: string;
  readonly requestId: string | null;
  readonly at: string;
};

export type SupportPayment = {
  readonly environment: { readonly id: string; readonly mode: Mode };
  readonly merchant: { readonly id: string; readonly name: string; readonly suspended: boolean };
  readonly detail: PaymentDetail;
  readonly operations: readonly SupportOperation[];
  readonly audit: readonly PaymentAuditEntry[];
  readonly acts: readonly StaffActView[];
};

/** The processor's own status for a reference. */
export type ProcessorStatus = {
  /** The operation's id, a UUID. */
  readonly reference: string;
  readonly kind:
    | "approved"
    | "declined"
    | "action_required"
    | "pending"
    | "not_found"
    | "not_sent"
    | "unknown"
    | "none";
  /** Further details, or null. */
  readonly text: string | null;
};

export const OPERATIONS_SHOWN = 50;
export const AUDIT_SHOWN = 50;
