import type { CheckoutAttemptAnswer, CheckoutState } from "@/lib/contract/checkout/checkout";
import type { CheckoutAttemptBody } from "@/lib/contract/checkout/operations";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import { checkoutState } from "@/lib/domain/client-sessions/checkout-state";
import { type Checkout, findCheckout } from "@/lib/domain/client-sessions/find-checkout";
import { payClientSession } from "@/lib/domain/client-sessions/pay-client-session";
import { isNewAttempt } from "@/lib/domain/client-sessions/session-unusable";
import { tokenizeForSession } from "@/lib/domain/client-sessions/tokenize-for-session";
import type { Context, Service } from "@/lib/domain/context";
import { checkoutLimits } from "./checkout-limits";
import type { PublicCall } from "./dashboard-route";
import { idempotencyOf, NOT_FROM_HEADER } from "./idempotency";
import { sandboxQuota } from "./sandbox-quota";

/** GET /pay/{token}/state: the truth about a session, whatever happened to the answers before. */
export async function getState({ service, params }: PublicCall): Promise<CheckoutState> {
  return checkoutState(service, (await requireCheckout(service, params.token)).row);
}

/**
 * POST /pay/{token}/attempts: pays the session, or makes a token of the card. Answers the session's new state; that the card
 * was declined is part of it. The same attempt sent again is the same payment.
 */
export async function attempt(call: PublicCall, body: CheckoutAttemptBody): Promise<CheckoutAttemptAnswer> {
  const { service, params, request } = call;
  const token = params.token ?? "";
  const checkout = await requireCheckout(service, token);
  const limits = checkoutLimits();
  const source = {
    address: request.address,
    bin: { environmentId: checkout.environment.id, number: body.card.number },
    isFirst: checkout.row.attempts === 0,
  };
  const ctx = shopperContext(call, checkout, body);
  // One whose answer was lost asks again, however often: that is no new attempt.
  if (await isNewAttempt(ctx)) {
    limits.takeAttempt(source);
    takeSandboxAttempt(checkout);
  }
  const payment_token = body.mode === "tokenize" ? await tokenizeForSession(ctx, checkout, body) : null;
  if (payment_token === null && (await payClientSession(ctx, checkout, body)).declined) limits.noteDecline(source);
  return { state: checkoutState(service, (await requireCheckout(service, token)).row), payment_token };
}

/** In test mode an attempt keeps the session's details once more, in its payment and in the answer. */
function takeSandboxAttempt({ environment, row }: Checkout): void {
  const writer = { key: environment.id, mode: environment.mode, verified: row.verified };
  const charge = sandboxQuota().take(writer);
  charge?.add(2 * Buffer.byteLength(JSON.stringify(row.metadata)));
}

async function requireCheckout(service: Service, token = ""): Promise<Checkout> {
  const checkout = await findCheckout(service, token);
  if (checkout === null) throw new AppError("resource_not_found", "There is no such payment session.");
  return checkout;
}

/** The shopper's call. The path names the session and not its token, for the key keeps it. */
function shopperContext(
  { service, request }: PublicCall,
  { row, environment }: Checkout,
  body: CheckoutAttemptBody,
): Context {
  const { attempt: id, ...sent } = body;
  const session = encodeId("clientSession", row.id);
  const path = `/pay/${session}/attempts`;
  const operation = body.mode === "tokenize" ? "tokenizeForSession" : "payClientSession";
  return {
    service,
    environment,
    actor: { type: "shopper", id: row.id },
    request: { id: request.id, operation, path },
    idempotency: idempotencyOf(service.secret, `${NOT_FROM_HEADER}${session}:${id}`, {
      environmentId: environment.id,
      method: "POST",
      path,
      body: sent,
    }),
    reauthorize: async () => {},
  };
}
