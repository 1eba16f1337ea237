import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CURRENCIES, MAX_AMOUNT, MINOR_UNITS } from "./currencies";
import { plainAmount, readTypedAmount, unitNamed } from "./typed-amount";

const labels = (text: string, unit: string) => {
  const read = readTypedAmount(text, unit);
  return read.minor === null ? read.choices.map(({ label }) => label.replaceAll("\u00a0", " ")) : read;
};

describe("a typed amount", () => {
  test.each([
    ["19,90", "EUR", 1_990],
    ["19.90", "EUR", 1_990],
    ["19.9", "USD", 1_990],
    ["19,9", "USD", 1_990],
    ["12,5", "KWD", 12_500],
    ["0,500", "KWD", 500],
    ["0.500", "EUR", 50],
    [",50", "EUR", 50],
    ["$.50", "USD", 50],
    ["19,", "EUR", 1_900],
    ["19,-", "EUR", 1_900],
    ["19,–", "EUR", 1_900],
    ["19.—", "CHF", 1_900],
    ["50", "USD", 5_000],
    ["1500", "KWD", 1_500_000],
    ["1500,000", "KWD", 1_500_000],
    ["2000.000", "KWD", 2_000_000],
    ["1.5", "KWD", 1_500],
    ["1.2340", "KWD", 1_234],
    ["1,234.56", "USD", 123_456],
    ["1.234,56", "EUR", 123_456],
    ["1,500.000", "KWD", 1_500_000],
    ["1.500,000", "KWD", 1_500_000],
    ["1,234,567", "EUR", 123_456_700],
    ["1.234.567", "EUR", 123_456_700],
    ["1,50,000", "INR", 15_000_000],
    ["1,50,000.50", "INR", 15_000_050],
    ["1,234", "USD", 123_400],
    ["1,500", "JPY", 1_500],
    ["1,000", "JPY", 1_000],
    ["1500.00", "JPY", 1_500],
    ["1 500,00", "EUR", 150_000],
    ["1\u00a0500,00", "EUR", 150_000],
    ["1\u202f500,00", "EUR", 150_000],
    ["1\u2009500", "EUR", 150_000],
    ["1'500.00", "CHF", 150_000],
    ["1’500,00", "CHF", 150_000],
    [" 20 ", "EUR", 2_000],
    ["+20", "EUR", 2_000],
    ["€20", "EUR", 2_000],
    ["€ 1.500,00", "EUR", 150_000],
    ["19,90 €", "EUR", 1_990],
    ["19,90EUR", "EUR", 1_990],
    ["EUR 19.90", "EUR", 1_990],
    ["eur19.90", "EUR", 1_990],
    ["20 euros", "EUR", 2_000],
    ["US$20", "USD", 2_000],
    ["$20", "CAD", 2_000],
    ["Fr. 20", "CHF", 2_000],
    ["￥１，５００", "JPY", 1_500],
    ["１９．９０", "EUR", 1_990],
    ["١٩٫٩٠", "EUR", 1_990],
    ["١٬٥٠٠٫٢٥", "EUR", 150_025],
    ["۱۹,۹۰", "EUR", 1_990],
    ["\u200f19,90\u200e", "EUR", 1_990],
    ["5000", MINOR_UNITS, 5_000],
    ["0", "USD", 0],
    ["9999999999.99", "USD", MAX_AMOUNT],
  ])("%s in %s is %d minor units", (text, unit, minor) => {
    expect(readTypedAmount(text, unit)).toEqual({ minor });
  });

  test.each([
    ["1,500", "KWD", ["KWD 1,500.000 (one thousand five hundred)", "KWD 1.500 (one and 500/1000)"]],
    ["1.500", "KWD", ["KWD 1,500.000 (one thousand five hundred)", "KWD 1.500 (one and 500/1000)"]],
    [
      "12,345",
      "KWD",
      ["KWD 12,345.000 (twelve thousand three hundred forty-five)", "KWD 12.345 (twelve and 345/1000)"],
    ],
    ["1,500", "EUR", ["€1,500.00 (one thousand five hundred)", "€1.50 (one and 50/100)"]],
    ["1.500", "EUR", ["€1,500.00 (one thousand five hundred)", "€1.50 (one and 50/100)"]],
    ["€ 2,000", "EUR", ["€2,000.00 (two thousand)", "€2.00 (two)"]],
    ["19.900", "USD", ["$19,900.00 (nineteen thousand nine hundred)", "$19.90 (nineteen and 90/100)"]],
    ["1.999", "USD", ["$1,999.00 (one thousand nine hundred ninety-nine)"]],
    ["1.500", "JPY", ["¥1,500 (one thousand five hundred)"]],
  ])("with two readings offers both: %s in %s", (text, unit, choices) => {
    expect(labels(text, unit)).toEqual(choices);
    const read = readTypedAmount(text, unit);
    for (const choice of read.minor === null ? read.choices : []) {
      expect(readTypedAmount(choice.text, unit)).toEqual({ minor: choice.minor });
    }
  });

  test.each([
    ["", "EUR", "Enter an amount such as 19.90."],
    ["lots", "EUR", "Enter an amount such as 19.90."],
    ["1e3", "EUR", "Enter an amount such as 19.90."],
    ["19 90", "EUR", "Enter an amount such as 19.90."],
    ["1,2,3", "EUR", "Enter an amount such as 19.90."],
    ["1.2,3.4", "EUR", "Enter an amount such as 19.90."],
    ["0,001,000", "EUR", "Enter an amount such as 19.90."],
    ["5 apples", "JPY", "Enter an amount such as 1500."],
    ["-5", "EUR", "Enter an amount above zero."],
    ["−5", "EUR", "Enter an amount above zero."],
    ["€-5", "EUR", "Enter an amount above zero."],
    ["20-", "EUR", "Enter an amount such as 19.90."],
    ["$20", "EUR", "Enter the amount in EUR."],
    ["20 JPY", "EUR", "Enter the amount in EUR."],
    ["19.999", "JPY", "JPY has no decimals."],
    ["1.5", "JPY", "JPY has no decimals."],
    ["1.5", MINOR_UNITS, "Minor units have no decimals."],
    ["19,9999", "EUR", "Use at most 2 decimals in EUR."],
    ["1.999", "USD", "Use at most 2 decimals in USD."],
    ["10000000000", "USD", "The amount is above the limit for one payment."],
    ["1,500", "EUR", "1,500 can be read in two ways. Choose one."],
  ])("that is invalid is reported: %j in %s", (text, unit, message) => {
    expect(readTypedAmount(text, unit)).toMatchObject({ minor: null, message });
  });

  test("parses back to itself in every currency", () => {
    expect(["EUR", "KWD", "JPY"].map((unit) => plainAmount(2_000_000, unit))).toEqual([
      "20000.00",
      "2000.000",
      "2000000",
    ]);
    expect([1_500, 1_234, 500_000, 5].map((minor) => plainAmount(minor, "KWD"))).toEqual([
      "1.5",
      "1.2340",
      "500",
      "0.005",
    ]);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: MAX_AMOUNT }),
        fc.constantFrom(...CURRENCIES, MINOR_UNITS),
        (minor, unit) => {
          expect(readTypedAmount(plainAmount(minor, unit), unit)).toEqual({ minor });
        },
      ),
    );
  });
});

test("an ambiguous currency sign means the current currency", () => {
  expect(
    ["$", "$", "€", "dollars", "minor", "kr", "kr", "shop"].map((name, i) =>
      unitNamed(name, ["CAD", "EUR"][i % 2] as string),
    ),
  ).toEqual([...["CAD", "USD", "EUR", "USD", "minor", null, null, null]]);
  expect(unitNamed("kr", "SEK")).toBe("SEK");
});
