import type { CheckoutAttemptBody } from "@/lib/contract/checkout/operations";
import type { Context } from "../context";
import { makePayment } from "../payments/make-payment";
import { withPostalCode } from "../payments/postal-code";
import { processorNotConfigured } from "../payments/processor-not-configured";
import { tokenizeCard } from "../payments/tokenize-card";
import type { Checkout } from "./find-checkout";
import { requireUsable, sessionUnusable } from "./session-unusable";

/**
 * Pays a session with the card that its shopper typed: the session's amount, under the attempt's idempotency key. That it
 * was declined, or that its outcome is not known yet, is no error: what became of it is the session's state; the answer is
 * whether this very request was declined. Throws AppError when the session takes no payment now (409, 403 for a suspended
 * merchant, 422 for a plan that is not sold any more), or the same attempt is still running (409).
 */
export async function payClientSession(
  ctx: Context,
  checkout: Checkout,
  body: CheckoutAttemptBody,
): Promise<{ declined: boolean }> {
  const { row } = checkout;
  const processor = ctx.service.processors.processorFor(ctx.environment.mode);
  if (!processor) throw processorNotConfigured();
  await requireUsable(ctx, checkout);
  const card = await tokenizeCard(processor, ctx.environment.id, body.card);
  const reply = await makePayment(ctx, {
    terms: {
      amount: row.amount,
      currency: row.currency,
      capture_method: row.capture_method,
      customer_id: row.customer_id,
      customer_email: row.customer_email,
      customer_name: row.customer_name ?? body.card.name ?? null,
      billing_address: withPostalCode(row.billing_address, body.postal_code ?? null),
      description: row.plan_name,
      metadata: row.metadata,
      return_url: row.return_url,
    },
    card: { ...card, paymentTokenId: null, clientSessionId: row.id },
    planId: row.plan_id,
    isOver: row.suspended,
    unusable: () => sessionUnusable(row),
  });
  // The refusal of an attempt is replayed like any other answer.
  if (reply.status === 409) throw sessionUnusable(row);
  return { declined: reply.status === 402 && !reply.replayed };
}
