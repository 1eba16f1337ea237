import type { OperationOfPayment, OperationRow, PaymentDetailRows } from "@/db/queries/payment-detail";
import type { DeclineCode } from "@/lib/contract/errors";
import { encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import { DECLINE_GUIDE } from "@/lib/contract/payments/decline-guide";
import type { TimelineEntry, TimelineOutcome } from "@/lib/contract/payments/payment-detail";
import { REFUND_REASON_WORDS } from "@/lib/contract/payments/words";
import { presentActor } from "./present-actor";

const OUTCOMES: Record<OperationRow["state"], TimelineOutcome> = {
  open: "pending",
  succeeded: "succeeded",
  declined: "declined",
  failed: "failed",
  action_required: "action_required",
};

/** Everything that happened to a payment's money, oldest first: its operations, refunds that came back, settlements. */
export function paymentTimeline(rows: PaymentDetailRows): TimelineEntry[] {
  const entries = [...rows.operations.flatMap((operation) => entriesOf(operation, rows)), ...settlements(rows)];
  return entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.id < b.id ? -1 : 1));
}

function entriesOf(operation: OperationOfPayment, rows: PaymentDetailRows): TimelineEntry[] {
  const entry: TimelineEntry = {
    id: operation.id,
    kind: operation.kind,
    outcome: OUTCOMES[operation.state],
    title: titleOf(operation),
    amount: operation.amount,
    currency: operation.currency,
    transaction_id: encodeId("transaction", operation.transaction_id),
    at: operation.completed_at ?? operation.created_at,
    actor: presentActor(operation.actor, rows.actors),
    idempotency_key: operation.idempotency_key,
    request_id: encodeIdOrNull("request", operation.request_id),
    said: wordsOfAnswer(operation),
    reason: reasonOf(operation, rows),
    attempts: operation.attempts,
    settlement_batch_id: null,
  };
  // A refund that failed and moved money was accepted first; its row knows only the last thing that happened to it.
  const at = operation.booked_at;
  if (operation.kind !== "refund" || operation.state !== "failed" || at === null) return [entry];
  return [
    { ...entry, outcome: "succeeded", title: "Refunded", said: "The processor accepted the refund.", at },
    {
      ...entry,
      id: `${operation.id}-returned`,
      kind: "refund_returned",
      outcome: "failed",
      title: "Refund came back",
      said: "The processor reported that the refund could not be paid out. The money is back on your balance.",
      reason: null,
      actor: presentActor({ type: "system", id: null }, rows.actors),
      idempotency_key: null,
      request_id: null,
    },
  ];
}

function titleOf(operation: OperationRow): string {
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
  action_required: "% waits for the shopper",
};

/** What the processor said last, for people who do not run one. Its own words stay inside. */
function wordsOfAnswer({ state, last_answer: answer, kind }: OperationRow): string | null {
  if (state === "open") {
    if (answer === null) return "Sent to the processor; it has not answered yet.";
    return answer.startsWith("pending")
      ? "The processor has it and is still working on it."
      : "No clear answer came from the processor. Cardlane keeps asking what became of it; nothing is done twice.";
  }
  switch (state) {
    case "succeeded":
      return "The processor approved it.";
    case "action_required":
      return "The card issuer wants the shopper to confirm the payment.";
    case "declined":
      return declineWords(answer, kind);
    case "failed":
      return "The processor could not carry it out. No money moved.";
    default:
      return state satisfies never;
  }
}

function declineWords(answer: string | null, kind: OperationRow["kind"]): string {
  const code = answer?.replace(/^declined: /, "") ?? "";
  const guide = code in DECLINE_GUIDE ? DECLINE_GUIDE[code as DeclineCode] : null;
  if (guide) return guide.meaning;
  return kind === "authorize" || kind === "continue"
    ? "The card issuer declined the card."
    : "The processor refused it. No money moved.";
}

function reasonOf(operation: OperationRow, { transactions }: PaymentDetailRows): string | null {
  if (operation.kind === "void")
    return operation.detail === "expired" ? "Not captured within 7 days" : operation.detail;
  if (operation.kind !== "refund") return null;
  const refund = transactions.find((row) => row.id === operation.transaction_id);
  const parts = [refund?.refund_reason && REFUND_REASON_WORDS[refund.refund_reason], refund?.refund_comment];
  return parts.filter(Boolean).join(": ") || null;
}

/** A charge and its refunds settle by themselves, in batches, without an operation. */
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
