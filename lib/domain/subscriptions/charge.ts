import type { Orm } from "@/db/client";
import { findPaymentMethod, holdPaymentMethod } from "@/db/queries/payment-methods";
import type { InvoiceClaim } from "@/db/queries/subscriptions/claims";
import type { PaymentMethodRow } from "@/db/schema/payment-methods";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { type Context, type Reply, resourceNotFound } from "../context";
import { findCustomerOf } from "../customers/customers";
import { cardRemoved } from "../payment-methods/stored-card";
import { makePayment, type PayingCard, type PaymentTerms, storedCardOf } from "../payments/make-payment";
import { refuseUnclaimed, replyFromMoneyKey } from "../payments/money-request";
import { connectionMissing } from "../processors/connection-of";

/**
 * The payment of an invoice, initiated by the merchant under the customer's earlier agreement. It has the
 * customer's latest name.
 */
export async function paymentOf(
  ctx: Context,
  subscription: Pick<SubscriptionRow, "plan_id" | "customer_email">,
  { amount_due, currency, customer_id }: InvoiceRow,
): Promise<{ terms: PaymentTerms; planId: string }> {
  const customer = await findCustomerOf(ctx, { customer_id, customer_email: null });
  return {
    planId: subscription.plan_id,
    terms: {
      amount: amount_due,
      currency,
      customer_id,
      customer_email: subscription.customer_email,
      capture_method: "automatic",
      customer_name: customer?.name ?? null,
      billing_address: null,
      description: null,
      metadata: {},
      return_url: null,
      save_payment_method: false,
    },
  };
}

/** Charges an invoice within a request, whose response is the subscription or the invoice. */
export async function charge(
  ctx: Context,
  {
    subscription,
    invoice,
    claim,
    card,
  }: { subscription: SubscriptionRow; invoice: InvoiceRow; claim: InvoiceClaim; card: PayingCard },
): Promise<Reply> {
  return makePayment(ctx, {
    ...(await paymentOf(ctx, subscription, invoice)),
    card,
    invoice: claim,
    cardRefusal: async () => (await removedError(ctx, card)) ?? changeInProgress(),
  });
}

export const changeInProgress = () =>
  new AppError("outcome_pending", "The subscription is changing right now. Send the request again in a moment.", {
    retryAfterSeconds: 1,
  });

/** Returns the response that the key already has. Without one, a refusal that is not stored is thrown. */
export async function refuseOrReplay(ctx: Context, error: AppError): Promise<Reply> {
  if (error.stored) return refuseUnclaimed(ctx, error);
  const reply = ctx.idempotency && (await replyFromMoneyKey(ctx));
  if (reply) return reply;
  throw error;
}

/**
 * Finds a customer's card to charge. Throws `resource_not_found` for another customer's or a removed card.
 * Within a transaction, give its `orm`: a second connection could starve the pool.
 */
export async function requireMethod(
  ctx: Context,
  publicId: string,
  customerId: string,
  orm = ctx.service.db.within(ctx.environment.id).orm,
): Promise<PaymentMethodRow> {
  const id = decodeId("paymentMethod", publicId);
  const row = id && (await findPaymentMethod(orm, ctx.environment.id, id));
  if (!row || row.customer_id !== customerId) {
    throw resourceNotFound("payment method", publicId, "payment_method_id");
  }
  if (row.removed_at !== null) throw cardRemoved();
  return row;
}

/** Blocks the card's removal until the end of the transaction in which a subscription starts to use it. */
export async function holdMethod(tx: Orm, { environment_id, id }: PaymentMethodRow): Promise<void> {
  const row = await holdPaymentMethod(tx, environment_id, id);
  if (row === null || row.removed_at !== null) throw cardRemoved();
}

/** The subscription's card. */
export async function getMethod(ctx: Context, subscription: SubscriptionRow): Promise<PaymentMethodRow> {
  if (subscription.payment_method_id === null) {
    throw new AppError("invalid_state", "The subscription has no card yet. Send payment_method_id.", {
      param: "payment_method_id",
      extra: { current_status: subscription.status, allowed_actions: [] },
    });
  }
  return requireMethod(ctx, encodeId("paymentMethod", subscription.payment_method_id), subscription.customer_id);
}

/** The card, at the one connection that can charge it. */
export async function cardToCharge({ service, environment }: Context, row: PaymentMethodRow): Promise<PayingCard> {
  const at = await service.processors.find(environment, row.connection_id);
  if (!at) throw connectionMissing(row.connection_id);
  return storedCardOf(row, at, "merchant");
}

async function removedError(ctx: Context, { method }: PayingCard): Promise<AppError | null> {
  if (method === null) return null;
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const row = await findPaymentMethod(orm, ctx.environment.id, method.id);
  return row === null || row.removed_at !== null ? cardRemoved() : null;
}
