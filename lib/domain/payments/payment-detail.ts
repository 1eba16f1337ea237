import {
  DETAIL_LIMIT,
  type KeyOfPayment,
  type OperationOfPayment,
  type PaymentDetailRows,
  readPaymentDetail,
} from "@/db/queries/payments/payment-detail";
import type { DisputeRow } from "@/db/schema/disputes";
import type { OperationRow } from "@/db/schema/operations";
import { linkTitle } from "@/lib/contract/checkout/payment-link";
import { AppError, type DeclineCode } from "@/lib/contract/errors";
import { decodeId, encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import { DECLINE_GUIDE } from "@/lib/contract/payments/decline-guide";
import type { Payment } from "@/lib/contract/payments/payment";
import type {
  LedgerLine,
  LinkedObjects,
  PaymentDetail,
  ShownPayment,
  ShownProcessor,
  ShownRequest,
  TimelineEntry,
  TimelineOutcome,
} from "@/lib/contract/payments/payment-detail";
import { DISPUTE_STATUS_WORDS, OUTSIDE_REFUND, REFUND_REASON_WORDS } from "@/lib/contract/payments/words";
import type { ProcessorObject } from "@/lib/processor/port";
import { type Context, environmentNow, resourceNotFound, type Service } from "../context";
import { findCustomerIdOf } from "../customers/customers";
import { endpointMethod } from "../idempotency/inspect-keys";
import { presentDispute } from "../processors/disputes";
import { presentActor, presentPayment } from "./present";
import { hasEndedUnpaid } from "./states";

const MAX_SHOWN_PAYMENTS = 100;

/** A payment with its history, ledger, events and requests. Throws `resource_not_found` for unknown and foreign ids. */
export async function getPaymentDetail(ctx: Context, input: { id: string }): Promise<PaymentDetail> {
  const id = decodeId("payment", input.id);
  const rows = id && (await readPaymentDetail(ctx.service.db.within(ctx.environment.id).sql, ctx.environment, id));
  if (!rows) throw resourceNotFound("payment", input.id);
  const payment = shown(presentPayment(rows.payment, rows.transactions, ctx.environment.mode));
  const customer = await findCustomerIdOf(ctx, payment);
  const at = await findProcessor(ctx.service, rows.payment.connection_id);
  const { operations, ledger, events, keys } = rows;
  return {
    payment,
    notes: rows.transactions.map((row) => ({
      id: encodeId("transaction", row.id),
      refund_comment: row.refund_comment,
      fraud_reasons: row.fraud_reasons,
    })),
    pending:
      operations.some((row) => row.state === "open") ||
      payment.status === "PENDING" ||
      payment.status === "REQUIRES_ACTION",
    decline: presentDecline(rows),
    disputes: rows.disputes.map((row) => ({
      ...presentDispute(row, ctx.environment.mode),
      url: at?.url({ kind: "dispute", id: row.processor_dispute_id }) ?? null,
    })),
    processor: presentObjects(rows, at),
    timeline: paymentTimeline(rows),
    ledger: ledger.map((line) => presentLedgerLine(line, rows)).reverse(),
    fee: rows.fee,
    events: events.map((row) => ({ id: encodeId("event", row.id), type: row.type, at: row.created_at })),
    requests: keys.map((row) => presentRequest(row, rows)),
    linked: presentLinked(rows, customer, environmentNow(ctx)),
    truncated: [rows.transactions, operations, ledger, events, keys].some((list) => list.length >= DETAIL_LIMIT),
  };
}

type AtProcessor = { readonly name: string; url(object: ProcessorObject): string | null };

/** The payment's processor, to show; null for a built-in one, and while it is not connected. */
async function findProcessor(service: Service, connectionId: string | null): Promise<AtProcessor | null> {
  if (connectionId === null) return null;
  try {
    const reporter = await service.processors.reporter(connectionId);
    if (!reporter) return null;
    const { kind, processor } = reporter;
    const name = service.connectors.find(({ key }) => key === kind)?.label ?? kind;
    return { name, url: (object) => processor.dashboardUrl?.(object) ?? null };
  } catch (error) {
    // The operator's account is not known yet: the page leaves the processor out.
    if (error instanceof AppError && error.code === "processor_error") return null;
    throw error;
  }
}

function presentObjects({ objects }: PaymentDetailRows, at: AtProcessor | null): ShownProcessor | null {
  if (objects.length === 0) return null;
  return {
    name: at?.name ?? null,
    objects: objects.map((object) => ({ ...object, url: at?.url(object) ?? null })),
  };
}

function shown(payment: Payment): ShownPayment {
  return {
    ...payment,
    transactions: payment.transactions.map(
      ({ metadata: _metadata, billing_address: _address, description: _description, ...transaction }) => transaction,
    ),
  };
}

function presentDecline({ payment, transactions }: PaymentDetailRows): PaymentDetail["decline"] {
  const code = transactions.find((row) => row.id === payment.charge_id)?.decline_code;
  if (!code) return null;
  const { meaning, advice } = DECLINE_GUIDE[code];
  return { code, meaning, advice };
}

const LEDGER_TITLES = {
  authorize: "Capture",
  continue: "Capture",
  capture: "Capture",
  void: "Void",
  refund: "Refund",
} as const;

function presentLedgerLine(line: PaymentDetailRows["ledger"][number], { operations }: PaymentDetailRows): LedgerLine {
  const kind = operations.find((operation) => operation.id === line.operation_id)?.kind;
  const isReversal = kind === "refund" && line.credit_account === "merchant_payable";
  const isFee = line.debit_account === "fees" || line.credit_account === "fees";
  return {
    id: `${line.operation_id}-${line.line}`,
    title: isFee ? "Fee" : isReversal ? "Refund returned" : kind ? LEDGER_TITLES[kind] : "Settlement",
    debit: line.debit_account,
    credit: line.credit_account,
    amount: line.amount,
    currency: line.currency,
    at: line.created_at,
  };
}

function presentRequest(row: KeyOfPayment, { actors }: PaymentDetailRows): ShownRequest {
  return {
    key: row.key,
    method: endpointMethod(row.endpoint),
    path: row.path,
    request_id: encodeId("request", row.request_id),
    actor: presentActor(row.actor, actors),
    at: row.created_at,
    status: row.status_code,
    body: row.request_body,
    response: row.response_sealed || row.response_body === null ? null : JSON.parse(row.response_body),
    too_long: row.too_long,
    replay_count: row.replay_count,
    last_replayed_at: row.last_replayed_at,
    reuse_count: row.reuse_count,
  };
}

function presentLinked(rows: PaymentDetailRows, customer: string | null, now: Date): LinkedObjects {
  const { plan, clientSession, customerPayments, batches, payment, transactions } = rows;
  const charge = transactions.find((row) => row.id === payment.charge_id);
  return {
    plan: plan && { ...plan, id: encodeId("plan", plan.id) },
    client_session: clientSession && {
      id: encodeId("clientSession", clientSession.id),
      // Nothing is written when an open session expires.
      status:
        clientSession.status === "OPEN" && Date.parse(clientSession.expires_at) <= now.getTime()
          ? "EXPIRED"
          : clientSession.status,
      created_at: clientSession.created_at,
    },
    payment_link:
      clientSession?.link_id == null
        ? null
        : {
            id: encodeId("paymentLink", clientSession.link_id),
            title: linkTitle({
              name: clientSession.link_name,
              plan_name: clientSession.plan_name,
              description: clientSession.link_description,
            }),
          },
    subscription_id: encodeIdOrNull("subscription", charge?.subscription_id ?? null),
    customer,
    customer_payments:
      customerPayments === null
        ? null
        : {
            count: Math.min(customerPayments, MAX_SHOWN_PAYMENTS),
            more: customerPayments > MAX_SHOWN_PAYMENTS,
          },
    batches: batches.map((batch) => ({ ...batch, id: encodeId("settlementBatch", batch.id) })),
  };
}

const OUTCOMES: Record<OperationRow["state"], TimelineOutcome> = {
  open: "pending",
  succeeded: "succeeded",
  declined: "declined",
  failed: "failed",
  action_required: "action_required",
};

/** Timeline of a payment's money, oldest first: operations, returned refunds, settlements, disputes. */
function paymentTimeline(rows: PaymentDetailRows): TimelineEntry[] {
  const entries = [
    ...rows.operations.flatMap((operation) => operationEntries(operation, rows)),
    ...settlements(rows),
    ...reversedCapture(rows),
    ...rows.disputes.flatMap((dispute) => disputeEntries(dispute, rows)),
  ];
  return entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.id < b.id ? -1 : 1));
}

function operationEntries(operation: OperationOfPayment, rows: PaymentDetailRows): TimelineEntry[] {
  const late = operation.kind === "void" && hasEndedUnpaid(rows.payment.status) ? lateApproval(operation) : null;
  const entry: TimelineEntry = {
    id: operation.id,
    kind: operation.kind,
    outcome: OUTCOMES[operation.state],
    title: late?.title ?? operationTitle(operation),
    amount: operation.amount,
    currency: operation.currency,
    transaction_id: encodeId("transaction", operation.transaction_id),
    at: operation.completed_at ?? operation.created_at,
    actor: presentActor(operation.actor, rows.actors),
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
  if (state === "succeeded")
    return { title: "Late approval undone", said: `${approved}, so its money was given back.` };
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
      : "The processor gave no clear answer. Cardlane keeps checking the status. Nothing runs twice.";
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
      ...{ id: `${payment.id}-reversed`, kind: "capture_reversed", outcome: "failed", title: "Capture reversed" },
      ...{ amount: payment.amount_captured, currency: payment.currency },
      ...{ transaction_id: encodeId("transaction", payment.charge_id), at: payment.capture_reversed_at },
      ...{ actor: presentActor({ type: "system", id: null }, actors), idempotency_key: null, request_id: null },
      said: "The processor reported that the capture failed later: its money never came. Settle it with the customer.",
      ...{ reason: null, attempts: 1, settlement_batch_id: null },
    },
  ];
}

/** A dispute's opening and its current status; the steps in between are in its events. */
function disputeEntries(row: DisputeRow, { payment, actors }: PaymentDetailRows): TimelineEntry[] {
  const { title, meaning } = DISPUTE_STATUS_WORDS[row.status];
  const entry = {
    kind: "dispute" as const,
    amount: row.amount,
    currency: row.currency,
    transaction_id: encodeId("transaction", payment.charge_id),
    actor: presentActor({ type: "system", id: null }, actors),
    idempotency_key: null,
    request_id: null,
    attempts: 1,
    settlement_batch_id: null,
  };
  const opened: TimelineEntry = {
    ...{ ...entry, id: row.id, outcome: "failed", title: "Disputed", at: row.created_at },
    said: row.status === "NEEDS_RESPONSE" ? meaning : null,
    reason: row.reason,
  };
  if (row.status === "NEEDS_RESPONSE") return [opened];
  const outcome = DISPUTE_OUTCOMES[row.status];
  const stands = { id: `${row.id}-stands`, title: `Dispute ${title.toLowerCase()}`, said: meaning, reason: null };
  return [opened, { ...entry, ...stands, outcome, at: row.updated_at }];
}

const DISPUTE_OUTCOMES = {
  UNDER_REVIEW: "action_required",
  WON: "succeeded",
  LOST: "failed",
  ACCEPTED: "failed",
} as const satisfies Record<Exclude<DisputeRow["status"], "NEEDS_RESPONSE">, TimelineOutcome>;
