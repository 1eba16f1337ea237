/** Amounts and names in the languages of the payment form and its receipts. */
import { currencyDigits } from "@/lib/contract/currencies";
import type { CheckoutLocale } from "./checkout";

/** Western digits in Arabic too, as on the card and on bank statements. */
export const NUMBER_LOCALES: Record<CheckoutLocale, string> = {
  en: "en",
  de: "de",
  fr: "fr",
  es: "es",
  pt: "pt",
  ar: "ar-u-nu-latn",
};

/** The languages' own names. */
export const LANGUAGE_NAMES: Record<CheckoutLocale, string> = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  pt: "Português",
  ar: "العربية",
};

/**
 * Formats minor units for shoppers: "$1,234.50", "1.234,50 €". Exact, because Intl gets a decimal text, not a
 * float. Foreign dollars name their country ("CA$"), to tell them from the shopper's own.
 */
export function moneyText(amount: number, currency: string, locale: CheckoutLocale): string {
  const digits = currencyDigits(currency);
  const sign = amount < 0 ? "-" : "";
  const minor = String(Math.abs(amount)).padStart(digits + 1, "0");
  const decimal = digits === 0 ? minor : `${minor.slice(0, -digits)}.${minor.slice(-digits)}`;
  const format = new Intl.NumberFormat(NUMBER_LOCALES[locale], {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  const text = format.format(`${sign}${decimal}` as `${number}`);
  // In Arabic text, the sign at the end of "US$" would otherwise move to its front.
  return locale === "ar" ? `${text}\u200e` : text;
}

/** Isolates the direction of a name or an amount inside a sentence. */
export const isolate = (text: string) => `\u2068${text}\u2069`;
