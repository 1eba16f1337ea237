import type { ContinueStoringRequest, StoreCardOutcome, StoreCardRequest } from "../cards";
import type { ContinueRequest, Inquiry, Outcome, Report, ReportMessage } from "../port";
import type { createCards, PayableCard } from "./cards";
import type { AdyenCredentials } from "./credentials";
import { REFUSED } from "./outcomes";
import type { Records, Storing } from "./records";
import { checkBody, NOTHING } from "./request-bodies";
import { readTokenNotice, tokenMessageIn } from "./token-notices";
import { keptToken, shopperOf, subjectOfStored } from "./tokens";

export const NO_SUCH_CARD = "Adyen has no such card: the token is none of this account's, or no longer valid.";
export const OTHER_ACCOUNT = "the reference belongs to another account";

type Parts = {
  records: Records;
  cards: ReturnType<typeof createCards>;
  credentials: AdyenCredentials;
  live: boolean;
  usableCard(reference: string, read: () => Promise<PayableCard | null>): Promise<PayableCard | Outcome | null>;
  pay(reference: string, body: object): Promise<Outcome>;
  continueCheck(
    request: Pick<ContinueRequest, "account" | "reference" | "authorization" | "challenge" | "returned">,
  ): Promise<Outcome>;
};

/**
 * Cards stored for later payments. A check is a payment of zero with a reference of its own. Adyen returns
 * the stored card's id in the response to either, or in a webhook.
 */
export function createStoredCards({ records, cards, credentials, live, usableCard, pay, continueCheck }: Parts) {
  /** Adds the token of the card that an approved payment or check stored. */
  async function withStoredCard<T extends Inquiry>(outcome: T, account: string, reference: string): Promise<T> {
    if (outcome.kind !== "approved") return outcome;
    const recorded = await records.findOwn(account, reference);
    const { store } = recorded?.firstUse ?? {};
    if (!recorded || !store) return outcome;
    const owner = { account, customer: store.customer };
    const card =
      store.subject !== null
        ? await cards.keep(store.subject, owner)
        : recorded.storedId && { id: recorded.storedId, shopper: shopperOf(owner, reference) };
    return card ? { ...outcome, storedToken: keptToken(card) } : outcome;
  }

  async function check(request: StoreCardRequest): Promise<Outcome> {
    const { reference, account, customer, token } = request;
    const found = await usableCard(reference, () => cards.read(account, token));
    if (!found) return { ...REFUSED, refusal: NO_SUCH_CARD };
    const store = { ...storingOf(token, customer), check: true } as const;
    const firstUse = await records.begin(reference, {
      account,
      by: "call",
      kind: "authorize",
      authorization: reference,
      amount: NOTHING,
      captures: false,
      store,
    });
    if (firstUse.account !== account || firstUse.store?.customer !== customer)
      return { kind: "not_sent", reason: OTHER_ACCOUNT };
    if ("kind" in found) return found;
    return pay(reference, checkBody(credentials.merchant_account, request, toStore(found, store, account, reference)));
  }

  async function continued(request: ContinueStoringRequest): Promise<Outcome> {
    const { account, customer, pending, challenge, returned } = request;
    const { store } = (await records.findOwn(account, pending))?.firstUse ?? {};
    if (!store?.check || store.customer !== customer) return REFUSED;
    const named = { account, reference: pending, authorization: pending };
    return continueCheck({ ...named, challenge, ...(returned && { returned }) });
  }

  /** Null if the message is of the standard webhook; else at most one report. */
  async function read(message: ReportMessage): Promise<Report[] | null> {
    const parsed = tokenMessageIn(message.body);
    if (parsed === null) return null;
    const hmacKeys = [credentials.tokens_hmac_key, credentials.hmac_key];
    const notice = readTokenNotice(parsed, message, { hmacKeys, merchantAccount: credentials.merchant_account, live });
    if (!notice) return [];
    const { event, cause, card } = notice;
    const about = { id: `${cause} ${event} ${card.id}`, storedCard: keptToken(card) };
    switch (event) {
      case "created":
      case "alreadyExisting": {
        await records.storedCard(cause, card.id);
        const payment = await records.paymentWithoutId(cause);
        return payment ? [{ ...about, change: "stored", ...payment }] : [];
      }
      case "updated": {
        const now = await cards.describe(card);
        return [now ? { ...about, change: "updated", card: now } : { ...about, change: "removed" }];
      }
      case "disabled":
        return [{ ...about, change: "removed" }];
      default:
        return [];
    }
  }

  return {
    withStoredCard,
    read,
    storeCard: async (request: StoreCardRequest): Promise<StoreCardOutcome> =>
      checked(await withStoredCard(await check(request), request.account, request.reference), request.reference),
    continueStoring: async (request: ContinueStoringRequest): Promise<StoreCardOutcome> =>
      checked(await withStoredCard(await continued(request), request.account, request.pending), request.pending),
  };
}

export const storingOf = (token: string, customer: string): Storing => ({ customer, subject: subjectOfStored(token) });

/** Adds what a payment needs to store its card, unless the card is already at Adyen. */
export function toStore(
  { paymentMethod, shopper }: PayableCard,
  { customer, subject }: Storing,
  account: string,
  reference: string,
): PayableCard {
  const shopperReference = shopperOf({ account, customer }, reference);
  const storing = { ...(subject === null && { storePaymentMethod: true, shopperReference }) };
  return { paymentMethod, shopper: { ...shopper, ...storing, recurringProcessingModel: "Subscription" } };
}

/** A check's outcome. */
function checked(outcome: Outcome, pending: string): StoreCardOutcome {
  switch (outcome.kind) {
    case "approved": {
      const { storedToken: token, card } = outcome;
      if (token === undefined) return { kind: "unknown", reason: "Adyen has not named the stored card yet" };
      return { kind: "stored", token, ...(card && { card }) };
    }
    case "declined": {
      const { decline_code, note, refusal } = outcome;
      return { kind: "declined", decline_code, ...(note && { note }), ...(refusal && { refusal }) };
    }
    case "action_required":
      return { kind: "action_required", challenge: outcome.challenge, pending };
    case "pending":
      return { kind: "unknown", reason: "Adyen has not decided the check yet" };
    case "not_sent":
    case "unknown":
      return { kind: outcome.kind, reason: outcome.reason };
    default:
      return outcome satisfies never;
  }
}
