import { reserveFollowUp } from "@/db/queries/payment-intents";
import { findPayment, findPaymentOfTransaction, type PaymentSnapshot } from "@/db/queries/payments";
import { formatMinor } from "@/lib/contract/currencies";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { MOST_REFUNDS } from "@/lib/contract/payment";
import type { RefundReason, TransactionStatus } from "@/lib/contract/transaction-words";
import { idTime, newId } from "@/lib/ids";
import type { Processor } from "@/lib/processor/port";
import type { Context, Reply } from "../context";
import { resourceNotFound } from "../resource-not-found";
import {
  answerFromKey,
  askedByOf,
  claimOf,
  refuseClaimed,
  refuseUnclaimed,
  releaseClaim,
  replyOf,
} from "./money-request";
import { leaseOf, type OpenOperation } from "./operation";
import { processorNotConfigured } from "./processor-not-configured";
import { begin, sendOperation } from "./send-operation";
import { amountCapturable, amountRefundable, availableActions, isRefundable } from "./states";

/** A capture, void or refund as a caller asks for it. Amounts in minor units; null = all there is. */
export type FollowUpRequest = {
  kind: "capture" | "void" | "refund";
  /** As the caller sent them: one or the other. */
  target: { paymentId: string } | { transactionId: string };
  amount: number | null;
  voidReason?: string | null;
  refundReason?: RefundReason | null;
  refundComment?: string | null;
};

/** What the caller named, found in its environment. */
type Target = { paymentId: string; refundStatus: TransactionStatus | null };

/** A request is started over when its key became free meanwhile, or the payment changed under a refusal. */
const TRIES = 10;

/**
 * Captures, voids or refunds: T1 reserves, the processor moves the money, T2 writes it down. Throws AppError for what is
 * not stored (404, 409 reused, in progress or pending); refusals that are stored are answered like results.
 */
export async function followUp(ctx: Context, request: FollowUpRequest): Promise<Reply> {
  const target = await findTarget(ctx, request.target);
  const processor = ctx.service.processors.processorFor(ctx.environment.mode);
  if (!processor) {
    if (!(await findPayment(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, target.paymentId)))
      throw notFound(request.target);
    return refuseUnclaimed(ctx, processorNotConfigured(), newId());
  }
  for (let tries = 0; tries < TRIES; tries++) {
    const reply = await attempt(ctx, request, target, processor);
    if (reply) return reply;
  }
  throw new AppError("outcome_pending", "The payment is changing right now. Send the request again in a moment.", {
    headers: { "Retry-After": "1" },
  });
}

/** One try; null = start over. */
async function attempt(
  ctx: Context,
  request: FollowUpRequest,
  target: Target,
  processor: Processor,
): Promise<Reply | null> {
  const { service, environment } = ctx;
  const operationId = newId();
  const refundId = request.kind === "refund" ? newId() : null;
  const begun = begin(service);
  const reservation = await reserveFollowUp(
    service.db.within(environment.id).sql,
    environment.id,
    await claimOf(ctx, operationId),
    {
      kind: request.kind,
      paymentId: target.paymentId,
      operationId,
      refund: refundId === null ? null : newRefund(refundId, request),
      amount: request.amount,
      detail: request.voidReason ?? null,
      allowed: target.refundStatus === null,
      actor: ctx.actor,
      requestId: ctx.request.id,
      lease: leaseOf(service.processorTimeoutMs),
    },
  );
  if (!reservation.found) throw notFound(request.target);
  if (!reservation.claimed) return answerFromKey(ctx);
  const snapshot = await findPayment(service.db.within(environment.id).sql, environment.id, target.paymentId);
  if (!snapshot) throw new Error(`payment ${target.paymentId} disappeared`);
  if (!reservation.reserved || reservation.amount === null) return refuse(ctx, request, target, snapshot);

  const operation: OpenOperation = {
    environmentId: environment.id,
    mode: environment.mode,
    id: operationId,
    kind: request.kind,
    epoch: 1,
    paymentId: target.paymentId,
    transactionId: refundId ?? snapshot.payment.charge_id,
    amount: reservation.amount,
    currency: snapshot.payment.currency,
    detail: request.voidReason ?? null,
    actor: ctx.actor,
    requestId: ctx.request.id,
    asked: askedByOf(ctx),
  };
  const call = {
    reference: operationId,
    account: environment.id,
    authorization: snapshot.payment.authorization_id,
    amount: operation.amount,
    currency: operation.currency,
  };
  return replyOf(
    ctx,
    operation,
    await sendOperation(
      service,
      operation,
      { begun, notAfter: reservation.not_after, call: (notAfter) => processor[request.kind]({ ...call, notAfter }) },
      snapshot,
    ),
  );
}

function newRefund(id: string, { refundReason, refundComment }: FollowUpRequest) {
  return { id, created_at: idTime(id), reason: refundReason ?? null, comment: refundComment ?? null };
}

function notFound(target: FollowUpRequest["target"]): AppError {
  return "paymentId" in target
    ? resourceNotFound("payment", target.paymentId)
    : resourceNotFound("transaction", target.transactionId);
}

/** The payment behind the caller's id. Whether a payment's own id exists is left to T1, which looks anyway. */
async function findTarget(ctx: Context, target: FollowUpRequest["target"]): Promise<Target> {
  if ("paymentId" in target) {
    const id = decodeId("payment", target.paymentId);
    if (!id) throw notFound(target);
    return { paymentId: id, refundStatus: null };
  }
  const id = decodeId("transaction", target.transactionId);
  const row =
    id && (await findPaymentOfTransaction(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id));
  if (!row) throw notFound(target);
  return { paymentId: row.payment_id, refundStatus: row.type === "REFUND" ? row.status : null };
}

/** The key is ours and the guard said no: says why, by the same rules. Null: it would say yes now, so try again. */
async function refuse(
  ctx: Context,
  request: FollowUpRequest,
  target: Target,
  snapshot: PaymentSnapshot,
): Promise<Reply | null> {
  const error = refusal(request, target, snapshot, ctx.service.clock.now());
  if (error) return refuseClaimed(ctx, error);
  await releaseClaim(ctx);
  return null;
}

function refusal(
  { kind, amount, target: named }: FollowUpRequest,
  target: Target,
  { payment, transactions }: PaymentSnapshot,
  now: Date,
): AppError | null {
  const invalidState = (detail: string, status: string, allowed: string[]) =>
    new AppError("invalid_state", detail, { extra: { current_status: status, allowed_actions: allowed } });
  if (target.refundStatus !== null) {
    return invalidState(`A refund cannot be ${PAST[kind]}. Use the charge it refunds.`, target.refundStatus, []);
  }
  if (payment.open_operation_id !== null || payment.status === "PENDING") {
    return new AppError(
      "outcome_pending",
      "The outcome of an earlier operation on this payment is not known yet. Try again in a moment.",
      {
        headers: { "Retry-After": "1" },
      },
    );
  }
  // A charge has no status of its own for a payment that waits for the shopper: it is still PENDING.
  const status = "transactionId" in named && payment.status === "REQUIRES_ACTION" ? "PENDING" : payment.status;
  const wrongState = invalidState(
    `A ${"transactionId" in named ? "transaction" : "payment"} that is ${status} cannot be ${PAST[kind]}.`,
    status,
    availableActions(payment),
  );
  if (kind === "refund") {
    if (!isRefundable(payment.status)) return wrongState;
    const remaining = amountRefundable(payment);
    if (transactions.length > MOST_REFUNDS)
      return invalidState(`A payment takes at most ${MOST_REFUNDS} refunds, and this one has had them.`, status, []);
    return remaining > 0 && (amount ?? remaining) <= remaining
      ? null
      : exceeds("amount_exceeds_refundable", "refunded", remaining, payment.currency);
  }
  if (payment.status !== "AUTHORIZED") return wrongState;
  if (kind === "void") return null;
  if (payment.capture_before !== null && Date.parse(payment.capture_before) <= now.getTime()) {
    return invalidState("The authorization has expired and can no longer be captured.", payment.status, ["void"]);
  }
  const remaining = amountCapturable(payment);
  return amount !== null && amount > remaining
    ? exceeds("amount_exceeds_capturable", "captured", remaining, payment.currency)
    : null;
}

const PAST = { capture: "captured", void: "voided", refund: "refunded" } as const;

function exceeds(
  code: "amount_exceeds_refundable" | "amount_exceeds_capturable",
  verb: string,
  remaining: number,
  currency: string,
) {
  return new AppError(code, `At most ${formatMinor(remaining, currency)} can be ${verb}. Send that amount or less.`, {
    param: "amount",
    extra: { remaining },
  });
}
