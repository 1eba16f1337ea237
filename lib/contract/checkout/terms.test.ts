import { describe, expect, it } from "vitest";
import { CHECKOUT_LOCALES, type CheckoutLocale } from "./checkout";
import { consentTexts } from "./consent";
import { scheduleText, termsText } from "./terms";

const monthly = { value: 1, unit: "MONTHS" } as const;
const plain = { type: "SUBSCRIPTION_NO_TRIAL", price: 1_999, every: monthly, trial: null, trialPrice: null } as const;
const free = { ...plain, trial: { value: 14, unit: "DAYS" } } as const;
const paid = { ...free, every: { value: 2, unit: "WEEKS" }, trialPrice: 100 } as const;
const spaced = (text: string | null | undefined) => text?.replaceAll(/[\u00a0\u202f]/g, " ");
const say = (locale: CheckoutLocale, terms: Parameters<typeof termsText>[0]) => spaced(termsText(terms, "EUR", locale));

describe("a plan's terms", () => {
  it.each([
    [
      "en",
      "€19.99 every month",
      "€19.99 every month (first 14 days free)",
      "€1.00 for 14 days, then €19.99 every 2 weeks",
    ],
    [
      "de",
      "19,99 € jeden Monat",
      "19,99 € jeden Monat (zuerst 14 Tage kostenlos)",
      "1,00 € für 14 Tage, danach 19,99 € alle 2 Wochen",
    ],
    [
      "fr",
      "19,99 € chaque mois",
      "19,99 € chaque mois (gratuit pendant 14 jours d’abord)",
      "1,00 € pour 14 jours, puis 19,99 € toutes les 2 semaines",
    ],
    [
      "es",
      "19,99 € cada mes",
      "19,99 € cada mes (primero, gratis durante 14 días)",
      "1,00 € por 14 días; después, 19,99 € cada 2 semanas",
    ],
    [
      "pt",
      "€ 19,99 por mês",
      "€ 19,99 por mês (primeiro, grátis por 14 dias)",
      "€ 1,00 por 14 dias; depois, € 19,99 a cada 2 semanas",
    ],
  ] as const)("are in the language: %s", (locale, regular, afterFree, afterPaid) => {
    expect(say(locale, plain)).toBe(regular);
    expect(say(locale, free)).toBe(afterFree);
    expect(say(locale, paid)).toBe(afterPaid);
  });

  it("are in Arabic with its own plurals, and isolated amounts", () => {
    expect(say("ar", paid)).toMatch(/^\u2068.*\u2069 لمدة 14 يومًا، ثم \u2068.*\u2069 كل أسبوعان|أسبوعين$/);
    expect(say("ar", plain)).toContain("كل شهر");
  });

  it("don't exist for a one-time payment", () => {
    expect(say("en", { ...plain, type: "ONE_TIME", every: null })).toBeUndefined();
    expect(say("en", null)).toBeUndefined();
  });
});

describe("a subscription's schedule", () => {
  const schedule = (locale: CheckoutLocale, terms: typeof plain | typeof free | typeof paid) =>
    spaced(scheduleText({ terms, next_on: "2026-12-11" }, "EUR", locale));

  it("states today's charge, and the date of the next one", () => {
    expect(schedule("en", plain)).toBe("€19.99 today, then €19.99 every month from Dec 11, 2026");
    expect(schedule("en", free)).toBe("14 days free, then €19.99 every month from Dec 11, 2026");
    expect(schedule("en", paid)).toBe("€1.00 today for 14 days, then €19.99 every 2 weeks from Dec 11, 2026");
    expect(schedule("de", plain)).toBe("19,99 € heute, danach 19,99 € jeden Monat ab 11.12.2026");
  });

  it.each(CHECKOUT_LOCALES)("has the date in %s", (locale) => {
    for (const terms of [plain, free, paid]) expect(schedule(locale, terms)).toMatch(/11.*2026|2026.*11/);
  });

  it("exists for subscriptions only", () => {
    expect(scheduleText({ terms: null, next_on: null }, "EUR", "en")).toBeNull();
  });
});

describe("the sentence to agree to", () => {
  it("names the merchant and the plan's price in every language", () => {
    const [later, plan] = [consentTexts("Acme", null), consentTexts("Acme", { terms: plain, currency: "EUR" })];
    expect(later.en).toBe("I agree that Acme may charge this card for later payments until I cancel.");
    expect(plan.en).toBe("I agree that Acme charges this card €19.99 every month until I cancel.");
    for (const locale of CHECKOUT_LOCALES) {
      expect(later[locale]).toContain("Acme");
      expect(spaced(plan[locale])).toContain(say(locale, plain));
    }
    expect(new Set(Object.values(later)).size).toBe(CHECKOUT_LOCALES.length);
  });

  it("differs with and without a trial, so that agreeing to one is not agreeing to the other", () => {
    const sentences = [plain, free, paid].map((terms) => consentTexts("Acme", { terms, currency: "EUR" }).en);
    expect(new Set(sentences).size).toBe(3);
  });
});
