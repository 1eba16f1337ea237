import { expect, test } from "vitest";
import {
  type Appearance,
  contrast,
  contrastProblems,
  PART_CONTRAST,
  TEXT_CONTRAST,
} from "@/lib/contract/checkout/appearance";
import { isAppearance } from "@/lib/contract/checkout/messages";
import {
  cleanAppearance,
  colorTyped,
  FONTS,
  fullHex,
  isSameAppearance,
  nearestReadable,
  ownColor,
  readableProblems,
  withPreset,
} from "./appearance-form";

test("a color is accepted in any common notation", () => {
  expect(colorTyped(" 1A73E8 ")).toBe("#1a73e8");
  expect(colorTyped("#FFF")).toBe("#fff");
  for (const none of ["", "#12", "#1234", "red", "#12345g"]) expect(colorTyped(none)).toBeNull();
  expect(fullHex("#1ae")).toBe("#11aaee");
});

test("equal appearances compare equal regardless of order and omitted defaults", () => {
  expect(isSameAppearance(null, { preset: undefined, font_family: "" })).toBe(true);
  expect(isSameAppearance({ preset: "soft", theme: "dark" }, { theme: "dark", preset: "soft" })).toBe(true);
  expect(isSameAppearance({ border_radius: 0 }, null)).toBe(false);
  expect(cleanAppearance({ theme: undefined })).toBeNull();
});

test("a style resets what it defines, and keeps the merchant's accent unless it defines one", () => {
  const own: Appearance = { accent_color: "#7a1fa2", border_radius: 3 };
  expect(cleanAppearance(withPreset(own, "soft"))).toEqual({ preset: "soft", accent_color: "#7a1fa2" });
  expect(cleanAppearance(withPreset(own, "night"))).toEqual({ preset: "night", border_radius: 3 });
  expect(cleanAppearance(withPreset({ preset: "sharp" }, "clean"))).toBeNull();
  expect(ownColor(withPreset({}, "night"), "background_color")).toBe("#0e1116");
});

test("every suggestion fixes the problem it is shown for", () => {
  const cases: Appearance[] = [
    { accent_color: "#ffe08a" },
    { text_color: "#aaaaaa", background_color: "#ffffff" },
    { background_color: "#101010", text_color: "#333333", accent_color: "#202020" },
    { preset: "night", accent_color: "#111111" },
  ];
  for (const appearance of cases) {
    const problems = readableProblems(appearance);
    expect(problems.length).toBeGreaterThan(0);
    const mended = Object.fromEntries(problems.map(({ param, instead }) => [param, instead]));
    expect(contrastProblems({ ...appearance, ...mended } as Appearance)).toEqual([]);
  }
});

test("a suggested color is as close as possible; without a fix there is no suggestion", () => {
  const near = nearestReadable("#8a8a8a", ["#ffffff"], TEXT_CONTRAST);
  expect(near && contrast(near, "#ffffff")).toBeGreaterThanOrEqual(TEXT_CONTRAST);
  expect(near && contrast(near, "#ffffff")).toBeLessThan(TEXT_CONTRAST + 0.4);
  expect(nearestReadable("#888888", ["#ffffff", "#000000"], TEXT_CONTRAST)).not.toBeNull();
  expect(nearestReadable("#888888", ["#ffffff", "#666666"], TEXT_CONTRAST)).toBeNull();
  expect(nearestReadable("#ffffff", ["#ffffff"], PART_CONTRAST)).not.toBeNull();
});

test("the form accepts every font of the list", () => {
  for (const { value } of FONTS) expect(value === "" || isAppearance({ font_family: value })).toBe(true);
});
