import { insertPayment, type NewPayment, type PaymentSource } from "@/db/queries/payment-intents";
import { isStaleOutcome } from "@/db/queries/payment-outcomes";
import type { PaymentSnapshot } from "@/db/queries/payments";
import type { AppError } from "@/lib/contract/errors";
import type { CreatePaymentBody } from "@/lib/contract/payment";
import { idTime, newId } from "@/lib/ids";
import type { Processor, TokenizedCard } from "@/lib/processor/port";
import type { Context, Reply } from "../context";
import { answerFromKey, askedByOf, claimOf, refuseClaimed, replyOf } from "./money-request";
import { leaseOf, type OpenOperation } from "./operation";
import type { Resend } from "./resolve-operation";
import { begin, sendOperation } from "./send-operation";

/** What is paid and by whom, whichever door it came through. */
export type PaymentTerms = Omit<CreatePaymentBody, "card" | "payment_token" | "plan_id">;

/** The card as the processor keeps it, and what of ours the payment uses up. */
export type PayingCard = TokenizedCard & PaymentSource;

export type PaymentToMake = {
  terms: PaymentTerms;
  card: PayingCard;
  processor: Processor;
  /** UUID: the processor's reference. */
  operationId: string;
  /** UUID. */
  planId: string | null;
  /** Not to be sent when an earlier request with the same key was not: it would not be allowed to begin now. */
  isOver?: boolean;
  /** The refusal when the card's token or session is used up, closed or busy. */
  unusable: () => AppError | Promise<AppError>;
};

/**
 * Makes a payment under the request's idempotency key and answers it: 201, 202 while the outcome is unknown, or 402.
 * Throws AppError for what is not stored.
 */
export async function makePayment(ctx: Context, payment: PaymentToMake): Promise<Reply> {
  for (;;) {
    const reply = await attempt(ctx, payment);
    if (reply) return reply;
  }
}

/** One try; null = the key, or the session of a token, has changed hands meanwhile, so start over. */
async function attempt(ctx: Context, toMake: PaymentToMake): Promise<Reply | null> {
  const { service, environment } = ctx;
  const { card, processor, operationId } = toMake;
  const snapshot = newSnapshot(ctx, toMake);
  const { payment } = snapshot;
  const begun = begin(service);
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
  const claim = await claimOf(ctx, operationId);
  const reservation = await insertPayment(
    service.db.within(environment.id).sql,
    environment.id,
    claim,
    newPayment(snapshot),
    { ...intent, lease: leaseOf(service.processorTimeoutMs) },
    card,
  ).catch(changedHands);
  if (reservation === null) return null;
  if (!reservation.claimed) return answerFromKey(ctx, resendOf(toMake));
  if (!reservation.reserved) return refuseClaimed(ctx, await toMake.unusable());
  const operation: OpenOperation = {
    ...intent,
    environmentId: environment.id,
    mode: environment.mode,
    epoch: 1,
    asked: askedByOf(ctx),
  };
  const call = (notAfter: Date) => authorize(processor, card, operationId, snapshot, notAfter);
  return replyOf(
    ctx,
    operation,
    await sendOperation(service, operation, { begun, notAfter: reservation.not_after, call }, snapshot),
  );
}

/** What is charged is what the payment says, whichever request brought the card. */
function authorize(
  processor: Processor,
  { token }: PayingCard,
  reference: string,
  { payment, transactions }: PaymentSnapshot,
  notAfter: Date,
) {
  const charge = transactions.find(({ id }) => id === payment.charge_id);
  if (!charge) throw new Error(`payment ${payment.id} has no charge`);
  return processor.authorize({
    reference,
    account: payment.environment_id,
    notAfter,
    token,
    amount: payment.amount,
    currency: payment.currency,
    capture: payment.capture_method === "automatic",
    customerEmail: charge.customer_email,
    billingAddress: charge.billing_address,
  });
}

/** How this request sends the payment that an earlier one with its key did not. Null: a used token has no card behind it. */
function resendOf({ processor, card, isOver = false }: PaymentToMake): Resend | null {
  if (card.token === "" || isOver) return null;
  return (reference, snapshot, notAfter) => authorize(processor, card, reference, snapshot, notAfter);
}

function changedHands(error: unknown): null {
  if (isStaleOutcome(error)) return null;
  throw error;
}

/** The payment as T1 writes it; the response is made from it without reading it back. */
function newSnapshot(ctx: Context, { terms, card, operationId, planId }: PaymentToMake): PaymentSnapshot {
  const paymentId = newId();
  const chargeId = newId();
  const { amount, currency } = terms;
  const environment_id = ctx.environment.id;
  return {
    // Named one by one: a spread before forty members costs as much as all else that is done here for a payment.
    payment: {
      environment_id,
      status: "PENDING",
      amount,
      currency,
      id: paymentId,
      charge_id: chargeId,
      authorization_id: operationId,
      capture_method: terms.capture_method,
      amount_captured: 0,
      amount_refunded: 0,
      refund_pending: 0,
      open_operation_id: operationId,
      version: 1,
      capture_before: null,
      customer_id: terms.customer_id,
      return_url: terms.return_url,
      next_action: null,
      created_at: idTime(paymentId),
      updated_at: idTime(paymentId),
    },
    transactions: [
      {
        environment_id,
        status: "PENDING",
        amount,
        currency,
        id: chargeId,
        payment_id: paymentId,
        type: "CHARGE",
        customer_id: terms.customer_id,
        customer_email: terms.customer_email,
        customer_name: terms.customer_name,
        billing_address: terms.billing_address,
        card_brand: card.brand,
        card_last4: card.last4,
        card_exp_month: card.exp_month,
        card_exp_year: card.exp_year,
        card_bin: card.bin,
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
        description: terms.description,
        metadata: terms.metadata,
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
