/** Appearance of the payment form, without zod: the form, the dashboard's editor and the API share it. */
import { ACCENT, GROUND, INK, RADIUS_PX } from "@/lib/contract/brand";

/** #rgb or #rrggbb. */
export const HEX_COLOR = /^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/;
/** CSS font names, without characters that could end a declaration. */
export const FONT_FAMILY = /^[\p{L}\p{N} ,'"_-]{1,100}$/u;

export const APPEARANCE_THEMES = ["light", "dark", "system"] as const;
export type AppearanceTheme = (typeof APPEARANCE_THEMES)[number];

export const APPEARANCE_PRESETS = ["clean", "soft", "sharp", "night"] as const;
export type AppearancePreset = (typeof APPEARANCE_PRESETS)[number];

/** Appearance as sent by a merchant: every member is optional. Colors are #rgb or #rrggbb. */
export type Appearance = {
  preset?: AppearancePreset | undefined;
  theme?: AppearanceTheme | undefined;
  accent_color?: string | undefined;
  background_color?: string | undefined;
  text_color?: string | undefined;
  /** Pixels, 0–24. */
  border_radius?: number | undefined;
  font_family?: string | undefined;
};
export const APPEARANCE_MEMBERS = [
  "preset",
  "theme",
  "accent_color",
  "background_color",
  "text_color",
  "border_radius",
  "font_family",
] as const satisfies readonly (keyof Appearance)[];

export type Scheme = "light" | "dark";
type SchemeColors = { accent: string; onAccent: string; background: string; text: string };
type ResolvedAppearance = {
  theme: AppearanceTheme;
  colors: Record<Scheme, SchemeColors>;
  /** Pixels. */
  borderRadius: number;
  fontFamily: string | null;
};

const ownColors = (at: 0 | 1) => ({ accent: ACCENT[at], background: GROUND[at], text: INK[at] });
const OWN_COLORS: Record<Scheme, Omit<SchemeColors, "onAccent">> = { light: ownColors(0), dark: ownColors(1) };

const PRESETS: Record<AppearancePreset, Appearance> = {
  clean: {},
  soft: { border_radius: 14 },
  sharp: { border_radius: 0 },
  night: { theme: "dark", accent_color: "#8ab4ff", background_color: "#0e1116", text_color: "#e8ecf2" },
};

/** Minimum contrast of text in WCAG 2.2 AA, and of parts such as borders and focus rings. */
export const TEXT_CONTRAST = 4.5;
export const PART_CONTRAST = 3;

/** Fills in all absent members. A color chosen by the merchant applies in both schemes. */
export function resolveAppearance(appearance: Appearance | null): ResolvedAppearance {
  const chosen = { ...PRESETS[appearance?.preset ?? "clean"], ...withoutAbsent(appearance ?? {}) };
  const colorsOf = (scheme: Scheme): SchemeColors => {
    const own = OWN_COLORS[scheme];
    const accent = chosen.accent_color ?? own.accent;
    return {
      accent,
      onAccent: readableOn(accent),
      background: chosen.background_color ?? own.background,
      text: chosen.text_color ?? own.text,
    };
  };
  return {
    // A custom background is a single scheme, so none of our colors may switch to dark on it.
    theme: chosen.theme ?? (chosen.background_color ? schemeOf(chosen.background_color) : "light"),
    colors: { light: colorsOf("light"), dark: colorsOf("dark") },
    borderRadius: chosen.border_radius ?? RADIUS_PX,
    fontFamily: chosen.font_family ?? null,
  };
}

export type ContrastProblem = {
  param: "text_color" | "accent_color";
  scheme: Scheme;
  contrast: number;
  needed: number;
};

/** Colors with too little contrast, in the schemes that the theme can show. */
export function contrastProblems(appearance: Appearance | null): ContrastProblem[] {
  const { theme, colors } = resolveAppearance(appearance);
  const schemes: Scheme[] = theme === "system" ? ["light", "dark"] : [theme];
  return schemes.flatMap((scheme) => {
    const { text, accent, background } = colors[scheme];
    const measured = [
      { param: "text_color" as const, scheme, contrast: contrast(text, background), needed: TEXT_CONTRAST },
      { param: "accent_color" as const, scheme, contrast: contrast(accent, background), needed: PART_CONTRAST },
    ];
    return measured.filter((one) => one.contrast < one.needed);
  });
}

/** WCAG contrast of two colors, 1–21. */
export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Black or white, whichever has more contrast with the color: at least 4.58. */
export function readableOn(color: string): string {
  return contrast(color, "#ffffff") >= contrast(color, "#000000") ? "#ffffff" : "#000000";
}

function schemeOf(background: string): Scheme {
  return readableOn(background) === "#000000" ? "light" : "dark";
}

function luminance(color: string): number {
  const hex = color.slice(1);
  const full = hex.length === 3 ? hex.replace(/./g, "$&$&") : hex;
  const [red, green, blue] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Members set to undefined count as absent and must not hide the preset's. */
function withoutAbsent(appearance: Appearance): Appearance {
  return Object.fromEntries(Object.entries(appearance).filter(([, value]) => value !== undefined));
}

/** An image of ours for pages. Its address includes the digest of its bytes. */
export type ShownLogo = { src: string; width: number; height: number };
