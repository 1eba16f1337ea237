import type { CheckoutLocale, CheckoutSale } from "@/lib/contract/checkout/checkout";
import { moneyText, NUMBER_LOCALES } from "@/lib/contract/checkout/localized";
import type { PeriodUnit } from "@/lib/contract/plans/plan";
import { AR } from "./texts/ar";
import { DE } from "./texts/de";
import { EN } from "./texts/en";
import { ES } from "./texts/es";
import { FR } from "./texts/fr";
import { PT } from "./texts/pt";
import type { Texts } from "./texts/texts-shape";

const TEXTS: Record<CheckoutLocale, Texts> = { en: EN, de: DE, fr: FR, es: ES, pt: PT, ar: AR };

/** Texts of the form in a language. */
export const textsOf = (locale: CheckoutLocale): Texts => TEXTS[locale];

/** Card numbers, dates and codes stay left-to-right in both. */
export const directionOf = (locale: CheckoutLocale): "ltr" | "rtl" => (locale === "ar" ? "rtl" : "ltr");

const UNITS: Record<PeriodUnit, string> = { DAYS: "day", WEEKS: "week", MONTHS: "month" };

/** Terms of a plan: "$1.00 for 14 days, then $19.99 every month". Null for a one-time price. */
export function termsText({ terms, currency }: Pick<CheckoutSale, "terms" | "currency">, locale: CheckoutLocale) {
  if (!terms?.every) return null;
  const texts = textsOf(locale).terms;
  const length = ({ value, unit }: { value: number; unit: PeriodUnit }) =>
    new Intl.NumberFormat(NUMBER_LOCALES[locale], { style: "unit", unit: UNITS[unit], unitDisplay: "long" }).format(
      value,
    );
  const { every, trial, price, trialPrice } = terms;
  const each = every.value === 1 ? texts.every[every.unit] : texts.everyFew(length(every));
  const regular = texts.price(moneyText(price, currency, locale), each);
  if (trial === null || trialPrice === null) return regular;
  return texts.afterTrial(texts.trial(moneyText(trialPrice, currency, locale), length(trial)), regular);
}

/** Notice that a plan's free trial doesn't apply. Null for other plans. */
export function withoutTrialText({ terms }: Pick<CheckoutSale, "terms">, locale: CheckoutLocale): string | null {
  return terms?.trial && terms.trialPrice === null ? textsOf(locale).terms.withoutTrial : null;
}
