/**
 * Types shared by the payment form and its server, and the form's languages. Without zod, which the form's
 * bundle lacks.
 */
import type { PlanTerms } from "@/lib/contract/plans/schedule";
import type { Appearance, ShownLogo } from "./appearance";

/**
 * Session status as shown to the shopper. PROCESSING: a payment is in progress with an unknown outcome.
 * REQUIRES_ACTION: the card's issuer must authenticate the shopper first.
 */
export const CHECKOUT_STATUSES = [
  "OPEN",
  "PROCESSING",
  "REQUIRES_ACTION",
  "COMPLETED",
  "EXPIRED",
  "CANCELLED",
] as const;
export type CheckoutStatus = (typeof CHECKOUT_STATUSES)[number];

/**
 * Reason of a failed attempt, as far as a shopper may know. Lost, stolen and suspected cards are
 * `card_declined` like any other, so that a finder of the card learns nothing.
 */
export const CHECKOUT_FAILURES = [
  "card_declined",
  "insufficient_funds",
  "expired_card",
  "incorrect_cvv",
  "incorrect_number",
  "authentication_failed",
  "processing_error",
] as const;
export type CheckoutFailure = (typeof CHECKOUT_FAILURES)[number];

/**
 * `payment`: the card pays the session. `tokenize`: the form returns a `tok_…`, and the merchant's server
 * makes the payment. `setup`: the card is checked and stored for later payments, and nothing is charged.
 */
export const CHECKOUT_MODES = ["payment", "tokenize", "setup"] as const;
export type CheckoutMode = (typeof CHECKOUT_MODES)[number];

/** GET /pay/{token}/state, also part of every response to an attempt. */
export type CheckoutState = {
  status: CheckoutStatus;
  client_session_id: string;
  attempts_left: number;
  /** ISO 8601. */
  expires_at: string;
  /** The payment in progress, or the one that completed the session. */
  payment: { id: string; status: string } | null;
  /** `pm_…` and `sub_…`: what the completed session stored and began; null otherwise. */
  payment_method_id: string | null;
  subscription_id: string | null;
  /**
   * The customer, card or e-mail address had a trial of the plan before, so `CheckoutPage.without_trial`
   * applies.
   */
  trial_refused: boolean;
  /** The issuer's challenge; only with REQUIRES_ACTION. */
  action: { url: string; expires_at: string } | null;
  /** Failure of the last attempt; null once paid, and before the first attempt. */
  failure: CheckoutFailure | null;
  /** The merchant's return address, with `client_session_id` and `payment_id` added; null if it gave none. */
  return_url: string | null;
};

/**
 * POST /pay/{token}/attempts → 200. A decline is a 200 with its failure in the state; invalid requests are
 * errors.
 */
export type CheckoutAttemptResponse = {
  state: CheckoutState;
  /** Only in mode `tokenize`. */
  payment_token: { id: string; expires_at: string } | null;
};

/** Body of POST /pay/{token}/attempts; checked by `checkoutAttemptBody`. */
export type CheckoutAttempt = {
  /**
   * Created once per attempt and kept across its retries: the attempt's idempotency key. 1–64 of A–Z a–z 0–9
   * _ -.
   */
  attempt: string;
  mode: CheckoutMode;
  card: { number: string; exp_month: number; exp_year: number; cvv: string; name?: string };
  postal_code?: string;
  /** Language of the form, and so of the receipt. */
  locale?: CheckoutLocale;
  /** Only for sessions that ask for it. */
  email?: string | null;
  /** The sentence that the shopper agreed to, exactly as shown; only if the session has one. */
  consent?: string;
};

const CHARGED: ReadonlySet<string> = new Set(["CAPTURED", "SETTLED", "PARTIALLY_REFUNDED", "REFUNDED"]);

/** True if the session's payment was captured: an authorization has no receipt yet. */
export const isCharged = ({ status, payment }: CheckoutState): boolean =>
  status === "COMPLETED" && payment !== null && CHARGED.has(payment.status);

/**
 * Reason why a link leads to no payment form. `over`: inactive, or its plan isn't for sale. `elsewhere`:
 * another site sent the shopper past the link's own page. `tried_too_often`: an invoice, within a day.
 */
export type LinkProblem =
  | "not_found"
  | "over"
  | "expired"
  | "paid"
  | "too_many"
  | "tried_too_often"
  | "clock_moves"
  | "elsewhere"
  | "suspended";

/** Price now and later. */
export type CheckoutOffer = {
  /** Amount due now, in minor units; 0 with a free trial; null if only a card is stored. */
  amount: number | null;
  /** Terms of the subscription that begins; null if none does. */
  terms: PlanTerms | null;
  /** Calendar date of the first full price after today, in the subscription's time zone; null without one. */
  next_on: string | null;
};

/** Item and merchant, shown on the payment form and on a link's page before it. */
export type CheckoutSale = {
  merchant_name: string;
  logo: ShownLogo | null;
  offer: CheckoutOffer;
  currency: string;
  /** Name of the plan, if there is one. */
  plan_name: string | null;
  /** Description from a payment link. A plan's own note is private to the merchant. */
  description: string | null;
  environment: "sandbox" | "live";
  /** The session's appearance; `resolveAppearance` computes its colors. */
  appearance: Appearance | null;
  locale: CheckoutLocale;
};

/** `or_none`: the country is unknown and may have no postal codes, so a dash or "none" is accepted. */
export type PostalCodeRule = "required" | "or_none" | "optional";

/** Data that the page is rendered from. The token in its address is the only secret. */
export type CheckoutPage = CheckoutSale & {
  mode: CheckoutMode;
  /** Origin of the embedding page, which receives messages; null when not embedded. */
  parent_origin: string | null;
  /** Fields beside the card's; null: no postal code. */
  fields: { name: boolean; email: boolean; postal_code: PostalCodeRule | null };
  /** The sentence to agree to before the card is stored; null if it isn't. */
  consent: ConsentTexts | null;
  /** The offer and its sentence if the trial turns out to be used up; null without a trial. */
  without_trial: { offer: CheckoutOffer; consent: ConsentTexts } | null;
  /** Name of the session's customer, to prefill the name on the card. */
  customer_name: string | null;
  state: CheckoutState;
  /** Path to the receipt once the session is paid; null if there will be none. */
  receipt: string | null;
  /** The server's time at rendering, ISO 8601: the browser's clock may be wrong. */
  now: string;
};

/** A sentence in every language of the form, because the embedding page may change the language. */
export type ConsentTexts = Record<CheckoutLocale, string>;

/** Languages of the payment form. Their texts are in lib/client/checkout/payment-form/texts.ts. */
export const CHECKOUT_LOCALES = ["en", "de", "fr", "es", "pt", "ar"] as const;
export type CheckoutLocale = (typeof CHECKOUT_LOCALES)[number];

const isLocale = (text: string): text is CheckoutLocale => (CHECKOUT_LOCALES as readonly string[]).includes(text);

/** The first supported language in an Accept-Language header or language tag, or else English. */
export function checkoutLocale(wanted: string | null): CheckoutLocale {
  const ranges = (wanted ?? "").split(",").map((part) => {
    const [tag = "", ...parameters] = part.trim().toLowerCase().split(";");
    const quality = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean);
    return { language: tag.trim().split("-")[0] ?? "", quality: quality === undefined ? 1 : Number(quality) };
  });
  const best = ranges
    .filter(({ language, quality }) => isLocale(language) && quality > 0)
    .sort((a, b) => b.quality - a.quality)[0];
  return best ? (best.language as CheckoutLocale) : "en";
}

/** The best known name of the session's customer; null if it names none. */
export const customerText = (session: {
  customer_name: string | null;
  customer_email: string | null;
  customer_id: string | null;
}): string | null => session.customer_name ?? session.customer_email ?? session.customer_id;
