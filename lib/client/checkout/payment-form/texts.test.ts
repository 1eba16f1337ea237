import { describe, expect, it } from "vitest";
import { CHECKOUT_LOCALES } from "@/lib/contract/checkout/checkout";
import { directionOf, textsOf } from "./texts";

type Leaf = [path: string, text: unknown];

/** Every text with its path; functions are called with numbers and names as in the form. */
function leaves(value: unknown, path = ""): Leaf[] {
  if (typeof value === "function") {
    const counted = /attemptsLeft|problemsFound/.test(path);
    const calls = counted ? [1, 2, 3, 4, 5].map((count) => [count]) : [["$12.34", "Acme"]];
    return calls.map((given, at) => [`${path}#${at}`, (value as (...all: unknown[]) => unknown)(...given)]);
  }
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, member]) => leaves(member, `${path}.${name}`));
}

const keys = (locale: (typeof CHECKOUT_LOCALES)[number]) => leaves(textsOf(locale)).map(([path]) => path);

describe.each(CHECKOUT_LOCALES)("texts in %s", (locale) => {
  it("has exactly the texts of English", () => {
    expect(keys(locale).toSorted()).toEqual(keys("en").toSorted());
  });

  it("has no empty text, stray space or placeholder", () => {
    for (const [path, text] of leaves(textsOf(locale))) {
      expect(text, path).toEqual(expect.any(String));
      expect(text, path).not.toBe("");
      expect(text, path).toBe(String(text).trim());
      expect(text, path).not.toMatch(/undefined|\[object|TODO|\$\{/);
    }
  });

  it("has the amount on the button and the shop's name on the return link", () => {
    expect(textsOf(locale).button.pay("$12.34")).toContain("$12.34");
    expect(textsOf(locale).backTo("Acme")).toContain("Acme");
    expect(textsOf(locale).done.text("$12.34", "Acme")).toMatch(/\$12\.34.*Acme/);
  });

  it("is not a copy of another language", () => {
    if (locale === "en") return;
    const english = new Map(leaves(textsOf("en")));
    const own = leaves(textsOf(locale)).filter(([path]) => /problems|notices|closed|status|challenge/.test(path));
    for (const [path, text] of own) expect(text, path).not.toBe(english.get(path));
  });

  it("distinguishes singular and plural attempts", () => {
    const { attemptsLeft } = textsOf(locale);
    expect(attemptsLeft(1).replace("1", "")).not.toBe(attemptsLeft(2).replace("2", ""));
  });
});

describe("directionOf", () => {
  it("is right to left only in Arabic", () => {
    expect(CHECKOUT_LOCALES.filter((locale) => directionOf(locale) === "rtl")).toEqual(["ar"]);
  });

  it("isolates a Latin name and the amount within an Arabic sentence", () => {
    const text = textsOf("ar").done.text("US$ 12.34", "Acme (Berlin)");
    expect(text).toContain("\u2068US$ 12.34\u2069");
    expect(text).toContain("\u2068Acme (Berlin)\u2069");
  });
});
