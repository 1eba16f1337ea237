import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatField, isNoPostalCode, problemOf } from "./card-fields";
import type { FieldName, FormFields } from "./checkout-view";
import type { Edit } from "./typed-text";

const NOW = Date.parse("2026-11-21T12:00:00.000Z");
const EMPTY: FormFields = { email: "", number: "", expiry: "", cvv: "", name: "", postal_code: "", consent: "" };
const edit = (field: FieldName, changes: Partial<Edit> & { value: string }, fields: Partial<FormFields> = {}) =>
  formatField(
    field,
    { before: "", caret: changes.value.length, direction: "backward", ...changes },
    { ...EMPTY, ...fields },
  );
/** "4242 4|242": the bar marks the caret. */
const at = (text: string) => ({ value: text.replace("|", ""), caret: text.indexOf("|") });
const drawn = ({ value, caret }: { value: string; caret: number }) => `${value.slice(0, caret)}|${value.slice(caret)}`;
const number = (before: string, now: string, direction: Edit["direction"] = "backward") =>
  drawn(edit("number", { ...at(now), before: before.replace("|", ""), direction }));

describe("card number", () => {
  it.each([
    ["4242424242424242", "4242 4242 4242 4242"],
    ["4242-4242-4242-4242", "4242 4242 4242 4242"],
    [" 4242 4242 4242 4242\n", "4242 4242 4242 4242"],
    ["Card: 4242.4242.4242.4242", "4242 4242 4242 4242"],
    ["٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢", "4242 4242 4242 4242"],
    ["４２４２４２４２４２４２４２４２", "4242 4242 4242 4242"],
    ["378282246310005", "3782 822463 10005"],
    ["30569309025904", "3056 930902 5904"],
    ["4000000000000000006", "4000 0000 0000 0000 006"],
    ["55555555555544449999", "5555 5555 5555 4444"],
    ["42", "42"],
    ["4242", "4242"],
    ["", ""],
    ["visa", ""],
  ])("shows %s as %s", (value, shown) => {
    expect(edit("number", { value })).toEqual({ value: shown, caret: shown.length });
  });

  it.each([
    ["typing at the end", "4242|", "42424|", "4242 4|"],
    ["typing in the middle", "4242 4|242", "4242 41|242", "4242 41|24 2"],
    ["typing at a gap", "4242| 424", "42421| 424", "4242 1|424"],
    ["filling a group in the middle", "424| 4242", "4249| 4242", "4249 |4242"],
    ["backspace over a digit", "4242 4242|", "4242 424|", "4242 424|"],
    ["backspace that leaves a gap behind", "4242 4|", "4242 |", "4242|"],
    ["backspace over a gap", "4242 |4242", "4242|4242", "424|4 242"],
    ["backspace at the start", "|4242 4242", "|4242 4242", "|4242 4242"],
    ["replacing a selection", "4242 |4242 4242", "4242 9|4242", "4242 9|424 2"],
  ])("keeps the caret: %s", (_what, before, now, shown) => {
    expect(number(before, now)).toBe(shown);
  });

  it("deletes the digit after a gap with the Delete key", () => {
    expect(number("4242| 1234", "4242|1234", "forward")).toBe("4242| 234");
  });

  it("keeps the last digit of a complete number when an extra digit is typed", () => {
    expect(number("5555 |5555 5555 4444", "5555 9|5555 5555 4444")).toBe("5555 |5555 5555 4444");
  });

  it("can be cleared with Backspace, one press per digit", () => {
    let shown = edit("number", { value: "378282246310005" });
    for (let left = 14; left >= 0; left--) {
      const { value, caret } = shown;
      shown = edit("number", { value: value.slice(0, caret - 1), caret: caret - 1, before: value });
      expect(shown.value.replaceAll(" ", "")).toHaveLength(left);
    }
  });

  it("keeps the digits before the caret before it, wherever a digit is typed", () => {
    const digits = fc.string({ unit: fc.constantFrom(...Array.from("0123456789")), minLength: 0, maxLength: 14 });
    fc.assert(
      fc.property(digits, fc.nat(14), fc.constantFrom(...Array.from("0123456789")), (start, place, key) => {
        const before = edit("number", { value: `4${start}` }).value;
        const caret = Math.min(Math.max(place, 1), before.length);
        const now = edit("number", {
          value: before.slice(0, caret) + key + before.slice(caret),
          caret: caret + 1,
          before,
        });
        const wanted = before.slice(0, caret).replaceAll(" ", "") + key;
        expect(now.value.slice(0, now.caret).replaceAll(" ", "")).toBe(wanted);
      }),
      { numRuns: 500 },
    );
  });

  it("keeps the caret within the text, whatever it contains", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(30), (value, before, caret) => {
        for (const field of ["email", "number", "expiry", "cvv", "name", "postal_code"] as const) {
          const shown = edit(field, { value, before, caret: Math.min(caret, value.length) });
          expect(shown.caret).toBeGreaterThanOrEqual(0);
          expect(shown.caret).toBeLessThanOrEqual(shown.value.length);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("security code", () => {
  it.each([
    ["12345", "", "1234"],
    ["12345", "4242 4242 4242 4242", "123"],
    ["12345", "3782 822463 10005", "1234"],
    ["١٢٣", "4242", "123"],
    ["1a2", "4242", "12"],
  ])("shows %s with the number %s as %s", (value, of, shown) => {
    expect(edit("cvv", { value }, { number: of }).value).toBe(shown);
  });

  it.each([
    ["123", "4242 4242 4242 4242", null],
    ["1234", "3782 822463 10005", null],
    ["123", "3782 822463 10005", "cvv_four_digits"],
    ["12", "4242 4242 4242 4242", "cvv_three_digits"],
    ["1234", "4242 4242 4242 4242", "cvv_three_digits"],
    ["", "4242 4242 4242 4242", "cvv_missing"],
  ])("validates %s with the number %s: %s", (cvv, of, problem) => {
    expect(problemOf("cvv", { ...EMPTY, cvv, number: of }, NOW)).toBe(problem);
  });
});

describe("name and postal code", () => {
  it.each([
    ["Ada Lovelace", null],
    ["محمد علي", null],
    ["李小龙", null],
    ["Louis XIV 2", null],
    ["", "name_missing"],
    ["   ", "name_missing"],
    ["4242 4242 4242 4242", "name_invalid"],
    ["Ada 4242 4242 4242 4242", "name_invalid"],
    ["٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢", "name_invalid"],
    ["--", "name_invalid"],
  ])("validates the name %s: %s", (name, problem) => {
    expect(problemOf("name", { ...EMPTY, name }, NOW)).toBe(problem);
  });

  it("removes only direction marks and control characters from a name", () => {
    expect(edit("name", { value: "\u202eAda\u0000 Lovelace\u200f é" }).value).toBe("Ada Lovelace é");
  });

  it.each([
    ["94105", "94105", null],
    ["sw1a 1aa", "SW1A 1AA", null],
    ["k1a-0b1", "K1A-0B1", null],
    ["١١٥١١", "11511", null],
    ["", "", "postal_code_missing"],
    ["1", "1", "postal_code_invalid"],
    ["4242 4242 4242 4242", "4242 4242 4242 4242", "postal_code_invalid"],
    ["<b>", "<B>", "postal_code_invalid"],
  ])("shows the postal code %s as %s, with the problem %s", (value, shown, problem) => {
    expect(edit("postal_code", { value }).value).toBe(shown);
    expect(problemOf("postal_code", { ...EMPTY, postal_code: shown }, NOW)).toBe(problem);
  });

  it.each(["N/A", "n.a.", "NA", "none", "-", "–", "0", "00000", ".", "Keine", "لا يوجد", "٠"])(
    "takes %s where there may be no postal code, and sends none",
    (value) => {
      const fields = { ...EMPTY, postal_code: value };
      expect(problemOf("postal_code", fields, NOW, "or_none")).toBeNull();
      expect(problemOf("postal_code", fields, NOW, "optional")).toBeNull();
      expect(isNoPostalCode(value)).toBe(true);
    },
  );

  it("requires a value in an optional-looking field only where the server does", () => {
    expect(problemOf("postal_code", EMPTY, NOW, "or_none")).toBe("postal_code_or_none");
    expect(problemOf("postal_code", EMPTY, NOW, "optional")).toBeNull();
    expect(problemOf("postal_code", { ...EMPTY, postal_code: "<b>" }, NOW, "optional")).toBe("postal_code_invalid");
    for (const value of ["94107", "SW1A 1AA", "0010", "N1", "NA1 2AB"]) expect(isNoPostalCode(value)).toBe(false);
    expect(problemOf("postal_code", { ...EMPTY, postal_code: "N/A" }, NOW)).toBe("postal_code_invalid");
  });

  it("truncates at the server's limit", () => {
    expect(edit("name", { value: "x".repeat(300) }).value).toHaveLength(255);
    expect(edit("postal_code", { value: "1".repeat(30) }).value).toHaveLength(20);
    expect(edit("name", { value: `${"x".repeat(254)}😀` }).value.isWellFormed()).toBe(true);
  });
});
