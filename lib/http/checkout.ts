import type { CheckoutAttemptResponse, CheckoutMode, CheckoutState } from "@/lib/contract/checkout/checkout";
import type { CheckoutAttemptBody } from "@/lib/contract/checkout/endpoints";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import { checkoutLimits } from "@/lib/domain/checkout/card-testing";
import { type Checkout, isNewAttempt } from "@/lib/domain/checkout/client-sessions";
import { formMode } from "@/lib/domain/checkout/offer";
import {
  checkoutState,
  findCheckout,
  payClientSession,
  setUpClientSession,
  tokenizeForSession,
} from "@/lib/domain/checkout/pay-session";
import type { Context, Service } from "@/lib/domain/context";
import {
  type Challenge,
  continueChallenge,
  findChallenge,
  returnFromChallenge,
} from "@/lib/domain/payments/challenges";
import { requireRunningClock, requireRunningClockOf } from "@/lib/domain/test-clock/test-clock";
import type { DocumentOptions } from "./checkout-page";
import { currentService } from "./current-service";
import type { PublicCall } from "./dashboard";
import { BODY_KEY_PREFIX, idempotencyOf } from "./idempotency";
import { readBody } from "./parse";
import { sandboxQuota } from "./sandbox-quota";

type ShopperCall = PublicCall & { readonly params: { readonly token: string } };

/** GET /pay/{token}/state: a session's current state, for clients that lost a response. */
export async function getState({ service, params }: ShopperCall): Promise<CheckoutState> {
  return checkoutState(service, (await requireCheckout(service, params.token)).row);
}

/**
 * Mode of an attempt: the session decides, and only one that pays an amount lets the form choose a token.
 */
function deedOf({ row }: Checkout, mode: CheckoutMode): "pay" | "tokenize" | "set_up" {
  if (row.mode === "setup" || row.amount === 0) return "set_up";
  return formMode(row, mode) === "tokenize" ? "tokenize" : "pay";
}

/**
 * POST /pay/{token}/attempts: pays the session, stores its card or makes a token of it. Returns the session's
 * new state, of which a decline is a part. The same attempt sent again is the same payment.
 */
export async function attempt(call: ShopperCall, body: CheckoutAttemptBody): Promise<CheckoutAttemptResponse> {
  const { service, address } = call;
  const { token } = call.params;
  const checkout = await requireCheckout(service, token);
  const limits = checkoutLimits();
  const source = {
    address,
    bin: { environmentId: checkout.environment.id, number: body.card.number },
    isFirst: checkout.row.attempts === 0,
  };
  const deed = deedOf(checkout, body.mode);
  const ctx = await requireRunningClock(shopperContext(call, checkout, body, deed));
  // A retry after a lost response is not a new attempt.
  if (await isNewAttempt(ctx, checkout.row)) {
    limits.takeAttempt(source);
    takeSandboxAttempt(checkout);
  }
  const payment_token = deed === "tokenize" ? await tokenizeForSession(ctx, checkout, body) : null;
  if (deed !== "tokenize") {
    const run = deed === "pay" ? payClientSession : setUpClientSession;
    if ((await run(ctx, checkout, body, address)).declined) limits.noteDecline(source);
  }
  return { state: checkoutState(service, (await requireCheckout(service, token)).row), payment_token };
}

/** In test mode an attempt stores the session's details twice more: in its payment and in the response. */
function takeSandboxAttempt({ environment, row }: Checkout): void {
  const writer = { key: environment.id, mode: environment.mode, verified: row.verified };
  const charge = sandboxQuota().take(writer);
  charge?.add(2 * Buffer.byteLength(JSON.stringify(row.metadata)));
}

async function requireCheckout(service: Service, token: string): Promise<Checkout> {
  const checkout = await findCheckout(service, token);
  if (checkout === null) throw new AppError("resource_not_found", "There is no such client session.");
  return checkout;
}

/** Names of what an attempt does, stored with its key. */
const ENDPOINTS = { pay: "payClientSession", tokenize: "tokenizeForSession", set_up: "setUpClientSession" } as const;

/**
 * Context of a shopper's call. Its path has the session's id, not its token, because the idempotency key
 * stores it.
 */
function shopperContext(
  { service, request }: ShopperCall,
  { row, environment }: Checkout,
  body: CheckoutAttemptBody,
  deed: keyof typeof ENDPOINTS,
): Context {
  const { attempt: id, ...sent } = body;
  const session = encodeId("clientSession", row.id);
  const path = `/pay/${session}/attempts`;
  const endpoint = ENDPOINTS[deed];
  return {
    service,
    environment,
    actor: { type: "shopper", id: row.id },
    request: { id: request.id, endpoint, path },
    idempotency: idempotencyOf(service.secret, `${BODY_KEY_PREFIX}${session}:${id}`, {
      environmentId: environment.id,
      method: "POST",
      path,
      body: sent,
    }),
    reauthorize: async () => {},
  };
}

const MAX_FORM_BYTES = 1_024;

/**
 * The challenge of a shopper who returned from the processor's page, after the payment was resumed.
 * `leaveTo`: the merchant's address, for a payment without a form that would wait for it in another window.
 */
export async function challengeAfterReturn(
  request: Request,
  token: string,
): Promise<{ challenge: Challenge | null; leaveTo: string | null }> {
  const { service } = currentService();
  const before = await findChallenge(service, token);
  if (before?.status !== "REQUIRES_ACTION" || before.processorUrl === null) return { challenge: before, leaveTo: null };
  await returnFromChallenge(service, before, new URL(request.url).searchParams);
  const challenge = await findChallenge(service, token);
  const hasGoneOn = challenge?.status !== "REQUIRES_ACTION" && challenge?.allowedOrigins === null;
  return { challenge, leaveTo: hasGoneOn ? headerAddress(challenge.returnUrl) : null };
}

/**
 * An address for a Location header: characters outside ASCII are escaped as browsers do, the rest is
 * unchanged.
 */
const headerAddress = (address: string | null): string | null =>
  address?.replace(/[^\x21-\x7e]+/g, encodeURIComponent) ?? null;

/**
 * True if the challenge is shown within the payment form. The address says so, because not every browser
 * sends the header.
 */
export const isFramed = (request: Request): boolean =>
  new URL(request.url).searchParams.has("framed") || request.headers.get("sec-fetch-dest") === "iframe";

/** Path that receives the outcome of the challenge. */
export const resultPath = (token: string, framed: boolean): string =>
  `/challenge/${token}/result${framed ? "?framed" : ""}`;

/**
 * Only our payment form may embed a challenge, in the pages that may embed the form. A challenge of an API
 * payment has a page of its own.
 */
export function challengePageOptions({ allowedOrigins }: Challenge): DocumentOptions {
  // Its response redirects to the merchant, who may redirect anywhere: browsers apply the policy to
  // redirects, too.
  return { frameAncestors: allowedOrigins === null ? [] : ["'self'", ...allowedOrigins], formsLeave: true };
}

/**
 * Records the outcome of a challenge (form field `result`: passed, failed or abandoned) and sends the browser
 * back to the merchant, or, within the payment form and without a return URL, to the page, which then shows
 * the outcome. A second one changes nothing.
 */
export async function completeChallenge(request: Request, token: string): Promise<Response> {
  const { service } = currentService();
  const challenge = await findChallenge(service, token);
  // Only the sandbox takes the outcome from the browser; elsewhere the processor gets it from the card
  // issuer.
  if (challenge?.environment.mode !== "test" || challenge.processorUrl !== null)
    return new Response("There is no such challenge.", { status: 404 });
  const result = await readResult(request).catch(tooLarge);
  if (!result) return new Response("Send result=passed, result=failed or result=abandoned.", { status: 400 });
  await requireRunningClockOf(service, challenge.environment.id);
  // A suspended merchant takes no money, even for a payment in progress.
  const taken = challenge.suspended ? "abandoned" : result;
  await continueChallenge(service, challenge, taken);
  return new Response(null, {
    status: 303,
    headers: {
      Location: isFramed(request)
        ? `/challenge/${token}?framed`
        : (headerAddress(challenge.returnUrl) ?? `/challenge/${token}`),
      "Cache-Control": "no-store",
    },
  });
}

const RESULTS = ["passed", "failed", "abandoned"] as const;

async function readResult(request: Request): Promise<(typeof RESULTS)[number] | null> {
  if (!request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded")) return null;
  const result = new URLSearchParams(await readBody(request, MAX_FORM_BYTES)).get("result");
  return RESULTS.find((one) => one === result) ?? null;
}

function tooLarge(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}
