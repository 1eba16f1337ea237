/**
 * The sentences with which shoppers agree to later charges. Only servers compose them: they are stored as
 * shown.
 */
import type { PlanTerms } from "@/lib/contract/plans/schedule";
import { CHECKOUT_LOCALES, type CheckoutLocale, type ConsentTexts } from "./checkout";
import { isolate } from "./localized";
import { termsText } from "./terms";

type Sentences = {
  later: (merchant: string) => string;
  /** `price`: the plan's terms. */
  plan: (merchant: string, price: string) => string;
};

const SENTENCES: Record<CheckoutLocale, Sentences> = {
  en: {
    later: (merchant) => `I agree that ${merchant} may charge this card for later payments until I cancel.`,
    plan: (merchant, price) => `I agree that ${merchant} charges this card ${price} until I cancel.`,
  },
  de: {
    later: (merchant) =>
      `Ich bin einverstanden, dass ${merchant} diese Karte für spätere Zahlungen belasten darf, bis ich widerrufe.`,
    plan: (merchant, price) =>
      `Ich bin einverstanden, dass ${merchant} diese Karte mit ${price} belastet, bis ich kündige.`,
  },
  fr: {
    later: (merchant) =>
      `J’accepte que ${merchant} débite cette carte pour des paiements ultérieurs jusqu’à ce que je résilie.`,
    plan: (merchant, price) => `J’accepte que ${merchant} débite cette carte de ${price} jusqu’à ce que je résilie.`,
  },
  es: {
    later: (merchant) => `Acepto que ${merchant} cobre pagos posteriores en esta tarjeta hasta que yo cancele.`,
    plan: (merchant, price) => `Acepto que ${merchant} cobre en esta tarjeta ${price} hasta que yo cancele.`,
  },
  pt: {
    later: (merchant) => `Concordo que ${merchant} cobre pagamentos posteriores neste cartão até eu cancelar.`,
    plan: (merchant, price) => `Concordo que ${merchant} cobre neste cartão ${price} até eu cancelar.`,
  },
  ar: {
    later: (merchant) => `أوافق على أن يخصم ${isolate(merchant)} مدفوعات لاحقة من هذه البطاقة إلى أن ألغي ذلك.`,
    plan: (merchant, price) => `أوافق على أن يخصم ${isolate(merchant)} من هذه البطاقة ${price} إلى أن ألغي ذلك.`,
  },
};

/** The sentence in each language: for a plan's terms, or for later payments in general. */
export function consentTexts(
  merchant: string,
  plan: { readonly terms: PlanTerms; readonly currency: string } | null,
): ConsentTexts {
  const textIn = (locale: CheckoutLocale) => {
    const price = plan && termsText(plan.terms, plan.currency, locale);
    return price === null ? SENTENCES[locale].later(merchant) : SENTENCES[locale].plan(merchant, price);
  };
  return Object.fromEntries(CHECKOUT_LOCALES.map((locale) => [locale, textIn(locale)])) as ConsentTexts;
}
