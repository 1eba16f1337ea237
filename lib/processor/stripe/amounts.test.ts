import { expect, test } from "vitest";
import { CURRENCIES, currencyDigits } from "@/lib/contract/currencies";
import { fromStripe, toStripe } from "./amounts";

test.each([
  ["USD", 1_999, 1_999],
  ["JPY", 500, 500],
  // Stripe counts whole units, ISO 4217 hundredths.
  ["MGA", 12_300, 123],
  // Stripe counts hundredths that are always zero, ISO 4217 whole units.
  ["ISK", 500, 50_000],
  ["UGX", 500, 50_000],
  ["KWD", 1_230, 1_230],
  ["HUF", 12_345, 12_345],
  ["TWD", 12_345, 12_345],
])("%s: %i minor units are %i of Stripe's, and the same back", (currency, ours, theirs) => {
  const money = toStripe(ours, currency);
  expect(money).toEqual({ amount: theirs, currency: currency.toLowerCase() });
  expect(fromStripe({ amount: theirs, currency: currency.toLowerCase() })).toEqual({ amount: ours, currency });
});

test.each([
  ["KWD", 1_234, "Stripe takes KWD in steps of 0.010."],
  ["MGA", 12_345, "Stripe takes MGA in steps of 1.00."],
  ["LYD", 1_000, "no payments in LYD"],
  ["CLF", 10_000, "no payments in CLF"],
  ["XXX", 100, "no payments in XXX"],
])("%s %i is refused in words, before anything is sent", (currency, amount, words) => {
  expect(toStripe(amount, currency)).toContain(words);
});

test("in every currency exactly the requested amount is sent, or it is rejected", () => {
  for (const currency of CURRENCIES) {
    for (const amount of [1, 10, 99, 100, 1_230, 12_345, 999_999_999_900]) {
      const money = toStripe(amount, currency);
      if (typeof money === "string") continue;
      expect(fromStripe(money), currency).toEqual({ amount, currency });
      expect(Number.isInteger(money.amount)).toBe(true);
    }
  }
  expect(currencyDigits("KWD")).toBe(3);
});
