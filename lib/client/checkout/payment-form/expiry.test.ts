import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatExpiry, readExpiry, settleExpiry } from "./card-fields";

const NOW = Date.parse("2026-11-21T12:00:00.000Z");
const typed = (keys: string) =>
  Array.from(keys).reduce((shown, key) => formatExpiry(shown + key, shown, shown.length + 1).value, "");
const pasted = (text: string) => formatExpiry(text, "", text.length).value;

describe("formatExpiry", () => {
  it.each([
    ["1", "1"],
    ["12", "12 / "],
    ["122", "12 / 2"],
    ["1225", "12 / 25"],
    ["12/25", "12 / 25"],
    ["12 25", "12 / 25"],
    ["12-25", "12 / 25"],
    ["1/29", "01 / 29"],
    ["5", "05 / "],
    ["529", "05 / 29"],
    ["13", "01 / 3"],
    ["0", "0"],
    ["00", "0"],
    ["012", "01 / 2"],
    ["122029", "12 / 29"],
    ["12/2029", "12 / 29"],
    ["12255", "12 / 25"],
    ["١٢٢٩", "12 / 29"],
    ["abc", ""],
  ])("shows the keys %s as %s", (keys, shown) => {
    expect(typed(keys)).toBe(shown);
  });

  it.each([
    ["12/2029", "12 / 29"],
    ["1225", "12 / 25"],
    ["12-25", "12 / 25"],
    ["122025", "12 / 25"],
    ["12 / 25", "12 / 25"],
    ["1/29", "01 / 29"],
    ["12.2029", "12 / 29"],
    ["2029-12", "12 / 29"],
    ["2029/1", "01 / 29"],
    ["12029", "01 / 29"],
    [" 12/29 ", "12 / 29"],
    ["１２／２９", "12 / 29"],
    ["\u200e12/29", "12 / 29"],
    ["Exp. 12/29", "12 / 29"],
  ])("shows %s, pasted or filled in by the browser, as %s", (text, shown) => {
    expect(pasted(text)).toBe(shown);
  });

  it("can be emptied with the backspace key, one key per digit", () => {
    let shown = "12 / 25";
    const seen: string[] = [];
    for (let keys = 0; keys < 4; keys++) {
      shown = formatExpiry(shown.slice(0, -1), shown, shown.length - 1).value;
      seen.push(shown);
    }
    expect(seen).toEqual(["12 / 2", "12 / ", "1", ""]);
  });

  it("keeps the caret when the month is mended", () => {
    // 12 / 25 without its 2, and then with a 1 instead.
    const shorter = formatExpiry("1 / 25", "12 / 25", 1);
    expect(shorter).toEqual({ value: "1 / 25", caret: 1 });
    expect(formatExpiry("11 / 25", shorter.value, 2)).toEqual({ value: "11 / 25", caret: 2 });
  });

  it("lets the month be typed again in front of its year", () => {
    const emptied = formatExpiry(" / 25", "12 / 25", 0);
    expect(emptied).toEqual({ value: " / 25", caret: 0 });
    const first = formatExpiry("1 / 25", emptied.value, 1);
    expect(first).toEqual({ value: "1 / 25", caret: 1 });
    expect(formatExpiry("10 / 25", first.value, 2)).toEqual({ value: "10 / 25", caret: 2 });
  });

  it("does not push out the last digit of a whole date when a key slips", () => {
    expect(formatExpiry("12 / 925", "12 / 25", 6).value).toBe("12 / 25");
    expect(formatExpiry("912 / 25", "12 / 25", 1).value).toBe("12 / 25");
  });

  it("gives the same again for what it has shown", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from("0123456789/ -")), maxLength: 10 }), (text) => {
        const shown = pasted(text);
        expect(formatExpiry(shown, shown, shown.length).value).toBe(shown);
        expect(shown).toMatch(/^(\d{0,2}|\d{0,2} \/ (\d{0,2}|20\d))$/);
      }),
      { numRuns: 500 },
    );
  });
});

describe("settleExpiry", () => {
  it("writes a month of one digit in two once the field is left", () => {
    expect(settleExpiry("1 / 29")).toBe("01 / 29");
    expect(settleExpiry("12 / 29")).toBe("12 / 29");
    expect(settleExpiry("1")).toBe("1");
  });
});

describe("readExpiry", () => {
  it.each([
    ["11 / 26", { date: { month: 11, year: 2026 } }],
    ["12 / 76", { problem: "invalid" }],
    ["10 / 76", { date: { month: 10, year: 2076 } }],
    ["10 / 26", { problem: "past" }],
    ["12 / 25", { problem: "past" }],
    ["13 / 29", { problem: "invalid" }],
    ["00 / 29", { problem: "invalid" }],
    ["13 / ", { problem: "invalid" }],
    ["12 / 2", { problem: "incomplete" }],
    ["12 / 202", { problem: "incomplete" }],
    ["12", { problem: "incomplete" }],
    ["1", { problem: "incomplete" }],
  ])("reads %s", (value, read) => {
    expect(readExpiry(value, NOW)).toEqual(read);
  });

  it("lets a month end where it ends last", () => {
    expect(readExpiry("10 / 26", Date.parse("2026-11-01T11:59:59.000Z"))).toHaveProperty("date");
    expect(readExpiry("10 / 26", Date.parse("2026-11-01T12:00:00.000Z"))).toEqual({ problem: "past" });
  });
});
