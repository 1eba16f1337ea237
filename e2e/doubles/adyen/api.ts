import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { APPROVED_MERCHANT_CHARGES, type SandboxBehavior, SLOW_RESPONSE_MS } from "@/lib/contract/sandbox-cards";
import { dataOf, error, json, OF_A_PROXY, REFUSALS, TRANSIENT } from "./answers";
import { Books, behaviorOf, type Card, methodOf, newPsp, type Payment } from "./books";
import { faultsOfAnswer, faultsOfRequest, faultsOfTokenWebhook, faultsOfWebhook } from "./description";
import { type DoubleAnswer, type DoubleRequest, Hangup, startDouble } from "./http-server";
import { type Body, parsed } from "./request-body";
import { type TokenEvent, tokenMessage, type WebhookOptions, webhookBody } from "./webhooks";

export type AdyenDoubleOptions = {
  apiKey?: string;
  merchantAccount?: string;
  hmacKey?: string;
  /**
   * The response to a reused key with another body: the first response, or a refusal. Adyen documents
   * neither.
   */
  otherBody?: "as before" | "refused";
  /** The account's settings for responses: without the token, only the webhook has it. */
  tokens?: "answered" | "told";
  /** HMAC key of the webhook about stored cards. */
  tokensKey?: string;
  /** URL of its challenge page, for tests without a browser. */
  pages?: string;
};

/** Countries whose addresses require a state or province. */
const STATES_NEEDED: ReadonlySet<string> = new Set(["US", "CA"]);

type KeyState = { body: string; answer: DoubleAnswer | null };
/** `uses`: approved charges by the merchant. */
type Stored = { card: Card; shopper: string; models: string[]; uses: number };

/**
 * A double of Adyen's Checkout API on loopback: shapes from its published OpenAPI file, its idempotency keys,
 * and webhooks. Cards behave like the sandbox's.
 */
export async function startAdyenDouble(options: AdyenDoubleOptions = {}) {
  const {
    apiKey = "an-API-key-of-the-double's",
    merchantAccount = "ExampleShopECOM",
    otherBody = "as before",
    tokens = "answered",
  } = options;
  const hmacKey = options.hmacKey ?? randomBytes(32).toString("hex").toUpperCase();
  const tokensKey = options.tokensKey ?? randomBytes(32).toString("hex").toUpperCase();
  const tokenEvents: TokenEvent[] = [];
  const books = new Books();
  const keys = new Map<string, KeyState>();
  const stored = new Map<string, Stored>();
  const encryptedFields = new Map<string, string>();
  const refusedOnce = new Set<string>();
  let fail500: "before" | "after" | null = null;

  async function execute(request: DoubleRequest): Promise<DoubleAnswer> {
    if (request.headers["x-api-key"] !== apiKey)
      return error(401, "000", "HTTP Status Response - Unauthorized", "security");
    const path = request.path.replace(/^\/v72/, "");
    if (request.method === "DELETE") return forget(path, request);
    if (request.method === "GET") return list(request);
    const body = parsed(request.body);
    if (!body) return error(400, "702", "Unexpected input");
    if (path !== "/payments/details" && body.merchantAccount !== merchantAccount)
      return error(403, "901", "Invalid Merchant Account", "security");
    const key = request.headers["idempotency-key"];
    return typeof key === "string" ? underKey(key, request.body, () => handle(path, body)) : handle(path, body);
  }

  /** Adds the idempotency key to every response under it. */
  async function underKey(key: string, body: string, run: () => Promise<DoubleAnswer>): Promise<DoubleAnswer> {
    const named = (answer: DoubleAnswer): DoubleAnswer =>
      answer === OF_A_PROXY ? answer : { ...answer, headers: { ...answer.headers, "idempotency-key": key } };
    try {
      return named(await onceUnderKey(key, body, run));
    } catch (failure) {
      throw failure instanceof AnswerLost ? new AnswerLost(named(failure.answer)) : failure;
    }
  }

  async function onceUnderKey(key: string, body: string, run: () => Promise<DoubleAnswer>): Promise<DoubleAnswer> {
    if (key.length > 64) return error(422, "702", "The idempotency key is too long");
    const known = keys.get(key);
    if (known && known.answer === null)
      return error(422, "704", "request already processed or in progress", "validation", TRANSIENT);
    if (known?.answer) {
      if (otherBody === "refused" && known.body !== body)
        return error(422, "708", "The key was used for another request");
      return known.answer;
    }
    const state: KeyState = { body, answer: null };
    keys.set(key, state);
    try {
      // Long enough for a concurrent request with the key to arrive.
      await wait(1);
      const failing = fail500;
      fail500 = null;
      const failed = error(500, "905", "An internal error occurred", "internal");
      // If the issuer may have executed the request, the error is stored as the key's response.
      const answer = failing === "before" ? failed : await run();
      if (failing === "after") {
        state.answer = failed;
        return failed;
      }
      if (answer.headers?.["transient-error"] === "true") keys.delete(key);
      else state.answer = answer;
      return answer;
    } catch (failure) {
      if (failure instanceof AnswerLost) state.answer = failure.answer;
      else keys.delete(key);
      throw failure;
    }
  }

  async function handle(path: string, body: Body): Promise<DoubleAnswer> {
    const modified = /^\/payments\/([^/]+)\/(captures|cancels|refunds)$/.exec(path);
    if (modified) return modify(decodeURIComponent(modified[1] ?? ""), modified[2] as "captures", body);
    switch (path) {
      case "/payments":
        return pay(body);
      case "/payments/details":
        return details(body);
      case "/paymentMethods":
        return json(200, { paymentMethods: [{ name: "Cards", type: "scheme", brands: ["visa", "mc", "amex"] }] });
      case "/storedPaymentMethods":
        return store(body);
      default:
        return error(404, "000", "HTTP Status Response - Not Found");
    }
  }

  function cardOf({ paymentMethod = {}, shopperReference }: Body): Card | DoubleAnswer {
    if (paymentMethod.storedPaymentMethodId !== undefined) {
      const found = stored.get(paymentMethod.storedPaymentMethodId);
      if (!found || found.shopper !== shopperReference) return error(422, "800", "Contract not found");
      return { ...found.card, cvc: paymentMethod.cvc ?? null };
    }
    const field = (name: string) => encryptedFields.get(paymentMethod[name] ?? "");
    const number = field("encryptedCardNumber");
    const expiryMonth = field("encryptedExpiryMonth");
    const expiryYear = field("encryptedExpiryYear");
    if (!number || !expiryMonth || !expiryYear) return error(422, "174", "Unable to decrypt data");
    return { number, expiryMonth, expiryYear, cvc: field("encryptedSecurityCode") ?? null };
  }

  async function pay(body: Body): Promise<DoubleAnswer> {
    const { reference, amount, returnUrl } = body;
    if (!reference) return error(422, "130", "Required field 'reference' is not provided.");
    if (!amount || !Number.isSafeInteger(amount.value) || amount.value < 0)
      return error(422, "137", "Invalid amount specified");
    if (!returnUrl) return error(422, "14_030", "Return URL is missing.");
    const { country = "", stateOrProvince } = body.billingAddress ?? {};
    if (STATES_NEEDED.has(country) && !stateOrProvince)
      return error(422, "135", "Required field 'billingAddress.stateOrProvince' is not provided.");
    const card = cardOf(body);
    if ("status" in card) return card;
    const behavior = behaviorNow(card, body);
    if (behavior === "refuse_once" && !refusedOnce.has(reference)) {
      refusedOnce.add(reference);
      return error(503, "703", "required resource temporarily unavailable", "internal", TRANSIENT);
    }
    if (behavior === "garbage") return OF_A_PROXY;
    const expired = Date.UTC(Number(card.expiryYear), Number(card.expiryMonth), 1) <= Date.now();
    const refused = expired || behavior.startsWith("decline:");
    const stores = body.storePaymentMethod === true ? (body.shopperReference ?? null) : null;
    const payment = books.payment({
      stores,
      reference,
      amount,
      card,
      returnUrl,
      behavior: expired ? "decline:expired_card" : behavior,
      capturesAtOnce: body.captureDelayHours === 0,
      state: refused ? "refused" : behavior === "challenge" ? "challenged" : "authorised",
    });
    storeCardOf(payment);
    if (behavior === "slow") await wait(SLOW_RESPONSE_MS);
    const answer = json(200, paymentAnswer(payment, body));
    if (behavior === "lost_answer") throw new AnswerLost(answer);
    return answer;
  }

  /** Stores the card of an approved payment that requested it. */
  function storeCardOf(payment: Payment): void {
    const { state, stores: shopper, card } = payment;
    if (state !== "authorised" || shopper === null || payment.storedId !== null) return;
    payment.storedId = newPsp();
    stored.set(payment.storedId, { card: { ...card, cvc: null }, shopper, models: ["Subscription"], uses: 0 });
    tokenEvents.push({ type: "recurring.token.created", cause: payment.psp, shopper, id: payment.storedId });
  }

  /** Charges by the merchant of a stored card are exempt from challenges, and some cards decline them. */
  function behaviorNow({ number }: Card, { paymentMethod, shopperInteraction }: Body): SandboxBehavior {
    const behavior = behaviorOf(number);
    const known = stored.get(paymentMethod?.storedPaymentMethodId ?? "");
    if (!known || shopperInteraction !== "ContAuth") return behavior;
    if (behavior === "challenge") return "approve";
    if (behavior === "merchant_declines_later")
      return known.uses++ < APPROVED_MERCHANT_CHARGES ? "approve" : "decline:insufficient_funds";
    const code = /^merchant_decline:(\w+)$/.exec(behavior)?.[1];
    return code ? (`decline:${code}` as SandboxBehavior) : behavior;
  }

  const pages = () => options.pages ?? `${server.url}/threeDS/redirect`;

  function paymentAnswer(payment: Payment, body: Body): object {
    const { psp, reference, card, state, amount } = payment;
    const common = {
      pspReference: psp,
      merchantReference: reference,
      additionalData: {
        ...dataOf(payment, "billingAddress" in body),
        ...(payment.storedId !== null &&
          tokens === "answered" && {
            "tokenization.shopperReference": payment.stores ?? "",
            "tokenization.store.operationType": "created",
            "tokenization.storedPaymentMethodId": payment.storedId,
          }),
      },
    };
    if (state === "challenged") {
      const url = `${pages()}?MD=${psp}`;
      const action = { type: "redirect", method: "GET", paymentMethodType: "scheme", url };
      return { ...common, resultCode: "RedirectShopper", action };
    }
    const fraudResult = { accountScore: payment.behavior === "decline:fraud_suspected" ? 95 : 0, results: [] };
    if (state === "authorised")
      return {
        ...common,
        resultCode: "Authorised",
        amount,
        fraudResult,
        paymentMethod: { brand: methodOf(card.number), type: "scheme" },
      };
    const [refusalReason, refusalReasonCode] = REFUSALS[payment.behavior] ?? ["Refused", "2"];
    return { ...common, resultCode: "Refused", refusalReason, refusalReasonCode, fraudResult };
  }

  function details({ details: { redirectResult } = {} }: Body): DoubleAnswer {
    const payment = [...books.payments.values()].find(({ result }) => result?.text === redirectResult);
    if (!payment || !redirectResult) return error(422, "14_006", "Invalid redirectResult");
    books.finish(payment);
    storeCardOf(payment);
    if (payment.state === "authorised") return json(200, paymentAnswer(payment, {}));
    const { pspReference, merchantReference } = { pspReference: payment.psp, merchantReference: payment.reference };
    const refusal = { refusalReason: "3D Not Authenticated", refusalReasonCode: "11" };
    return json(200, { pspReference, merchantReference, resultCode: "Refused", ...refusal });
  }

  function modify(psp: string, what: "captures" | "cancels" | "refunds", body: Body): DoubleAnswer {
    const payment = books.payments.get(psp);
    if (!payment) return error(422, "167", "Original pspReference required for this operation");
    const amount = what === "cancels" ? payment.amount : body.amount;
    if (!amount || amount.currency !== payment.amount.currency) return error(422, "137", "Invalid amount specified");
    const kind = { captures: "capture", cancels: "cancel", refunds: "refund" }[what] as "capture" | "cancel" | "refund";
    const { reference = "" } = body;
    const taken = books.take({ kind, payment, reference, amount });
    return json(201, {
      merchantAccount,
      paymentPspReference: psp,
      pspReference: taken.psp,
      reference,
      status: "received",
      ...(what !== "cancels" && { amount }),
    });
  }

  function store({ paymentMethod = {}, shopperReference }: Body): DoubleAnswer {
    const { number, expiryMonth, expiryYear } = paymentMethod;
    if (!number || !expiryMonth || !expiryYear || !shopperReference)
      return error(422, "130", "Required field is not provided.");
    const id = newPsp();
    const card = { number, expiryMonth, expiryYear, cvc: null };
    const one = { card, shopper: shopperReference, models: ["CardOnFile"], uses: 0 };
    stored.set(id, one);
    return json(201, storedAnswer(id, one));
  }

  const storedAnswer = (id: string, { card: { number, expiryMonth, expiryYear }, shopper, models }: Stored) => ({
    id,
    type: "scheme",
    brand: methodOf(number),
    cardBin: number.slice(0, 6),
    lastFour: number.slice(-4),
    expiryMonth,
    expiryYear: expiryYear.slice(-2),
    shopperReference: shopper,
    supportedRecurringProcessingModels: models,
  });

  function list({ query }: DoubleRequest): DoubleAnswer {
    const shopperReference = query.get("shopperReference") ?? "";
    const all = [...stored].filter(([, { shopper }]) => shopper === shopperReference);
    const storedPaymentMethods = all.map(([id, one]) => storedAnswer(id, one));
    return json(200, { merchantAccount, shopperReference, storedPaymentMethods });
  }

  function forget(path: string, { query }: DoubleRequest): DoubleAnswer {
    const id = path.replace("/storedPaymentMethods/", "");
    if (stored.get(id)?.shopper !== query.get("shopperReference")) return error(422, "800", "Contract not found");
    endToken(id);
    return { status: 204, body: "" };
  }

  /** Ends a stored card, by a request or in the Customer Area. */
  function endToken(id: string): void {
    const { shopper } = stored.get(id) ?? {};
    if (shopper === undefined) return;
    stored.delete(id);
    tokenEvents.push({ type: "recurring.token.disabled", cause: newPsp(), shopper, id });
  }

  /** The challenge page for a browser: two links back to the shop. */
  function challengePage({ query }: DoubleRequest): DoubleAnswer {
    const payment = books.payments.get(query.get("MD") ?? "");
    if (!payment) return { status: 404, body: "" };
    const link = (passed: boolean) => {
      const address = new URL(payment.returnUrl);
      address.searchParams.set("redirectResult", answerChallenge(payment, passed));
      return address.href.replaceAll("&", "&amp;");
    };
    const chosen = query.get("passed");
    if (chosen !== null) {
      const location = link(chosen === "true").replaceAll("&amp;", "&");
      return { status: 302, headers: { Location: location }, body: "" };
    }
    const body = ["true", "false"]
      .map((passed) => `<a href="?MD=${payment.psp}&amp;passed=${passed}">${passed === "true" ? "Pass" : "Fail"}</a>`)
      .join(" ");
    return { status: 200, headers: { "Content-Type": "text/html" }, body: `<!doctype html><title>Bank</title>${body}` };
  }

  /** Decides the challenge once and returns the redirect result. */
  function answerChallenge(payment: Payment, passed: boolean): string {
    payment.result ??= { text: `X${randomBytes(24).toString("base64url")}`, passed };
    return payment.result.text;
  }

  /** Requests and responses that violate Adyen's description of its API. */
  const faults = new Set<string>();
  const note = (found: string[]) => {
    for (const fault of found) faults.add(fault);
  };

  const server = await startDouble(async (request) => {
    if (request.path === "/threeDS/redirect") return challengePage(request);
    note(faultsOfRequest(request));
    try {
      const answer = await execute(request);
      if (answer !== OF_A_PROXY) note(faultsOfAnswer(request, answer));
      return answer;
    } catch (failure) {
      if (!(failure instanceof AnswerLost)) throw failure;
      note(faultsOfAnswer(request, failure.answer));
      throw new Hangup();
    }
  });

  const signing: WebhookOptions = { hmacKey, merchantAccount };
  return {
    ...server,
    apiKey,
    merchantAccount,
    hmacKey,
    tokensKey,
    books,
    keys,
    stored,
    signing,
    endToken,
    /** The network replaces a stored card's expiry. */
    renewToken(id: string, expiry: Pick<Card, "expiryMonth" | "expiryYear">): void {
      const one = stored.get(id);
      if (!one) throw new Error(`${id} is no stored card`);
      Object.assign(one.card, expiry);
      tokenEvents.push({ type: "recurring.token.updated", cause: newPsp(), shopper: one.shopper, id });
    },
    /** Messages about all unreported events of stored cards, with their signatures. */
    tokenMessages(): { headers: Headers; body: string }[] {
      const told = tokenEvents.splice(0).map((event) => tokenMessage(event, { hmacKey: tokensKey, merchantAccount }));
      for (const { body } of told) note(faultsOfTokenWebhook(body));
      return told;
    },
    /** Fails the next request with a key with a 500 that is stored under it, executed or not. */
    storeFailure(when: "before" | "after"): void {
      fail500 = when;
    },
    /** Encrypts a card as Adyen's card component does in the shopper's browser. */
    encrypt(card: Card) {
      const encrypt = (value: string) => {
        const text = `adyenjs_0_1_25$${randomBytes(120).toString("base64")}`;
        encryptedFields.set(text, value);
        return text;
      };
      return {
        encryptedCardNumber: encrypt(card.number),
        encryptedExpiryMonth: encrypt(card.expiryMonth),
        encryptedExpiryYear: encrypt(card.expiryYear),
        encryptedSecurityCode: encrypt(card.cvc ?? ""),
        brand: methodOf(card.number),
      };
    },
    /** Decides the challenge at this URL and returns the redirect result for the shopper's browser. */
    answerChallenge(url: string, passed: boolean): string {
      const payment = books.payments.get(new URL(url).searchParams.get("MD") ?? "");
      if (!payment) throw new Error(`${url} is no challenge`);
      return answerChallenge(payment, passed);
    },
    /** Messages about all unreported events. */
    messages(): string[] {
      const told = books.events.splice(0).map((event) => webhookBody([event], signing));
      for (const body of told) note(faultsOfWebhook(body));
      return told;
    },
    /** Throws if any message to or from the double violated Adyen's description of its API. */
    async stop(): Promise<void> {
      await server.stop();
      if (faults.size > 0) throw new Error(`Adyen's API is described otherwise:\n${[...faults].join("\n")}`);
    },
  };
}

export type AdyenDouble = Awaited<ReturnType<typeof startAdyenDouble>>;

/** The request is executed and its response is stored under the key, but never sent. */
class AnswerLost extends Error {
  constructor(readonly answer: DoubleAnswer) {
    super("the response is lost");
  }
}
