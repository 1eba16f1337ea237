import { systemTimer, type Timer } from "@/lib/clock";
import type { ConnectorOptions } from "../connector";
import {
  type AuthorizeRequest,
  type ContinueRequest,
  type InquireRequest,
  type Inquiry,
  type Outcome,
  type Processor,
  type Report,
  type ReportMessage,
  UnreadableReportError,
} from "../port";
import { readAccountingReport } from "./accounting-report";
import { refusesAmount, toAdyenAmount } from "./amounts";
import { createCards, type PayableCard } from "./cards";
import { checkConnection, dashboardUrl, disputeOf } from "./connection";
import type { AdyenCredentials } from "./credentials";
import { createMovements, type Keeping, keepNew } from "./movements";
import { readNotices } from "./notices";
import {
  declineCodeOfError,
  outcomeOfFailure,
  paymentResponse,
  REFUSED,
  type Refusal,
  refusedAmount,
  refusedBy,
  type Settled,
  storedResponse,
} from "./outcomes";
import { authorizationOutcome, movementOutcome, outsideRefunds, Records } from "./records";
import { closingBody, paymentBody } from "./request-bodies";
import { type AdyenResponse, createRequests } from "./requests";
import { createStoredCards, NO_SUCH_CARD, OTHER_ACCOUNT, storingOf, toStore } from "./stored-cards";
import { tokenMessageIn } from "./token-notices";

/**
 * Only decides when to check. A reference not found by then is closed by its key, which waits for calls in
 * progress.
 */
const NOT_FOUND_AFTER_MS = 2_000;
/** First and longest pause before a retry while another call with the same key is in progress. */
const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 400;

/** The API's limit. */
const MAX_RESULT = 20_000;

/**
 * Adyen's Checkout API. It has no endpoint to get a payment, so responses and signed webhooks are stored in a
 * journal, which `inquire` reads. A call only accepts captures, cancels and refunds; a webhook decides them.
 * Every call has its reference as Idempotency-Key, and Adyen repeats its first response.
 */
export function createAdyenProcessor(
  options: ConnectorOptions<AdyenCredentials>,
  timer: Timer = systemTimer,
): Processor {
  const { name, credentials, settings, timeoutMs, clock, endpoint, journal } = options;
  const { api_key: apiKey, live_url_prefix: livePrefix, merchant_account: merchantAccount } = credentials;
  const { live } = settings;
  const requests = createRequests({ apiKey, live, livePrefix, endpoint, timeoutMs });
  const records = new Records(journal);
  const cards = createCards({ requests, journal, merchantAccount, clock, timer, timeoutMs });

  const storedCards = createStoredCards({
    records,
    cards,
    credentials,
    live,
    usableCard,
    pay,
    continueCheck: endOfChallenge,
  });
  const { withStoredCard } = storedCards;
  const { move } = createMovements({ records, requests, merchantAccount, sendUnderKey, keepPayment });

  /** Retries a call while another with its key is in progress, unless the outcome is known by then. */
  async function sendUnderKey(
    call: () => Promise<AdyenResponse>,
    known: () => Promise<Outcome | null>,
  ): Promise<Settled> {
    const endMs = timer.elapsedMs() + timeoutMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      const response = await call();
      if (response.kind === "answered" || response.kind === "refused") return response;
      if (response.kind !== "busy" || timer.elapsedMs() + pauseMs > endMs)
        return { kind: "settled", outcome: outcomeOfFailure(response) };
      await timer.wait(pauseMs);
      const outcome = await known();
      if (outcome) return { kind: "settled", outcome };
    }
  }

  const authorizationOf = async (reference: string) => {
    const recorded = await records.find(reference);
    return recorded && authorizationOutcome(recorded);
  };

  /** Stores the payment's PSP reference, if known and not yet stored, so that people can find it. */
  async function keepPayment(request: Keeping, reference: string): Promise<void> {
    const recorded = await records.findOwn(request.account, reference);
    if (recorded?.pspReference) await keepNew(request, { kind: "payment", id: recorded.pspReference });
  }

  async function authorize(request: AuthorizeRequest): Promise<Outcome> {
    const { reference, account } = request;
    const amount = toAdyenAmount(request.amount, request.currency);
    if (!amount) return refusedAmount(request);
    const store = request.store && storingOf(request.token, request.store.customer);
    const found = await usableCard(reference, () =>
      request.stored
        ? cards.readKept(request.token, { account, ...request.stored })
        : cards.read(account, request.token),
    );
    const isKnown = found !== null && "kind" in found;
    if (!isKnown && request.notAfter < clock.now()) return { kind: "not_sent", reason: "it was too late to send it" };
    if (!found) return { ...REFUSED, refusal: NO_SUCH_CARD };
    const firstUse = await records.begin(reference, {
      account,
      by: "call",
      kind: "authorize",
      authorization: reference,
      amount,
      captures: request.capture,
      ...(store && { store }),
    });
    if (firstUse.account !== account) return { kind: "not_sent", reason: OTHER_ACCOUNT };
    if (firstUse.by === "close" || (await records.find(reference))?.closed)
      return { kind: "not_sent", reason: "it was closed before it was executed" };
    const send = (card: PayableCard) => {
      const stores = store ? toStore(card, store, account, reference) : card;
      return pay(reference, paymentBody(merchantAccount, request, amount, stores));
    };
    const outcome = "kind" in found ? found : await send(found);
    await keepPayment(request, reference);
    return store ? withStoredCard(outcome, account, reference) : outcome;
  }

  async function pay(reference: string, body: object): Promise<Outcome> {
    const response = await sendUnderKey(
      () => requests.post("/payments", body, reference),
      () => authorizationOf(reference),
    );
    return response.kind === "settled" ? response.outcome : takeAnswer(reference, response);
  }

  /** The card of a request that is still to be sent, or the outcome of one that was; null without either. */
  async function usableCard(
    reference: string,
    read: () => Promise<PayableCard | null>,
  ): Promise<PayableCard | Outcome | null> {
    // A concurrent call may have been approved in between, and have kept the card for the customer.
    return (await authorizationOf(reference)) ?? (await read()) ?? (await authorizationOf(reference));
  }

  /** Records Adyen's final response to an authorization. */
  async function takeAnswer(
    reference: string,
    response: Extract<AdyenResponse, { kind: "answered" | "refused" }>,
  ): Promise<Outcome> {
    if (response.kind === "answered") {
      const read = paymentResponse.safeParse(response.body);
      if (!read.success) return { kind: "unknown", reason: "Adyen's answer cannot be read" };
      await records.recordResponse(reference, "answer", storedResponse(read.data));
      const outcome = await authorizationOf(reference);
      return outcome ?? { kind: "unknown", reason: "Adyen's answer was not kept" };
    }
    const recorded = await records.find(reference);
    // The key was used up by a closing call, so Adyen did not refuse this one.
    if (recorded?.closing && isOfNoCard(response))
      return { kind: "not_sent", reason: "it was closed before it was executed" };
    if (isOfNoCard(response))
      return records.ended(reference, { ...REFUSED, refusal: NO_SUCH_CARD, note: response.message });
    const code = declineCodeOfError(response.code);
    if (code) return records.ended(reference, { kind: "declined", decline_code: code, note: response.message });
    if (response.status === 422) return records.ended(reference, refusedBy(response));
    return { kind: "not_sent", reason: response.message };
  }

  /** Stores Adyen's reference however the challenge ended, in case an earlier call died before it could. */
  async function continueAuthorization(request: ContinueRequest): Promise<Outcome> {
    const outcome = await endOfChallenge(request);
    await keepPayment(request, request.authorization);
    return withStoredCard(outcome, request.account, request.authorization);
  }

  type Challenged = Pick<ContinueRequest, "account" | "reference" | "authorization" | "challenge" | "returned">;

  async function endOfChallenge(request: Challenged): Promise<Outcome> {
    const { reference, account, authorization, challenge, returned = {} } = request;
    const recorded = await records.findOwn(account, authorization);
    if (!recorded) return REFUSED;
    const firstUse = await records.begin(reference, {
      account,
      by: "call",
      kind: "continue",
      authorization,
      amount: null,
      captures: false,
    });
    if (firstUse.account !== account) return REFUSED;
    const outcome = authorizationOutcome(recorded);
    if (outcome?.kind !== "action_required") return outcome ?? { kind: "pending" };
    const { redirectResult = "" } = returned;
    const brings = redirectResult !== "" && redirectResult.length <= MAX_RESULT;
    const isAbandoned = challenge === "abandoned" || (challenge === "failed" && !brings && !recorded.challenge);
    // Stored before it is sent, and the first end is final: an abandoned challenge is not continued here.
    // Adyen continues if the shopper passed it without returning, and reports it by a webhook.
    const end = isAbandoned
      ? await records.endChallenge(authorization, { end: "abandoned" })
      : brings
        ? await records.endChallenge(authorization, { end: "returned", redirectResult })
        : recorded.challenge;
    if (end?.end === "returned") return submitDetails(request, end.redirectResult);
    return (await authorizationOf(authorization)) ?? outcome;
  }

  async function submitDetails(request: Challenged, redirectResult: string): Promise<Outcome> {
    const { authorization } = request;
    const final = async () => {
      const outcome = await authorizationOf(authorization);
      return outcome?.kind === "action_required" ? null : outcome;
    };
    const body = { details: { redirectResult } };
    const response = await sendUnderKey(
      () => requests.post("/payments/details", body, `${authorization}:details`),
      final,
    );
    if (response.kind === "settled") return response.outcome;
    if (response.kind === "answered") {
      const read = paymentResponse.safeParse(response.body);
      if (!read.success) return { kind: "unknown", reason: "Adyen's answer cannot be read" };
      await records.recordResponse(authorization, "continued", storedResponse(read.data));
      return (await authorizationOf(authorization)) ?? { kind: "pending" };
    }
    // Refused unread; an earlier call may have been executed.
    if (response.status === 401 || response.status === 403) return { kind: "not_sent", reason: response.message };
    // An invalid result means that the shopper didn't come from Adyen's page; it can be sent any number of
    // times.
    const refused = await records.ended(authorization, {
      kind: "declined",
      decline_code: "authentication_failed",
      note: response.message,
    });
    // It may have been passed with another result, which a webhook has reported since.
    return (await authorizationOf(authorization)) ?? refused;
  }

  /** Also stores ids that only a webhook has reported since the call. */
  async function inquire(request: InquireRequest): Promise<Inquiry> {
    const { account, reference, kind, authorization } = request;
    const outcome = await statusOf(request);
    if (outcome.kind === "not_found" || outcome.kind === "never") return outcome;
    await keepPayment(request, kind === "authorize" ? reference : authorization);
    const recorded = await records.findOwn(account, reference);
    if (kind === "authorize" || kind === "continue")
      return withStoredCard(outcome, account, kind === "authorize" ? reference : authorization);
    if (recorded?.pspReference) await keepNew(request, { kind: recorded.firstUse.kind, id: recorded.pspReference });
    return outcome;
  }

  async function statusOf({ account, reference, kind, authorization }: InquireRequest): Promise<Inquiry> {
    const recorded = await records.findOwn(account, reference);
    if (!recorded) return { kind: "not_found" };
    if (kind === "authorize") {
      if (recorded.firstUse.by === "close") return { kind: "never" };
      return authorizationOutcome(recorded) ?? (recorded.closed ? { kind: "never" } : { kind: "not_found" });
    }
    if (kind !== "continue") return movementOutcome(recorded) ?? { kind: "not_found" };
    const charge = await records.findOwn(account, authorization);
    return (charge && authorizationOutcome(charge)) ?? { kind: "not_found" };
  }

  /**
   * Uses up the reference's key with an impossible payment: its stored card doesn't exist. Adyen repeats the
   * response of the first call with the key, which is either the original call's or this refusal.
   */
  async function close(request: Parameters<Processor["close"]>[0]): Promise<Inquiry> {
    const outcome = await closeReference(request);
    if (outcome.kind !== "never") await keepPayment(request, request.reference);
    return withStoredCard(outcome, request.account, request.reference);
  }

  async function closeReference(request: Parameters<Processor["close"]>[0]): Promise<Inquiry> {
    const { reference, account } = request;
    const amount = toAdyenAmount(request.amount, request.currency);
    const firstUse = await records.begin(reference, {
      account,
      by: "close",
      kind: "authorize",
      authorization: reference,
      amount,
      captures: false,
    });
    if (firstUse.account !== account) return { kind: "unknown", reason: OTHER_ACCOUNT };
    if (firstUse.by === "close") return { kind: "never" };
    const recorded = await records.find(reference);
    const known = recorded && authorizationOutcome(recorded);
    if (known) return known;
    if (recorded?.closed) return { kind: "never" };
    if (!firstUse.amount) return { kind: "unknown", reason: "it has no amount to close it with" };
    await records.closing(reference);
    const body = closingBody(merchantAccount, reference, firstUse.amount);
    const sendClosing = () =>
      sendUnderKey(
        () => requests.post("/payments", body, reference),
        () => authorizationOf(reference),
      );
    const first = await sendClosing();
    if (first.kind === "settled") return first.outcome;
    if (first.kind === "answered" || (!isOfNoCard(first) && declineCodeOfError(first.code)))
      return takeAnswer(reference, first);
    const second = await sendClosing();
    if (second.kind === "refused" && isOfNoCard(first) && isSame(first, second)) {
      await records.closed(reference);
      return { kind: "never" };
    }
    return { kind: "unknown", reason: `it could not be closed: ${first.message}` };
  }

  function noticesIn({ body }: ReportMessage) {
    const { hmac_key: hmacKey } = credentials;
    if (!hmacKey) throw new UnreadableReportError("no HMAC key is set, so nobody can have signed it");
    return readNotices(body, { hmacKey, merchantAccount, live });
  }

  return {
    name,
    capabilities: {
      partialCapture: true,
      rawCards: settings.rawCards,
      ownIds: "answered",
      ownTokens: true,
      storedCards: true,
    },
    notFoundConclusiveAfterMs: NOT_FOUND_AFTER_MS,
    tokenize: (account, card) => cards.store(account, card),
    acceptToken: async (_account, token) => cards.accept(token),
    refusesAmount,
    requireReadable: () => {},
    authorize,
    returnParameter: "redirectResult",
    continueAuthorization,
    storeCard: (request) => storedCards.storeCard(request),
    continueStoring: (request) => storedCards.continueStoring(request),
    removeCard: (account, card) => cards.removeKept(account, card),
    capture: (request) => move("capture", request),
    void: (request) => move("void", request),
    refund: (request) => move("refund", request),
    inquire,
    close,
    reports: {
      kind: "pushed",
      kept: true,
      async read(message) {
        const ofStoredCard = await storedCards.read(message);
        if (ofStoredCard) return ofStoredCard;
        const { notices, refused } = noticesIn(message);
        const reports: Report[] = [];
        for (const notice of notices) {
          const report = await records.take(notice);
          if (report) reports.push(report);
        }
        if (refused) throw new UnreadableReportError(refused, { reports });
        return reports;
      },
      // Messages of the other webhook are verified when they are read.
      isAuthentic: (message) => tokenMessageIn(message.body) !== null || noticesIn(message).signed,
    },
    readDispute: async (id) => disputeOf(id, await records.notices(id)),
    async listOutsideRefunds({ account, authorization }) {
      const charge = await records.findOwn(account, authorization);
      return charge ? outsideRefunds(charge) : [];
    },
    readStatement: (files) => readAccountingReport(files, merchantAccount),
    checkConnection: () => checkConnection(requests, credentials, live),
    dashboardUrl: (object) => dashboardUrl(object, live),
    forgetOldAttempts: () => cards.forgetOld(),
  };
}

/** Adyen's own refusal for a stored card that doesn't exist. */
const isOfNoCard = ({ code, pspReference }: Refusal) => pspReference !== null && (code === "800" || code === "803");
const isSame = (one: Refusal, other: Refusal) => one.pspReference === other.pspReference && one.code === other.code;
