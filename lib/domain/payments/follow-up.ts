import { findPayment, findPaymentOfTransaction, type PaymentSnapshot } from "@/db/queries/payments/payments";
import { formatMinor } from "@/lib/contract/currencies";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { isDisputed, isLost } from "@/lib/contract/payments/dispute-words";
import {
  type CaptureBody,
  MAX_REFUNDS,
  type Payment,
  type RefundBody,
  type VoidBody,
} from "@/lib/contract/payments/payment";
import { LATE_APPROVAL } from "@/lib/contract/payments/words";
import type { RefundReason, TransactionStatus } from "@/lib/contract/transactions/words";
import { idTime, newId } from "@/lib/ids";
import type { ContinueRequest } from "@/lib/processor/port";
import type { Connected } from "@/lib/processor/registry";
import { type Context, type Environment, type Reply, resourceNotFound, type Service } from "../context";
import { connectionMissing, connectionOf, whyDisconnected } from "../processors/connection-of";
import { type Execution, execute } from "./execute";
import { executeRequest, outcomePending, refuseUnclaimed } from "./money-request";
import { disputeOf } from "./present";
import { amountCapturable, amountRefundable, availableActions, isRefundable } from "./states";

/** Returns the Payment; see {@link followUp}. */
export function capturePayment(ctx: Context, input: CaptureBody & { id: string }): Promise<Reply> {
  return followUp(ctx, { kind: "capture", target: { paymentId: input.id }, amount: input.amount ?? null });
}

/** Returns the Payment; see {@link followUp}. */
export function voidPayment(ctx: Context, input: VoidBody & { id: string }): Promise<Reply> {
  return followUp(ctx, {
    kind: "void",
    target: { paymentId: input.id },
    amount: null,
    voidReason: input.reason ?? null,
  });
}

/** Returns the Payment; see {@link followUp}. */
export function refundPayment(ctx: Context, input: RefundBody & { id: string }): Promise<Reply> {
  return followUp(ctx, {
    kind: "refund",
    target: { paymentId: input.id },
    amount: input.amount ?? null,
    refundReason: input.reason ?? null,
    refundComment: input.comment ?? null,
    acknowledgesDispute: input.acknowledge_dispute ?? false,
  });
}

/**
 * Continues a payment after its 3-D Secure challenge, exactly once: the first caller changes it from REQUIRES_ACTION
 * to PENDING; later ones are refused.
 */
export function continuePayment(
  service: Service,
  environment: Pick<Environment, "id" | "mode">,
  paymentId: string,
  challenge: ContinueRequest["challenge"],
  returned?: ContinueRequest["returned"],
): Promise<Execution> {
  return executeOwn(service, environment, "continue", paymentId, challenge, { returned });
}

/** Executes one of Cardlane's own operations, without a request and a key. */
export async function executeOwn(
  service: Service,
  environment: Pick<Environment, "id" | "mode">,
  kind: "continue" | "void",
  paymentId: string,
  detail: string,
  more: { returned?: ContinueRequest["returned"]; endedVersion?: number } = {},
): Promise<Execution> {
  const at = await connectionOf(service, environment, paymentId);
  if (!at) throw new Error(`payment ${paymentId} is at a processor that is not connected`);
  return execute(service, {
    ...{ id: newId(), environment, at, kind, paymentId, detail },
    ...{ claim: null, amount: null, refund: null, allowed: true, ...more },
  });
}

/** Voids a late approval of a payment that had no such void at this version. Refused if the payment has changed. */
export function giveBackApproval(
  service: Service,
  environment: Pick<Environment, "id" | "mode">,
  { id, version }: { id: string; version: number },
): Promise<Execution> {
  return executeOwn(service, environment, "void", id, LATE_APPROVAL, { endedVersion: version });
}

/** A capture, void or refund as a caller requests it. Amounts in minor units; null = all. */
type FollowUpInput = {
  kind: "capture" | "void" | "refund";
  /** Id as the caller sent it. */
  target: { paymentId: string } | { transactionId: string };
  amount: number | null;
  voidReason?: string | null;
  refundReason?: RefundReason | null;
  refundComment?: string | null;
  acknowledgesDispute?: boolean;
};

/** The payment behind the caller's id. `refundStatus`: set if the id is a refund's. */
type Target = { paymentId: string; refundStatus: TransactionStatus | null };

/**
 * Captures, voids or refunds. Throws AppError for refusals that are not stored (404; 409 reused, in progress or
 * pending); stored refusals are replies.
 */
export async function followUp(ctx: Context, request: FollowUpInput): Promise<Reply> {
  const { environment, service } = ctx;
  const target = await findTarget(ctx, request.target);
  const { paymentId } = target;
  const at = await connectionOf(service, environment, paymentId);
  if (!at) {
    const found = await findPayment(service.db.within(environment.id).sql, environment.id, paymentId);
    if (!found) throw notFound(request.target);
    return refuseUnclaimed(ctx, connectionMissing(found.payment.connection_id));
  }
  const { kind, amount } = request;
  const refused = await refusedAmount(ctx, at, paymentId, amount);
  if (refused) return refuseUnclaimed(ctx, refused);
  const { partialCapture } = at.processor.capabilities;
  return executeRequest(ctx, {
    order: (id, claim) => ({
      ...{ id, environment, at, claim, kind, paymentId, amount },
      detail: request.voidReason ?? null,
      refund:
        kind === "refund"
          ? { ...newTransaction(), reason: request.refundReason ?? null, comment: request.refundComment ?? null }
          : null,
      allowed: target.refundStatus === null,
      acknowledgesDispute: request.acknowledgesDispute ?? false,
    }),
    refusal: async (snapshot) => {
      if (!snapshot) return notFound(request.target);
      const refused = refusal(request, target, snapshot, { now: service.clock.now(), partialCapture });
      return refused ?? (await whyDisconnected(ctx, at));
    },
  });
}

function newTransaction(): { id: string; created_at: string } {
  const id = newId();
  return { id, created_at: idTime(id) };
}

/** The refusal of an amount that the processor never accepts in this currency, before anything is written. */
async function refusedAmount(
  { service, environment }: Context,
  { processor }: Connected,
  paymentId: string,
  amount: number | null,
): Promise<AppError | null> {
  if (amount === null || !processor.refusesAmount) return null;
  const found = await findPayment(service.db.within(environment.id).sql, environment.id, paymentId);
  const refusal = found && processor.refusesAmount(amount, found.payment.currency);
  return refusal ? new AppError("processor_refused", refusal, { param: "amount" }) : null;
}

function notFound(target: FollowUpInput["target"]): AppError {
  return "paymentId" in target
    ? resourceNotFound("payment", target.paymentId)
    : resourceNotFound("transaction", target.transactionId);
}

/** Finds the payment behind the caller's id. T1 checks whether a payment id exists. */
async function findTarget(ctx: Context, target: FollowUpInput["target"]): Promise<Target> {
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

/** The reason why the guard refused, by the same rules. Null: it would pass now. */
function refusal(
  { kind, amount, target: named, acknowledgesDispute }: FollowUpInput,
  target: Target,
  { payment, transactions }: PaymentSnapshot,
  { now, partialCapture }: { now: Date; partialCapture: boolean },
): AppError | null {
  const invalidState = (detail: string, status: string, allowed: string[]) =>
    new AppError("invalid_state", detail, { extra: { current_status: status, allowed_actions: allowed } });
  if (target.refundStatus !== null) {
    return invalidState(`A refund cannot be ${PAST[kind]}. Use the charge it refunds.`, target.refundStatus, []);
  }
  if (payment.open_operation_id !== null || payment.status === "PENDING") {
    const detail = "The outcome of an earlier operation on this payment is not known yet. Try again in a moment.";
    return outcomePending(detail);
  }
  // While a payment waits for the shopper, its charge is still PENDING.
  const status = "transactionId" in named && payment.status === "REQUIRES_ACTION" ? "PENDING" : payment.status;
  const wrongState = invalidState(
    `A ${"transactionId" in named ? "transaction" : "payment"} that is ${status} cannot be ${PAST[kind]}.`,
    status,
    availableActions(payment),
  );
  if (kind === "refund") {
    if (!isRefundable(payment.status)) return wrongState;
    const disputed = refusalByDispute(disputeOf(payment), acknowledgesDispute ?? false);
    if (disputed) return disputed;
    if (payment.capture_reversed_at !== null) return invalidState(CAPTURE_REVERSED, status, []);
    const remaining = amountRefundable(payment);
    if (transactions.length > MAX_REFUNDS)
      return invalidState(
        `A payment can have at most ${MAX_REFUNDS} refunds, and this one has reached that number.`,
        status,
        [],
      );
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
  if (!partialCapture && amount !== null && amount < remaining) {
    return new AppError("invalid_parameter", "The processor only captures the whole amount. Omit amount.", {
      param: "amount",
    });
  }
  return amount !== null && amount > remaining
    ? exceeds("amount_exceeds_capturable", "captured", remaining, payment.currency)
    : null;
}

const CAPTURE_REVERSED =
  "The processor reported that this capture failed there later: its money never came, so there is nothing to refund.";

/**
 * The refusal to refund a disputed payment, or null. It is not stored, so the same key can retry with an
 * acknowledgment, or after the dispute was won.
 */
export function refusalByDispute(dispute: Payment["dispute"], acknowledged: boolean): AppError | null {
  const status = dispute?.status ?? null;
  if (isLost(status))
    return new AppError(
      "payment_disputed",
      "A dispute of this payment was lost: the bank has returned the money to the cardholder. A refund would pay them twice, so none is possible.",
      { extra: { dispute } },
    );
  if (!isDisputed(status) || acknowledged) return null;
  const detail =
    "The cardholder's bank disputes this payment. If it decides for the cardholder, a refund pays them twice. Respond to the dispute instead, or send acknowledge_dispute: true to refund all the same.";
  return new AppError("payment_disputed", detail, { extra: { dispute } });
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
