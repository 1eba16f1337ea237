import fc from "fast-check";
import { expect, test } from "vitest";
import {
  APPEARANCE_PRESETS,
  APPEARANCE_THEMES,
  contrast,
  contrastProblems,
  readableOn,
  resolveAppearance,
} from "./appearance";
import { appearance } from "./client-session";

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);

test("contrast follows WCAG", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
  expect(contrast("#fff", "#ffffff")).toBe(1);
});

test("text on any accent is readable", () => {
  fc.assert(fc.property(color, (accent) => contrast(accent, readableOn(accent)) >= 4.5));
});

test("every preset in every theme is readable", () => {
  for (const preset of APPEARANCE_PRESETS) {
    for (const theme of APPEARANCE_THEMES) {
      // The night preset's own background is dark in each theme.
      expect(contrastProblems({ preset, theme }), `${preset} ${theme}`).toEqual([]);
    }
  }
});

test("omitted values come from the preset, then from our defaults", () => {
  expect(resolveAppearance(null)).toMatchObject({ theme: "light", borderRadius: 6, fontFamily: null });
  expect(resolveAppearance({ preset: "soft", border_radius: undefined })).toMatchObject({ borderRadius: 14 });
  expect(resolveAppearance({ preset: "night", text_color: "#ffffff" })).toMatchObject({
    theme: "dark",
    colors: { dark: { text: "#ffffff", background: "#0e1116" } },
  });
  expect(resolveAppearance({ background_color: "#101010" }).theme).toBe("dark");
});

test("unreadable text is rejected with the color to change", () => {
  const refused = appearance.safeParse({ text_color: "#cccccc", background_color: "#ffffff" });
  expect(refused.error?.issues).toMatchObject([{ path: ["text_color"] }]);
  expect(appearance.safeParse({ text_color: "#ffffff" }).success).toBe(false);
  expect(appearance.safeParse({ text_color: "#ffffff", theme: "dark" }).success).toBe(true);
  // The editor warns about a faint accent, and the form handles it.
  expect(appearance.safeParse({ accent_color: "#ffff00" }).success).toBe(true);
  expect(contrastProblems({ accent_color: "#ffff00" })).toMatchObject([{ param: "accent_color" }]);
});

test("a font name cannot end a CSS declaration", () => {
  expect(appearance.safeParse({ font_family: "Inter, 'Helvetica Neue', sans-serif" }).success).toBe(true);
  for (const font_family of ["x;}body{display:none", "url(//evil)", "a\\b", "</style>"]) {
    expect(appearance.safeParse({ font_family }).success, font_family).toBe(false);
  }
});
