import { describe, expect, it } from "vitest";
import { digitsOf, withAsciiDigits } from "./words";

describe("withAsciiDigits", () => {
  it.each([
    ["Arabic", "٠١٢٣٤٥٦٧٨٩"],
    ["Persian", "۰۱۲۳۴۵۶۷۸۹"],
    ["Devanagari", "०१२३४५६७८९"],
    ["Bengali", "০১২৩৪৫৬৭৮৯"],
    ["Thai", "๐๑๒๓๔๕๖๗๘๙"],
    ["fullwidth", "０１２３４５６７８９"],
  ])("reads %s digits", (_script, text) => {
    expect(withAsciiDigits(text)).toBe("0123456789");
  });

  it("keeps the length and everything else, so that a caret stays where it is", () => {
    expect(withAsciiDigits("a٤-b ４")).toBe("a4-b 4");
  });
});

describe("digitsOf", () => {
  it("leaves nothing but digits", () => {
    expect(digitsOf("\u200e٤٢42-４２ x42\u00a0")).toBe("42424242");
  });
});
