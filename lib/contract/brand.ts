/**
 * Cardlane's brand colors, used by dashboard, documentation, payment form, outage page and icon. Each color
 * has a light and a dark value. Tailwind loads this file (app/globals.css). Exports are separate constants,
 * so that the merchants' script bundles only what it uses.
 */
export const GROUND = ["#ffffff", "#121211"] as const;
export const INK = ["#1b1b19", "#ededea"] as const;
export const ACCENT = ["#0b6478", "#6fc7da"] as const;

export const COLORS = {
  ground: GROUND,
  raised: ["#f7f7f6", "#1a1a18"],
  line: ["#e4e4e1", "#2e2e2b"],
  edge: ["#91918b", "#6d6d67"],
  ink: INK,
  soft: ["#62625d", "#a3a39c"],
  accent: ACCENT,
  "accent-ground": ["#e8f3f5", "#14292e"],
  "on-accent": ["#ffffff", "#08242b"],
  green: ["#14703c", "#6cc78f"],
  "green-ground": ["#e7f4ec", "#14291d"],
  blue: ["#1d56b8", "#8db4f7"],
  "blue-ground": ["#e9f0fc", "#172438"],
  amber: ["#855300", "#e0b062"],
  "amber-ground": ["#fcf2dd", "#2d2312"],
  red: ["#b3261e", "#f2938b"],
  "red-ground": ["#fcebe9", "#331b19"],
  violet: ["#6b3fb5", "#bb9df5"],
  "violet-ground": ["#f2ecfb", "#261d37"],
  /** Used below white text in both schemes. */
  danger: ["#b3261e", "#c2392f"],
} as const satisfies Record<string, readonly [light: string, dark: string]>;

/** Corners of buttons and inputs, in pixels. */
export const RADIUS_PX = 6;

/** Fallback fonts where Geist isn't loaded. */
export const SYSTEM_FONTS = `system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif`;

/** CSS custom properties: `--ground: light-dark(#ffffff, #121211)`. */
export const brandVariables = (): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(COLORS).map(([name, [light, dark]]) => [`--${name}`, `light-dark(${light}, ${dark})`]),
  ),
  "--radius": `${RADIUS_PX}px`,
});

type Tailwind = { addBase(rules: Record<string, Record<string, string>>): void };

// biome-ignore lint/style/noDefaultExport: Tailwind requires it
export default {
  handler: ({ addBase }: Tailwind) => addBase({ ":root": brandVariables() }),
  get config() {
    const colors = Object.fromEntries(Object.keys(COLORS).map((name) => [name, `var(--${name})`]));
    return { theme: { extend: { colors } } };
  },
};
