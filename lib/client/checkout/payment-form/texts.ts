import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { currencyDigits } from "@/lib/contract/currencies";
import { AR } from "./texts/ar";
import { DE } from "./texts/de";
import { EN } from "./texts/en";
import { ES } from "./texts/es";
import { FR } from "./texts/fr";
import { PT } from "./texts/pt";
import type { Texts } from "./texts/texts-shape";

const TEXTS: Record<CheckoutLocale, Texts> = { en: EN, de: DE, fr: FR, es: ES, pt: PT, ar: AR };

/** The form's words in a language. */
export const textsOf = (locale: CheckoutLocale): Texts => TEXTS[locale];

/** Card numbers, dates and codes stay left-to-right in both. */
export const directionOf = (locale: CheckoutLocale): "ltr" | "rtl" => (locale === "ar" ? "rtl" : "ltr");

/** Western digits in Arabic, too: the card's number and the bank's statement have them. */
const NUMBER_LOCALES: Record<CheckoutLocale, string> = {
  en: "en",
  de: "de",
  fr: "fr",
  es: "es",
  pt: "pt",
  ar: "ar-u-nu-latn",
};

/**
 * Minor units → what the shopper reads: "$1,234.50", "1.234,50 €". Exact: Intl gets a decimal text, not a float. Dollars
 * of other countries say which ("CA$"), as the shopper's own may be meant otherwise.
 */
export function moneyText(amount: number, currency: string, locale: CheckoutLocale): string {
  const digits = currencyDigits(currency);
  const minor = String(amount).padStart(digits + 1, "0");
  const decimal = digits === 0 ? minor : `${minor.slice(0, -digits)}.${minor.slice(-digits)}`;
  const format = new Intl.NumberFormat(NUMBER_LOCALES[locale], {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  const text = format.format(decimal as `${number}`);
  // Among Arabic letters, the sign at the end of "US$" would else move to its front.
  return locale === "ar" ? `${text}\u200e` : text;
}
