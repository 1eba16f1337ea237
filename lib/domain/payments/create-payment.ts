import { findClientSession } from "@/db/queries/checkout/client-sessions";
import { findPaymentToken } from "@/db/queries/checkout/payment-tokens";
import { findPaymentMethod } from "@/db/queries/payment-methods";
import { findPlan } from "@/db/queries/plans";
import type { ClientSessionRow } from "@/db/schema/checkout";
import type { PaymentMethodRow } from "@/db/schema/payment-methods";
import type { PlanRow } from "@/db/schema/plans";
import { cardBrand } from "@/lib/contract/card-networks";
import { requireSecureAddresses } from "@/lib/contract/checkout/client-session";
import { formatMinor, isSupportedCurrency } from "@/lib/contract/currencies";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeIdOrNull, ID_PREFIX } from "@/lib/contract/ids";
import type { CreatePaymentBody } from "@/lib/contract/payments/payment";
import type { AcceptedCard, CardHolder } from "@/lib/processor/cards";
import type { Connected } from "@/lib/processor/registry";
import type { Context, Reply } from "../context";
import { resourceNotFound } from "../context";
import { replayKnown } from "../idempotency/used-key";
import { cannotStoreCards, cardRemoved } from "../payment-methods/stored-card";
import { connectionMissing, processorNotConfigured } from "../processors/connection-of";
import {
  beforeMoney,
  makePayment,
  type PayingCard,
  replyWithoutCard,
  storedCardOf,
  tokenizeCard,
  withPostalCode,
} from "./make-payment";
import { refuseUnclaimed, replyFromMoneyKey } from "./money-request";

/** A card and the fields that the shopper typed beside it. */
type TypedCard = { card: PayingCard; name: string | null; postalCode: string | null };

/**
 * Creates a payment: 201, 202 while the outcome is unknown, or 402. Card number and CVV go only to the
 * processor's `tokenize`. Throws AppError for refusals that are not stored: 400, 404, 409.
 */
export function createPayment(ctx: Context, body: CreatePaymentBody): Promise<Reply> {
  return payWithCard(ctx, body).catch((failure: unknown) => replyWithoutCard(ctx, failure));
}

async function payWithCard(ctx: Context, body: CreatePaymentBody): Promise<Reply> {
  requireSecureAddresses(ctx.environment, { return_url: body.return_url });
  const plan = await requirePlan(ctx, body.plan_id);
  const method = await requireMethod(ctx, body);
  const { currency } = body;
  const brand = body.card ? cardBrand(body.card.number) : null;
  // Only the connection that stores a card can charge it.
  const at = method
    ? await ctx.service.processors.find(ctx.environment, method.connection_id)
    : await ctx.service.processors.choose(ctx.environment, { currency, brand });
  if (!at) {
    const error = method ? connectionMissing(method.connection_id) : processorNotConfigured(ctx.environment);
    return refuseUnclaimed(ctx, error);
  }
  if (!isSupportedCurrency(currency)) return refuseUnclaimed(ctx, currencyNotSupported(currency));
  if (plan && plan.status !== "ACTIVE") return refuseUnclaimed(ctx, planNotActive(plan.status));

  const known = await replayKnown(ctx);
  if (known) return known;
  const typed = method
    ? { card: storedCardOf(method, at, body.initiator ?? "merchant"), name: null, postalCode: null }
    : await typedCard(ctx, at, body);
  if (!typed) return refuseUnclaimed(ctx, unknownToken());
  const { card, name, postalCode } = typed;
  const canSave = card.at.processor.capabilities.storedCards;
  if (body.save_payment_method && !canSave) return refuseUnclaimed(ctx, cannotStoreCards());
  const session = await findCardSession(ctx, card);
  const mismatch = (session && differsFromSession(body, session)) ?? (plan && differsFromPlan(body, plan));
  if (mismatch) return refuseMismatch(ctx, mismatch);
  // The shopper's own entries fill in fields that the merchant's server left out.
  const terms = {
    ...body,
    customer_id: method?.customer_id ?? body.customer_id,
    customer_name: body.customer_name ?? name,
    billing_address: body.billing_address?.postal_code
      ? body.billing_address
      : withPostalCode(body.billing_address, postalCode),
  };
  const planId = plan?.id ?? session?.plan_id ?? null;
  return makePayment(ctx, {
    terms,
    card,
    planId,
    cardRefusal: () => (method ? cardRemoved() : whyUnusable(ctx, card)),
  });
}

async function requirePlan(ctx: Context, planId: string | null) {
  if (planId === null) return null;
  const id = decodeId("plan", planId);
  const plan = id && (await findPlan(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id, id));
  if (!plan) throw resourceNotFound("plan", planId, "plan_id");
  return plan;
}

/** The stored card to charge; null for any other card. Another customer's does not exist. */
async function requireMethod(
  { service, environment }: Context,
  { payment_method_id: given, customer_id }: CreatePaymentBody,
): Promise<PaymentMethodRow | null> {
  if (given === undefined) return null;
  const id = decodeId("paymentMethod", given);
  const row = id && (await findPaymentMethod(service.db.within(environment.id).orm, environment.id, id));
  if (!row || (customer_id !== null && customer_id !== row.customer_id))
    throw resourceNotFound("payment method", given, "payment_method_id");
  return row;
}

const typedCard = (ctx: Context, at: Connected, body: CreatePaymentBody): Promise<TypedCard | null> =>
  body.card
    ? tokenize(ctx, at, body.card, { name: body.customer_name, address: body.billing_address })
    : useToken(ctx, at, body.payment_token ?? "");

export const rawCardInLive = () =>
  new AppError("invalid_parameter", "Card data is only accepted in test mode. Send a payment_token in live mode.", {
    param: "card",
  });

async function tokenize(
  ctx: Context,
  at: Connected,
  card: NonNullable<CreatePaymentBody["card"]>,
  holder: CardHolder,
): Promise<TypedCard> {
  if (ctx.environment.mode === "live") throw rawCardInLive();
  const kept = {
    at,
    paymentTokenId: null,
    clientSessionId: null,
    method: null,
    ...(await tokenizeCard(at.processor, ctx.environment.id, card, holder)),
  };
  return { card: kept, name: null, postalCode: null };
}

/**
 * The card behind a `tok_…`, which only the processor that made it can charge, or behind the chosen
 * processor's own token. T1 checks that a `tok_…` is unused after it claims the key: a replay needs no usable
 * token.
 */
async function useToken(ctx: Context, chosen: Connected, token: string): Promise<TypedCard | null> {
  const { service, environment } = ctx;
  const id = decodeId("paymentToken", token);
  const row = id && (await findPaymentToken(service.db.within(environment.id).sql, environment.id, id));
  if (!row) {
    const accepted = await acceptToken(ctx, chosen, token);
    if (!accepted) return null;
    const card = { ...accepted, at: chosen, paymentTokenId: null, clientSessionId: null, method: null };
    return { card, name: null, postalCode: null };
  }
  const at =
    row.connection_id === chosen.connectionId ? chosen : await service.processors.find(environment, row.connection_id);
  if (!at) throw connectionMissing(row.connection_id);
  // A used token is empty.
  if (row.processor_token !== "") at.processor.requireReadable(row.processor_token);
  const card = {
    at,
    token: row.processor_token,
    brand: row.card_brand,
    bin: row.card_bin,
    last4: row.card_last4,
    exp_month: row.card_exp_month,
    exp_year: row.card_exp_year,
    paymentTokenId: row.id,
    clientSessionId: row.client_session_id,
    method: null,
  };
  return { card, name: row.card_name, postalCode: row.postal_code };
}

/**
 * A token that the processor's script created on the merchant's page; null if the processor does not know it.
 */
export async function acceptToken(ctx: Context, at: Connected, token: string): Promise<AcceptedCard | null> {
  const { processor } = at;
  const isOurs = token.startsWith(`${ID_PREFIX.paymentToken}_`);
  if (isOurs || !processor.acceptToken) throw resourceNotFound("payment token", shortToken(token), "payment_token");
  return beforeMoney(async () => (await processor.acceptToken?.(ctx.environment.id, token)) ?? null);
}

/** Shortened because errors are logged and stored, and a processor's token may contain the encrypted card. */
const shortToken = (token: string): string => (token.length <= 40 ? token : `${token.slice(0, 14)}…`);

/** A session pays once: while another of its payments is in progress, this token may not be needed. */
async function whyUnusable(ctx: Context, { clientSessionId }: PayingCard): Promise<AppError> {
  const session = await findCardSession(ctx, { clientSessionId });
  if (!session || session.open_payment_id === null) return tokenUnusable();
  return new AppError(
    "outcome_pending",
    "Another payment of this token's client session is in progress. Send the request again in a moment, with the same key.",
  );
}

/** The client session whose form created the card's token; null for a card without a session. */
async function findCardSession(
  { service, environment: { id } }: Context,
  { clientSessionId }: Pick<PayingCard, "clientSessionId">,
): Promise<ClientSessionRow | null> {
  return clientSessionId ? findClientSession(service.db.within(id).sql, id, clientSessionId) : null;
}

/**
 * Refuses a mismatch, unless a response is stored under the key: that is replayed, whatever the plan costs
 * now. A key that is free, or becomes free during the wait, gets the refusal.
 */
async function refuseMismatch(ctx: Context, mismatch: AppError): Promise<Reply> {
  const reply = await replyFromMoneyKey(ctx);
  if (reply) return reply;
  throw mismatch;
}

/** The shopper saw the session's price and plan in the form, so the payment must have both. */
function differsFromSession(body: CreatePaymentBody, session: ClientSessionRow): AppError | null {
  const { amount, currency } = session;
  if (amount === null || currency === null)
    return differs("payment_token", "This token's client session stores a card and pays nothing.");
  if (body.currency !== currency || body.amount !== amount) {
    return differs(
      body.currency !== currency ? "currency" : "amount",
      `This token's client session is for ${formatMinor(amount, currency)}: send amount ${amount} and currency ${currency}.`,
    );
  }
  const planId = encodeIdOrNull("plan", session.plan_id);
  return body.plan_id === null || body.plan_id === planId
    ? null
    : differs("plan_id", `This token's client session is for ${planId ?? "no plan"}: leave plan_id out.`);
}

/** A plan's payment has its full price or its trial price. */
function differsFromPlan(body: CreatePaymentBody, plan: PlanRow): AppError | null {
  const { currency } = plan;
  const prices = [plan.full_price, ...(plan.trial_price === null ? [] : [plan.trial_price])];
  if (body.currency === currency && prices.includes(body.amount)) return null;
  const named = prices.map((price) => `${formatMinor(price, currency)} (amount ${price})`).join(" or ");
  return differs(
    body.currency !== currency ? "currency" : "amount",
    `The plan costs ${named}: send that amount and currency ${currency}, or leave plan_id out.`,
  );
}

function differs(param: string, message: string): AppError {
  const code = "invalid_parameter";
  return new AppError(code, message, { param, errors: [{ param, code, message }] });
}

export function tokenUnusable(): AppError {
  const [param, code] = ["payment_token", "invalid_parameter"] as const;
  return new AppError(
    code,
    "The payment token was used before, is older than 15 minutes, or its client session is paid or closed. Get a new one.",
    { param, errors: [{ param, code, message: "Used before, or older than 15 minutes." }] },
  );
}

export const unknownToken = () =>
  new AppError(
    "processor_refused",
    "The connected processor has no such card token. Use a tok_… of the payment form, or a token that the processor's own script created for this account.",
    { param: "payment_token" },
  );

const currencyNotSupported = (currency: string) =>
  new AppError(
    "currency_not_supported",
    `The currency ${currency} is not supported. Use an ISO 4217 currency such as USD.`,
    { param: "currency" },
  );

const planNotActive = (status: string) =>
  new AppError("plan_not_active", `The plan is ${status}. Activate it before you use it.`, { param: "plan_id" });
