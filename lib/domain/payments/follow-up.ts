import { findRefundable } from "@/db/queries/accounts/refund-limit";
import { findLimitUse } from "@/db/queries/api-keys";
import type { AloneRefund, RefundApproval } from "@/db/queries/approvals";
import { findPayment, findPaymentOfTransaction, type PaymentSnapshot } from "@/db/queries/payments/payments";
import { formatMinor } from "@/lib/contract/currencies";
import { isDisputed, isLost } from "@/lib/contract/disputes/statuses";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import {
  type CaptureBody,
  MAX_REFUNDS,
  type Payment,
  type RefundBody,
  type VoidBody,
} from "@/lib/contract/payments/payment";
import { LATE_APPROVAL } from "@/lib/contract/payments/words";
import type { TransactionStatus } from "@/lib/contract/transactions/words";
import { idTime, newId } from "@/lib/ids";
import type { ContinueRequest } from "@/lib/processor/port";
import type { Connected } from "@/lib/processor/registry";
import { limitRefusal } from "../api-keys/limits";
import { aloneRefund, findRuleRefusal } from "../approvals/rules";
import {
  type Context,
  type Environment,
  environmentNow,
  newEnvironmentId,
  type Reply,
  resourceNotFound,
  type Service,
} from "../context";
import { connectionMissing, connectionOf, disconnectedError } from "../processors/connection-of";
import { type Execution, execute } from "./execute";
import { executeRequest, outcomePending, refuseUnclaimed } from "./money-request";
import { disputeOf } from "./present";
import { amountCapturable, amountRefundable, availableActions, isRefundable } from "./states";

/** Returns the Payment; see {@link followUp}. */
export function capturePayment(ctx: Context, input: CaptureBody & { id: string }): Promise<Reply> {
  return followUp(ctx, "payment", { ...input, kind: "capture" });
}

/** Returns the Payment; see {@link followUp}. */
export function voidPayment(ctx: Context, input: VoidBody & { id: string }): Promise<Reply> {
  return followUp(ctx, "payment", { ...input, kind: "void" });
}

/** Returns the Payment; see {@link followUp}. */
export function refundPayment(ctx: Context, input: RefundBody & { id: string }): Promise<Reply> {
  return followUp(ctx, "payment", { ...input, kind: "refund" });
}

/**
 * Continues a payment after its 3-D Secure challenge, exactly once: the first caller changes it from
 * REQUIRES_ACTION to PENDING; later ones are refused.
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
  const { returned, endedVersion } = more;
  const order = { id: newId(), environment, kind, paymentId, detail, claim: null, amount: null, refund: null };
  return execute(
    service,
    { ...order, allowed: true, ...(endedVersion !== undefined && { endedVersion }) },
    { at, ...(returned && { returned }) },
  );
}

/**
 * Voids a late approval of a payment that had no such void at this version. Refused if the payment has
 * changed.
 */
export function voidLateApproval(
  service: Service,
  environment: Pick<Environment, "id" | "mode">,
  { id, version }: { id: string; version: number },
): Promise<Execution> {
  return executeOwn(service, environment, "void", id, LATE_APPROVAL, { endedVersion: version });
}

/**
 * Captures, voids or refunds a payment, named by its own id or by a transaction's (`named`). Throws AppError
 * for refusals that are not stored (404; 409 reused, in progress or pending); stored refusals are replies.
 */
export async function followUp(
  ctx: Context,
  named: "payment" | "transaction",
  input: { id: string } & (
    | ({ kind: "capture" } & CaptureBody)
    | ({ kind: "void" } & VoidBody)
    | ({ kind: "refund" } & RefundBody)
  ),
  approved: ApprovedBy | null = null,
): Promise<Reply> {
  const { environment, service } = ctx;
  const { paymentId, refundStatus } = await findTarget(ctx, named, input.id);
  const at = await connectionOf(service, environment, paymentId);
  // An approval stays possible, under the same key, once the processor is connected again.
  const storing = approved ? ({ stored: false } as const) : {};
  if (!at) {
    const found = await findPayment(service.db.within(environment.id).sql, environment.id, paymentId);
    if (!found) throw resourceNotFound(named, input.id);
    return refuseUnclaimed(ctx, connectionMissing(found.payment.connection_id, storing));
  }
  const isRefund = input.kind === "refund";
  const order = {
    kind: input.kind,
    environment,
    paymentId,
    amount: input.kind === "void" ? null : (input.amount ?? null),
    detail: input.kind === "void" ? (input.reason ?? null) : null,
    allowed: refundStatus === null,
    acknowledgesDispute: isRefund && input.acknowledge_dispute === true,
  };
  const refused = await refusedAmount(ctx, at, paymentId, order.amount);
  if (refused) return refuseUnclaimed(ctx, refused);
  const { partialCapture } = at.processor.capabilities;
  const members = isRefund ? await findMembersPart(ctx, paymentId, approved) : {};
  return executeRequest(ctx, {
    at,
    order: (id, claim) => ({
      ...order,
      ...members,
      id,
      claim,
      refund: isRefund
        ? { ...newTransaction(ctx), reason: input.reason ?? null, comment: input.comment ?? null }
        : null,
    }),
    refusal: async (snapshot) => {
      if (!snapshot) return resourceNotFound(named, input.id);
      const times = { now: environmentNow(ctx), partialCapture };
      const refused = followUpRefusal(order, named, refundStatus, snapshot, times);
      if (approved && refused?.code === "amount_exceeds_refundable" && mayYetFit(snapshot, order.amount)) {
        return outcomePending(
          "Another refund of this payment is not decided yet, and there may be enough left for this one. Try again in a moment.",
        );
      }
      return (
        refused ??
        (await disconnectedError(ctx, at, storing)) ??
        (approved ? approved.refusal() : isRefund ? findLimitRefusal(ctx, snapshot, order.amount) : null)
      );
    },
  });
}

/** True if a refund would fit once a pending one of the same payment has failed. */
const mayYetFit = ({ payment }: PaymentSnapshot, amount: number | null): boolean =>
  payment.refund_pending > 0 && amount !== null && amount <= payment.amount_captured - payment.amount_refunded;

/** The request whose approval a refund is, and why T1 refused the approval; null if it would pass now. */
type ApprovedBy = { readonly approval: RefundApproval; readonly refusal: () => Promise<AppError | null> };

/** T1's part for a refund by a member of the team: approved by a colleague, or made alone. */
async function findMembersPart(
  { actor, environment, service }: Context,
  paymentId: string,
  approved: ApprovedBy | null,
): Promise<{ alone?: AloneRefund; approval?: RefundApproval }> {
  if (approved) return { approval: approved.approval };
  if (actor.type !== "user" || actor.id === null) return {};
  const found = await findRefundable(service.db.within(environment.id).orm, environment.id, { paymentId });
  return found ? { alone: aloneRefund(actor.id, found.currency) } : {};
}

/** Why the limits of the caller's API key, or the rule for the member's role, refuse a refund; null if not now. */
async function findLimitRefusal(
  ctx: Context,
  { payment }: PaymentSnapshot,
  amount: number | null,
): Promise<AppError | null> {
  const { actor, environment, service } = ctx;
  if (actor.id === null) return null;
  const refund = { amount: amount ?? amountRefundable(payment), currency: payment.currency };
  if (actor.type === "user") return findRuleRefusal(ctx, actor.id, refund);
  if (actor.type !== "api_key") return null;
  const use = await findLimitUse(service.db.within(environment.id).orm, environment.id, actor.id);
  return use && limitRefusal(use, refund);
}

function newTransaction(ctx: Context): { id: string; created_at: string } {
  const id = newEnvironmentId(ctx);
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

/**
 * Finds the payment behind the caller's id; `refundStatus` is set if that is a refund's. T1 checks payment
 * ids.
 */
async function findTarget(
  ctx: Context,
  named: "payment" | "transaction",
  id: string,
): Promise<{ paymentId: string; refundStatus: TransactionStatus | null }> {
  const uuid = decodeId(named, id);
  if (uuid && named === "payment") return { paymentId: uuid, refundStatus: null };
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const row = uuid && (await findPaymentOfTransaction(sql, ctx.environment.id, uuid));
  if (!row) throw resourceNotFound(named, id);
  return { paymentId: row.payment_id, refundStatus: row.type === "REFUND" ? row.status : null };
}

/** The reason why the guard refused, by the same rules. Null: it would pass now. */
export function followUpRefusal(
  {
    kind,
    amount,
    acknowledgesDispute,
  }: {
    kind: "capture" | "void" | "refund";
    amount: number | null;
    acknowledgesDispute: boolean;
  },
  named: "payment" | "transaction",
  refundStatus: TransactionStatus | null,
  { payment, transactions }: PaymentSnapshot,
  { now, partialCapture }: { now: Date; partialCapture: boolean },
): AppError | null {
  const invalidState = (detail: string, status: string, allowed: string[]) =>
    new AppError("invalid_state", detail, { extra: { current_status: status, allowed_actions: allowed } });
  if (refundStatus !== null) {
    return invalidState(`A refund cannot be ${PAST[kind]}. Use the charge it refunds.`, refundStatus, []);
  }
  if (payment.open_operation_id !== null || payment.status === "PENDING") {
    const detail = "The outcome of an earlier operation on this payment is not known yet. Try again in a moment.";
    return outcomePending(detail);
  }
  // While a payment waits for the shopper, its charge is still PENDING.
  const status = named === "transaction" && payment.status === "REQUIRES_ACTION" ? "PENDING" : payment.status;
  const wrongState = invalidState(
    `A ${named} that is ${status} cannot be ${PAST[kind]}.`,
    status,
    availableActions(payment),
  );
  if (kind === "refund") {
    if (!isRefundable(payment.status)) return wrongState;
    const disputed = refusalByDispute(disputeOf(payment), acknowledgesDispute);
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
  if (payment.invoice_id !== null && amount !== null && amount < remaining) {
    return new AppError("invalid_parameter", "The payment of an invoice is captured as a whole. Omit amount.", {
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
      `A dispute of this payment was ${status === "ACCEPTED" ? "accepted" : "lost"}: the bank has returned the money to the cardholder. A refund would pay them twice, so none is possible.`,
      { extra: { dispute } },
    );
  if (!isDisputed(status) || acknowledged) return null;
  const detail =
    "The cardholder's bank disputes this payment. If it decides for the cardholder, a refund pays them twice. Respond to the dispute instead, or send acknowledge_dispute: true to refund anyway.";
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
