import {
  DETAIL_LIMIT,
  type KeyOfPayment,
  type PaymentDetailRows,
  readPaymentDetail,
} from "@/db/queries/payments/payment-detail";
import { linkTitle } from "@/lib/contract/checkout/payment-link";
import type { LinkedCustomer } from "@/lib/contract/customers/customer";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { creditNoteNumber } from "@/lib/contract/invoices/credit-notes";
import { DECLINE_GUIDE } from "@/lib/contract/payments/decline-guide";
import type { Payment } from "@/lib/contract/payments/payment";
import type {
  LedgerLine,
  LinkedObjects,
  PaymentDetail,
  ShownPayment,
  ShownProcessor,
  ShownRequest,
} from "@/lib/contract/payments/payment-detail";
import type { ProcessorObject } from "@/lib/processor/records";
import { type Context, environmentNow, resourceNotFound, type Service } from "../context";
import { findCustomerOf } from "../customers/customers";
import { disputeMeaning } from "../disputes/book-dispute";
import { presentDispute } from "../disputes/record-dispute";
import { endpointMethod } from "../idempotency/inspect-keys";
import { invoiceNumber } from "../subscriptions/present";
import { paymentTimeline } from "./payment-timeline";
import { presentActor, presentPayment } from "./present";

const MAX_SHOWN_PAYMENTS = 100;

/**
 * A payment with its history, ledger, events and requests. Throws `resource_not_found` for unknown and
 * foreign ids.
 */
export async function getPaymentDetail(ctx: Context, input: { id: string }): Promise<PaymentDetail> {
  const id = decodeId("payment", input.id);
  const rows = id && (await readPaymentDetail(ctx.service.db.within(ctx.environment.id).sql, ctx.environment, id));
  if (!rows) throw resourceNotFound("payment", input.id);
  const payment = shown(presentPayment(rows.payment, rows.transactions, ctx.environment.mode));
  const customer = await findCustomerOf(ctx, payment);
  const at = await findProcessor(ctx.service, rows.payment.connection_id);
  const { operations, ledger, events, keys } = rows;
  return {
    payment,
    notes: rows.transactions.map((row) => ({
      id: encodeId("transaction", row.id),
      refund_comment: row.refund_comment,
      fraud_reasons: row.fraud_reasons,
      credit_note: creditNoteOf(row.id, rows),
    })),
    pending:
      operations.some((row) => row.state === "open") ||
      payment.status === "PENDING" ||
      payment.status === "REQUIRES_ACTION",
    decline: presentDecline(rows),
    disputes: rows.disputes.map((row) => ({
      ...presentDispute(row, ctx.environment.mode),
      meaning: disputeMeaning(row),
    })),
    processor: presentObjects(rows, at),
    timeline: paymentTimeline(rows, ctx.environment.clock !== null),
    ledger: ledger.map((line) => presentLedgerLine(line, rows)).reverse(),
    fee: rows.fee,
    events: events.map((row) => ({ id: encodeId("event", row.id), type: row.type, at: row.created_at })),
    requests: keys.map((row) => presentRequest(row, rows)),
    linked: presentLinked(rows, customer, environmentNow(ctx)),
    truncated: [rows.transactions, operations, ledger, events, keys].some((list) => list.length >= DETAIL_LIMIT),
  };
}

function creditNoteOf(id: string, { creditNotes }: PaymentDetailRows): string | null {
  const note = creditNotes.find((one) => one.id === id);
  return note ? creditNoteNumber(note.number) : null;
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
  const ofDispute = disputeTitle(line);
  const isFee = line.debit_account === "fees" || line.credit_account === "fees";
  return {
    id: `${line.operation_id}-${line.line}`,
    title: ofDispute
      ? ofDispute
      : isFee
        ? "Fee"
        : isReversal
          ? "Refund returned"
          : kind
            ? LEDGER_TITLES[kind]
            : "Settlement",
    debit: line.debit_account,
    credit: line.credit_account,
    amount: line.amount,
    currency: line.currency,
    at: line.created_at,
  };
}

/** Null for a line of an operation. */
function disputeTitle({ line, debit_account, credit_account }: PaymentDetailRows["ledger"][number]): string | null {
  if (debit_account !== "disputes" && credit_account !== "disputes") return null;
  if (line === 2) return "Dispute fee";
  if (line === 4) return "Dispute fee kept";
  if (line === 1) return credit_account === "disputes" ? "Dispute" : "Dispute returned";
  return credit_account === "bank" ? "Disputed amount lost" : "Dispute reopened";
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

function presentLinked(rows: PaymentDetailRows, customer: LinkedCustomer | null, now: Date): LinkedObjects {
  const { plan, clientSession, subscription, invoice, customerPayments, batches } = rows;
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
    subscription: subscription && { ...subscription, id: encodeId("subscription", subscription.id) },
    invoice: invoice && {
      id: encodeId("invoice", invoice.id),
      number: invoice.number === null ? null : invoiceNumber(invoice.number),
      status: invoice.status,
    },
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
