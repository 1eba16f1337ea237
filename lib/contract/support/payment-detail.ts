import type { PaymentDetail } from "@/lib/contract/payments/payment-detail";
import type { Mode } from "@/lib/contract/transactions/words";
import type { StaffActView } from "./staff-acts";

/** One call to the processor, as it stands in Cardlane's own books. */
export type SupportOperation = {
  /** UUID: the reference under which the processor knows it. */
  readonly id: string;
  readonly kind: "authorize" | "continue" | "capture" | "void" | "refund";
  readonly state: "open" | "succeeded" | "declined" | "failed" | "action_required";
  readonly amount: number;
  readonly currency: string;
  readonly detail: string | null;
  readonly epoch: number;
  readonly attempts: number;
  readonly leaseUntil: string;
  /** Somebody works on it just now. */
  readonly held: boolean;
  /** When the last call ended without a known outcome. */
  readonly unknownAt: string | null;
  /** When the processor said that it has it. */
  readonly acceptedAt: string | null;
  readonly lastAnswer: string | null;
  /** Null once it is closed, or waits for staff. */
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
  /** Who, in words. */
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

/** What the processor itself answers to the question what became of a reference. */
export type ProcessorAnswer = {
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
  /** More of it, in words; null when there is no more. */
  readonly text: string | null;
};

export const OPERATIONS_SHOWN = 50;
export const AUDIT_SHOWN = 50;
