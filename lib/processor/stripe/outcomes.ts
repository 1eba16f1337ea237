import type Stripe from "stripe";
import type { DeclineCode } from "@/lib/contract/errors";
import type { AvsResult, CvvResult } from "@/lib/contract/payments/words";
import { CARD_BRANDS, type CardBrand } from "@/lib/contract/transactions/words";
import type { KnownCard } from "../cards";
import type { Checks, Inquiry } from "../port";
import type { Trace } from "../records";

/** Our keys in a PaymentIntent's metadata. Reference and account are set at creation. */
export const METADATA = {
  reference: "cardlane_reference",
  account: "cardlane_account",
  /** Our id of a Customer. */
  customer: "cardlane_customer",
  /** Reference of the capture, and of the pending void. */
  capture: "cardlane_capture",
  void: "cardlane_void",
} as const;

/** Prefixes of a trace's names in metadata: that of the object itself, and those of its capture and void. */
export const TRACE = { own: "cardlane_own_", capture: "cardlane_capture_", void: "cardlane_void_" } as const;

/** A trace as metadata, of which Stripe takes 50 values of 500 characters. */
export const traceMetadata = (prefix: string, trace: Trace = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(trace).map(([name, value]) => [prefix + name, value]));

export const traceIn = (prefix: string, metadata: Stripe.Metadata): Trace =>
  Object.fromEntries(
    Object.entries(metadata).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    ),
  );

/**
 * Authorization state of a PaymentIntent. `unconfirmed`: nothing has happened yet, but it may still be
 * confirmed.
 */
export type AuthorizationStatus = Exclude<Inquiry, { kind: "not_found" | "not_sent" }> | { kind: "unconfirmed" };

/** Reads a PaymentIntent whose latest charge is expanded. */
export function authorizationStatus(intent: Stripe.PaymentIntent): AuthorizationStatus {
  const details = detailsOf(chargeOf(intent));
  switch (intent.status) {
    case "succeeded":
    case "requires_capture":
      return { kind: "approved", ...details, ...storedBy(intent) };
    case "processing":
      return { kind: "pending" };
    case "requires_action": {
      const url = intent.next_action?.redirect_to_url?.url;
      if (!url)
        return { kind: "unknown", reason: `Stripe asks for ${intent.next_action?.type ?? "an unnamed action"}` };
      return { kind: "action_required", challenge: { url }, ...details };
    }
    case "requires_confirmation":
      return { kind: "unconfirmed" };
    case "requires_payment_method":
      return intent.last_payment_error ? declined(intent.last_payment_error, details) : { kind: "unconfirmed" };
    case "canceled":
      return canceled(intent, details);
    default:
      return { kind: "unknown", reason: `Stripe says ${intent.status} of the payment` };
  }
}

/** The latest charge, which all our requests expand. */
export function chargeOf({ latest_charge }: Stripe.PaymentIntent): Stripe.Charge | null {
  return typeof latest_charge === "string" ? null : latest_charge;
}

/**
 * An authorization that we voided was approved. One that was canceled before we knew of it, or closed, holds
 * no money and never will, so it counts as never executed. A challenge in progress counts as not passed.
 */
function canceled(intent: Stripe.PaymentIntent, details: Details): AuthorizationStatus {
  const wasAuthorized = chargeOf(intent)?.status === "succeeded";
  if (wasAuthorized)
    return intent.metadata[METADATA.void] ? { kind: "approved", ...details, ...storedBy(intent) } : { kind: "never" };
  if (intent.last_payment_error) return declined(intent.last_payment_error, details);
  if (intent.payment_method === null) return { kind: "never" };
  return { kind: "declined", decline_code: "authentication_failed", note: "canceled before its challenge was passed" };
}

/** The card that an approved payment stored. */
function storedBy(intent: Stripe.PaymentIntent): { storedToken?: string; fingerprint?: string } {
  const { customer, setup_future_usage: usage, payment_method: method } = intent;
  if (!customer || !usage || !method) return {};
  const fingerprint = chargeOf(intent)?.payment_method_details?.card?.fingerprint;
  return { storedToken: typeof method === "string" ? method : method.id, ...(fingerprint && { fingerprint }) };
}

type Details = { checks?: Checks; card?: KnownCard; note?: string };

function declined(
  error: Stripe.PaymentIntent.LastPaymentError,
  details: Details,
): Extract<AuthorizationStatus, { kind: "declined" }> {
  const { code, decline_code, network_decline_code, advice_code } = error;
  const words = [code, decline_code, network_decline_code && `network ${network_decline_code}`, advice_code];
  const note = [...new Set(words.filter(Boolean))].join(", ");
  return { kind: "declined", ...details, decline_code: declineCodeOf(code ?? null, decline_code ?? null), note };
}

const DECLINE_CODES: Readonly<Record<string, DeclineCode>> = {
  incorrect_cvc: "incorrect_cvv",
  invalid_cvc: "incorrect_cvv",
  incorrect_number: "incorrect_number",
  invalid_number: "incorrect_number",
  expired_card: "expired_card",
  invalid_expiry_month: "expired_card",
  invalid_expiry_year: "expired_card",
  lost_card: "lost_card",
  stolen_card: "stolen_card",
  insufficient_funds: "insufficient_funds",
  fraudulent: "fraud_suspected",
  merchant_blacklist: "fraud_suspected",
  authentication_required: "authentication_failed",
  payment_intent_authentication_failure: "authentication_failed",
  setup_intent_authentication_failure: "authentication_failed",
  processing_error: "processing_error",
  try_again_later: "processing_error",
};

/** Maps Stripe's `decline_code`, which is more specific, or else its `code`. */
export function declineCodeOf(code: string | null, declineCode: string | null): DeclineCode {
  return DECLINE_CODES[declineCode ?? ""] ?? DECLINE_CODES[code ?? ""] ?? "generic_decline";
}

function detailsOf(charge: Stripe.Charge | null): Details {
  const card = charge?.payment_method_details?.card;
  if (!charge || !card) return {};
  return { checks: checksOf(charge, card), card: knownCard(card) };
}

/** True if a challenge was part of the payment. */
export const wasChallenged = (intent: Stripe.PaymentIntent) =>
  intent.status === "requires_action" ||
  chargeOf(intent)?.payment_method_details?.card?.three_d_secure != null ||
  intent.last_payment_error?.code === "payment_intent_authentication_failure" ||
  (intent.status === "canceled" && intent.cancellation_reason === "abandoned");

type ShownCard = { brand?: string | null; last4?: string | null; exp_month: number; exp_year: number };

export function knownCard({ brand, last4, exp_month, exp_year }: ShownCard): KnownCard {
  return { brand: brandOf(brand), bin: null, last4: last4 ?? null, exp_month, exp_year };
}

export const brandOf = (brand: string | null | undefined): CardBrand | null =>
  CARD_BRANDS.find((one) => one === brand) ?? null;

function checksOf({ outcome }: Stripe.Charge, { checks }: Stripe.Charge.PaymentMethodDetails.Card): Checks {
  const isRisky = outcome?.risk_level === "elevated" || outcome?.risk_level === "highest";
  return {
    avs_result: checks ? avsOf(checks.address_line1_check, checks.address_postal_code_check) : null,
    cvv_result: checks ? cvvOf(checks.cvc_check) : null,
    fraud_score: outcome?.risk_score ?? null,
    fraud_reasons: isRisky && outcome?.seller_message ? [outcome.seller_message] : [],
  };
}

/**
 * Each check is pass, fail, unavailable, unchecked, or null without data to check. Only performed checks are
 * reported: no AVS letter claims a mismatch for a part that was not checked.
 */
function avsOf(line1: string | null, postalCode: string | null): AvsResult | null {
  if (line1 === "pass") return postalCode === "pass" ? "Y" : postalCode === "fail" ? "A" : "B";
  if (postalCode === "pass") return line1 === "fail" ? "Z" : "P";
  if (line1 === "fail" || postalCode === "fail") return "N";
  return line1 === "unavailable" || postalCode === "unavailable" ? "U" : null;
}

function cvvOf(check: string | null): CvvResult | null {
  switch (check) {
    case "pass":
      return "M";
    case "fail":
      return "N";
    case "unavailable":
      return "U";
    case "unchecked":
      return "P";
    default:
      return null;
  }
}
