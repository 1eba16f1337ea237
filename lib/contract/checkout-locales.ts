/** Languages of the payment form. Their texts are in lib/client/hosted/texts.ts. */
export const CHECKOUT_LOCALES = ["en", "de", "fr", "es", "pt", "ar"] as const;
export type CheckoutLocale = (typeof CHECKOUT_LOCALES)[number];

const isLocale = (text: string): text is CheckoutLocale => (CHECKOUT_LOCALES as readonly string[]).includes(text);

/** The first language that the form speaks, of an Accept-Language header or a language tag; English for none of them. */
export function checkoutLocale(wanted: string | null): CheckoutLocale {
  const ranges = (wanted ?? "").split(",").map((part) => {
    const [tag = "", ...parameters] = part.trim().toLowerCase().split(";");
    const quality = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean);
    return { language: tag.trim().split("-")[0] ?? "", quality: quality === undefined ? 1 : Number(quality) };
  });
  const best = ranges
    .filter(({ language, quality }) => isLocale(language) && quality > 0)
    .sort((a, b) => b.quality - a.quality)[0];
  return best ? (best.language as CheckoutLocale) : "en";
}
