import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatExpiry, readExpiry, settleExpiry } from "./expiry";

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
    ["13", "13"],
    ["132", "01 / 32"],
    ["327", "03 / 27"],
    ["3/29", "03 / 29"],
    ["2 29", "02 / 29"],
    ["0", "0"],
    ["00", "0"],
    ["012", "01 / 2"],
    ["122029", "12 / 29"],
    ["12/2029", "12 / 29"],
    ["12255", "12 / 25"],
    ["١٢٢٩", "12 / 29"],
    ["abc", ""],
  ])("formats %s, typed key by key, as %s", (keys, shown) => {
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
  ])("formats %s, pasted or autofilled, as %s", (text, shown) => {
    expect(pasted(text)).toBe(shown);
  });

  it("can be cleared with Backspace, one press per digit", () => {
    let shown = "12 / 25";
    const seen: string[] = [];
    for (let keys = 0; keys < 4; keys++) {
      shown = formatExpiry(shown.slice(0, -1), shown, shown.length - 1).value;
      seen.push(shown);
    }
    expect(seen).toEqual(["12 / 2", "12 / ", "1", ""]);
  });

  it("keeps the caret when the month is corrected", () => {
    // 12 / 25 without its 2, then with a 1 instead.
    const shorter = formatExpiry("1 / 25", "12 / 25", 1);
    expect(shorter).toEqual({ value: "1 / 25", caret: 1 });
    expect(formatExpiry("11 / 25", shorter.value, 2)).toEqual({ value: "11 / 25", caret: 2 });
  });

  it("lets the month be retyped before the year", () => {
    const emptied = formatExpiry(" / 25", "12 / 25", 0);
    expect(emptied).toEqual({ value: " / 25", caret: 0 });
    const first = formatExpiry("1 / 25", emptied.value, 1);
    expect(first).toEqual({ value: "1 / 25", caret: 1 });
    expect(formatExpiry("10 / 25", first.value, 2)).toEqual({ value: "10 / 25", caret: 2 });
  });

  it("keeps the last digit of a complete date when an extra digit is typed", () => {
    expect(formatExpiry("12 / 925", "12 / 25", 6).value).toBe("12 / 25");
    expect(formatExpiry("912 / 25", "12 / 25", 1).value).toBe("12 / 25");
  });

  it("is idempotent", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from("0123456789/ -")), maxLength: 10 }), (text) => {
        const shown = pasted(text);
        expect(formatExpiry(shown, shown, shown.length).value).toBe(shown);
        // Month first, or unchanged with an error.
        if (shown !== text) expect(shown).toMatch(/^(\d{0,2}|\d{0,2} \/ (\d{0,2}|20\d))$/);
      }),
      { numRuns: 500 },
    );
  });
});

/** March 2029 as password managers, browsers and people write it. */
const MARCH_2029 = [
  ...["202903", "2029-03", "2029 03", "2029/03", "2029.03", "2029/3", "20293", "2903", "29/03", "29-3", "29 03"],
  ...[
    "03/29",
    "3/29",
    "03/2029",
    "3.2029",
    "03-29",
    "03–29",
    "03 — 2029",
    "0329",
    "329",
    "032029",
    "32029",
    " 03 / 29 ",
  ],
  ...["31/03/2029", "03/31/2029", "31.3.2029", "2029-03-31", "20290331", "31032029", "03312029", "03/03/2029"],
  ...[
    "Mar 2029",
    "MAR-29",
    "March 2029",
    "march, 2029",
    "29 March",
    "31 Mar 2029",
    "Mar 31, 2029",
    "2029 Mar",
    "Mar2029",
  ],
  ...[
    "März 2029",
    "Ma\u0308rz 29",
    "Mrz 2029",
    "mars 2029",
    "marzo de 2029",
    "31 de marzo de 2029",
    "março de 2029",
    "mar. 2029",
  ],
  ...["مارس 2029", "مارس ٢٠٢٩", "آذار 2029", "٢٠٢٩-٠٣", "٠٣/٢٩", "۲۹/۰۳", "२०२९/०३"],
  ...[
    "２０２９－０３",
    "０３／２９",
    "Ｍａｒ ２０２９",
    "2029年3月",
    "Exp. 03/29",
    "valid thru 03/2029",
    "\u200f03/29\u200e",
  ],
];

/** Notations that also work typed: without a separator, input ends after a month and a two-digit year. */
const TYPED = MARCH_2029.filter((text) => !/^(03312029|Exp|valid)/.test(text));

const OTHERS = [
  ["12/31/2029", "12 / 29"],
  ["31-12-2029", "12 / 29"],
  ["Dez 2030", "12 / 30"],
  ["déc. 2030", "12 / 30"],
  ["diciembre 2030", "12 / 30"],
  ["Jänner 2031", "01 / 31"],
  ["enero/31", "01 / 31"],
  ["fév 31", "02 / 31"],
  ["août 2030", "08 / 30"],
  ["outubro 2030", "10 / 30"],
  ["Sept 2030", "09 / 30"],
  ["mai 2030", "05 / 30"],
  ["juin 2030", "06 / 30"],
  ["juil. 2030", "07 / 30"],
  ["كانون الأول 2030", "12 / 30"],
  ["أكتوبر 2030", "10 / 30"],
  ["3203", "03 / 32"],
  ["330", "03 / 30"],
  ["22029", "02 / 29"],
] as const;

/** Ambiguous dates, and text that isn't a date. */
const UNREADABLE = [
  "05/06/2029",
  "12/11/2029",
  "05062029",
  "12/31/29",
  "31/31/2029",
  "jui 2029",
  "Mar Apr 2029",
  "2029",
];

describe("a date in another notation", () => {
  const filled = (text: string) => settleExpiry(pasted(text));

  it.each(MARCH_2029)("%j, filled in or pasted, is 03 / 29", (text) => {
    expect(pasted(text)).toBe("03 / 29");
    expect(formatExpiry(text, "11 / 2", text.length).value).toBe("03 / 29");
  });

  it.each(TYPED)("%j, typed, becomes 03 / 29 on blur, and is parsed as that date even before", (text) => {
    expect(settleExpiry(typed(text))).toBe("03 / 29");
    expect(readExpiry(typed(text), NOW)).toEqual({ date: { month: 3, year: 2029 } });
  });

  it.each(OTHERS)("%j is %s", (text, shown) => {
    expect([filled(text), settleExpiry(typed(text))]).toEqual([shown, shown]);
  });

  it.each(UNREADABLE)("%j is left unchanged and rejected", (text) => {
    expect(filled(text)).toBe(text);
    expect(readExpiry(filled(text), NOW)).toEqual({ problem: "invalid" });
    expect(readExpiry(settleExpiry(typed(text)), NOW)).toHaveProperty("problem");
  });

  it("never becomes a date that the text can't mean", () => {
    const part = fc.integer({ min: 1, max: 31 }).map((number) => String(number).padStart(2, "0"));
    const sign = fc.constantFrom("/", "-", ".", " ");
    fc.assert(
      fc.property(part, part, fc.integer({ min: 2027, max: 2060 }), sign, (first, second, year, between) => {
        for (const text of [[first, second, year].join(between), [year, first, second].join(between)])
          for (const value of [filled(text), settleExpiry(typed(text))]) {
            const read = readExpiry(value, NOW);
            if (!("date" in read)) continue;
            expect(read.date.year, `${text} → ${value}`).toBe(year);
            expect([Number(first), Number(second)], `${text} → ${value}`).toContain(read.date.month);
          }
      }),
      { numRuns: 500 },
    );
  });

  it("can be edited and cleared like any text", () => {
    expect(formatExpiry("2029-0", "2029-03", 6)).toEqual({ value: "2029-0", caret: 6 });
    expect(formatExpiry("229-03", "2029-03", 1)).toEqual({ value: "229-03", caret: 1 });
    expect(formatExpiry("12 / 31", "12 / 31/", 7)).toEqual({ value: "12 / 31", caret: 7 });
  });
});

describe("settleExpiry", () => {
  it("pads a one-digit month on blur", () => {
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

  it("treats a month as past only once it is over in every time zone", () => {
    expect(readExpiry("10 / 26", Date.parse("2026-11-01T11:59:59.000Z"))).toHaveProperty("date");
    expect(readExpiry("10 / 26", Date.parse("2026-11-01T12:00:00.000Z"))).toEqual({ problem: "past" });
  });
});
