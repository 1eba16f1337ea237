import { COLORS, SYSTEM_FONTS } from "@/lib/contract/brand";
import {
  type Appearance,
  contrast,
  PART_CONTRAST,
  readableOn,
  resolveAppearance,
  type Scheme,
  TEXT_CONTRAST,
} from "@/lib/contract/checkout/appearance";
import { isAppearance } from "@/lib/contract/checkout/messages";

const GENERIC_FONTS = new Set([
  "serif",
  "sans-serif",
  "monospace",
  "cursive",
  "system-ui",
  "ui-sans-serif",
  "ui-serif",
]);

/** Semantic colors: text on a light and on a dark background, and the tint beneath it. */
const MEANINGS = {
  danger: { text: COLORS.red, tint: "#e5382d" },
  good: { text: COLORS.green, tint: "#1fa35a" },
  notice: { text: COLORS.amber, tint: "#f0a400" },
};
type Meaning = (typeof MEANINGS)[keyof typeof MEANINGS];

/** The appearance as CSS for a `<style>` in the head, painted before or without scripts. */
export function appearanceStyle(appearance: Appearance | null): string {
  const { theme } = resolveAppearance(known(appearance));
  const first = theme === "system" ? "light" : theme;
  const scheme = theme === "system" ? "light dark" : theme;
  const dark = `@media (prefers-color-scheme:dark){:root{${declarations(schemeVariables(appearance, "dark"))}}}`;
  return `:root{color-scheme:${scheme};${declarations(schemeVariables(appearance, first))}}${theme === "system" ? dark : ""}`;
}

/** Restyles a rendered page: the merchant's page may change the appearance at any time. */
export function applyAppearance(appearance: Appearance | null, root: HTMLElement, systemIsDark: boolean): void {
  const { theme } = resolveAppearance(known(appearance));
  const scheme = theme === "system" ? (systemIsDark ? "dark" : "light") : theme;
  root.style.setProperty("color-scheme", scheme);
  for (const [name, value] of Object.entries(schemeVariables(appearance, scheme))) root.style.setProperty(name, value);
}

/** Custom properties of one scheme. Text keeps its contrast with any of the merchant's colors. */
export function schemeVariables(appearance: Appearance | null, scheme: Scheme): Record<string, string> {
  const { colors, borderRadius, fontFamily } = resolveAppearance(known(appearance));
  const { accent, onAccent, background, text } = colors[scheme];
  const dark = readableOn(background) === "#ffffff";
  const raised = mix(text, background, dark ? 0.06 : 0.035);
  const field = dark ? raised : background;
  const groundOf = ({ tint }: Meaning) => mix(tint, background, dark ? 0.14 : 0.1);
  const textOf = (meaning: Meaning) =>
    legible(meaning.text[dark ? 1 : 0], text, [background, groundOf(meaning)], TEXT_CONTRAST);
  return {
    "--bg": background,
    "--text": text,
    "--accent": accent,
    "--on-accent": onAccent,
    "--raised": raised,
    "--field": field,
    "--line": mix(text, background, dark ? 0.16 : 0.12),
    "--edge": legible(mix(text, background, 0.3), text, [background, field], PART_CONTRAST),
    "--soft": legible(mix(text, background, 0.62), text, [background, raised], TEXT_CONTRAST),
    "--link": legible(accent, text, [background, raised], TEXT_CONTRAST),
    "--focus": contrast(accent, background) < PART_CONTRAST ? text : accent,
    "--danger": textOf(MEANINGS.danger),
    "--danger-ground": groundOf(MEANINGS.danger),
    "--good": textOf(MEANINGS.good),
    "--notice": textOf(MEANINGS.notice),
    "--notice-ground": groundOf(MEANINGS.notice),
    // A custom background ends at the frame, so fields need a margin.
    "--inset": (COLORS.ground as readonly string[]).includes(background) ? "2px" : "16px",
    "--radius": `${borderRadius}px`,
    "--font": fontFamily ? `${fontNames(fontFamily)}, ${SYSTEM_FONTS}` : SYSTEM_FONTS,
  };
}

/** Ignores invalid values, which would otherwise end up in a style sheet. */
const known = (appearance: Appearance | null) => (isAppearance(appearance) ? appearance : null);

const declarations = (variables: Record<string, string>) =>
  Object.entries(variables)
    .map(([name, value]) => `${name}:${value}`)
    .join(";");

/** Moves a color towards the text's until it contrasts enough with every background. */
function legible(color: string, text: string, backgrounds: string[], needed: number): string {
  for (let share = 0; share < 1; share += 0.1) {
    const candidate = mix(text, color, share);
    if (backgrounds.every((background) => contrast(candidate, background) >= needed)) return candidate;
  }
  return text;
}

function mix(over: string, under: string, share: number): string {
  const [top, bottom] = [channels(over), channels(under)];
  return `#${top.map((part, at) => hex(part * share + (bottom[at] ?? 0) * (1 - share))).join("")}`;
}

const hex = (part: number) => Math.round(part).toString(16).padStart(2, "0");

function channels(color: string): number[] {
  const digits = color.slice(1);
  const full = digits.length === 3 ? digits.replace(/./g, "$&$&") : digits;
  return [0, 2, 4].map((at) => Number.parseInt(full.slice(at, at + 2), 16));
}

/** Quotes names again: an unclosed quotation mark would swallow the rest of the style sheet. */
function fontNames(family: string): string {
  const names = family.split(",").map((name) => name.replace(/['"]/g, "").trim());
  return names
    .filter(Boolean)
    .map((name) => (GENERIC_FONTS.has(name) ? name : `"${name}"`))
    .join(", ");
}
