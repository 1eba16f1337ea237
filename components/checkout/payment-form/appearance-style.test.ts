import { expect, test } from "vitest";
import { type Appearance, contrast, type Scheme } from "@/lib/contract/checkout/appearance";
import { appearanceStyle, schemeVariables } from "./appearance-style";

const read = (appearance: Appearance | null, scheme: Scheme = "light") => {
  const variables = schemeVariables(appearance, scheme);
  return (name: string) => variables[name] ?? "";
};

/** Accents and backgrounds that merchants choose, including unreadable ones. */
const STYLES: Appearance[] = [
  {},
  { preset: "night" },
  { accent_color: "#ffffff" },
  { accent_color: "#ff0" },
  { background_color: "#808080", text_color: "#000000", accent_color: "#7f7f7f" },
  { background_color: "#fff4e0", text_color: "#402000", accent_color: "#ffe0b0" },
  { background_color: "#1a0033", text_color: "#f5e9ff", accent_color: "#220044" },
];

for (const look of STYLES) {
  for (const scheme of ["light", "dark"] as const) {
    test(`all text has enough contrast: ${JSON.stringify(look)}, ${scheme}`, () => {
      const value = read(look, scheme);
      for (const part of ["--focus", "--edge"]) {
        expect(contrast(value(part), value("--bg")), part).toBeGreaterThanOrEqual(3);
      }
      for (const text of ["--soft", "--link", "--danger", "--good", "--notice"]) {
        expect(contrast(value(text), value("--bg")), text).toBeGreaterThanOrEqual(4.5);
      }
      expect(contrast(value("--soft"), value("--raised"))).toBeGreaterThanOrEqual(4.5);
      expect(contrast(value("--notice"), value("--notice-ground"))).toBeGreaterThanOrEqual(4.5);
      expect(contrast(value("--on-accent"), value("--accent"))).toBeGreaterThanOrEqual(4.5);
    });
  }
}

test("the focus ring has the text's color if the accent is too faint", () => {
  expect(read({ accent_color: "#fefefe" })("--focus")).toBe(read(null)("--text"));
  expect(read({ accent_color: "#0b6478" })("--focus")).toBe("#0b6478");
});

test("a theme is one scheme, and `system` both", () => {
  expect(appearanceStyle({ theme: "light" })).not.toContain("@media");
  expect(appearanceStyle({ theme: "dark" })).toContain("color-scheme:dark");
  const both = appearanceStyle({ theme: "system" });
  expect(both).toContain("color-scheme:light dark");
  expect(both).toMatch(/@media \(prefers-color-scheme:dark\)\{:root\{--bg:#121211/);
});

test("a font name is quoted again, so an open quotation mark ends nothing", () => {
  expect(read({ font_family: `'Inter, "Segoe UI", serif` })("--font")).toMatch(
    /^"Inter", "Segoe UI", serif, system-ui/,
  );
});
