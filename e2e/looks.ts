import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "./fixtures";

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

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Fails with axe's findings on the page as it is now, frames of its own included, for WCAG 2.2 AA. */
export async function expectAccessible(page: Page): Promise<void> {
  // Of what is right only the names are wanted: to describe every element of a long page takes many times as long.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).withTags(RULES);
  // Without frames there is nothing to put together, for which axe would open another page.
  if (page.frames().length === 1) axe.setLegacyMode(true);
  const { violations } = await axe.analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`)).toEqual([]);
}

/** Fails when the page is wider than the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}
