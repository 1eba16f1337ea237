/** The customer portal in the languages of the payment form. */
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { AR } from "./texts/ar";
import { DE } from "./texts/de";
import { EN } from "./texts/en";
import { ES } from "./texts/es";
import { FR } from "./texts/fr";
import { PT } from "./texts/pt";
import type { PortalTexts } from "./texts/texts-shape";

const TEXTS: Record<CheckoutLocale, PortalTexts> = { en: EN, de: DE, fr: FR, es: ES, pt: PT, ar: AR };

export const portalTexts = (locale: CheckoutLocale): PortalTexts => TEXTS[locale];
