/**
 * A plan's price and schedule in the languages of the payment form. Without zod, which the form's bundle
 * lacks.
 */
import type { Period, PlanTerms } from "@/lib/contract/plans/schedule";
import type { CheckoutLocale, CheckoutOffer } from "./checkout";
import { isolate, moneyText, NUMBER_LOCALES } from "./localized";

/** Lengths, prices and dates come formatted. */
type TermsTexts = {
  every: Record<Period["unit"], string>;
  everyFew: (length: string) => string;
  price: (price: string, every: string) => string;
  trial: (price: string, length: string) => string;
  free: (length: string) => string;
  /** A free trial within a sentence about the price. */
  freeFirst: (price: string, length: string) => string;
  today: (price: string) => string;
  trialToday: (price: string, length: string) => string;
  afterTrial: (trial: string, price: string) => string;
  /** The first charge or the trial, and the price from a date on. */
  after: (first: string, price: string, date: string) => string;
};

const TEXTS: Record<CheckoutLocale, TermsTexts> = {
  en: {
    every: { DAYS: "every day", WEEKS: "every week", MONTHS: "every month" },
    everyFew: (length) => `every ${length}`,
    price: (price, every) => `${price} ${every}`,
    trial: (price, length) => `${price} for ${length}`,
    free: (length) => `${length} free`,
    freeFirst: (price, length) => `${price} (first ${length} free)`,
    today: (price) => `${price} today`,
    trialToday: (price, length) => `${price} today for ${length}`,
    afterTrial: (trial, price) => `${trial}, then ${price}`,
    after: (first, price, date) => `${first}, then ${price} from ${date}`,
  },
  de: {
    every: { DAYS: "jeden Tag", WEEKS: "jede Woche", MONTHS: "jeden Monat" },
    everyFew: (length) => `alle ${length}`,
    price: (price, every) => `${price} ${every}`,
    trial: (price, length) => `${price} für ${length}`,
    free: (length) => `${length} kostenlos`,
    freeFirst: (price, length) => `${price} (zuerst ${length} kostenlos)`,
    today: (price) => `${price} heute`,
    trialToday: (price, length) => `${price} heute für ${length}`,
    afterTrial: (trial, price) => `${trial}, danach ${price}`,
    after: (first, price, date) => `${first}, danach ${price} ab ${date}`,
  },
  fr: {
    every: { DAYS: "chaque jour", WEEKS: "chaque semaine", MONTHS: "chaque mois" },
    everyFew: (length) => (length.endsWith("semaines") ? `toutes les ${length}` : `tous les ${length}`),
    price: (price, every) => `${price} ${every}`,
    trial: (price, length) => `${price} pour ${length}`,
    free: (length) => `Gratuit pendant ${length}`,
    freeFirst: (price, length) => `${price} (gratuit pendant ${length} d’abord)`,
    today: (price) => `${price} aujourd’hui`,
    trialToday: (price, length) => `${price} aujourd’hui pour ${length}`,
    afterTrial: (trial, price) => `${trial}, puis ${price}`,
    after: (first, price, date) => `${first}, puis ${price} à partir du ${date}`,
  },
  es: {
    every: { DAYS: "cada día", WEEKS: "cada semana", MONTHS: "cada mes" },
    everyFew: (length) => `cada ${length}`,
    price: (price, every) => `${price} ${every}`,
    trial: (price, length) => `${price} por ${length}`,
    free: (length) => `Gratis durante ${length}`,
    freeFirst: (price, length) => `${price} (primero, gratis durante ${length})`,
    today: (price) => `${price} hoy`,
    trialToday: (price, length) => `${price} hoy por ${length}`,
    afterTrial: (trial, price) => `${trial}; después, ${price}`,
    after: (first, price, date) => `${first}; después, ${price} a partir del ${date}`,
  },
  pt: {
    every: { DAYS: "por dia", WEEKS: "por semana", MONTHS: "por mês" },
    everyFew: (length) => `a cada ${length}`,
    price: (price, every) => `${price} ${every}`,
    trial: (price, length) => `${price} por ${length}`,
    free: (length) => `Grátis por ${length}`,
    freeFirst: (price, length) => `${price} (primeiro, grátis por ${length})`,
    today: (price) => `${price} hoje`,
    trialToday: (price, length) => `${price} hoje por ${length}`,
    afterTrial: (trial, price) => `${trial}; depois, ${price}`,
    after: (first, price, date) => `${first}; depois, ${price} a partir de ${date}`,
  },
  ar: {
    every: { DAYS: "كل يوم", WEEKS: "كل أسبوع", MONTHS: "كل شهر" },
    everyFew: (length) => `كل ${length}`,
    price: (price, every) => `${isolate(price)} ${every}`,
    trial: (price, length) => `${isolate(price)} لمدة ${length}`,
    free: (length) => `مجانًا لمدة ${length}`,
    freeFirst: (price, length) => `${price} (مجانًا أولًا لمدة ${length})`,
    today: (price) => `${isolate(price)} اليوم`,
    trialToday: (price, length) => `${isolate(price)} اليوم لمدة ${length}`,
    afterTrial: (trial, price) => `${trial}، ثم ${price}`,
    after: (first, price, date) => `${first}، ثم ${price} ابتداءً من ${isolate(date)}`,
  },
};

const UNITS = { DAYS: "day", WEEKS: "week", MONTHS: "month" } as const;

function lengthText({ value, unit }: Period, locale: CheckoutLocale): string {
  const format = { style: "unit", unit: UNITS[unit], unitDisplay: "long" } as const;
  return new Intl.NumberFormat(NUMBER_LOCALES[locale], format).format(value);
}

/** "€19.99 every month". */
function regularText({ price, every }: PlanTerms & { every: Period }, currency: string, locale: CheckoutLocale) {
  const texts = TEXTS[locale];
  const each = every.value === 1 ? texts.every[every.unit] : texts.everyFew(lengthText(every, locale));
  return texts.price(moneyText(price, currency, locale), each);
}

/** "€1.00 for 14 days, then €19.99 every month". Null for a one-time price. */
export function termsText(terms: PlanTerms | null, currency: string, locale: CheckoutLocale): string | null {
  if (!terms?.every) return null;
  const texts = TEXTS[locale];
  const regular = regularText({ ...terms, every: terms.every }, currency, locale);
  if (terms.trial === null) return regular;
  const length = lengthText(terms.trial, locale);
  if (terms.trialPrice === null) return texts.freeFirst(regular, length);
  return texts.afterTrial(texts.trial(moneyText(terms.trialPrice, currency, locale), length), regular);
}

/** "€19.99 today, then €19.99 every month from Dec 27, 2026". Null if no subscription begins. */
export function scheduleText(
  { terms, next_on }: Pick<CheckoutOffer, "terms" | "next_on">,
  currency: string,
  locale: CheckoutLocale,
): string | null {
  if (!terms?.every || next_on === null) return null;
  const texts = TEXTS[locale];
  const { trial, trialPrice, price } = terms;
  const money = (amount: number) => moneyText(amount, currency, locale);
  const first =
    trial === null
      ? texts.today(money(price))
      : trialPrice === null
        ? texts.free(lengthText(trial, locale))
        : texts.trialToday(money(trialPrice), lengthText(trial, locale));
  const date = new Intl.DateTimeFormat(NUMBER_LOCALES[locale], { dateStyle: "medium", timeZone: "UTC" });
  const regular = regularText({ ...terms, every: terms.every }, currency, locale);
  return texts.after(first, regular, date.format(new Date(next_on)));
}
