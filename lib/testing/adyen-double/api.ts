import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { SLOW_ANSWER_MS } from "@/lib/contract/sandbox-cards";
import { type Amount, Books, behaviourOf, type Card, methodOf, newPsp, type Payment } from "./books";
import { type DoubleAnswer, type DoubleRequest, Hangup, startDouble } from "./http-server";
import { type WebhookOptions, webhookBody } from "./webhooks";

export type AdyenDoubleOptions = {
  apiKey?: string;
  merchantAccount?: string;
  hmacKey?: string;
  /** How a key's repeat with another body is answered: as its first request was, or refused. Adyen does not say which. */
  otherBody?: "as before" | "refused";
  /** Where its challenge page is, for tests without a browser. */
  pages?: string;
};

/** One shape for every request body: what is asked of each is checked where it is read. */
type Body = {
  merchantAccount?: string;
  reference?: string;
  amount?: Amount;
  paymentMethod?: Record<string, string | undefined>;
  shopperReference?: string;
  returnUrl?: string;
  captureDelayHours?: number;
  additionalData?: Record<string, string>;
  details?: { redirectResult?: string };
};

const json = (status: number, body: object, headers: Record<string, string> = {}): DoubleAnswer => ({
  status,
  headers: { pspreference: newPsp(), ...headers },
  body: JSON.stringify(body),
});
const error = (status: number, errorCode: string, message: string, errorType = "validation", psp?: string) =>
  json(status, { status, errorCode, message, errorType, ...(psp && { pspReference: psp }) });
const TRANSIENT = { "transient-error": "true" };

type KeyState = { body: string; answer: DoubleAnswer | null };
type Stored = { card: Card; shopper: string };

/**
 * A double of Adyen's Checkout API on loopback: shapes of its published OpenAPI file, its idempotency keys, and webhooks.
 * Cards do what the sandbox's do.
 */
export async function startAdyenDouble(options: AdyenDoubleOptions = {}) {
  const {
    apiKey = "an-API-key-of-the-double's",
    merchantAccount = "ExampleShopECOM",
    otherBody = "as before",
  } = options;
  const hmacKey = options.hmacKey ?? randomBytes(32).toString("hex").toUpperCase();
  const books = new Books();
  const keys = new Map<string, KeyState>();
  const stored = new Map<string, Stored>();
  const encryptedFields = new Map<string, string>();
  const refusedOnce = new Set<string>();
  let fail500: "before" | "after" | null = null;

  async function execute(request: DoubleRequest): Promise<DoubleAnswer> {
    if (request.path === "/threeDS/redirect") return challengePage(request);
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

  async function underKey(key: string, body: string, run: () => Promise<DoubleAnswer>): Promise<DoubleAnswer> {
    if (key.length > 64) return error(422, "702", "The idempotency key is too long");
    const known = keys.get(key);
    if (known && known.answer === null)
      return { ...error(409, "704", "request already processed or in progress"), headers: TRANSIENT };
    if (known?.answer) {
      if (otherBody === "refused" && known.body !== body)
        return error(422, "708", "The key was used for another request");
      return { ...known.answer, headers: { ...known.answer.headers, "idempotency-key": key } };
    }
    const state: KeyState = { body, answer: null };
    keys.set(key, state);
    try {
      // Long enough for a second request to come meanwhile.
      await wait(1);
      const failing = fail500;
      fail500 = null;
      const failed = error(500, "905", "An internal error occurred", "internal", newPsp());
      // Of what the issuer may have acted upon the error is the key's last word.
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
      if (!found || found.shopper !== shopperReference)
        return error(422, "800", "Contract not found", "validation", newPsp());
      return { ...found.card, cvc: paymentMethod.cvc ?? null };
    }
    const field = (name: string) => encryptedFields.get(paymentMethod[name] ?? "");
    const number = field("encryptedCardNumber");
    const expiryMonth = field("encryptedExpiryMonth");
    const expiryYear = field("encryptedExpiryYear");
    if (!number || !expiryMonth || !expiryYear)
      return error(422, "174", "Unable to decrypt data", "validation", newPsp());
    return { number, expiryMonth, expiryYear, cvc: field("encryptedSecurityCode") ?? null };
  }

  async function pay(body: Body): Promise<DoubleAnswer> {
    const { reference, amount, returnUrl } = body;
    if (!reference) return error(422, "130", "Required field 'reference' is not provided.");
    if (!amount || !Number.isSafeInteger(amount.value) || amount.value < 0)
      return error(422, "137", "Invalid amount specified");
    if (!returnUrl) return error(422, "14_030", "Return URL is missing.");
    const card = cardOf(body);
    if ("status" in card) return card;
    const behaviour = behaviourOf(card.number);
    if (behaviour === "refuse_once" && !refusedOnce.has(reference)) {
      refusedOnce.add(reference);
      return { ...error(503, "703", "required resource temporarily unavailable"), headers: TRANSIENT };
    }
    if (behaviour === "garbage") {
      // It goes through a proxy that answers in Adyen's place.
      return { status: 200, headers: TRANSIENT, body: "<html>It works!</html>" };
    }
    const expired = Date.UTC(Number(card.expiryYear), Number(card.expiryMonth), 1) <= Date.now();
    const refused = expired || behaviour.startsWith("decline:");
    const payment = books.payment({
      ...{ reference, amount, card, returnUrl, behaviour: expired ? "decline:expired_card" : behaviour },
      capturesAtOnce: body.captureDelayHours === 0,
      state: refused ? "refused" : behaviour === "challenge" ? "challenged" : "authorised",
    });
    if (behaviour === "slow") await wait(SLOW_ANSWER_MS);
    const answer = json(200, paymentAnswer(payment, body));
    if (behaviour === "lost_answer") throw new AnswerLost(answer);
    return answer;
  }

  const pages = () => options.pages ?? `${server.url}/threeDS/redirect`;

  function paymentAnswer(payment: Payment, body: Body): object {
    const { psp, reference, card, state, amount } = payment;
    const common = { pspReference: psp, merchantReference: reference, additionalData: dataOf(payment, body) };
    if (state === "challenged") {
      const url = `${pages()}?MD=${psp}`;
      const action = { type: "redirect", method: "GET", paymentMethodType: "scheme", url };
      return { ...common, resultCode: "RedirectShopper", action };
    }
    const fraudResult = { accountScore: payment.behaviour === "decline:fraud_suspected" ? 95 : 0, results: [] };
    if (state === "authorised")
      return {
        ...common,
        ...{ resultCode: "Authorised", amount, fraudResult },
        paymentMethod: { brand: methodOf(card.number), type: "scheme" },
      };
    const [refusalReason, refusalReasonCode] = REFUSALS[payment.behaviour] ?? ["Refused", "2"];
    return { ...common, resultCode: "Refused", refusalReason, refusalReasonCode, fraudResult };
  }

  function details({ details: { redirectResult } = {} }: Body): DoubleAnswer {
    const payment = [...books.payments.values()].find(({ result }) => result?.text === redirectResult);
    if (!payment || !redirectResult) return error(422, "14_006", "Invalid redirectResult", "validation", newPsp());
    books.finish(payment);
    if (payment.state === "authorised") return json(200, paymentAnswer(payment, {}));
    const { pspReference, merchantReference } = { pspReference: payment.psp, merchantReference: payment.reference };
    const refusal = { refusalReason: "3D Not Authenticated", refusalReasonCode: "11" };
    return json(200, { pspReference, merchantReference, resultCode: "Refused", ...refusal });
  }

  function modify(psp: string, what: "captures" | "cancels" | "refunds", body: Body): DoubleAnswer {
    const payment = books.payments.get(psp);
    if (!payment) return error(422, "167", "Original pspReference required for this operation", "validation", newPsp());
    const amount = what === "cancels" ? payment.amount : body.amount;
    if (!amount || amount.currency !== payment.amount.currency)
      return error(422, "137", "Invalid amount specified", "validation", newPsp());
    const kind = { captures: "capture", cancels: "cancel", refunds: "refund" }[what] as "capture" | "cancel" | "refund";
    const { reference = "" } = body;
    const taken = books.take({ kind, payment, reference, amount });
    return json(201, {
      ...{ merchantAccount, paymentPspReference: psp, pspReference: taken.psp, reference, status: "received" },
      ...(what !== "cancels" && { amount }),
    });
  }

  function store({ paymentMethod = {}, shopperReference }: Body): DoubleAnswer {
    const { number, expiryMonth, expiryYear } = paymentMethod;
    if (!number || !expiryMonth || !expiryYear || !shopperReference)
      return error(422, "130", "Required field is not provided.");
    const id = newPsp();
    stored.set(id, { card: { number, expiryMonth, expiryYear, cvc: null }, shopper: shopperReference });
    return json(201, {
      ...{ id, type: "scheme", brand: methodOf(number), cardBin: number.slice(0, 6), lastFour: number.slice(-4) },
      ...{ expiryMonth, expiryYear: expiryYear.slice(-2), shopperReference },
      supportedRecurringProcessingModels: ["CardOnFile"],
    });
  }

  function list({ query }: DoubleRequest): DoubleAnswer {
    const shopperReference = query.get("shopperReference") ?? "";
    const all = [...stored].filter(([, { shopper }]) => shopper === shopperReference);
    const storedPaymentMethods = all.map(([id, { card }]) => ({ id, type: "scheme", brand: methodOf(card.number) }));
    return json(200, { merchantAccount, shopperReference, storedPaymentMethods });
  }

  function forget(path: string, { query }: DoubleRequest): DoubleAnswer {
    const id = path.replace("/storedPaymentMethods/", "");
    if (stored.get(id)?.shopper !== query.get("shopperReference"))
      return error(422, "800", "Contract not found", "validation", newPsp());
    stored.delete(id);
    return { status: 204, body: "" };
  }

  /** The challenge, for a browser: two links back to the shop. */
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

  /** Answered once; the browser comes back with this. */
  function answerChallenge(payment: Payment, passed: boolean): string {
    payment.result ??= { text: `X${randomBytes(24).toString("base64url")}`, passed };
    return payment.result.text;
  }

  const server = await startDouble(async (request) => {
    try {
      return await execute(request);
    } catch (failure) {
      if (!(failure instanceof AnswerLost)) throw failure;
      throw new Hangup();
    }
  });

  const signing: WebhookOptions = { hmacKey, merchantAccount };
  return {
    ...server,
    ...{ apiKey, merchantAccount, hmacKey, books, keys, stored, signing },
    /** The next request with a key ends with a 500 that is kept under it, executed or not. */
    storeFailure(when: "before" | "after"): void {
      fail500 = when;
    },
    /** What its card component makes of a card in the shopper's browser. */
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
    /** What the shopper's browser comes back with from a challenge at this address. */
    answerChallenge(url: string, passed: boolean): string {
      const payment = books.payments.get(new URL(url).searchParams.get("MD") ?? "");
      if (!payment) throw new Error(`${url} is no challenge`);
      return answerChallenge(payment, passed);
    },
    /** The messages about everything that was not told yet. */
    messages: (): string[] => books.events.splice(0).map((event) => webhookBody([event], signing)),
  };
}

export type AdyenDouble = Awaited<ReturnType<typeof startAdyenDouble>>;

/** It was executed, and kept under its key; only the answer is lost. */
class AnswerLost extends Error {
  constructor(readonly answer: DoubleAnswer) {
    super("the answer is lost");
  }
}

/** Adyen's refusal reasons and their codes, for what the sandbox's cards are declined for. */
const REFUSALS: Readonly<Record<string, [string, string]>> = {
  "decline:insufficient_funds": ["Not enough balance", "12"],
  "decline:lost_card": ["Blocked Card", "5"],
  "decline:stolen_card": ["Blocked Card", "5"],
  "decline:expired_card": ["Expired Card", "6"],
  "decline:incorrect_cvv": ["CVC Declined", "24"],
  "decline:incorrect_number": ["Invalid Card Number", "8"],
  "decline:authentication_failed": ["3D Not Authenticated", "11"],
  "decline:fraud_suspected": ["FRAUD", "20"],
  "decline:processing_error": ["Acquirer Error", "4"],
};
/** What the network says besides. */
const RAW: Readonly<Record<string, string>> = {
  "decline:lost_card": "41 : Lost card",
  "decline:stolen_card": "43 : Stolen card",
  "decline:insufficient_funds": "51 : Insufficient funds",
  "decline:generic_decline": "05 : Do not honor",
};

function dataOf({ card, behaviour, state }: Payment, body: Body): Record<string, string> {
  const { number, expiryMonth, expiryYear } = card;
  const known = {
    cardBin: number.slice(0, 6),
    cardSummary: number.slice(-4),
    expiryDate: `${Number(expiryMonth)}/${expiryYear}`,
    paymentMethod: methodOf(number),
  };
  if (state === "challenged") return known;
  const mismatch = behaviour === "cvv_no_match" || behaviour === "decline:incorrect_cvv";
  const cvc =
    card.cvc === null ? ["6 No CVC/CVV provided", ""] : mismatch ? ["2 Doesn't match", "N"] : ["1 Matches", "M"];
  const hasAddress = "billingAddress" in body;
  const avs =
    behaviour === "avs_no_match"
      ? ["2 Neither postal code nor address match", "N"]
      : hasAddress
        ? ["7 Both postal code and address match", "Y"]
        : ["5 No AVS data provided", ""];
  return {
    ...known,
    ...{ cvcResult: cvc[0] ?? "", cvcResultRaw: cvc[1] ?? "", avsResult: avs[0] ?? "", avsResultRaw: avs[1] ?? "" },
    refusalReasonRaw: state === "authorised" ? "AUTHORISED" : (RAW[behaviour] ?? "05 : Do not honor"),
    ...(state === "authorised" && { authCode: "044925" }),
  };
}

function parsed(text: string): Body | null {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : null;
  } catch (failure) {
    if (failure instanceof SyntaxError) return null;
    throw failure;
  }
}
