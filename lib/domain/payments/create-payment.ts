import { insertPayment, type NewPayment } from "@/db/queries/payment-intents";
import { findPaymentToken } from "@/db/queries/payment-tokens";
import type { PaymentSnapshot } from "@/db/queries/payments";
import { findPlan } from "@/db/queries/plans";
import { isSupportedCurrency } from "@/lib/contract/currencies";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import type { CreatePaymentBody } from "@/lib/contract/payment";
import { idTime, newId } from "@/lib/ids";
import type { Processor, TokenizedCard } from "@/lib/processor/port";
import type { Context, Reply } from "../context";
import { resourceNotFound } from "../resource-not-found";
import { answerFromKey, askedByOf, claimOf, refuseClaimed, refuseUnclaimed, replyOf } from "./money-request";
import { leaseOf, type OpenOperation } from "./operation";
import { processorNotConfigured } from "./processor-not-configured";
import { sendBy, sendOperation } from "./send-operation";

type Card = TokenizedCard & { paymentTokenId: string | null; clientSessionId: string | null };

/**
 * Creates a payment and answers it: 201, 202 while the outcome is unknown, or 402. The card's number and CVV go to the
 * processor's `tokenize` and nowhere else. Throws AppError for what is not stored: 400, 404, 409.
 */
export async function createPayment(ctx: Context, body: CreatePaymentBody): Promise<Reply> {
  const plan = await requirePlan(ctx, body.plan_id);
  const operationId = newId();
  const processor = ctx.service.processors.processorFor(ctx.environment.mode);
  if (!processor) return refuseUnclaimed(ctx, processorNotConfigured(), operationId);
  if (!isSupportedCurrency(body.currency))
    return refuseUnclaimed(ctx, currencyNotSupported(body.currency), operationId);
  if (plan && plan.status !== "ACTIVE") return refuseUnclaimed(ctx, planNotActive(plan.status), operationId);

  const card = body.card ? await tokenize(ctx, processor, body.card) : await useToken(ctx, body.payment_token ?? "");
  for (;;) {
    const reply = await attempt(ctx, body, { card, processor, operationId, planId: plan?.id ?? null });
    if (reply) return reply;
  }
}

type Prepared = { card: Card; processor: Processor; operationId: string; planId: string | null };

/** One try; null = the key has become free meanwhile, so start over. */
async function attempt(
  ctx: Context,
  body: CreatePaymentBody,
  { card, processor, operationId, planId }: Prepared,
): Promise<Reply | null> {
  const { service, environment } = ctx;
  const snapshot = newSnapshot(ctx, body, card, operationId, planId);
  const { payment } = snapshot;
  const until = sendBy(service);
  const intent = {
    id: operationId,
    kind: "authorize" as const,
    paymentId: payment.id,
    transactionId: payment.charge_id,
    amount: payment.amount,
    currency: payment.currency,
    detail: null,
    actor: ctx.actor,
    requestId: ctx.request.id,
  };
  const reservation = await insertPayment(
    service.db.sql,
    environment.id,
    claimOf(ctx, operationId),
    newPayment(snapshot),
    { ...intent, lease: leaseOf(service.processorTimeoutMs) },
    card.paymentTokenId,
  );
  if (!reservation.claimed) return answerFromKey(ctx);
  if (!reservation.reserved) return refuseClaimed(ctx, tokenUnusable());
  const operation: OpenOperation = {
    ...intent,
    environmentId: environment.id,
    mode: environment.mode,
    epoch: 1,
    asked: askedByOf(ctx),
  };
  const call = () =>
    processor.authorize({
      reference: operationId,
      account: environment.id,
      notAfter: new Date(reservation.not_after),
      token: card.token,
      amount: payment.amount,
      currency: payment.currency,
      capture: payment.capture_method === "automatic",
      customerEmail: body.customer_email,
      billingAddress: body.billing_address,
    });
  return replyOf(ctx, operation, await sendOperation(service, operation, { sendBy: until, call }, snapshot));
}

async function requirePlan(ctx: Context, planId: string | null) {
  if (planId === null) return null;
  const id = decodeId("plan", planId);
  const plan = id && (await findPlan(ctx.service.db.orm, ctx.environment.id, id));
  if (!plan) throw resourceNotFound("plan", planId, "plan_id");
  return plan;
}

async function tokenize(
  ctx: Context,
  processor: Processor,
  card: NonNullable<CreatePaymentBody["card"]>,
): Promise<Card> {
  if (ctx.environment.mode === "live") {
    throw new AppError(
      "invalid_parameter",
      "Card data is only taken in test mode. Send a payment_token in live mode.",
      { param: "card" },
    );
  }
  try {
    return { ...(await processor.tokenize(card)), paymentTokenId: null, clientSessionId: null };
  } catch (error) {
    throw new AppError(
      "processor_error",
      "The processor could not be reached. Nothing was charged; send the request again with the same key.",
      {
        cause: error,
      },
    );
  }
}

/** The card behind a `tok_…`. Whether it is still good is decided in T1, after the key: a replay needs no good token. */
async function useToken(ctx: Context, token: string): Promise<Card> {
  const id = decodeId("paymentToken", token);
  const row = id && (await findPaymentToken(ctx.service.db.orm, ctx.environment.id, id));
  if (!row) throw resourceNotFound("payment token", token, "payment_token");
  return {
    token: row.processor_token,
    fingerprint: row.card_fingerprint,
    brand: row.card_brand,
    bin: row.card_bin,
    last4: row.card_last4,
    exp_month: row.card_exp_month,
    exp_year: row.card_exp_year,
    paymentTokenId: row.id,
    clientSessionId: row.client_session_id,
  };
}

function tokenUnusable(): AppError {
  return new AppError(
    "invalid_parameter",
    "The payment token was used before or is older than 15 minutes. Get a new one.",
    {
      param: "payment_token",
      errors: [
        { param: "payment_token", code: "invalid_parameter", message: "Used before, or older than 15 minutes." },
      ],
    },
  );
}

function currencyNotSupported(currency: string): AppError {
  return new AppError(
    "currency_not_supported",
    `Payments in ${currency} cannot be taken. Use a currency of ISO 4217 such as USD.`,
    {
      param: "currency",
    },
  );
}

function planNotActive(status: string): AppError {
  return new AppError("plan_not_active", `The plan is ${status}. Activate it before it is used.`, { param: "plan_id" });
}

/** The payment as T1 writes it; the response is made from it without reading it back. */
function newSnapshot(
  ctx: Context,
  body: CreatePaymentBody,
  card: Card,
  operationId: string,
  planId: string | null,
): PaymentSnapshot {
  const paymentId = newId();
  const chargeId = newId();
  const shared = {
    environment_id: ctx.environment.id,
    status: "PENDING" as const,
    amount: body.amount,
    currency: body.currency,
  };
  return {
    payment: {
      ...shared,
      id: paymentId,
      charge_id: chargeId,
      authorization_id: operationId,
      capture_method: body.capture_method,
      amount_captured: 0,
      amount_refunded: 0,
      refund_pending: 0,
      open_operation_id: operationId,
      version: 1,
      capture_before: null,
      customer_id: body.customer_id,
      return_url: body.return_url,
      next_action: null,
      created_at: idTime(paymentId),
      updated_at: idTime(paymentId),
    },
    transactions: [
      {
        ...shared,
        id: chargeId,
        payment_id: paymentId,
        type: "CHARGE",
        customer_id: body.customer_id,
        customer_email: body.customer_email,
        customer_name: body.customer_name,
        billing_address: body.billing_address,
        card_brand: card.brand,
        card_last4: card.last4,
        card_exp_month: card.exp_month,
        card_exp_year: card.exp_year,
        card_bin: card.bin,
        card_fingerprint: card.fingerprint,
        avs_result: null,
        cvv_result: null,
        fraud_score: null,
        fraud_reasons: null,
        decline_code: null,
        subscription_id: null,
        plan_id: planId,
        client_session_id: card.clientSessionId,
        refund_of: null,
        refund_reason: null,
        refund_comment: null,
        void_reason: null,
        settlement_batch_id: null,
        reversal_batch_id: null,
        description: body.description,
        metadata: body.metadata,
        authorized_at: null,
        captured_at: null,
        settled_at: null,
        voided_at: null,
        refunded_at: null,
        created_at: idTime(chargeId),
        updated_at: idTime(chargeId),
      },
    ],
  };
}

function newPayment({ payment, transactions }: PaymentSnapshot): NewPayment {
  const [charge] = transactions;
  if (!charge) throw new Error("a new payment has a charge");
  return { payment, charge };
}
