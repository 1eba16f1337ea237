import type { Appearance } from "@/lib/contract/checkout/appearance";
import type { CheckoutFailure, CheckoutLocale, CheckoutPage, CheckoutState } from "@/lib/contract/checkout/checkout";
import type { CheckoutResult } from "@/lib/contract/checkout/messages";

export type FieldName = "email" | "number" | "expiry" | "cvv" | "name" | "postal_code";
/** As shown, formatted. */
export type FormFields = Record<FieldName, string>;

/** What is wrong with a field; a key of the texts' `problems`. */
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
  /** The country is unknown: it may have none. */
  | "postal_code_or_none"
  | "postal_code_invalid";

/** What the form says above its button; a key of the texts' `notices`. */
export type NoticeKey =
  | CheckoutFailure
  /** The server refused a field; the field says more. */
  | "invalid_card_data"
  /** An attempt was sent and its outcome is not known yet. */
  | "connection_lost"
  /** Nothing is under way; the server cannot be reached. */
  | "offline"
  | "rate_limited"
  | "processor_unavailable"
  /** The server took no attempt, for a reason that no other notice names. */
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
 * checking: the answer was lost, and the same attempt is sent again. processing: the server reports the payment under way.
 * challenge: the card's issuer questions the shopper, at `state.action`.
 */
export type CheckoutPhase = "form" | "submitting" | "checking" | "processing" | "challenge" | "done" | "closed";

/** Everything that the form shows; every change makes a new object. */
export type CheckoutView = {
  /** Never changes. */
  page: CheckoutPage;
  /** Newest known. */
  state: CheckoutState;
  fields: FormFields;
  /** The visible fields in their order. */
  shown: readonly FieldName[];
  errors: Partial<Record<FieldName, FieldProblem>>;
  brand: CardBrandName | null;
  phase: CheckoutPhase;
  notice: NoticeKey | null;
  /** In phase `done` alone. */
  result: CheckoutResult | null;
  /** In phase `closed` alone. */
  closed: ClosedReason | null;
  locale: CheckoutLocale;
  appearance: Appearance | null;
  /** Whether the form shows its own button. */
  button: boolean;
  /** Every visible field is filled in correctly. */
  complete: boolean;
};
