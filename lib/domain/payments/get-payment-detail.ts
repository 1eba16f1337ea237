import {
  DETAIL_LIMIT,
  type KeyOfPayment,
  type PaymentDetailRows,
  readPaymentDetail,
} from "@/db/queries/payment-detail";
import { decodeId, encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import { DECLINE_GUIDE } from "@/lib/contract/payments/decline-guide";
import type { Payment } from "@/lib/contract/payments/payment";
import type {
  ApiRequest,
  LedgerLine,
  LinkedObjects,
  PaymentDetail,
  ShownPayment,
} from "@/lib/contract/payments/payment-detail";
import type { Context } from "../context";
import { methodOf } from "../idempotency/present-key";
import { resourceNotFound } from "../resource-not-found";
import { paymentTimeline } from "./payment-timeline";
import { presentPayment } from "./present";
import { presentActor } from "./present-actor";

const MAX_SHOWN_PAYMENTS = 100;

/** One payment with its history, books, events and requests. Throws `resource_not_found` for unknown and foreign ids. */
export async function getPaymentDetail(ctx: Context, input: { id: string }): Promise<PaymentDetail> {
  const id = decodeId("payment", input.id);
  const rows = id && (await readPaymentDetail(ctx.service.db.within(ctx.environment.id).sql, ctx.environment, id));
  if (!rows) throw resourceNotFound("payment", input.id);
  const payment = shown(presentPayment(rows.payment, rows.transactions, ctx.environment.mode));
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
    decline: declineOf(rows),
    timeline: paymentTimeline(rows),
    ledger: ledger.map((line) => ledgerLineOf(line, rows)).reverse(),
    events: events.map((row) => ({ id: encodeId("event", row.id), type: row.type, at: row.created_at })),
    requests: keys.map((row) => requestOf(row, rows)),
    linked: linkedOf(rows, ctx.service.clock.now()),
    truncated: [rows.transactions, operations, ledger, events, keys].some((list) => list.length >= DETAIL_LIMIT),
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

function declineOf({ payment, transactions }: PaymentDetailRows): PaymentDetail["decline"] {
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

function ledgerLineOf(line: PaymentDetailRows["ledger"][number], { operations }: PaymentDetailRows): LedgerLine {
  const kind = operations.find((operation) => operation.id === line.operation_id)?.kind;
  const isReversal = kind === "refund" && line.credit_account === "merchant_payable";
  const isFee = line.debit_account === "fees" || line.credit_account === "fees";
  return {
    id: `${line.operation_id}-${line.line}`,
    title: isFee ? "Fee" : isReversal ? "Refund came back" : kind ? LEDGER_TITLES[kind] : "Settlement",
    debit: line.debit_account,
    credit: line.credit_account,
    amount: line.amount,
    currency: line.currency,
    at: line.created_at,
  };
}

function requestOf(row: KeyOfPayment, { actors }: PaymentDetailRows): ApiRequest {
  return {
    key: row.key,
    method: methodOf(row.operation_name),
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

function linkedOf(rows: PaymentDetailRows, now: Date): LinkedObjects {
  const { plan, clientSession, customerPayments, batches, payment, transactions } = rows;
  const charge = transactions.find((row) => row.id === payment.charge_id);
  return {
    plan: plan && { ...plan, id: encodeId("plan", plan.id) },
    client_session: clientSession && {
      id: encodeId("clientSession", clientSession.id),
      // Of an open session nothing is written when its time is over.
      status:
        clientSession.status === "OPEN" && Date.parse(clientSession.expires_at) <= now.getTime()
          ? "EXPIRED"
          : clientSession.status,
      created_at: clientSession.created_at,
    },
    subscription_id: encodeIdOrNull("subscription", charge?.subscription_id ?? null),
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
