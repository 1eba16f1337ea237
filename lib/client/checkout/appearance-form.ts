import {
  APPEARANCE_PRESETS,
  type Appearance,
  type AppearancePreset,
  type AppearanceTheme,
  type ContrastProblem,
  contrast,
  contrastProblems,
  FONT_FAMILY,
  resolveAppearance,
} from "@/lib/contract/checkout/appearance";
import { isAppearance } from "@/lib/contract/checkout/messages";

export const COLOR_MEMBERS = ["accent_color", "background_color", "text_color"] as const;
type ColorMember = (typeof COLOR_MEMBERS)[number];

export const PRESET_WORDS: Record<AppearancePreset, { label: string; sentence: string }> = {
  clean: { label: "Clean", sentence: "The Cardlane look." },
  soft: { label: "Soft", sentence: "Rounded corners." },
  sharp: { label: "Sharp", sentence: "Square corners." },
  night: { label: "Night", sentence: "Dark blue, always." },
};
export const PRESETS = APPEARANCE_PRESETS;

export const THEME_WORDS: Record<AppearanceTheme, string> = { light: "Light", dark: "Dark", system: "Same as device" };
/** Explanations of the themes. */
export const THEME_SENTENCES: Record<AppearanceTheme, string> = {
  light: "Always light.",
  dark: "Always dark.",
  system: "Follows the shopper’s device.",
};

export const COLOR_WORDS: Record<ColorMember, string> = {
  accent_color: "Accent",
  background_color: "Background",
  text_color: "Text",
};

/**
 * Fonts that devices have, because the form loads nothing from elsewhere. The empty one is the form's
 * default.
 */
export const FONTS: readonly { value: string; label: string }[] = [
  { value: "", label: "System" },
  { value: "'Helvetica Neue', Helvetica, Arial, sans-serif", label: "Helvetica" },
  { value: "Verdana, Geneva, sans-serif", label: "Verdana" },
  { value: "Avenir, Montserrat, Corbel, sans-serif", label: "Avenir" },
  { value: "ui-rounded, 'SF Pro Rounded', 'Hiragino Maru Gothic ProN', sans-serif", label: "Rounded" },
  { value: "Georgia, 'Times New Roman', serif", label: "Georgia" },
  { value: "ui-monospace, Menlo, Consolas, monospace", label: "Monospace" },
];
export const CUSTOM_FONT = "custom";

const HEX = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i;

/** The typed text as a color, with or without #; null if it isn't one. */
export function colorTyped(text: string): string | null {
  const typed = text.trim().toLowerCase();
  const hex = typed.startsWith("#") ? typed : `#${typed}`;
  return HEX.test(hex) ? hex : null;
}

/** Six digits, as the native color input requires. */
export const fullHex = (color: string): string => (color.length === 4 ? color.replaceAll(/[0-9a-f]/gi, "$&$&") : color);

export const isFontFamily = (text: string): boolean => FONT_FAMILY.test(text);

/** Drops unset members; null when none is left. */
export function cleanAppearance(appearance: Appearance): Appearance | null {
  const chosen = Object.entries(appearance).filter(([, value]) => value !== undefined && value !== "");
  return chosen.length === 0 ? null : (Object.fromEntries(chosen) as Appearance);
}

export const isSameAppearance = (a: Appearance | null, b: Appearance | null): boolean =>
  JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

const sorted = (appearance: Appearance | null) =>
  Object.entries(cleanAppearance(appearance ?? {}) ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Members that a preset sets: choosing it resets manual changes to these and keeps the rest. */
const DECIDES: Record<AppearancePreset, readonly (keyof Appearance)[]> = {
  clean: ["border_radius"],
  soft: ["border_radius"],
  sharp: ["border_radius"],
  night: ["theme", ...COLOR_MEMBERS],
};

export function withPreset(appearance: Appearance, preset: AppearancePreset): Appearance {
  const taken = Object.fromEntries(DECIDES[preset].map((member) => [member, undefined]));
  return { ...appearance, ...taken, preset: preset === "clean" ? undefined : preset };
}

/** The color that applies if the appearance has none, in the scheme that shows first. */
export function ownColor(appearance: Appearance, member: ColorMember): string {
  const { theme, colors } = resolveAppearance({ ...appearance, [member]: undefined });
  const seen = colors[theme === "dark" ? "dark" : "light"];
  return { accent_color: seen.accent, background_color: seen.background, text_color: seen.text }[member];
}

export type ReadableProblem = ContrastProblem & { message: string; instead: string | null };

const CONTRAST_WORDS: Record<ContrastProblem["param"], string> = {
  text_color: "Hard to read on the background",
  accent_color: "Hard to tell from the background",
};

/** Unreadable color combinations, each with the nearest readable color. */
export function readableProblems(appearance: Appearance): ReadableProblem[] {
  if (!isAppearance(appearance)) return [];
  const { theme, colors } = resolveAppearance(appearance);
  return contrastProblems(appearance).map((problem) => {
    const { param, scheme, needed } = problem;
    const { text, accent, background } = colors[scheme];
    const where = theme === "system" ? ` in the ${scheme} scheme` : "";
    const others = theme === "system" ? [colors.light.background, colors.dark.background] : [background];
    return {
      ...problem,
      message: `${CONTRAST_WORDS[param]}${where}: ${shownContrast(problem.contrast)} to 1, needed ${needed} to 1.`,
      instead: nearestReadable(param === "text_color" ? text : accent, others, needed),
    };
  });
}

/** Rounded down: 4.49 isn't 4.5. */
const shownContrast = (value: number) => (Math.floor(value * 10) / 10).toFixed(1);

const STEPS = 50;

/** The color, darkened or lightened just enough for all backgrounds; null if nothing is enough. */
export function nearestReadable(color: string, backgrounds: readonly string[], needed: number): string | null {
  for (let step = 1; step <= STEPS; step++) {
    for (const end of [0, 255]) {
      const candidate = mixed(fullHex(color), end, step / STEPS);
      if (backgrounds.every((background) => contrast(candidate, background) >= needed)) return candidate;
    }
  }
  return null;
}

function mixed(color: string, end: number, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16);
    return Math.round(part + (end - part) * share)
      .toString(16)
      .padStart(2, "0");
  });
  return `#${parts.join("")}`;
}
