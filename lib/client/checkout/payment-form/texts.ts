import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
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
