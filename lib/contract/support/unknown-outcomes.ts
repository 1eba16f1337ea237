import type { Mode } from "@/lib/contract/transaction-words";

/** An operation that was sent to the processor and whose outcome is not known. */
export type UnknownOutcome = {
  /** UUID: also the reference under which the processor knows it. */
  readonly operationId: string;
  readonly kind: "authorize" | "continue" | "capture" | "void" | "refund";
  readonly paymentId: string;
  readonly merchant: { readonly id: string; readonly name: string };
  readonly mode: Mode;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly attempts: number;
  /** What the processor last said. */
  readonly lastAnswer: string | null;
  /** Null when nothing happens by itself any more: it waits for staff. */
  readonly nextAttemptAt: string | null;
  /** It is being asked about just now. */
  readonly held: boolean;
  readonly createdAt: string;
};

export type UnknownOutcomeList = {
  readonly outcomes: readonly UnknownOutcome[];
  readonly total: number;
  /** How many of them wait for staff. */
  readonly waiting: number;
};

/** How many the queue shows. */
export const UNKNOWN_LIMIT = 100;

export const ASK_RESULTS = ["settled", "still_unknown", "busy", "already_known"] as const;
export type AskResult = (typeof ASK_RESULTS)[number];
