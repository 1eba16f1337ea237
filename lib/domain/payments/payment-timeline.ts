import type { OperationOfPayment, PaymentDetailRows } from "@/db/queries/payments/payment-detail";
import type { DisputeRow } from "@/db/schema/disputes";
import type { OperationRow } from "@/db/schema/operations";
import type { DeclineCode } from "@/lib/contract/errors";
import { encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import { DECLINE_GUIDE } from "@/lib/contract/payments/decline-guide";
import type { TimelineEntry, TimelineOutcome } from "@/lib/contract/payments/payment-detail";
import {
  DISPUTE_REASON_WORDS,
  DISPUTE_STATUS_WORDS,
  OUTSIDE_REFUND,
  REFUND_REASON_WORDS,
} from "@/lib/contract/payments/words";
import { disputeMeaning } from "../disputes/book-dispute";
import { presentActor } from "./present";
import { hasEndedUnpaid } from "./states";

const OUTCOMES: Record<OperationRow["state"], TimelineOutcome> = {
  open: "pending",
  succeeded: "succeeded",
  declined: "declined",
  failed: "failed",
  action_required: "action_required",
};

/**
 * Timeline of a payment's money, oldest first: operations, returned refunds, settlements, disputes.
 * `isMoved`: the environment has a test clock, whose times operations don't have.
 */
export function paymentTimeline(rows: PaymentDetailRows, isMoved: boolean): TimelineEntry[] {
  const entries = [
    ...rows.operations.flatMap((operation) =>
      operationEntries(operation, rows, isMoved ? clockTimeOf(operation, rows) : null),
    ),
    ...settlements(rows),
    ...reversedCapture(rows),
    ...rows.disputes.flatMap((dispute) => disputeEntries(dispute, rows)),
  ];
  return entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.id < b.id ? -1 : 1));
}

const WHEN_DONE = {
  authorize: "authorized_at",
  continue: "authorized_at",
  capture: "captured_at",
  void: "voided_at",
  refund: "captured_at",
} as const;

/**
 * When an operation happened by the test clock: its transaction's time if it succeeded, else its event's, or,
 * while it has none, the transaction's start.
 */
function clockTimeOf(
  { id, kind, state, transaction_id }: OperationOfPayment,
  { events, transactions }: PaymentDetailRows,
): string | null {
  const row = transactions.find((one) => one.id === transaction_id);
  const done = state === "succeeded" ? row?.[WHEN_DONE[kind]] : null;
  return done ?? events.findLast((event) => event.operation_id === id)?.created_at ?? row?.created_at ?? null;
}

/** `clockTime`: null for real time. */
function operationEntries(
  operation: OperationOfPayment,
  rows: PaymentDetailRows,
  clockTime: string | null,
): TimelineEntry[] {
  const late = operation.kind === "void" && hasEndedUnpaid(rows.payment.status) ? lateApproval(operation) : null;
  const entry: TimelineEntry = {
    id: operation.id,
    kind: operation.kind,
    outcome: OUTCOMES[operation.state],
    title: late?.title ?? operationTitle(operation),
    amount: operation.amount,
    currency: operation.currency,
    transaction_id: encodeId("transaction", operation.transaction_id),
    at: clockTime ?? operation.completed_at ?? operation.created_at,
    actor: presentActor(operation.actor, rows.actors),
    requested_by: operation.requested_by_name,
    idempotency_key: operation.idempotency_key,
    request_id: encodeIdOrNull("request", operation.request_id),
    said: late?.said ?? (operation.detail === OUTSIDE_REFUND ? MADE_OUTSIDE : responseText(operation)),
    reason: late ? null : operationReason(operation, rows),
    attempts: operation.attempts,
    settlement_batch_id: null,
  };
  // A failed refund that moved money was accepted first; its row has only its last state.
  const at = operation.booked_at;
  if (operation.kind !== "refund" || operation.state !== "failed" || at === null) return [entry];
  return [
    { ...entry, outcome: "succeeded", ...acceptedRefund(operation), at },
    {
      ...entry,
      id: `${operation.id}-returned`,
      kind: "refund_returned",
      outcome: "failed",
      title: "Refund returned",
      said: "The processor reported that the refund could not be paid out. The money is back in your balance.",
      reason: null,
      actor: presentActor({ type: "system", id: null }, rows.actors),
      requested_by: null,
      idempotency_key: null,
      request_id: null,
    },
  ];
}

const acceptedRefund = ({ detail }: OperationRow) =>
  detail === OUTSIDE_REFUND
    ? { title: "Refunded at the processor", said: MADE_OUTSIDE }
    : { title: "Refunded", said: "The processor accepted the refund." };

const MADE_OUTSIDE = "Somebody refunded it at the processor, not through Cardlane.";

/** The timeline entry of a late approval's void. */
function lateApproval({ state }: OperationRow): { title: string; said: string } {
  const approved = "The processor approved the payment after it had ended here";
  if (state === "succeeded") return { title: "Late approval undone", said: `${approved}, so its money was returned.` };
  return state === "open"
    ? { title: "Late approval being undone", said: `${approved}. Cardlane is giving its money back.` }
    : {
        title: "Late approval not undone",
        said: `${approved}, and did not give its money back. Cardlane tries again.`,
      };
}

function operationTitle(operation: OperationRow): string {
  const { kind, state, detail, captured } = operation;
  switch (kind) {
    case "authorize":
    case "continue": {
      const passed = kind === "continue" ? "3-D Secure passed: " : "";
      if (state === "succeeded") return upper(`${passed}${captured ? "authorized and captured" : "authorized"}`);
      if (state === "action_required") return "3-D Secure required";
      if (kind === "continue" && detail === "abandoned") return "3-D Secure not completed in time";
      if (kind === "continue" && detail === "failed") return "3-D Secure failed";
      return ENDINGS[state].replace("%", kind === "continue" ? "Authorization after 3-D Secure" : "Authorization");
    }
    case "capture":
      return state === "succeeded" ? "Captured" : ENDINGS[state].replace("%", "Capture");
    case "void":
      if (state !== "succeeded") return ENDINGS[state].replace("%", "Void");
      return detail === "expired" ? "Authorization expired" : "Voided";
    case "refund":
      if (detail === OUTSIDE_REFUND) return "Refunded at the processor";
      return state === "succeeded" ? "Refunded" : ENDINGS[state].replace("%", "Refund");
    default:
      return kind satisfies never;
  }
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const ENDINGS: Record<OperationRow["state"], string> = {
  open: "% sent, outcome not known yet",
  succeeded: "%",
  declined: "% declined",
  failed: "% failed",
  action_required: "% waiting for the shopper",
};

/** The processor's last response in plain words; its own text is for support staff. */
function responseText({ state, last_answer: answer, kind }: OperationRow): string | null {
  if (state === "open") {
    if (answer === null) return "Sent to the processor, which hasn't answered yet.";
    return answer.startsWith("pending")
      ? "The processor is still working on it."
      : "The processor gave no clear response. Cardlane keeps checking the status. Nothing runs twice.";
  }
  // The processor's own sentence, which the caller got in the response.
  if (answer?.startsWith(REFUSED)) return `${answer.slice(REFUSED.length)} Nothing was sent to the card issuer.`;
  switch (state) {
    case "succeeded":
      return "Approved by the processor.";
    case "action_required":
      return "The card issuer requires the shopper to confirm the payment.";
    case "declined":
      return declineWords(answer, kind);
    case "failed":
      return "The processor could not complete it. No money moved.";
    default:
      return state satisfies never;
  }
}

const REFUSED = "refused: ";

function declineWords(answer: string | null, kind: OperationRow["kind"]): string {
  // The code is followed by the processor's own text.
  const code = /^declined: (\w+)/.exec(answer ?? "")?.[1] ?? "";
  const guide = code in DECLINE_GUIDE ? DECLINE_GUIDE[code as DeclineCode] : null;
  if (guide) return guide.meaning;
  return kind === "authorize" || kind === "continue"
    ? "The card issuer declined the card."
    : "The processor refused it. No money moved.";
}

function operationReason(operation: OperationRow, { transactions }: PaymentDetailRows): string | null {
  if (operation.kind === "void")
    return operation.detail === "expired" ? "Not captured within 7 days" : operation.detail;
  if (operation.kind !== "refund") return null;
  const refund = transactions.find((row) => row.id === operation.transaction_id);
  const parts = [refund?.refund_reason && REFUND_REASON_WORDS[refund.refund_reason], refund?.refund_comment];
  return parts.filter(Boolean).join(": ") || null;
}

/** A charge and its refunds settle in batches, without an operation. */
function settlements({ transactions, payment, actors }: PaymentDetailRows): TimelineEntry[] {
  const actor = presentActor({ type: "system", id: null }, actors);
  return transactions.flatMap((row) => {
    if (row.settled_at === null) return [];
    const isCharge = row.type === "CHARGE";
    return [
      {
        id: `${row.id}-settled`,
        kind: "settle" as const,
        outcome: "succeeded" as const,
        title: isCharge ? "Settled" : "Refund settled",
        amount: isCharge ? payment.amount_captured : row.amount,
        currency: row.currency,
        transaction_id: encodeId("transaction", row.id),
        at: row.settled_at,
        actor,
        requested_by: null,
        idempotency_key: null,
        request_id: null,
        said: null,
        reason: null,
        attempts: 1,
        settlement_batch_id: encodeIdOrNull("settlementBatch", row.settlement_batch_id),
      },
    ];
  });
}

/** The entry of a booked capture that failed at the processor later. */
function reversedCapture({ payment, actors }: PaymentDetailRows): TimelineEntry[] {
  if (payment.capture_reversed_at === null) return [];
  return [
    {
      id: `${payment.id}-reversed`,
      kind: "capture_reversed",
      outcome: "failed",
      title: "Capture reversed",
      amount: payment.amount_captured,
      currency: payment.currency,
      transaction_id: encodeId("transaction", payment.charge_id),
      at: payment.capture_reversed_at,
      actor: presentActor({ type: "system", id: null }, actors),
      requested_by: null,
      idempotency_key: null,
      request_id: null,
      said: "The processor reported that the capture failed later: its money never came. Settle it with the customer.",
      reason: null,
      attempts: 1,
      settlement_batch_id: null,
    },
  ];
}

/** A dispute's opening and its current status; the steps in between are in its events. */
function disputeEntries(row: DisputeRow, { payment, actors }: PaymentDetailRows): TimelineEntry[] {
  const { title } = DISPUTE_STATUS_WORDS[row.status];
  const meaning = disputeMeaning(row);
  const entry = {
    kind: "dispute" as const,
    amount: row.amount,
    currency: row.currency,
    transaction_id: encodeId("transaction", payment.charge_id),
    actor: presentActor({ type: "system", id: null }, actors),
    requested_by: null,
    idempotency_key: null,
    request_id: null,
    attempts: 1,
    settlement_batch_id: null,
  };
  const opened: TimelineEntry = {
    ...entry,
    id: row.id,
    outcome: "failed",
    title: "Disputed",
    at: row.created_at,
    said: row.status === "NEEDS_RESPONSE" ? meaning : null,
    reason: DISPUTE_REASON_WORDS[row.reason],
  };
  if (row.status === "NEEDS_RESPONSE") return [opened];
  const stands: TimelineEntry = {
    ...entry,
    id: `${row.id}-stands`,
    outcome: DISPUTE_OUTCOMES[row.status],
    title: `Dispute ${title.toLowerCase()}`,
    at: row.updated_at,
    said: meaning,
    reason: null,
  };
  // A response is its author's act, and anything else the bank's.
  if (row.response_by && row.response === RESPONSES[row.status])
    stands.actor = presentActor(row.response_by.actor, actors);
  return [opened, stands];
}

/** The response that leads to a status. */
const RESPONSES: Partial<Record<DisputeRow["status"], DisputeRow["response"]>> = {
  ACCEPTED: "accept",
  UNDER_REVIEW: "submit",
};

const DISPUTE_OUTCOMES = {
  UNDER_REVIEW: "action_required",
  WON: "succeeded",
  LOST: "failed",
  ACCEPTED: "accepted",
} as const satisfies Record<Exclude<DisputeRow["status"], "NEEDS_RESPONSE">, TimelineOutcome>;
