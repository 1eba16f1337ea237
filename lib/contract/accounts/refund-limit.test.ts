import { expect, test } from "vitest";
import { CURRENCIES, MAX_AMOUNT } from "@/lib/contract/currencies";
import { refundUsdCents } from "./refund-limit";

test.each([
  [1, "USD", 1],
  [100_000, "USD", 100_000],
  [1, "JPY", 1],
  [140_000, "JPY", 100_000],
  [140_001, "JPY", 100_001],
  [300_000, "KWD", 100_000],
  [80_000, "EUR", 100_000],
  // Without a rate, the amount counts as dollars, which is more than its value.
  [100_000, "LBP", 100_000],
  [0, "EUR", 0],
])("a refund of %d %s counts for %d US cents", (amount, currency, cents) => {
  expect(refundUsdCents(amount, currency)).toBe(cents);
});

test("every refund counts for at least one cent, and the largest is exact", () => {
  for (const currency of CURRENCIES) {
    expect(refundUsdCents(1, currency)).toBeGreaterThan(0);
    expect(Number.isSafeInteger(refundUsdCents(MAX_AMOUNT, currency))).toBe(true);
  }
});
