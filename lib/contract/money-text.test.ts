import { describe, expect, test } from "vitest";
import { moneyText, moneyTextWithCode } from "./format";

describe("moneyText", () => {
  test("has the currency's number of decimals", () => {
    expect(moneyText(123_450, "USD")).toBe("$1,234.50");
    expect(moneyText(500, "JPY")).toBe("¥500");
    expect(moneyText(1, "BHD")).toMatch(/^BHD\s0\.001$/);
    expect(moneyText(-5, "EUR")).toBe("\u2212€0.05");
    expect(moneyText(0, "USD")).toBe("$0.00");
  });

  test("is exact for the largest sums", () => {
    expect(moneyText(Number.MAX_SAFE_INTEGER, "USD")).toBe("$90,071,992,547,409.91");
  });

  test("names the currency once", () => {
    expect(moneyTextWithCode(1_200, "CAD")).toBe("$12.00 CAD");
    expect(moneyTextWithCode(1_200, "CHF")).toMatch(/^CHF\s12\.00$/);
  });
});
