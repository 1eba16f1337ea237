import {
  type CheckoutRow,
  countClientSessionAttempt,
  findCheckoutRow,
  noteShopper,
} from "@/db/queries/checkout/client-sessions";
import { clockSettingOf } from "@/db/queries/clock";
import { cardBrand } from "@/lib/contract/card-networks";
import { attemptsLeft, MAX_SESSION_ATTEMPTS } from "@/lib/contract/checkout/attempts";
import {
  type CheckoutFailure,
  type CheckoutState,
  type CheckoutStatus,
  isCharged,
} from "@/lib/contract/checkout/checkout";
import type { CheckoutAttemptBody } from "@/lib/contract/checkout/endpoints";
import { AppError, type DeclineCode, isRefusal, statusOfError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import { CARD_BRANDS } from "@/lib/contract/transactions/words";
import type { CardHolder, TokenizedCard } from "@/lib/processor/port";
import { sha256 } from "@/lib/secret";
import { type Context, clockTime, type Service } from "../context";
import { runOnce } from "../idempotency/run-once";
import { makePayment, replyWithoutCard, tokenizeCard, withPostalCode } from "../payments/make-payment";
import { challengePath } from "../payments/processor-calls";
import { processorNotConfigured } from "../processors/connection-of";
import { receiptPathOf } from "../receipts/receipts";
import { type Checkout, linkAcceptsPayments, requireUsable, sessionUnusable } from "./client-sessions";
import { createPaymentToken } from "./payment-tokens";
import { clientSessionStatus } from "./present-session";

const TOKEN = /^cst_[A-Za-z0-9_-]{43}$/;

/** Null for text that can't be a session's token. */
export async function findCheckout(service: Service, token: string): Promise<Checkout | null> {
  if (!TOKEN.test(token)) return null;
  const row = await findCheckoutRow(service.db.sql, sha256(token));
  return (
    row && {
      row,
      environment: { id: row.environment_id, mode: row.mode, merchantId: row.merchant_id, clock: clockSettingOf(row) },
    }
  );
}

/** The session's state, as its shopper may see it. */
export function checkoutState(service: Service, row: CheckoutRow): CheckoutState {
  const status = statusOf(service, row);
  const current = row.payment_id ?? row.open_payment_id;
  const session = { clientSessionId: row.id, paymentId: current };
  const { last_next_action: action } = row;
  return {
    status,
    client_session_id: encodeId("clientSession", row.id),
    attempts_left: attemptsLeft(row.attempts),
    expires_at: row.expires_at,
    payment:
      current === null ? null : { id: encodeId("payment", current), status: row.last_payment_status ?? "PENDING" },
    action:
      status === "REQUIRES_ACTION" && action
        ? { url: challengeOf(row, current, action.redirect_to_url.url), expires_at: action.expires_at }
        : null,
    failure: current === null ? failureOf(row) : null,
    return_url: row.return_url && withSessionIds(row.return_url, session),
  };
}

function statusOf(service: Service, row: CheckoutRow): CheckoutStatus {
  if (row.open_payment_id !== null)
    return row.last_payment_status === "REQUIRES_ACTION" ? "REQUIRES_ACTION" : "PROCESSING";
  const status = clientSessionStatus(row, checkoutTime(service, row));
  // The session itself stays open, as its link may be reactivated.
  if (status === "OPEN" && row.link !== null && !linkAcceptsPayments(row.link))
    return row.link.expired ? "EXPIRED" : "CANCELLED";
  // A card tokenized with the last attempt can still pay the session, but the form accepts no more.
  return status === "OPEN" && row.attempts >= MAX_SESSION_ATTEMPTS ? "EXPIRED" : status;
}

/** Payment links never expire and are shared, so a payment's result is shown only until its session expires. */
export const canShowReceipt = (service: Pick<Service, "clock">, row: CheckoutRow): boolean =>
  Date.parse(row.expires_at) > checkoutTime(service, row).getTime();

/** The time that the session's expiry counts by. */
export const checkoutTime = ({ clock }: Pick<Service, "clock">, row: CheckoutRow): Date =>
  clockTime(clock, clockSettingOf(row));

/** Path of a paid session's receipt; null while it is unpaid, and after it expires. */
export async function findSessionReceipt(service: Service, { row, environment }: Checkout): Promise<string | null> {
  if (row.payment_id === null || !canShowReceipt(service, row) || !isCharged(checkoutState(service, row))) return null;
  return receiptPathOf(service, environment, row.payment_id);
}

/** Decline codes that are shown to shoppers; all others look like a generic decline. */
const SHOWN_CODES: Partial<Record<DeclineCode, CheckoutFailure>> = {
  insufficient_funds: "insufficient_funds",
  expired_card: "expired_card",
  incorrect_cvv: "incorrect_cvv",
  incorrect_number: "incorrect_number",
  authentication_failed: "authentication_failed",
  processing_error: "processing_error",
};

function failureOf({ last_payment_status: status, last_decline_code: code }: CheckoutRow): CheckoutFailure | null {
  if (status === "FAILED") return "processing_error";
  if (status !== "DECLINED") return null;
  return (code && SHOWN_CODES[code]) ?? "card_declined";
}

/**
 * Our own page by its path only: the form may be open under
 * another host name, and can frame only its own origin.
 */
function challengeOf({ environment_id: environmentId }: CheckoutRow, paymentId: string | null, url: string): string {
  return (paymentId && challengePath(url, { environmentId, paymentId })) ?? url;
}

/** Chosen by the session's currency and the entered card's brand. */
async function processorOf({ service, environment }: Context, { row }: Checkout, { card }: CheckoutAttemptBody) {
  const payment = { currency: row.currency, brand: cardBrand(card.number) };
  const at = await service.processors.choose(environment, payment);
  if (!at) throw processorNotConfigured(environment);
  return at;
}

/**
 * True if any processor accepts card numbers, by the current rules and for any brand. A processor that is not
 * known yet counts: it is needed only for the payment.
 */
export async function takesCardNumbers(service: Service, { row, environment }: Checkout): Promise<boolean> {
  try {
    for (const brand of [null, ...CARD_BRANDS]) {
      const at = await service.processors.choose(environment, { currency: row.currency, brand });
      if (at?.processor.capabilities.rawCards) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof AppError && error.code === "processor_error") return true;
    throw error;
  }
}

/** The shopper's entries fill in what the merchant's server omitted. */
const holderOf = (row: CheckoutRow, body: CheckoutAttemptBody): CardHolder => ({
  name: row.customer_name ?? body.card.name ?? null,
  address: withPostalCode(row.billing_address, body.postal_code ?? null),
});

/** Stored for the receipt, which may be requested later: the payment itself is found by its session. */
const keepShopper = ({ service, environment }: Context, { row }: Checkout, body: CheckoutAttemptBody) =>
  noteShopper(service.db.within(environment.id).orm, environment.id, row.id, {
    locale: body.locale,
    ...(row.link?.asks_email && { customer_email: body.email ?? undefined }),
  });

type SessionToken = { id: string; expires_at: string };

/**
 * Creates a `tok_…` for the entered card, which the merchant's server can use for one payment within 15 minutes.
 * Counts as an attempt; a repeat returns the same token. Throws AppError (409) if the session accepts none now.
 */
export async function tokenizeForSession(
  ctx: Context,
  checkout: Checkout,
  body: CheckoutAttemptBody,
): Promise<SessionToken> {
  const { row } = checkout;
  const at = await processorOf(ctx, checkout, body);
  await requireUsable(ctx, checkout);
  await keepShopper(ctx, checkout, body);
  const holder = holderOf(row, body);
  const details = {
    name: holder.name,
    postalCode: holder.address?.postal_code ?? null,
    clientSessionId: row.id,
  };
  const card = { ...(await tokenizeCard(at.processor, ctx.environment.id, body.card, holder)), at };
  const reply = await runOnce(
    ctx,
    async (tx) => {
      if (!(await countClientSessionAttempt(tx, ctx.environment.id, row.id))) throw sessionUnusable(row);
      return await createPaymentToken(ctx, tx, card, details);
    },
    { secretResponse: true },
  );
  if (isRefusal(reply.status)) throw sessionUnusable(row);
  return JSON.parse(reply.body) as SessionToken;
}

/**
 * Pays a session with the entered card, under the attempt's idempotency key. A decline or unknown outcome is no
 * error: the session's state has it, and the result tells if this request was declined. Throws AppError if it
 * can't be paid (409; 403 suspended, 422 plan not for sale), or the attempt is running (409).
 */
export async function payClientSession(
  ctx: Context,
  checkout: Checkout,
  body: CheckoutAttemptBody,
): Promise<{ declined: boolean }> {
  const { row } = checkout;
  const at = await processorOf(ctx, checkout, body);
  await requireUsable(ctx, checkout);
  await keepShopper(ctx, checkout, body);
  const holder = holderOf(row, body);
  const terms = {
    amount: row.amount,
    currency: row.currency,
    capture_method: row.capture_method,
    customer_id: row.customer_id,
    // The shopper of this attempt: another one may have tried the same single-use link before.
    customer_email: row.link?.asks_email ? body.email : row.customer_email,
    customer_name: holder.name,
    billing_address: holder.address,
    description: row.plan?.name ?? row.description,
    metadata: row.metadata,
    return_url: row.return_url,
  };
  const pay = (card: TokenizedCard) =>
    makePayment(ctx, {
      terms,
      card: { ...card, at, paymentTokenId: null, clientSessionId: row.id, method: null },
      planId: row.plan_id,
      isTooLate: row.suspended,
      cardRefusal: () => sessionUnusable(row),
    });
  const reply = await tokenizeCard(at.processor, ctx.environment.id, body.card, holder)
    .then(pay)
    .catch((failure: unknown) => replyWithoutCard(ctx, failure));
  // An attempt's refusal is replayed like any other response.
  if (reply.status === statusOfError("invalid_state")) throw sessionUnusable(row);
  return { declined: reply.status === statusOfError("card_declined") && !reply.replayed };
}

/**
 * The merchant's return URL with session and payment ids appended as text, so that signatures over the rest stay
 * valid. The ids are for a lookup through the API: anyone can enter a URL.
 */
export function withSessionIds(
  returnUrl: string,
  /** UUIDs. */
  { clientSessionId, paymentId }: { clientSessionId: string | null; paymentId: string | null },
): string {
  const ids = new URLSearchParams();
  if (clientSessionId) ids.set("client_session_id", encodeId("clientSession", clientSessionId));
  if (paymentId) ids.set("payment_id", encodeId("payment", paymentId));
  if (ids.size === 0) return returnUrl;
  const end = returnUrl.indexOf("#");
  const [base, fragment] = end < 0 ? [returnUrl, ""] : [returnUrl.slice(0, end), returnUrl.slice(end)];
  const separator = !base.includes("?") ? "?" : base.endsWith("&") || base.indexOf("?") === base.length - 1 ? "" : "&";
  return `${base}${separator}${ids}${fragment}`;
}
