import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "./fixtures";

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
