import type { Locator } from "playwright/test";
import { test } from "../browser";
import { expect } from "../fixtures/playwright";
import { captured } from "../samples";
import { openDialog } from "./money-dialogs";

/** The border, outline and underline of an element, which remain visible with forced colors. */
const linesOf = (element: Locator) =>
  element.evaluate((node) => {
    const { borderStyle, borderWidth, outlineStyle, outlineWidth, textDecorationLine } = getComputedStyle(node);
    return { borderStyle, borderWidth, outlineStyle, outlineWidth, textDecorationLine };
  });

test("with forced colors the current mode, page, tab, period and chart have an outline", async ({
  owner: page,
  api,
}) => {
  await captured(api);
  await page.emulateMedia({ forcedColors: "active" });
  const differs = async (current: Locator, other: Locator) => {
    await expect(current.first()).toBeVisible();
    expect(await linesOf(current.first())).not.toEqual(await linesOf(other.first()));
  };
  await page.goto("/test/transactions");
  const mode = page.getByRole("navigation", { name: "Mode" });
  await differs(mode.locator("[aria-current]"), mode.locator("a:not([aria-current])"));
  const pages = page.getByRole("navigation", { name: "Dashboard" });
  await differs(pages.locator("[aria-current]"), pages.locator("a:not([aria-current])"));
  await differs(page.locator(".tab[aria-current]"), page.locator(".tab:not([aria-current])"));
  const box = page.getByRole("checkbox").first();
  const ground = () => box.evaluate((node) => getComputedStyle(node).backgroundColor);
  const unchecked = await ground();
  await box.check();
  expect(await ground()).not.toBe(unchecked);
  await page.goto("/test");
  const period = page.locator("main nav [aria-current]");
  await differs(period, page.locator("main nav a:not([aria-current])"));
  await differs(page.locator("[aria-pressed=true]"), page.locator("[aria-pressed=false]"));
  await page.goto("/live/settings/account");
  const settings = page.getByRole("navigation", { name: "Settings" });
  await differs(settings.locator("[aria-current]"), settings.locator("a:not([aria-current])"));
});

test("at 400 % the refund dialog scrolls as a whole, and nothing covers the page", async ({ owner: page, api }) => {
  const payment = await captured(api);
  await page.setViewportSize({ width: 320, height: 256 });
  const dialog = await openDialog(page, payment);
  const [scrolls, cut] = await dialog.evaluate((node) => {
    const body = node.querySelector("[data-modal-body]") as HTMLElement;
    return [node.scrollHeight > node.clientHeight, body.scrollHeight - body.clientHeight];
  });
  expect([scrolls, cut]).toEqual([true, 0]);
  const submit = dialog.getByRole("button", { name: /^Refund \$100\.00/ });
  await submit.scrollIntoViewIfNeeded();
  await submit.click();
  await expect(dialog.getByText("Refunded $100.00")).toBeVisible();
  await page.goto("/test/transactions");
  await page.getByRole("checkbox").nth(1).check();
  await expect(page.getByRole("region", { name: "Selection" })).toBeAttached();
  const held = await page.evaluate(() =>
    [...document.querySelectorAll("body *")]
      .filter((node) => ["sticky", "fixed"].includes(getComputedStyle(node).position) && node.checkVisibility())
      .reduce((sum, node) => sum + node.getBoundingClientRect().height, 0),
  );
  expect(held).toBeLessThan(256 / 4);
});
