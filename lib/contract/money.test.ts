import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CURRENCY_DIGITS, formatMinor, MAX_AMOUNT, majorToMinor, minorToMajor } from "./currencies";

describe("amounts", () => {
  test.each([
    [19.99, "USD", 1999],
    [0.1, "USD", 10],
    [1.1, "KWD", 1100],
    [1.234, "KWD", 1234],
    [500, "JPY", 500],
    [1.005, "USD", null],
    [1.5, "JPY", null],
    [1e21, "USD", null],
    [-1, "USD", null],
  ])("%d %s in minor units is %s", (major, currency, minor) => {
    expect(majorToMinor(major, currency)).toBe(minor);
  });

  test("convert to major units and back exactly, in every currency", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: MAX_AMOUNT }),
        fc.constantFrom(...CURRENCY_DIGITS.keys()),
        (minor, currency) => {
          expect(majorToMinor(minorToMajor(minor, currency), currency)).toBe(minor);
        },
      ),
    );
  });

  test("have the currency's number of decimals", () => {
    expect([formatMinor(5, "USD"), formatMinor(1234, "KWD"), formatMinor(70, "JPY")]).toEqual([
      "0.05 USD",
      "1.234 KWD",
      "70 JPY",
    ]);
  });
});
