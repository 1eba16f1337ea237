import type { Page } from "playwright/test";
import type { Sql } from "@/db/client";
import { test } from "../browser";
import { expect } from "../fixtures/playwright";

const frame = (page: Page) => page.frameLocator("iframe[title='Preview of the payment form']");

async function open(page: Page): Promise<void> {
  await page.goto("/test/checkout/appearance");
  await expect(page.getByLabel("Accent", { exact: true })).toBeEnabled();
  await expect(frame(page).getByRole("button").last()).toBeVisible();
}

const stored = async (db: { sql: Sql }, environmentId: string) =>
  (await db.sql`select checkout_appearance from environments where id = ${environmentId}`)[0]?.checkout_appearance;

test("the preview follows the selection, which is saved for this environment", async ({ owner: page, tenant, db }) => {
  await open(page);
  const root = frame(page).locator("html");
  const background = () => root.evaluate((element) => getComputedStyle(element).backgroundColor);
  await page.getByRole("radio", { name: "Night" }).check();
  await expect.poll(background).toBe("rgb(14, 17, 22)");
  await page.getByLabel("Background", { exact: true }).fill("ffffff");
  await page.getByLabel("Text", { exact: true }).fill("#222222");
  await page.getByLabel("Accent", { exact: true }).fill("#7A1FA2");
  await expect.poll(background).toBe("rgb(255, 255, 255)");
  await page.getByLabel("Corner radius").fill("20");
  await page.getByLabel("Font").selectOption("Georgia");
  await page.getByLabel("Language of the preview").selectOption("Deutsch");
  await expect(frame(page).locator("html")).toHaveAttribute("lang", "de");
  await page.getByRole("button", { name: "Phone" }).click();
  const box = await page.getByTitle("Preview of the payment form").boundingBox();
  expect(box?.width).toBeLessThanOrEqual(375);

  await page.getByText("Use it for one session only").click();
  const expected = {
    preset: "night",
    background_color: "#ffffff",
    text_color: "#222222",
    accent_color: "#7a1fa2",
    border_radius: 20,
    font_family: "Georgia, 'Times New Roman', serif",
  };
  expect(JSON.parse(await page.locator("figure code").innerText())).toEqual({ appearance: expected });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Appearance saved")).toBeVisible();
  expect(await stored(db, tenant.merchant.test.id)).toEqual(expected);
  expect(await stored(db, tenant.merchant.live.id)).toBeNull();
  await open(page);
  await expect(page.getByLabel("Accent", { exact: true })).toHaveValue("#7a1fa2");
  await page.getByRole("button", { name: "Reset to default" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect.poll(() => stored(db, tenant.merchant.test.id)).toBeNull();
  await page.goto("/test/settings/activity");
  await expect(page.getByText("Changed the payment form’s appearance").first()).toBeVisible();
});

test("unreadable colors are reported immediately, fixed by a click, and never saved", async ({
  owner: page,
  tenant,
  db,
  baseUrl,
}) => {
  await open(page);
  await page.getByLabel("Text", { exact: true }).fill("#bbbbbb");
  await expect(page.getByLabel("Text", { exact: true })).toHaveAccessibleDescription(/Hard to read .* needed 4.5 to 1/);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Fix the colors first" })).toBeVisible();
  await expect(page.getByLabel("Text", { exact: true })).toBeFocused();
  expect(await stored(db, tenant.merchant.test.id)).toBeNull();
  const answer = await page.request.fetch(`${baseUrl}/api/dashboard/test/checkout/appearance`, {
    method: "PATCH",
    headers: { "sec-fetch-site": "same-origin" },
    data: { appearance: { text_color: "#bbbbbb" } },
  });
  expect(answer.status()).toBe(400);
  expect(await answer.json()).toMatchObject({ errors: [{ param: "appearance.text_color" }] });
  await page.getByRole("button", { name: /^Use #/ }).click();
  await expect(page.getByText("Hard to read")).toHaveCount(0);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Appearance saved")).toBeVisible();
});

test("unsaved changes are not lost without a question", async ({ owner: page }) => {
  await open(page);
  await page.getByRole("radio", { name: "Sharp" }).check();
  await page.getByRole("link", { name: "Payment links", exact: true }).first().click();
  await expect(page.getByRole("dialog", { name: "Leave without saving?" })).toBeVisible();
  await page.getByRole("button", { name: "Stay" }).click();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("link", { name: "Payment links", exact: true }).first().click();
  await page.waitForURL("**/test/checkout/links");
});
