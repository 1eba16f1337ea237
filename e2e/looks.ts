/** Widths and schemes in which every page is looked at. */
const LOOKS = [
  [1440, "light"],
  [390, "dark"],
  [1440, "dark"],
  [390, "light"],
] as const;

/**
 * The looks of the page with this number: a wide and a narrow one, a light and a dark one, in turn the one pair and the
 * other. `npm run prove:looks` takes all four of each.
 */
export function looksOf(page: number): readonly (typeof LOOKS)[number][] {
  if (process.env.EVERY_LOOK === "1") return LOOKS;
  return page % 2 === 0 ? LOOKS.slice(0, 2) : LOOKS.slice(2);
}

/** The width in which the thing with this number is tried, every other one on a phone; both for `npm run prove:looks`. */
export const widthsOf = (index: number): readonly number[] =>
  process.env.EVERY_LOOK === "1" ? [1440, 390] : [index % 2 === 0 ? 1440 : 390];
