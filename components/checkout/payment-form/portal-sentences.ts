import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { moneyText } from "@/lib/contract/checkout/localized";
import { termsText } from "@/lib/contract/checkout/terms";
import type { PortalSubscription } from "@/lib/contract/portal/portal-page";
import { portalTexts } from "@/lib/contract/portal/texts";
import { receiptFormats } from "@/lib/contract/receipts/texts";

/** "$39.98 every month · 2 units" */
export function priceLine(subscription: PortalSubscription, locale: CheckoutLocale): string {
  const { price, every, quantity, currency } = subscription;
  const terms = { type: "SUBSCRIPTION_NO_TRIAL", price, every, trial: null, trialPrice: null } as const;
  const text = termsText(terms, currency, locale) ?? "";
  return quantity > 1 ? `${text} · ${portalTexts(locale).units(quantity)}` : text;
}

/** Sentences on a subscription's next steps and their dates. */
export function stateTexts(subscription: PortalSubscription, locale: CheckoutLocale): string[] {
  const texts = portalTexts(locale);
  const formats = receiptFormats(locale, subscription.time_zone);
  const day = (at: string) => formats.day(new Date(at));
  const { status } = subscription;
  switch (status) {
    case "INCOMPLETE":
      return [texts.incomplete];
    case "EXPIRED":
      return [texts.expiredSubscription];
    case "PAUSED":
      return [texts.paused];
    case "CANCELLED":
      return [texts.ended(day(subscription.ended_at ?? subscription.period_end_at))];
    case "TRIALING":
    case "ACTIVE":
    case "PAST_DUE":
      return runningTexts(subscription, locale);
    default:
      return status satisfies never;
  }
}

function runningTexts(subscription: PortalSubscription, locale: CheckoutLocale): string[] {
  const texts = portalTexts(locale);
  const formats = receiptFormats(locale, subscription.time_zone);
  const day = (at: string) => formats.day(new Date(at));
  const money = (amount: number) => moneyText(amount, subscription.currency, locale);
  const { owed, change, next_invoice_at: nextAt, next_invoice_amount: nextAmount } = subscription;
  if (subscription.cancel_at_period_end) {
    const end = day(subscription.period_end_at);
    return [owed ? texts.endsButOwes(end, money(owed.amount)) : texts.ends(end)];
  }
  const sentences: string[] = [];
  if (owed) {
    const amount = money(owed.amount);
    sentences.push(owed.next_attempt_at ? texts.retry(amount, day(owed.next_attempt_at)) : texts.owed(amount));
  }
  if (nextAt !== null && nextAmount !== null) {
    const amount = money(nextAmount);
    sentences.push(subscription.is_in_trial ? texts.trial(day(nextAt), amount) : texts.next(amount, day(nextAt)));
  }
  if (change) sentences.push(texts.change(change.plan_name, day(change.at)));
  return sentences;
}
