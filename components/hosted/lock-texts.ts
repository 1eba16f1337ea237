import type { CheckoutLocale } from "@/lib/contract/checkout-locales";

/** Keeps a name in one piece where the sentence around it runs the other way. */
const isolate = (name: string) => `\u2068${name}\u2069`;

/** Beside the lock: who sees the card's data, and who does not. */
export const LOCK_TEXTS: Record<CheckoutLocale, (merchant: string) => string> = {
  en: (merchant) => `Card data goes straight to Cardlane; ${merchant} never sees it.`,
  de: (merchant) => `Kartendaten gehen direkt an Cardlane; ${merchant} sieht sie nie.`,
  fr: (merchant) => `Vos données de carte vont directement à Cardlane ; ${merchant} ne les voit jamais.`,
  es: (merchant) => `Los datos de la tarjeta van directamente a Cardlane; ${merchant} nunca los ve.`,
  pt: (merchant) => `Os dados do cartão vão direto para a Cardlane; ${merchant} nunca os vê.`,
  ar: (merchant) => `تُرسل بيانات البطاقة مباشرةً إلى ${isolate("Cardlane")}؛ ولا يراها ${isolate(merchant)} أبدًا.`,
};
