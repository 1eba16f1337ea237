/** What the payment form and the server say to each other, in which languages; without zod, which the form's bundle has not. */
import type { PlanTerms } from "@/lib/contract/plans/schedule";
import type { ShownLogo } from "@/lib/contract/receipts/receipts";
import type { Appearance } from "./appearance";
import type { ClientSessionStatus } from "./client-session";

/**
 * Where a session stands, for its shopper. PROCESSING: a payment is under way and nobody knows its outcome yet.
 * REQUIRES_ACTION: the card's issuer asks the shopper something first.
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
 * Why an attempt did not pay, as far as a shopper may know. Lost, stolen and suspected cards are `card_declined`, like any
 * other: whoever found the card learns nothing.
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

/** `payment`: the card pays the session. `tokenize`: the form returns a `tok_…`, and the merchant's server makes the payment. */
export const CHECKOUT_MODES = ["payment", "tokenize"] as const;
export type CheckoutMode = (typeof CHECKOUT_MODES)[number];

/** GET /pay/{token}/state, and part of every answer to an attempt. */
export type CheckoutState = {
  status: CheckoutStatus;
  client_session_id: string;
  attempts_left: number;
  /** ISO 8601. */
  expires_at: string;
  /** The payment under way, or the one that completed the session. */
  payment: { id: string; status: string } | null;
  /** Where the shopper answers the card's issuer; with REQUIRES_ACTION only. */
  action: { url: string; expires_at: string } | null;
  /** How the last attempt failed; null once it is paid, and before the first attempt. */
  failure: CheckoutFailure | null;
  /** The merchant's address for after the payment, with `client_session_id` and `payment_id` added; null when it gave none. */
  return_url: string | null;
};

/** POST /pay/{token}/attempts → 200. A declined card is a 200 whose state says so; only a request that is wrong is an error. */
export type CheckoutAttemptAnswer = {
  state: CheckoutState;
  /** With mode `tokenize` only. */
  payment_token: { id: string; expires_at: string } | null;
};

/** Body of POST /pay/{token}/attempts; checked by `checkoutAttemptBody`. */
export type CheckoutAttempt = {
  /** Minted once per attempt and kept across its retries: the attempt's idempotency key. 1–64 of A–Z a–z 0–9 _ -. */
  attempt: string;
  mode: CheckoutMode;
  card: { number: string; exp_month: number; exp_year: number; cvv: string; name?: string };
  postal_code?: string;
  /** Of the form, and so of the receipt. */
  locale?: CheckoutLocale;
  /** Where a payment link asks for it. */
  email?: string | null;
};

const CHARGED: ReadonlySet<string> = new Set(["CAPTURED", "SETTLED", "PARTIALLY_REFUNDED", "REFUNDED"]);

/** Whether the session's payment took money: an authorization has no receipt yet. */
export const isCharged = ({ status, payment }: CheckoutState): boolean =>
  status === "COMPLETED" && payment !== null && CHARGED.has(payment.status);

/**
 * Why there is no payment form behind a link. `over`: inactive, or its plan is not for sale. `elsewhere`: another site sent
 * the shopper past the link's own page.
 */
export type LinkProblem = "not_found" | "over" | "expired" | "paid" | "too_many" | "elsewhere" | "suspended";

/** What is sold, by whom: on the payment form, and on the page of a link before it. */
export type CheckoutSale = {
  merchant_name: string;
  logo: ShownLogo | null;
  /** What is paid now, in minor units. */
  amount: number;
  currency: string;
  /** What is bought, when there is a plan. */
  plan_name: string | null;
  /** What is bought, in the words of a payment link. A plan's own note is the merchant's alone. */
  description: string | null;
  /** When and how much the plan charges, as far as that agrees with the amount; null without a plan. */
  terms: PlanTerms | null;
  environment: "sandbox" | "live";
  /** Appearance as the session has it, unresolved: `resolveAppearance` makes colours of it. */
  appearance: Appearance | null;
  locale: CheckoutLocale;
};

/** `or_none`: the country is unknown and may have no postal codes, so a dash or "none" is an answer. */
export type PostalCodeRule = "required" | "or_none" | "optional";

/** What the page is rendered from: no secret but the token that is in its address. */
export type CheckoutPage = CheckoutSale & {
  mode: CheckoutMode;
  /** The merchant page's origin, to which messages go; null when the page is not embedded. */
  parent_origin: string | null;
  /** Which fields are shown beside the card's; null: no postal code. */
  fields: { name: boolean; email: boolean; postal_code: PostalCodeRule | null };
  /** Name on the card, as the session knows the customer. */
  customer_name: string | null;
  state: CheckoutState;
  /** Path that leads to the receipt once the session is paid; null where there is none to come. */
  receipt: string | null;
  /** The server's time when it rendered, ISO 8601: the browser's clock may be wrong. */
  now: string;
};

/** Languages of the payment form. Their texts are in lib/client/checkout/payment-form/texts.ts. */
export const CHECKOUT_LOCALES = ["en", "de", "fr", "es", "pt", "ar"] as const;
export type CheckoutLocale = (typeof CHECKOUT_LOCALES)[number];

const isLocale = (text: string): text is CheckoutLocale => (CHECKOUT_LOCALES as readonly string[]).includes(text);

/** The first language that the form speaks, of an Accept-Language header or a language tag; English for none of them. */
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

/** The shopper's tries to pay one session: CLIENT_SESSION_ATTEMPTS, which stands beside zod. */
export const MAX_ATTEMPTS = 5;

type SessionProgress = { status: ClientSessionStatus; under_way: boolean; attempts: number };

/** What the status alone does not say; null when there is nothing to add. */
export function sessionHint({ status, under_way, attempts }: SessionProgress): string | null {
  if (under_way) return "Payment in progress";
  return status === "OPEN" && attempts >= MAX_ATTEMPTS ? "No attempts left" : null;
}

/** Whom it is for, by what is known best; null when the session names nobody. */
export const customerText = (session: {
  customer_name: string | null;
  customer_email: string | null;
  customer_id: string | null;
}): string | null => session.customer_name ?? session.customer_email ?? session.customer_id;
