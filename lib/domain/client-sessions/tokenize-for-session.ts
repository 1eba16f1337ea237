import { countClientSessionAttempt } from "@/db/queries/client-sessions";
import type { CheckoutAttemptBody } from "@/lib/contract/checkout/operations";
import type { Context } from "../context";
import { runOnce } from "../idempotency/run-once";
import { insertNewPaymentToken } from "../payment-tokens/create-payment-token";
import { processorNotConfigured } from "../payments/processor-not-configured";
import { tokenizeCard } from "../payments/tokenize-card";
import type { Checkout } from "./find-checkout";
import { requireUsable, sessionUnusable } from "./session-unusable";

export type SessionToken = { id: string; expires_at: string };

/**
 * Makes a `tok_…` of the card that a shopper typed, with which the merchant's server may pay once within 15 minutes. Counts
 * as an attempt. The same attempt again answers the same token. Throws AppError when the session takes none now (409).
 */
export async function tokenizeForSession(
  ctx: Context,
  checkout: Checkout,
  body: CheckoutAttemptBody,
): Promise<SessionToken> {
  const processor = ctx.service.processors.processorFor(ctx.environment.mode);
  if (!processor) throw processorNotConfigured();
  await requireUsable(ctx, checkout);
  const { row } = checkout;
  const details = {
    name: body.card.name ?? null,
    postalCode: body.postal_code ?? row.billing_address?.postal_code ?? null,
    clientSessionId: row.id,
  };
  const card = await tokenizeCard(processor, ctx.environment.id, body.card);
  const reply = await runOnce(ctx, { status: 200, secretAnswer: true }, async (tx) => {
    if (!(await countClientSessionAttempt(tx, ctx.environment.id, row.id))) throw sessionUnusable(row);
    const { id, expires_at } = await insertNewPaymentToken(ctx, tx, card, details);
    return { id, expires_at };
  });
  if (reply.status !== 200) throw sessionUnusable(row);
  return JSON.parse(reply.body) as SessionToken;
}
