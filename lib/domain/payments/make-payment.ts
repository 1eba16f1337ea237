import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import type { InvoiceClaim } from "@/db/queries/subscriptions/claims";
import type { PaymentMethodRow } from "@/db/schema/payment-methods";
import { AppError } from "@/lib/contract/errors";
import type { BillingAddress } from "@/lib/contract/fields";
import type { CardInput, CreatePaymentBody, INITIATORS } from "@/lib/contract/payments/payment";
import { idTime } from "@/lib/ids";
import type { CardHolder, KnownCard, TokenizedCard } from "@/lib/processor/cards";
import { ProcessorTimeoutError } from "@/lib/processor/deadline";
import type { Processor } from "@/lib/processor/port";
import type { Connected } from "@/lib/processor/registry";
import { type Context, newEnvironmentId, type Reply } from "../context";
import { disconnectedError } from "../processors/connection-of";
import { executeRequest, refuseUnclaimed, replyFromMoneyKey } from "./money-request";

/** Amount, customer and other terms of a payment, from the API or the payment form. */
export type PaymentTerms = Omit<
  CreatePaymentBody,
  "card" | "payment_token" | "payment_method_id" | "initiator" | "plan_id"
>;

/** A card at a processor, and the payment token or client session that the payment uses up. */
export type PayingCard = KnownCard & {
  readonly token: string;
  readonly at: Connected;
  readonly paymentTokenId: string | null;
  readonly clientSessionId: string | null;
  /** The stored card that is charged; null for any other card. */
  readonly method: { readonly id: string; readonly initiator: Initiator } | null;
};

export type Initiator = (typeof INITIATORS)[number];

/** A stored card for a payment by this initiator. A removed one has no token, and T1 refuses it. */
export const storedCardOf = (row: PaymentMethodRow, at: Connected, initiator: Initiator): PayingCard => ({
  at,
  token: row.removed_at === null ? row.processor_token : "",
  brand: row.card_brand,
  bin: row.card_bin,
  last4: row.card_last4,
  exp_month: row.card_exp_month,
  exp_year: row.card_exp_year,
  paymentTokenId: null,
  clientSessionId: null,
  method: { id: row.id, initiator },
});

export type PaymentToMake = {
  terms: PaymentTerms;
  card: PayingCard;
  /** UUID. */
  planId: string | null;
  /** The invoice that it pays. */
  invoice?: InvoiceClaim;
  /**
   * The payment is too late to start: it is not sent on behalf of an earlier request that died before sending
   * it.
   */
  isTooLate?: boolean;
  /** The refusal if the card's token or session is used up, closed or busy. */
  cardRefusal: () => AppError | Promise<AppError>;
};

/**
 * Makes a payment under the request's idempotency key: 201, 202 while the outcome is unknown, or 402. Throws
 * AppError for refusals that are not stored.
 */
export function makePayment(ctx: Context, payment: PaymentToMake): Promise<Reply> {
  const { environment } = ctx;
  const { card, terms, cardRefusal, isTooLate = false } = payment;
  const refusal = card.at.processor.refusesAmount?.(terms.amount, terms.currency) ?? null;
  if (refusal !== null) return refuseUnclaimed(ctx, new AppError("processor_refused", refusal, { param: "amount" }));
  const { at, token, paymentTokenId, clientSessionId } = card;
  return executeRequest(ctx, {
    at,
    token,
    order: (id, claim) => {
      const snapshot = newSnapshot(ctx, payment, id);
      const invoice = payment.invoice ?? null;
      const uses = { paymentTokenId, clientSessionId, invoice };
      return { id, environment, kind: "authorize", detail: null, snapshot, claim, ...uses };
    },
    refusal: async () => (await disconnectedError(ctx, at)) ?? cardRefusal(),
    // A used token has no card.
    mayResend: token !== "" && !isTooLate,
  });
}

/** The payment as T1 writes it; the response is made from it without reading it back. */
export function newSnapshot(
  ctx: Pick<Context, "service" | "environment">,
  { terms, card, planId, invoice }: Omit<PaymentToMake, "cardRefusal">,
  operationId: string,
): PaymentSnapshot {
  const paymentId = newEnvironmentId(ctx);
  const chargeId = newEnvironmentId(ctx);
  const { amount, currency } = terms;
  const environment_id = ctx.environment.id;
  return {
    // Without spreads: one in an object of forty members costs as much as everything else here.
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
      tax_name: null,
      tax_rate: null,
      refund_pending: 0,
      open_operation_id: operationId,
      version: 1,
      event_sequence: 0,
      capture_before: null,
      customer_id: terms.customer_id,
      return_url: terms.return_url,
      connection_id: card.at.connectionId,
      payment_method_id: card.method?.id ?? null,
      initiator: card.method?.initiator ?? null,
      saves_card: terms.save_payment_method ?? false,
      invoice_id: invoice?.invoiceId ?? null,
      next_action: null,
      dispute_id: null,
      dispute_status: null,
      amount_disputed: 0,
      capture_reversed_at: null,
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
        subscription_id: invoice?.subscriptionId ?? null,
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
        event_sequence: 0,
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

/**
 * Sends a card to the processor, which stores it for an account (the environment's id). Number and CVV go
 * nowhere else. Throws `processor_error`, `processor_timeout`, or `invalid_parameter` if it accepts no card
 * numbers.
 */
export async function tokenizeCard(
  processor: Processor,
  account: string,
  card: CardInput,
  holder: CardHolder,
): Promise<TokenizedCard> {
  if (!processor.capabilities.rawCards) {
    throw new AppError(
      "invalid_parameter",
      "The processor accepts card numbers only through its own fields. Send a payment_token.",
      { param: "card" },
    );
  }
  return beforeMoney(() => processor.tokenize(account, card, holder));
}

/** Runs a processor call before money can move: if it fails, nothing was charged. */
export async function beforeMoney<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const [code, what] =
      error instanceof ProcessorTimeoutError
        ? (["processor_timeout", "The processor did not respond in time."] as const)
        : (["processor_error", "The processor could not be reached."] as const);
    throw new AppError(code, `${what} Nothing was charged; send the request again with the same key.`, {
      cause: error,
    });
  }
}

/**
 * The reply to a request whose card the processor could not tokenize. An earlier request with its key may
 * have moved money, so the key's response comes first. Throws `failure` if nothing was sent under the key.
 */
export async function replyWithoutCard(ctx: Context, failure: unknown): Promise<Reply> {
  const isAway =
    failure instanceof AppError && (failure.code === "processor_timeout" || failure.code === "processor_error");
  const reply = isAway ? await replyFromMoneyKey(ctx) : null;
  if (reply) return reply;
  throw failure;
}

/** The billing address with the postal code that was typed beside the card; null if both are missing. */
export function withPostalCode(address: BillingAddress | null, postalCode: string | null): BillingAddress | null {
  if (postalCode === null) return address;
  const none = { line1: null, line2: null, city: null, state: null, country: null };
  return { ...none, ...address, postal_code: postalCode };
}
