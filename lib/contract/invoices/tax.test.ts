import { expect, test } from "vitest";
import { seededRandom } from "@/lib/seeded-random";
import { MAX_AMOUNT } from "../currencies";
import { includedTax, readTaxRate, taxIn, taxLabel, taxProblems } from "./tax";

test.each([
  // 0, 2 and 3 decimals: ¥11,900, €119.00, KWD 119.000. Arithmetic is in minor units, so that they are alike.
  [11_900, 19_000, 1_900],
  [119_000, 19_000, 19_000],
  [10_000, 19_000, 1_597],
  [1_999, 20_000, 333],
  [1, 19_000, 0],
  [1_000, 8_125, 75],
  [0, 19_000, 0],
  [-11_900, 19_000, -1_900],
  [MAX_AMOUNT, 100_000, MAX_AMOUNT % 2 === 0 ? MAX_AMOUNT / 2 : Math.round(MAX_AMOUNT / 2)],
])("%d with a tax of %d thousandths of a percent includes %d of it", (gross, rate, tax) => {
  expect(includedTax(gross, rate)).toBe(tax);
});

test("a half is rounded to the even neighbor, also of a negative amount", () => {
  // At a rate of 100 %, half of the amount is tax.
  expect([1, 3, 5, 7, -1, -3].map((gross) => includedTax(gross, 100_000))).toEqual([0, 2, 2, 4, 0, -2]);
  expect(Object.is(includedTax(-1, 100_000), -0)).toBe(false);
});

test("net and tax add up to the amount, and the tax is within half a unit of the exact one", () => {
  const random = seededRandom(7);
  for (let i = 0; i < 5_000; i++) {
    const gross = Math.floor(random() * 10 ** (1 + Math.floor(random() * 10)));
    const rate = 1 + Math.floor(random() * 100_000);
    const tax = taxIn(gross, { tax_name: "VAT", tax_rate: rate });
    expect((tax?.net ?? 0) + (tax?.amount ?? 0)).toBe(gross);
    const offBy = BigInt(tax?.amount ?? 0) * BigInt(100_000 + rate) - BigInt(gross) * BigInt(rate);
    expect(2n * (offBy < 0n ? -offBy : offBy) <= BigInt(100_000 + rate)).toBe(true);
  }
});

test("the taxes of any partial refunds, each the difference of what is included so far, add up to the whole's", () => {
  const random = seededRandom(11);
  for (let i = 0; i < 2_000; i++) {
    const gross = 1 + Math.floor(random() * 100_000);
    const rate = 1 + Math.floor(random() * 30_000);
    let [refunded, returned] = [0, 0];
    while (refunded < gross) {
      const amount = 1 + Math.floor(random() * (gross - refunded));
      refunded += amount;
      const part = includedTax(refunded, rate) - returned;
      expect(part >= 0 && part <= amount).toBe(true);
      returned += part;
    }
    expect(returned).toBe(includedTax(gross, rate));
  }
});

test("without a rate there is no tax", () => {
  expect(taxIn(100, { tax_name: null, tax_rate: null })).toBeNull();
});

test.each([
  ["19", 19_000],
  [" 8.25 % ", 8_250],
  ["5,5", 5_500],
  ["8.125", 8_125],
  ["0.001", 1],
  ["100", 100_000],
  ["0", null],
  ["100.001", null],
  ["8.1255", null],
  ["-5", null],
  ["1e1", null],
  ["", null],
  ["VAT", null],
])("the typed rate %j is %s", (text, rate) => {
  expect(readTaxRate(text)).toBe(rate);
});

test("a tax needs a name and a rate, or neither", () => {
  expect(taxProblems("", " ")).toEqual([]);
  expect(taxProblems("VAT", "19")).toEqual([]);
  expect(taxProblems("", "19")).toMatchObject([{ param: "tax_name" }]);
  expect(taxProblems("VAT", "")).toMatchObject([{ param: "tax_percentage" }]);
});

test("a label has the rate as the language writes it", () => {
  const plain = (locale: string, rate: number) =>
    taxLabel({ name: "VAT", rate }, locale).replace(/[\u00a0\u202f]/g, " ");
  expect([plain("en", 19_000), plain("de", 8_125), plain("fr", 5_500)]).toEqual([
    "VAT 19%",
    "VAT 8,125 %",
    "VAT 5,5 %",
  ]);
});
