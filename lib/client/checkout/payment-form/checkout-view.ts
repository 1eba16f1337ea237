import type { Appearance } from "@/lib/contract/checkout/appearance";
import type {
  CheckoutFailure,
  CheckoutLocale,
  CheckoutOffer,
  CheckoutPage,
  CheckoutState,
  ConsentTexts,
} from "@/lib/contract/checkout/checkout";
import type { CheckoutResult } from "@/lib/contract/checkout/messages";

/** `consent` is a checkbox: empty unless ticked. */
export type FieldName = "email" | "number" | "expiry" | "cvv" | "name" | "postal_code" | "consent";
/** Formatted, as displayed. */
export type FormFields = Record<FieldName, string>;

/** Problem of a field; a key of the texts' `problems`. */
export type FieldProblem =
  | "email_missing"
  | "email_invalid"
  | "number_missing"
  | "number_incomplete"
  | "number_invalid"
  | "expiry_missing"
  | "expiry_incomplete"
  | "expiry_invalid"
  | "expiry_past"
  | "cvv_missing"
  | "cvv_three_digits"
  | "cvv_four_digits"
  | "cvv_invalid"
  | "name_missing"
  | "name_invalid"
  | "postal_code_missing"
  /** The country is unknown and may have no postal codes. */
  | "postal_code_or_none"
  | "postal_code_invalid"
  | "consent_missing";

/** Notice above the button; a key of the texts' `notices`. */
export type NoticeKey =
  | CheckoutFailure
  /** The server refused a field, whose error says more. */
  | "invalid_card_data"
  /** An attempt with an unknown outcome. */
  | "connection_lost"
  /** Nothing is in progress, and the server can't be reached. */
  | "offline"
  | "rate_limited"
  | "processor_unavailable"
  /** The trial was used up before, so the terms have changed. */
  | "trial_used"
  /** The server accepted no attempt, for a reason without a notice of its own. */
  | "not_sent";

export type ClosedReason = "expired" | "cancelled" | "attempts_exhausted" | "not_found" | "returned";

export type CardBrandName =
  | "visa"
  | "mastercard"
  | "amex"
  | "discover"
  | "diners"
  | "jcb"
  | "unionpay"
  | "maestro"
  | "mir"
  | "elo"
  | "hiper"
  | "hipercard"
  | "troy"
  | "verve"
  | "naranja";

/**
 * checking: the response was lost, and the same attempt is sent again. processing: the server reports the
 * payment in progress. challenge: the issuer authenticates the shopper, at `state.action`.
 */
export type CheckoutPhase = "form" | "submitting" | "checking" | "processing" | "challenge" | "done" | "closed";

/** Effect of the button: pay, begin a free trial, or only store the card. */
export function deedOf({ page, offer }: Pick<CheckoutView, "page" | "offer">): "pay" | "trial" | "save" {
  if (page.mode !== "payment") return "save";
  return offer.amount === 0 ? "trial" : "pay";
}

/** The current offer and sentence. */
export const offerIn = (page: CheckoutPage, state: CheckoutState): Pick<CheckoutView, "offer" | "consent"> =>
  (state.trial_refused && page.without_trial) || { offer: page.offer, consent: page.consent };

/** The complete view; every change creates a new object. */
export type CheckoutView = {
  /** Never changes. */
  page: CheckoutPage;
  /** Latest known state. */
  state: CheckoutState;
  /** The amount due, which changes once if the trial turns out to be used up. */
  offer: CheckoutOffer;
  /** The sentence to agree to, by language; null if there is none. */
  consent: ConsentTexts | null;
  fields: FormFields;
  /** Visible fields in order. */
  shown: readonly FieldName[];
  errors: Partial<Record<FieldName, FieldProblem>>;
  brand: CardBrandName | null;
  phase: CheckoutPhase;
  notice: NoticeKey | null;
  /** Only in phase `done`. */
  result: CheckoutResult | null;
  /** Only in phase `closed`. */
  closed: ClosedReason | null;
  locale: CheckoutLocale;
  appearance: Appearance | null;
  /** The form shows its own button. */
  button: boolean;
  /** Every visible field is valid. */
  complete: boolean;
};
