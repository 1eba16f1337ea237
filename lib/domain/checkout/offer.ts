import type { ClientSessionRow } from "@/db/schema/checkout";
import type { CheckoutMode, CheckoutOffer, ConsentTexts } from "@/lib/contract/checkout/checkout";
import { consentTexts } from "@/lib/contract/checkout/consent";
import { AppError } from "@/lib/contract/errors";
import { dateIn, dueAtOnce, type PlanTerms } from "@/lib/contract/plans/schedule";
import type { BoughtPlan } from "@/lib/contract/subscriptions/subscription";
import { addInterval } from "../subscriptions/periods";

/** A session's offer, with the consent sentence for storing its card; null if it isn't stored. */
type Offered = { offer: CheckoutOffer; consent: ConsentTexts | null };

type Sold = Pick<ClientSessionRow, "mode" | "amount" | "currency" | "bought_plan" | "trial_refused" | "invoice_id"> & {
  merchant_name: string;
  merchant_time_zone: string;
};

/** Terms of a bought plan, with its trial unless that was refused. */
function termsOf(plan: BoughtPlan, trialRefused: boolean): PlanTerms {
  const { type, amount: price, interval: every, trial, trial_amount } = plan;
  return trialRefused
    ? { type, price, every, trial: null, trialPrice: null }
    : { type, price, every, trial, trialPrice: trial_amount };
}

/** The offer of a subscription that begins now. */
export function subscriptionOffer(
  plan: BoughtPlan,
  { now, timeZone, trialRefused }: { now: Date; timeZone: string; trialRefused: boolean },
): CheckoutOffer & { terms: PlanTerms; amount: number } {
  const terms = termsOf(plan, trialRefused);
  const next = addInterval(now.toISOString(), timeZone, terms.trial ?? plan.interval);
  return { amount: dueAtOnce(terms), terms, next_on: dateIn(timeZone, new Date(next)) };
}

/**
 * The form's mode: the session decides, and only one that stores no card leaves the choice
 * to the page.
 */
export function formMode(
  { mode, bought_plan, invoice_id }: Pick<Sold, "mode" | "bought_plan" | "invoice_id">,
  asked: CheckoutMode,
): CheckoutMode {
  if (mode !== "payment") return mode;
  return asked === "tokenize" && bought_plan === null && invoice_id === null ? "tokenize" : "payment";
}

/** True if the card of the session is stored, to which the shopper must agree. */
export const storesCard = (row: Pick<Sold, "mode" | "bought_plan" | "invoice_id">): boolean =>
  row.mode === "setup" || row.bought_plan !== null || row.invoice_id !== null;

export function offerOf(row: Sold, now: Date, trialRefused = row.trial_refused): Offered {
  const { bought_plan: plan, merchant_name: merchant, merchant_time_zone: timeZone } = row;
  if (plan !== null) {
    const offer = subscriptionOffer(plan, { now, timeZone, trialRefused });
    return { offer, consent: consentTexts(merchant, { terms: offer.terms, currency: plan.currency }) };
  }
  const offer = { amount: row.amount, terms: null, next_on: null };
  return { offer, consent: storesCard(row) ? consentTexts(merchant, null) : null };
}

/** The offer if the trial turns out to be used up; null without a trial. */
export function offerWithoutTrial(row: Sold, now: Date): { offer: CheckoutOffer; consent: ConsentTexts } | null {
  if (row.bought_plan === null || row.bought_plan.trial === null || row.trial_refused) return null;
  const { offer, consent } = offerOf(row, now, true);
  return consent && { offer, consent };
}

/**
 * Throws unless the shopper agreed to the session's current sentence, in any language: an agreement to other
 * terms, which have changed since the page was shown, counts as none.
 */
export function requireConsent(
  row: Sold & Pick<ClientSessionRow, "status">,
  now: Date,
  given: string | undefined,
): void {
  const { consent } = offerOf(row, now);
  if (consent === null || Object.values(consent).some((sentence) => sentence === given)) return;
  if (given === undefined) {
    const [param, code] = ["consent", "missing_parameter"] as const;
    const message = "The shopper must agree that the card is stored. Send the sentence that was shown.";
    throw new AppError(code, message, { param, errors: [{ param, code, message }] });
  }
  throw new AppError("invalid_state", "The terms have changed since they were shown. Check the session's state.", {
    extra: { current_status: row.status, allowed_actions: [] },
  });
}
