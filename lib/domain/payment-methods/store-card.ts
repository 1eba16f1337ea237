import type { Orm } from "@/db/client";
import { claimTokenForCheck, findPaymentToken, useUpCheckedToken } from "@/db/queries/checkout/payment-tokens";
import { claimKeyAlone, endKeyLease, resumeKey, storeResponse } from "@/db/queries/idempotency/keys";
import { findStoredMethod, insertPaymentMethod } from "@/db/queries/payment-methods";
import type { PaymentMethodRow } from "@/db/schema/payment-methods";
import { cardBrand } from "@/lib/contract/card-networks";
import { AppError, type DeclineCode } from "@/lib/contract/errors";
import { instantOf } from "@/lib/contract/fields";
import { decodeId } from "@/lib/contract/ids";
import type { CreatePaymentMethodBody, PaymentMethod } from "@/lib/contract/payment-methods/payment-method";
import { idTime } from "@/lib/ids";
import type { KnownCard, StoreCardOutcome } from "@/lib/processor/cards";
import type { Connected } from "@/lib/processor/registry";
import { type Context, environmentNow, newEnvironmentId, type Reply, type Result } from "../context";
import { recordChange } from "../events/event";
import { createClaim, inProgress, keyedRequest, replayKnown, replyFromKey } from "../idempotency/used-key";
import { acceptToken, rawCardInLive, tokenUnusable, unknownToken } from "../payments/create-payment";
import { tokenizeCard } from "../payments/make-payment";
import { refuseClaimed } from "../payments/money-request";
import { processorCustomer } from "../payments/processor-calls";
import { connectionMissing, processorNotConfigured } from "../processors/connection-of";
import { cannotStoreCards, presentPaymentMethod } from "./stored-card";

const MAX_ATTEMPTS = 10;

/**
 * Checks a card with its issuer and stores it for later payments of a customer. Nothing is charged. The
 * check's reference, which becomes the payment method's id, stays with the key or the token until its outcome
 * is known, so that a repeat stores the card once.
 */
export async function createPaymentMethod(ctx: Context, body: CreatePaymentMethodBody): Promise<Reply> {
  if (body.card && ctx.environment.mode === "live") throw rawCardInLive();
  if (ctx.idempotency === null) return checkAndStore(ctx, body, newEnvironmentId(ctx));
  return checkUnderKey(ctx, (reference) => checkAndStore(ctx, body, reference));
}

/**
 * Runs a check of a card under the request's key, which keeps the check's reference until its outcome is
 * known. `check` stores the response. An error from 500 on means that the outcome is unknown.
 */
export async function checkUnderKey(ctx: Context, check: (reference: string) => Promise<Reply>): Promise<Reply> {
  const known = await replayKnown(ctx);
  if (known) return known;
  const { sql } = ctx.service.db.within(ctx.environment.id);
  // Up to three calls: one tokenizes the card, two check it. Longer leases count as expired.
  const leaseMs = Math.min(3 * ctx.service.processorTimeoutMs + 2_000, 120_000);
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const claim = await createClaim(ctx, newEnvironmentId(ctx), leaseMs);
    if (claim.operationId && (await claimKeyAlone(sql, ctx.environment.id, claim)))
      return runClaimed(ctx, check, claim.operationId);
    const resume = async (operationId: string) =>
      (await resumeKey(sql, ctx.environment.id, { ...claim, operationId }))
        ? runClaimed(ctx, check, operationId)
        : null;
    const reply = await replyFromKey(ctx, resume, { withoutOperation: true });
    if (reply) return reply;
  }
  throw inProgress();
}

/** Releases the key after a refusal that is not stored, and keeps its reference if the outcome is unknown. */
async function runClaimed(
  ctx: Context,
  check: (reference: string) => Promise<Reply>,
  reference: string,
): Promise<Reply> {
  try {
    return await check(reference);
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return refuseClaimed(ctx, error);
    const { key, requestId } = keyedRequest(ctx);
    await endKeyLease(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, key, requestId);
    throw error;
  }
}

/** The card to check. `tokenId`: the payment token that the check uses up. */
type CheckedCard = KnownCard & { at: Connected; token: string; name: string | null; tokenId: string | null };

async function checkAndStore(ctx: Context, body: CreatePaymentMethodBody, newReference: string): Promise<Reply> {
  const { environment, service } = ctx;
  const card = await findCard(ctx, body);
  const { at, tokenId } = card;
  if (!at.processor.storeCard) throw cannotStoreCards();
  const { sql } = service.db.within(environment.id);
  const reference = tokenId
    ? await claimTokenForCheck(sql, environment.id, tokenId, {
        reference: newReference,
        customerId: body.customer_id,
      })
    : newReference;
  if (reference === null) throw tokenUnusable();
  const check = {
    reference,
    account: environment.id,
    customer: processorCustomer(environment.id, body.customer_id),
    token: card.token,
    holder: { name: card.name, address: null },
    challengePage: service.baseUrl,
    ...(environment.clock && { now: environmentNow(ctx) }),
  };
  let outcome = await at.processor.storeCard(check);
  // Provably not executed, so it is retried here, as a payment is.
  if (outcome.kind === "not_sent") outcome = await at.processor.storeCard(check);
  return concludeCheck(ctx, body, { card, reference }, outcome);
}

async function findCard(ctx: Context, body: CreatePaymentMethodBody): Promise<CheckedCard> {
  const { service, environment } = ctx;
  const { card, payment_token: token = "" } = body;
  const id = decodeId("paymentToken", token);
  const row = id && (await findPaymentToken(service.db.within(environment.id).sql, environment.id, id));
  if (row) {
    const at = await service.processors.find(environment, row.connection_id);
    if (!at) throw connectionMissing(row.connection_id);
    if (row.processor_token !== "") at.processor.requireReadable(row.processor_token);
    return {
      at,
      token: row.processor_token,
      name: row.card_name,
      tokenId: row.id,
      brand: row.card_brand,
      bin: row.card_bin,
      last4: row.card_last4,
      exp_month: row.card_exp_month,
      exp_year: row.card_exp_year,
    };
  }
  // Currency rules don't apply: a later payment may have any currency.
  const at = await service.processors.choose(environment, {
    currency: "",
    brand: card ? cardBrand(card.number) : null,
  });
  if (!at) throw processorNotConfigured(environment);
  if (!card) {
    const accepted = await acceptToken(ctx, at, token);
    if (!accepted) throw unknownToken();
    return { ...accepted, at, name: null, tokenId: null };
  }
  const name = card.name ?? null;
  const tokenized = await tokenizeCard(at.processor, environment.id, card, { name, address: null });
  return { ...tokenized, at, name, tokenId: null };
}

type Check = { card: CheckedCard; reference: string };

async function concludeCheck(
  ctx: Context,
  body: CreatePaymentMethodBody,
  { card, reference }: Check,
  outcome: StoreCardOutcome,
): Promise<Reply> {
  switch (outcome.kind) {
    case "stored":
      return writeResult(ctx, card, async (tx) => {
        const row = newRow(ctx, body, { card, reference }, outcome);
        if (!(await insertPaymentMethod(tx, row))) return { kind: "made", made: await alreadyStored(ctx, tx, row) };
        const made = presentPaymentMethod(row, ctx.environment.mode, environmentNow(ctx));
        const type = "payment_method.created";
        await recordChange(ctx, tx, { type, action: type, objectId: row.id, data: { object: made, previous: null } });
        return { kind: "made", made };
      });
    case "declined":
      return refuseCheck(
        ctx,
        card,
        outcome.refusal === undefined
          ? declinedCheck(outcome.decline_code ?? "generic_decline")
          : new AppError("processor_refused", outcome.refusal),
      );
    case "action_required":
      return refuseCheck(ctx, card, declinedCheck("authentication_failed"));
    case "not_sent":
    case "unknown":
      throw new AppError(
        "processor_error",
        "The processor did not confirm the check. Nothing was charged; send the request again with the same key.",
        { cause: new Error(outcome.reason) },
      );
    default:
      return outcome satisfies never;
  }
}

/**
 * The customer's payment method with the same card at the processor. Throws if the card is another customer's
 * or is being removed, or if a concurrent repeat without a key stored it first.
 */
async function alreadyStored(ctx: Context, tx: Orm, row: PaymentMethodRow): Promise<PaymentMethod> {
  const stored = await findStoredMethod(tx, ctx.environment.id, row);
  const isSame = stored !== null && stored.id !== row.id && stored.customer_id === row.customer_id;
  if (!isSame || stored.removed_at !== null) throw tokenUnusable();
  return presentPaymentMethod(stored, ctx.environment.mode, environmentNow(ctx));
}

/** A refusal uses up the token, too. Without a key, the refusal is thrown after that is written. */
async function refuseCheck(ctx: Context, card: CheckedCard, error: AppError): Promise<Reply> {
  const reply = await writeResult(ctx, card, async () => ({ kind: "refused", error }));
  if (ctx.idempotency === null) throw error;
  return reply;
}

/** Writes the result of a check, uses up its token and stores the response, in one commit. */
function writeResult(ctx: Context, { tokenId }: CheckedCard, work: (tx: Orm) => Promise<Result>): Promise<Reply> {
  const { service, environment, request, idempotency } = ctx;
  return service.db.within(environment.id).orm.transaction(async (tx) => {
    const result = await work(tx);
    if (tokenId) await useUpCheckedToken(tx, environment.id, tokenId);
    const reply = service.renderReply({ ...request, requestId: request.id }, result);
    if (idempotency && !(await storeResponse(tx, environment.id, keyedRequest(ctx), reply)))
      throw inProgress("Another request with this key is running. Send it again in a moment.");
    return reply;
  });
}

function newRow(
  ctx: Context,
  { customer_id, consent, metadata }: CreatePaymentMethodBody,
  { card, reference }: Check,
  stored: Stored,
): PaymentMethodRow {
  const created_at = idTime(reference);
  return checkedCard(stored, {
    environment_id: ctx.environment.id,
    id: reference,
    customer_id,
    connection_id: card.at.connectionId,
    card,
    consent: consent && {
      at: consent.at ? instantOf(consent.at).toISOString() : created_at,
      ip: consent.ip,
      text: consent.text,
    },
    metadata,
    client_session_id: null,
  });
}

type Stored = Extract<StoreCardOutcome, { kind: "stored" }>;

/** The payment method of a card that passed its check. `id`: the check's reference. */
export function checkedCard(
  stored: Stored,
  {
    card,
    ...row
  }: Pick<
    PaymentMethodRow,
    "environment_id" | "id" | "customer_id" | "connection_id" | "consent" | "metadata" | "client_session_id"
  > & { card: KnownCard },
): PaymentMethodRow {
  const created_at = idTime(row.id);
  const known = stored.card;
  return {
    ...row,
    processor_token: stored.token,
    card_brand: card.brand ?? known?.brand ?? null,
    card_last4: card.last4 ?? known?.last4 ?? null,
    card_bin: card.bin ?? known?.bin ?? null,
    card_exp_month: card.exp_month ?? known?.exp_month ?? null,
    card_exp_year: card.exp_year ?? known?.exp_year ?? null,
    card_identity: stored.fingerprint ?? null,
    payment_id: null,
    removed_at: null,
    removal_due_at: null,
    expiry_announced: false,
    created_at,
    updated_at: created_at,
  };
}

const CHECK_DETAIL: Partial<Record<DeclineCode, string>> = {
  authentication_failed:
    "The issuer wants the customer to confirm this card, which a request of your server cannot do. Ask the customer for another card.",
  insufficient_funds: "The issuer declined the card for insufficient funds. Ask the customer for another card.",
  expired_card: "The card has expired. Ask the customer for another card.",
  incorrect_cvv: "The security code is wrong. Ask the customer to check it and try again.",
  incorrect_number: "The card number is wrong. Ask the customer to check it and try again.",
};

function declinedCheck(decline_code: DeclineCode): AppError {
  const detail = CHECK_DETAIL[decline_code] ?? "The issuer declined the card. Ask the customer for another card.";
  return new AppError("card_declined", `${detail} Nothing was stored.`, { extra: { decline_code } });
}
