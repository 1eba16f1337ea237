import type { Page } from "playwright/test";
import { encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { expectAccessible, expectAccessibleInBothSchemes, expectNoSidewaysScroll, pressUntil, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { captured } from "../samples";

const NARROW = { width: 390, height: 844 };

const palette = (page: Page) => page.getByRole("dialog", { name: "Search or jump to" });
const paletteInput = (page: Page) => palette(page).getByRole("combobox");
const theme = (page: Page) => page.locator("html").getAttribute("data-theme");

/** Opens a page with little besides the shell. */
async function openQuietPage(page: Page, mode = "test"): Promise<void> {
  await page.goto(`/${mode}/developers/api-keys`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

async function openPalette(page: Page): Promise<void> {
  await pressUntil(page, "Control+k", palette(page));
  await expect(paletteInput(page)).toBeFocused();
}

test("the palette finds a page by a synonym, opens it, and closes", async ({ owner: page }) => {
  await openQuietPage(page);
  await openPalette(page);
  await paletteInput(page).fill("refunds");
  await expect(palette(page).getByRole("option").first()).toHaveText(/^Payments/);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/test\/transactions$/);
  await expect(palette(page)).toBeHidden();
});

test("the palette knows settings, and customers by their name", async ({ owner: page, api }) => {
  await captured(api, { customer_name: "Siobhán O’Brien", customer_id: "siobhan" });
  await openQuietPage(page);
  await openPalette(page);
  await paletteInput(page).fill("refund limit");
  await expect(palette(page).getByRole("option").first()).toHaveText(/^Business profile/);
  // A job records customers seconds after their payment.
  await expect(async () => {
    await paletteInput(page).fill("obrie");
    await paletteInput(page).fill("obrien");
    await expect(palette(page).getByRole("option").first()).toHaveText(/^Siobhán O’Brien/, { timeout: 1_000 });
  }).toPass();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/test\/customers\/cust_/);
});

test("the palette jumps to a pasted id with Enter, and offers the other mode", async ({ owner: page }) => {
  const id = encodeId("payment", newId());
  await openQuietPage(page);
  await openPalette(page);
  await paletteInput(page).fill(` ${id.toUpperCase()} `);
  await expect(palette(page).getByRole("option")).toHaveText([new RegExp(`${id}.*Test`), new RegExp(`${id}.*Live`)]);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/test/payments/${id}`));
});

for (const [typed, option, address] of [
  ["ada@shop.example", "Payments of ada@shop.example", "/test/transactions?q=ada%40shop.example"],
  ["4242", "Cards ending in 4242, and orders", "/test/transactions?q=4242"],
  ["$12.50", "Payments of $12.50", "/test/transactions?q=%2412.50"],
  ["order-4711", "Idempotency key order-4711", "/test/developers/idempotency?key=order-4711"],
] as const) {
  test(`the palette offers “${option}” for a typed value`, async ({ owner: page }) => {
    await openQuietPage(page);
    await openPalette(page);
    await paletteInput(page).fill(typed);
    const went = page.waitForRequest((request) => {
      const url = new URL(request.url());
      url.searchParams.delete("_rsc");
      return `${url.pathname}${url.search}` === address;
    });
    await palette(page).getByRole("option", { name: option }).click();
    await went;
  });
}

test("Escape closes the palette and gives the focus back", async ({ owner: page }) => {
  await openQuietPage(page);
  const button = page.getByRole("button", { name: "Search or jump to" });
  await button.focus();
  await pressUntil(page, "Enter", palette(page));
  await expect(paletteInput(page)).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(palette(page)).toBeHidden();
  await expect(button).toBeFocused();
});

test("g and a letter go to a page, / to its search, ? lists the keys", async ({ owner: page }) => {
  await openQuietPage(page);
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await pressUntil(page, "?", keys);
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(keys).toBeHidden();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await expect(page).toHaveURL(/\/test\/transactions$/);
  const search = page.locator("[data-search]");
  await expect(search).toBeVisible();
  await page.keyboard.press("/");
  await expect(search).toBeFocused();
  await page.keyboard.type("g?");
  await expect(search).toHaveValue("g?");
});

test("single keys can be switched off for good, Ctrl-K stays", async ({ owner: page }) => {
  await openQuietPage(page);
  const toggle = page.getByRole("switch", { name: "Single-key shortcuts" });
  await pressUntil(page, "?", toggle);
  await expect(toggle).toBeChecked();
  await toggle.click();
  await expect(toggle).not.toBeChecked();
  await page.keyboard.press("Escape");
  await openQuietPage(page);
  await openPalette(page);
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await openPalette(page);
  await expect(page.getByRole("dialog")).toHaveCount(1);
  await expect(palette(page).locator("kbd")).toHaveCount(0);
});

test("switching the mode keeps the page and its filters; the banner is only on test pages", async ({ owner: page }) => {
  await page.goto("/test/plans?status=DRAFT");
  const banner = page.getByRole("region", { name: "Test mode" });
  await expect(banner).toBeVisible();
  await page.getByRole("navigation", { name: "Mode" }).getByRole("link", { name: "Live" }).click();
  await expect(page).toHaveURL(/\/live\/plans\?status=DRAFT$/);
  await expect(banner).toBeHidden();
  await expect(page.getByRole("navigation", { name: "Mode" }).locator("[aria-current]")).toHaveText(/Live/);
  await page.goBack();
  await expect(banner).toBeVisible();
});

test("a page of one thing leads to the list in the other mode", async ({ owner: page }) => {
  await page.goto(`/test/payments/${encodeId("payment", newId())}`);
  await page.getByRole("navigation", { name: "Mode" }).getByRole("link", { name: "Live" }).click();
  await expect(page).toHaveURL(/\/live\/transactions$/);
});

test("the chosen theme is kept, overrides the system's, and is set before the first paint", async ({ owner: page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await openQuietPage(page);
  expect(await theme(page)).toBe("light");
  await page.getByRole("button", { name: "Account menu" }).focus();
  await pressUntil(page, "Enter", page.getByRole("menu"));
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.addInitScript(() => {
    addEventListener("DOMContentLoaded", () => {
      document.documentElement.dataset.first = document.documentElement.dataset.theme ?? "none";
    });
  });
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-first", "dark");
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(ground).toBe("rgb(18, 18, 17)");
});

test("the account menu works by keyboard", async ({ owner: page }) => {
  await openQuietPage(page);
  const trigger = page.getByRole("button", { name: "Account menu" });
  await trigger.focus();
  await pressUntil(page, "ArrowDown", page.getByRole("menu"));
  await expect(page.getByRole("menuitem", { name: "Settings" })).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(page.getByRole("menuitem", { name: "Sign out" })).toBeFocused();
  await page.keyboard.press("k");
  await expect(page.getByRole("menuitem", { name: "Keyboard shortcuts" })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toBeHidden();
  await expect(trigger).toBeFocused();
  await pressUntil(page, "Enter", page.getByRole("menu"));
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/sign-in/);
});

test("the first Tab skips to the content", async ({ owner: page }) => {
  await openQuietPage(page);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
});

test("at 390 px the navigation is a sheet that closes after a navigation", async ({ owner: page }) => {
  await page.setViewportSize(NARROW);
  await openQuietPage(page);
  await expect(page.getByRole("navigation", { name: "Dashboard" })).toBeHidden();
  await expectNoSidewaysScroll(page);
  const button = page.getByRole("button", { name: "Menu", exact: true });
  const sheet = page.getByRole("dialog", { name: "Cardlane" });
  await button.focus();
  await pressUntil(page, "Enter", sheet);
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(sheet).toBeHidden();
  await expect(button).toBeFocused();
  await button.click();
  const fold = sheet.getByText("Developers");
  await fold.click();
  await expect(sheet.getByRole("link", { name: "API keys" })).toBeHidden();
  await fold.click();
  await sheet.getByRole("link", { name: "API keys" }).click();
  await expect(page).toHaveURL(/\/test\/developers\/api-keys$/);
  await expect(sheet).toBeHidden();
});

test("an unknown URL shows an accessible page within the dashboard", { tag: "@looks" }, async ({ owner: page }) => {
  await page.goto("/test/nothing-here");
  await expect(page.getByRole("heading", { level: 1, name: "Page not found" })).toBeVisible();
  await expectAccessibleInBothSchemes(page);
  await page.getByRole("main").getByRole("button", { name: "Search" }).focus();
  await pressUntil(page, "Enter", palette(page));
  await expect(paletteInput(page)).toBeFocused();
  await expectAccessibleInBothSchemes(page);
  await page.setViewportSize(NARROW);
  await expectNoSidewaysScroll(page);
});
