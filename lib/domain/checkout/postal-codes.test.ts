import { expect, test } from "vitest";
import { postalCodeRule } from "./postal-codes";

const rule = (currency: string, address: { country?: string; postal_code?: string } | null, requested?: boolean) => {
  const rest = { line1: null, line2: null, city: null, state: null, postal_code: null, country: null };
  return postalCodeRule({ currency, billing_address: address && { ...rest, ...address } }, requested ?? null);
};

test("the country of the address decides, and without one the currency", () => {
  expect(rule("USD", { country: "US" })).toBe("required");
  expect(rule("EUR", { country: "GB" })).toBe("required");
  expect(rule("USD", { country: "DE" })).toBeNull();
  expect(rule("EUR", null)).toBeNull();
  for (const currency of ["USD", "CAD", "GBP"]) expect(rule(currency, null)).toBe("or_none");
  expect(rule("USD", { postal_code: "94107" })).toBeNull();
  expect(rule("USD", { country: "US", postal_code: "94107" })).toBeNull();
});

test.each(["HK", "AE", "QA", "MO", "IE", "JM", "PA", "BS", "GH", "UG", "ZW", "FJ", "TT", "BO"])(
  "no one in %s has to enter a postal code, whatever the shop's page requests",
  (country) => {
    expect(rule("USD", { country })).toBeNull();
    expect(rule("USD", { country }, true)).toBe("optional");
  },
);

test("the merchant's page may collect it itself, and may omit it", () => {
  expect(rule("EUR", { country: "DE" }, true)).toBe("required");
  expect(rule("EUR", null, true)).toBe("or_none");
  expect(rule("USD", { country: "US" }, false)).toBeNull();
});
