import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHECKOUT_LOCALES } from "@/lib/contract/checkout/checkout";
import { CURRENCY_DIGITS, MAX_AMOUNT } from "@/lib/contract/currencies";
import { moneyText } from "./localized";

/** Ignores Intl's choice of spaces and direction marks. */
const plain = (text: string) => text.replace(/[\u200e\u200f\u061c]/g, "").replace(/[\u00a0\u202f]/g, " ");

describe("moneyText", () => {
  it.each([
    [1234, "USD", "en", "$12.34"],
    [123450, "USD", "en", "$1,234.50"],
    [123450, "CAD", "en", "CA$1,234.50"],
    [123450, "EUR", "de", "1.234,50 €"],
    [123450, "EUR", "fr", "1 234,50 €"],
    [123450, "EUR", "es", "1234,50 €"],
    [123450, "BRL", "pt", "R$ 1.234,50"],
    [1234, "USD", "ar", "12.34 US$"],
    [500, "JPY", "en", "¥500"],
    [12345, "KWD", "en", "KWD 12.345"],
    [5, "USD", "en", "$0.05"],
  ] as const)("writes %i %s in %s as %s", (amount, currency, locale, text) => {
    expect(plain(moneyText(amount, currency, locale))).toBe(text);
  });

  it("never loses a digit, in any language and currency", () => {
    const currencies = fc.constantFrom(...CURRENCY_DIGITS.keys());
    const amounts = fc.integer({ min: 1, max: MAX_AMOUNT });
    fc.assert(
      fc.property(amounts, currencies, fc.constantFrom(...CHECKOUT_LOCALES), (amount, currency, locale) => {
        const digits = moneyText(amount, currency, locale).replace(/[^0-9]/g, "");
        expect(Number(digits)).toBe(amount);
      }),
    );
  });
});
