import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { passesLuhn } from "@/lib/contract/payments/words";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";
import { cvvLength, numberShape, numberVerdict } from "./card-fields";

describe("numberShape", () => {
  it.each([
    ["", null],
    ["4", "visa"],
    ["401178", "elo"],
    ["51", "mastercard"],
    ["2221", "mastercard"],
    ["2720", "mastercard"],
    ["3", null],
    ["34", "amex"],
    ["37", "amex"],
    ["6", null],
    ["60", null],
    ["6011", "discover"],
    ["65", "discover"],
    ["36", "diners"],
    ["3528", "jcb"],
    ["62000", "unionpay"],
    ["6759", "maestro"],
    ["9", null],
    ["0000", null],
  ])("recognizes %s as %s", (digits, brand) => {
    expect(numberShape(digits).brand).toBe(brand);
  });
});

describe("numberVerdict", () => {
  it.each(SANDBOX_CARDS.map((card) => [card.number, card.brand]))("accepts the test card %s of %s", (number, brand) => {
    expect(numberVerdict(number)).toBe("valid");
    expect(numberShape(number).brand).toBe(brand);
  });

  it.each([
    ["4242", "incomplete"],
    ["424242424242424", "incomplete"],
    ["4242424242424241", "invalid"],
    ["378282246310006", "invalid"],
    ["37828224631000", "incomplete"],
    ["4000000000000000006", "valid"],
    ["30569309025904", "valid"],
    ["9999999999999995", "valid"],
  ])("validates %s: %s", (number, verdict) => {
    expect(numberVerdict(number)).toBe(verdict);
  });

  it("accepts no number that fails the server's check digit", () => {
    const numbers = fc.string({ unit: fc.constantFrom(...Array.from("0123456789")), minLength: 1, maxLength: 19 });
    fc.assert(
      fc.property(numbers, (digits) => {
        if (numberVerdict(digits) === "valid") expect(passesLuhn(digits) && digits.length >= 12).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("accepts every 16-digit number of an unknown brand that the server accepts", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100_000_000_000_000, max: 999_999_999_999_999 }), (body) => {
        const digit = Array.from("0123456789").find((one) => passesLuhn(`${body}${one}`));
        const number = `${body}${digit}`;
        const { lengths } = numberShape(number);
        if (lengths.includes(16)) expect(numberVerdict(number)).toBe("valid");
      }),
    );
  });
});

describe("cvvLength", () => {
  it("is four for American Express, three for all others, and unknown without a number", () => {
    expect([cvvLength(""), cvvLength("3"), cvvLength("37"), cvvLength("42"), cvvLength("36")]).toEqual([
      null,
      null,
      4,
      3,
      3,
    ]);
  });
});
