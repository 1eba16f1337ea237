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
import { encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import type { Consent } from "@/lib/contract/payment-methods/payment-method";
import { CARD_BRANDS } from "@/lib/contract/transactions/words";
import type { CardHolder, TokenizedCard } from "@/lib/processor/cards";
import { sha256 } from "@/lib/secret";
import { type Context, clockTime, environmentNow, type Reply, type Service } from "../context";
import { runOnce } from "../idempotency/run-once";
import { cannotStoreCards } from "../payment-methods/stored-card";
import { makePayment, replyWithoutCard, tokenizeCard, withPostalCode } from "../payments/make-payment";
import { replyFromMoneyKey } from "../payments/money-request";
import { challengePath } from "../payments/processor-calls";
import { processorNotConfigured } from "../processors/connection-of";
import { receiptPathOf } from "../receipts/receipts";
import { billOf, isBilled, type SessionBill } from "./billing";
import { checkChallengePath, checkSessionCard } from "./card-checks";
import {
  type Checkout,
  isNewAttempt,
  isOwed,
  linkAcceptsPayments,
  requireUsable,
  sessionUnusable,
} from "./client-sessions";
import { requireConsent, storesCard } from "./offer";
import { createPaymentToken } from "./payment-tokens";
import { checkInProgress, clientSessionStatus } from "./present-session";
import { asksEmail, subscriberOf } from "./subscribe";

const TOKEN = /^cst_[A-Za-z0-9_-]{43}$/;

/** Null for text that can't be a session's token. */
export async function findCheckout(service: Service, token: string): Promise<Checkout | null> {
  if (!TOKEN.test(token)) return null;
  const row = await findCheckoutRow(service.db.sql, sha256(token));
  return (
    row && {
      row,
      environment: {
        id: row.environment_id,
        mode: row.environment_mode,
        merchantId: row.merchant_id,
        clock: clockSettingOf(row),
      },
    }
  );
}

/** The session's state, as its shopper may see it. */
export function checkoutState(service: Service, row: CheckoutRow): CheckoutState {
  const status = statusOf(service, row);
  const current = row.payment_id ?? row.open_payment_id;
  const isCompleted = row.status === "COMPLETED";
  const session = {
    clientSessionId: row.id,
    paymentId: current,
    paymentMethodId: row.payment_id === null ? row.payment_method_id : null,
  };
  return {
    status,
    client_session_id: encodeId("clientSession", row.id),
    attempts_left: attemptsLeft(row.attempts),
    expires_at: row.expires_at,
    payment:
      current === null ? null : { id: encodeId("payment", current), status: row.last_payment_status ?? "PENDING" },
    payment_method_id: encodeIdOrNull("paymentMethod", row.payment_method_id),
    subscription_id: isCompleted ? encodeIdOrNull("subscription", row.subscription_id) : null,
    trial_refused: row.trial_refused,
    action: status === "REQUIRES_ACTION" ? actionOf(row, current) : null,
    failure: current === null && !isCompleted ? failureOf(row) : null,
    return_url: row.return_url && withSessionIds(row.return_url, session),
  };
}

function actionOf(row: CheckoutRow, paymentId: string | null): CheckoutState["action"] {
  const { card_check: check, last_next_action: action } = row;
  if (paymentId === null && check?.challenge) {
    const { url } = check.challenge;
    return { url: checkChallengePath(url, row) ?? url, expires_at: check.until };
  }
  return action && { url: challengeOf(row, paymentId, action.redirect_to_url.url), expires_at: action.expires_at };
}

function statusOf(service: Service, row: CheckoutRow): CheckoutStatus {
  if (row.open_payment_id !== null)
    return row.last_payment_status === "REQUIRES_ACTION" ? "REQUIRES_ACTION" : "PROCESSING";
  const check = checkInProgress(row, { real: service.clock.now(), environment: checkoutTime(service, row) });
  if (row.status === "OPEN" && check) return check.state === "action_required" ? "REQUIRES_ACTION" : "PROCESSING";
  const status = clientSessionStatus(row, checkoutTime(service, row));
  // The session itself stays open, as its link may be reactivated.
  if (status === "OPEN" && row.link !== null && !linkAcceptsPayments(row.link))
    return row.link.expired ? "EXPIRED" : "CANCELLED";
  // Its invoice was paid or ended elsewhere.
  if (status === "OPEN" && !isOwed(row)) return "CANCELLED";
  // A card tokenized with the last attempt can still pay the session, but the form accepts no more.
  return status === "OPEN" && row.attempts >= MAX_SESSION_ATTEMPTS ? "EXPIRED" : status;
}

/**
 * Payment links never expire and are shared, so a payment's result is shown only until its session expires.
 */
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

function failureOf(row: CheckoutRow): CheckoutFailure | null {
  const { last_payment_id: paymentId, last_payment_status: status, last_decline_code: code, card_check: check } = row;
  // Both ids begin with their time.
  if (check && (paymentId === null || check.reference > paymentId))
    return check.decline_code && (SHOWN_CODES[check.decline_code] ?? "card_declined");
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

/**
 * Currency rules don't apply to a card that is only stored, unless for a subscription: any other later
 * payment may have any currency.
 */
const currencyOf = ({ currency, subscription_currency }: CheckoutRow): string =>
  currency ?? subscription_currency ?? "";

/** Chosen by the currency and the entered card's brand. */
async function processorOf({ service, environment }: Context, { row }: Checkout, { card }: CheckoutAttemptBody) {
  const payment = { currency: currencyOf(row), brand: cardBrand(card.number) };
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
      const at = await service.processors.choose(environment, { currency: currencyOf(row), brand });
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

/**
 * Stored for the receipt, which may be requested later: the payment itself is found by its session. An
 * address that is typed in a session without a link is not: stored there, it would be the merchant's, and
 * never asked for again.
 */
const keepShopper = (
  { service, environment }: Context,
  { row }: Checkout,
  body: CheckoutAttemptBody,
  consent?: Consent,
) =>
  noteShopper(service.db.within(environment.id).orm, environment.id, row.id, {
    locale: body.locale,
    consent,
    ...(row.link !== null && asksEmail(row) && { customer_email: body.email ?? undefined }),
  });

type SessionToken = { id: string; expires_at: string };

/**
 * Creates a `tok_…` for the entered card, which the merchant's server can use for one payment within 15
 * minutes. Counts as an attempt; a repeat returns the same token. Throws AppError (409) if the session
 * accepts none now.
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
 * The shopper's agreement with this attempt; null if the session stores no card. Throws unless it is the
 * current one.
 */
async function agreementTo(
  ctx: Context,
  { row }: Checkout,
  body: CheckoutAttemptBody,
  address: string | null,
): Promise<Consent | null> {
  if (!storesCard(row)) return null;
  const now = environmentNow(ctx);
  // A repeat of an attempt continues under the agreement that was checked then.
  if (await isNewAttempt(ctx, row)) requireConsent(row, now, body.consent);
  return { at: now.toISOString(), ip: address, text: body.consent ?? "" };
}

/**
 * Checks and stores the card of a session that charges nothing now. Throws AppError as {@link
 * payClientSession} does.
 */
export async function setUpClientSession(
  ctx: Context,
  checkout: Checkout,
  body: CheckoutAttemptBody,
  address: string | null = null,
): Promise<{ declined: boolean }> {
  const { row } = checkout;
  const at = await processorOf(ctx, checkout, body);
  await requireUsable(ctx, checkout);
  const consent = await agreementTo(ctx, checkout, body, address);
  if (consent === null) throw new Error(`session ${row.id} stores no card`);
  const subscriber = subscriberOf(row, body.email);
  await keepShopper(ctx, checkout, body);
  const holder = holderOf(row, body);
  return checkSessionCard(ctx, checkout, {
    at,
    holder,
    consent,
    subscriber,
    tokenize: () => tokenizeCard(at.processor, ctx.environment.id, body.card, holder),
  });
}

/**
 * Pays a session with the entered card, under the attempt's idempotency key. A decline or unknown outcome is
 * no error: the session's state has it, and the result tells if this request was declined. Throws AppError if
 * it can't be paid (409; 403 suspended, 422 plan not for sale), or the attempt is running (409).
 */
export async function payClientSession(
  ctx: Context,
  checkout: Checkout,
  body: CheckoutAttemptBody,
  address: string | null = null,
): Promise<{ declined: boolean }> {
  const { row } = checkout;
  const { amount, currency } = row;
  if (amount === null || currency === null) throw new Error(`session ${row.id} has nothing to pay`);
  const at = await processorOf(ctx, checkout, body);
  await requireUsable(ctx, checkout);
  const consent = await agreementTo(ctx, checkout, body, address);
  const subscriber = isBilled(row) ? subscriberOf(row, body.email) : null;
  await keepShopper(ctx, checkout, body, consent ?? undefined);
  const holder = holderOf(row, body);
  if (subscriber && !at.processor.capabilities.storedCards) throw cannotStoreCards();
  const terms = {
    amount,
    currency,
    capture_method: row.capture_method,
    customer_id: row.customer_id,
    // The shopper of this attempt: another one may have tried the same single-use link before.
    customer_email: asksEmail(row) ? body.email : row.customer_email,
    customer_name: holder.name,
    billing_address: holder.address,
    description: row.plan?.name ?? row.description,
    metadata: row.metadata,
    return_url: row.return_url,
  };
  const payBill = (card: TokenizedCard, bill: SessionBill | null) =>
    makePayment(ctx, {
      terms: bill ? { ...terms, ...billedTerms(bill) } : terms,
      card: { ...card, at, paymentTokenId: null, clientSessionId: row.id, method: null },
      planId: bill ? bill.planId : row.plan_id,
      ...(bill && { invoice: bill.claim }),
      isTooLate: row.suspended,
      cardRefusal: () => sessionUnusable(row),
    });
  const pay = async (card: TokenizedCard) => {
    if (subscriber === null) return payBill(card, null);
    const find = () => billOf(ctx, row, { subscriber, card: card.fingerprint ?? null });
    const bill = await find().catch((failure: unknown) => replyOf(ctx, failure));
    if (bill === "trial_refused") return null;
    if ("status" in bill) return bill;
    return payBill(card, bill).catch(async (failure: unknown) => {
      if (!(failure instanceof AppError) || failure.code !== "outcome_pending") throw failure;
      // Another session has just claimed the invoice, or used up the trial.
      if ((await find()) === "trial_refused") return null;
      throw sessionUnusable(row);
    });
  };
  const reply = await tokenizeCard(at.processor, ctx.environment.id, body.card, holder)
    .then(pay)
    .catch((failure: unknown) => replyWithoutCard(ctx, failure));
  // The state has the new terms.
  if (reply === null) return { declined: false };
  // An attempt's refusal is replayed like any other response.
  if (reply.status === statusOfError("invalid_state")) throw sessionUnusable(row);
  return { declined: reply.status === statusOfError("card_declined") && !reply.replayed };
}

/**
 * The reply of an attempt that was made before: its subscription may have begun. Otherwise throws `failure`.
 */
async function replyOf(ctx: Context, failure: unknown): Promise<Reply> {
  const reply = failure instanceof AppError && failure.code === "invalid_state" ? await replyFromMoneyKey(ctx) : null;
  if (reply) return reply;
  throw failure;
}

const billedTerms = ({ amount, subscriber }: SessionBill) => ({
  amount,
  customer_id: subscriber.customerId,
  customer_email: subscriber.email,
  save_payment_method: true,
});

/**
 * The merchant's return URL with session and payment ids appended as text, so that signatures over the rest
 * stay valid. The ids are for a lookup through the API: anyone can enter a URL.
 */
export function withSessionIds(
  returnUrl: string,
  /** UUIDs. */
  {
    clientSessionId,
    paymentId,
    paymentMethodId = null,
  }: { clientSessionId: string | null; paymentId: string | null; paymentMethodId?: string | null },
): string {
  const ids = new URLSearchParams();
  if (clientSessionId) ids.set("client_session_id", encodeId("clientSession", clientSessionId));
  if (paymentId) ids.set("payment_id", encodeId("payment", paymentId));
  if (paymentMethodId) ids.set("payment_method_id", encodeId("paymentMethod", paymentMethodId));
  if (ids.size === 0) return returnUrl;
  const end = returnUrl.indexOf("#");
  const [base, fragment] = end < 0 ? [returnUrl, ""] : [returnUrl.slice(0, end), returnUrl.slice(end)];
  const separator = !base.includes("?") ? "?" : base.endsWith("&") || base.indexOf("?") === base.length - 1 ? "" : "&";
  return `${base}${separator}${ids}${fragment}`;
}
