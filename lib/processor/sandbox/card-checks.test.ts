import { describe, expect, test } from "vitest";
import { cardBrand } from "@/lib/contract/card-networks";
import type { BillingAddress } from "@/lib/contract/fields";
import type { AvsResult } from "@/lib/contract/payments/words";
import type { CardBrand } from "@/lib/contract/transactions/words";
import { isExpired, verifyAddress } from "./checks";

const nowhere: BillingAddress = { line1: null, line2: null, city: null, state: null, postal_code: null, country: null };

test.each<[string, Partial<BillingAddress> | null, AvsResult]>([
  ["no address", null, "U"],
  ["a city alone", { city: "Austin", country: "US" }, "U"],
  ["a foreign city alone", { city: "Lyon", country: "FR" }, "U"],
  ["street and postal code", { line1: "1 Main St", postal_code: "78701", country: "US" }, "Y"],
  ["street and postal code without a country", { line1: "1 Main St", postal_code: "78701" }, "Y"],
  ["street and postal code in Canada", { line1: "1 Main St", postal_code: "K1A 0B1", country: "CA" }, "Y"],
  ["street and postal code in Britain", { line1: "1 High St", postal_code: "SW1A 1AA", country: "GB" }, "Y"],
  ["a postal code alone", { postal_code: "78701", country: "US" }, "Z"],
  ["a street alone", { line1: "1 Main St", country: "US" }, "A"],
  ["a full address in another country", { line1: "1 Rue", postal_code: "69001", country: "FR" }, "G"],
])("an address check of %s responds as in the docs' table", (_, address, result) => {
  expect(verifyAddress("approve", address && { ...nowhere, ...address })).toBe(result);
});

test("the card without an address match responds N whatever was sent", () => {
  expect(verifyAddress("avs_no_match", null)).toBe("N");
  expect(verifyAddress("avs_no_match", { ...nowhere, line1: "1 Main St", postal_code: "78701" })).toBe("N");
});

describe("the brand follows the issuer number", () => {
  test.each<[string, CardBrand | null]>([
    ["4000000000000002", "visa"],
    ["5100000000000000", "mastercard"],
    ["5599999999999999", "mastercard"],
    ["2221000000000000", "mastercard"],
    ["2720999999999999", "mastercard"],
    ["2220999999999999", null],
    ["2721000000000000", null],
    ["340000000000000", "amex"],
    ["370000000000000", "amex"],
    ["6011000000000000", "discover"],
    ["6500000000000000", "discover"],
    ["6440000000000000", "discover"],
    ["6490000000000000", "discover"],
    ["6430000000000000", null],
    ["3530111333300000", null],
    ["36227206271667", null],
  ])("%s", (number, brand) => {
    expect(cardBrand(number)).toBe(brand);
  });
});

test("a card is good until the last millisecond of its month, UTC", () => {
  expect(isExpired(11, 2026, new Date("2026-11-30T23:59:59.999Z"))).toBe(false);
  expect(isExpired(11, 2026, new Date("2026-12-01T00:00:00.000Z"))).toBe(true);
  expect(isExpired(12, 2026, new Date("2026-12-31T23:59:59.999Z"))).toBe(false);
  expect(isExpired(12, 2026, new Date("2027-01-01T00:00:00.000Z"))).toBe(true);
});
