import { readFileSync } from "node:fs";
import type { BrowserContext, Page } from "playwright/test";
import { outboxLink } from "@/lib/http/outbox-link";
import { newId } from "@/lib/ids";
import {
  expectAccessible,
  expectAccessibleInBothSchemes,
  expectNoSidewaysScroll,
  expectWellInEveryLook,
  openAlive,
  test,
  untilAlive,
} from "../browser";
import { expect } from "../fixtures/playwright";
import { TEST_PASSWORD } from "../fixtures/users";
import { captured } from "../samples";

const PAGES = ["account", "second-factor", "sessions", "appearance", "business", "subscriptions", "team", "activity"];

/** Opens a section and waits for hydration and content. */
const open = (page: Page, section: string, mode = "test") => openAlive(page, `/${mode}/settings/${section}`);

/** A page in front, since a hidden window doesn't draw streamed content. */
async function newPageOf(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.bringToFront();
  return page;
}

test("a session that is ended elsewhere is signed out immediately", async ({
  browser,
  baseUrl,
  page,
  newPerson,
  signInAs,
}) => {
  const person = await newPerson();
  await signInAs(page.context(), person);
  const elsewhere = await browser.newContext({ baseURL: baseUrl });
  await signInAs(elsewhere, person);
  const other = await newPageOf(elsewhere);
  await open(other, "account");
  await expect(other.getByRole("heading", { name: "Your account" })).toBeVisible();

  await open(page, "sessions");
  const rows = page.getByRole("main").getByRole("listitem").filter({ hasText: "Last seen" });
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText("This browser");
  await rows
    .nth(1)
    .getByRole("button", { name: /^Sign out/ })
    .click();
  await expect(rows).toHaveCount(1);
  await expect(page.getByText("You aren’t signed in anywhere else.")).toBeVisible();
  await other.reload();
  await other.waitForURL(/\/sign-in/);
  await elsewhere.close();
});

test("a new password ends the other sessions and keeps this one", async ({
  browser,
  baseUrl,
  page,
  newPerson,
  signInAs,
}) => {
  const person = await newPerson("viewer");
  await signInAs(page.context(), person);
  const elsewhere = await browser.newContext({ baseURL: baseUrl });
  await signInAs(elsewhere, person);
  await open(page, "account");
  await page.getByLabel("Current password").fill("not it at all");
  await page.getByLabel("New password").fill("a new and long password");
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("That isn't your current password.")).toBeVisible();
  await expect(page.getByLabel("New password")).toHaveValue("a new and long password");
  await page.getByLabel("Current password").fill(person.password);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("1 other session was signed out.")).toBeVisible();
  const other = await newPageOf(elsewhere);
  await other.goto("/test/settings/account");
  await other.waitForURL(/\/sign-in/);
  await elsewhere.close();
});

test("the business profile is saved, requires re-authentication, and its time zone moves the days", async ({
  owner,
  db,
  tenant,
}) => {
  await db.sql`update user_sessions s set proved_at = now() - interval '11 minutes' from users u
    where u.id = s.user_id and u.merchant_id = ${tenant.merchant.id}`;
  await open(owner, "business");
  await owner.getByLabel("Business name").fill("Lovelace Ltd");
  await owner.getByLabel("Website").fill("not an address");
  await owner.getByLabel("Time zone").selectOption("Asia/Tokyo");
  await owner.getByRole("button", { name: "Save", exact: true }).click();
  const dialog = owner.getByRole("dialog", { name: "Confirm it’s you" });
  await dialog.getByLabel("Your password").fill(TEST_PASSWORD);
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await expect(owner.getByText("Enter an address such as https://example.com.")).toBeVisible();
  await expect(owner.getByLabel("Business name")).toHaveValue("Lovelace Ltd");
  await owner.getByLabel("Website").fill("https://lovelace.example");
  await owner.getByRole("button", { name: "Save", exact: true }).click();
  await expect(owner.getByText("Saved")).toBeVisible();
  const [row] = await db.sql`select name, website, time_zone from merchants where id = ${tenant.merchant.id}`;
  expect(row).toEqual({ name: "Lovelace Ltd", website: "https://lovelace.example", time_zone: "Asia/Tokyo" });
  await open(owner, "activity");
  await expect(owner.getByText("Time zone: UTC → Asia/Tokyo")).toBeVisible();
});

test("text that is typed while settings are saved stays", async ({ owner }) => {
  await open(owner, "business");
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await owner.route("**/api/dashboard/business", async (route) => {
    await released;
    await route.continue();
  });
  await owner.getByLabel("Business name").fill("Lovelace Ltd");
  await owner.getByRole("button", { name: "Save", exact: true }).click();
  await owner.getByLabel("Website").fill("https://lovelace.example");
  release();
  await expect(owner.getByText("Saved")).toBeVisible();
  await expect(owner.getByLabel("Website")).toHaveValue("https://lovelace.example");
});

test("the limit from which refunds are confirmed is the business's own", async ({ owner, db, tenant }) => {
  await open(owner, "business");
  const limit = owner.getByLabel("Confirm refunds over");
  await expect(limit).toHaveValue("1000");
  await limit.fill("a lot");
  await owner.getByRole("button", { name: "Save limit" }).click();
  await expect(limit).toHaveAttribute("aria-invalid", "true");
  await limit.fill("250");
  await owner.getByRole("button", { name: "Save limit" }).click();
  await expect(owner.getByText("Saved")).toBeVisible();
  const [row] = await db.sql`select refund_limit_usd from merchants where id = ${tenant.merchant.id}`;
  expect(row).toEqual({ refund_limit_usd: 250 });
});

test("the activity is filtered, and exported as filtered", { tag: "@looks" }, async ({ owner: page, api }) => {
  const payment = await captured(api, { amount: 5_000 });
  await openAlive(page, "/test");
  const refunded = await page.evaluate(async (id) => {
    const headers = { "x-cardlane-mode": "test", "x-idempotency-key": id, "content-type": "application/json" };
    return (await fetch(`/v1/payments/${id}/refund`, { method: "POST", headers, body: '{"amount":1200}' })).status;
  }, payment.id);
  expect(refunded).toBe(201);
  await open(page, "activity");
  const rows = page.getByRole("table", { name: /Account activity/ }).getByRole("row");
  await expect(rows.filter({ hasText: "Refunded a payment" })).toContainText("$12.00 USD");
  await page.getByRole("region", { name: "Filters" }).getByRole("button", { name: "About" }).click();
  await page.getByRole("dialog", { name: "Filter by about" }).getByLabel("About").selectOption("Plans");
  await expect(page.getByText("No actions match")).toBeVisible();
  await expectWellInEveryLook(page, () => openAlive(page, "/test/settings/activity?area=payments"));
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
  const csv = readFileSync(await (await download).path(), "utf8")
    .trimEnd()
    .split("\n");
  expect(csv).toHaveLength(2);
  expect(csv[1]).toContain(`test,${payment.id},12.00,USD,`);
});

test("leaving with unsaved changes asks for confirmation", async ({ owner }) => {
  await open(owner, "business");
  await owner.getByLabel("Business name").fill("Not saved");
  await owner.getByRole("link", { name: "Team", exact: true }).click();
  await expect(owner.getByRole("dialog", { name: "Leave without saving?" })).toBeVisible();
  await owner.getByRole("button", { name: "Stay" }).click();
  await expect(owner.getByLabel("Business name")).toHaveValue("Not saved");
});

test("a person is invited, joins by the mailed link, changes role and is removed", async ({
  owner,
  browser,
  baseUrl,
  service,
}) => {
  const email = `${newId()}@team.example`;
  await open(owner, "team");
  await owner.getByRole("button", { name: "Invite" }).click();
  await owner.getByLabel("E-mail address").fill(email);
  await owner.getByLabel("Operator", { exact: true }).check();
  await expectAccessible(owner);
  await owner.getByRole("button", { name: "Send invitation" }).click();
  const row = owner.getByRole("row").filter({ hasText: email });
  await expect(row).toContainText("Invited");

  const elsewhere = await browser.newContext({ baseURL: baseUrl });
  const invited = await newPageOf(elsewhere);
  await invited.goto(outboxLink({ ...service, baseUrl }));
  await invited.getByRole("listitem").filter({ hasText: email }).first().getByRole("link").click();
  await invited.waitForURL("**/invitation/**");
  await untilAlive(invited);
  await invited.getByLabel("Your name").fill("Grace Hopper");
  await invited.getByLabel("Password", { exact: true }).fill("a new and long password");
  await invited.getByRole("button", { name: "Join" }).click();
  await invited.waitForURL("**/test");
  await open(invited, "team");
  await expect(invited.getByText("You don’t have access to the team")).toBeVisible();

  await open(owner, "team");
  await expect(row).toContainText("Grace Hopper");
  await expect(row).toContainText("Operator");
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await owner.getByRole("menuitem", { name: "Change role" }).click();
  await owner.getByLabel("Owner", { exact: true }).check();
  await owner.getByRole("dialog").getByRole("button", { name: "Change role" }).click();
  await expect(row).toContainText("Owner");
  await open(invited, "team");
  await expect(invited.getByRole("row").filter({ hasText: email })).toContainText("You");

  await row.getByRole("button", { name: /^Actions for/ }).click();
  await owner.getByRole("menuitem", { name: "Remove" }).click();
  await owner.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(row).toHaveCount(0);
  await invited.reload();
  await invited.waitForURL(/\/sign-in/);
  await elsewhere.close();
});

test("the last owner cannot become a viewer", async ({ owner }) => {
  await open(owner, "team");
  await owner.getByRole("button", { name: /^Actions for/ }).click();
  await owner.getByRole("menuitem", { name: "Change role" }).click();
  await owner.getByLabel("Viewer", { exact: true }).check();
  await owner.getByRole("dialog").getByRole("button", { name: "Change role" }).click();
  await expect(owner.getByRole("dialog")).toContainText("This is the last owner who can sign in.");
});

test("a viewer sees that the business pages are off limits, and the API refuses them too", async ({
  page,
  newPerson,
  signInAs,
}) => {
  await signInAs(page.context(), await newPerson("viewer"));
  for (const section of ["business", "team", "activity"]) {
    await open(page, section);
    await expect(page.getByText(/^You don’t have access to/)).toBeVisible();
  }
  const headers = { "sec-fetch-site": "same-origin" };
  const invite = await page.request.post("/api/dashboard/team", {
    data: { email: "new@team.example", role: "owner" },
    headers,
  });
  expect(invite.status()).toBe(403);
  const rename = await page.request.patch("/api/dashboard/business", { data: { name: "Mine" }, headers });
  expect(rename.status()).toBe(403);
  const foreign = await page.request.patch("/api/dashboard/preferences", {
    data: { times: "utc" },
    headers: { "sec-fetch-site": "cross-site" },
  });
  expect(foreign.status()).toBe(403);
});

test("an owner sees the pages as a role sees them, and returns", { tag: "@looks" }, async ({ owner: page, api }) => {
  const payment = await captured(api);
  await open(page, "team");
  await page.getByRole("button", { name: "View as support" }).click();
  const banner = page.getByRole("region", { name: "View as a role" });
  await expect(banner).toContainText("Viewing as support.");
  const menu = page.getByRole("navigation", { name: "Dashboard" });
  await expect(menu.getByRole("link", { name: "Payments" })).toBeVisible();
  await expect(menu.getByRole("link", { name: "Payouts" })).toHaveCount(0);
  await page.goto("/test/payouts");
  await expect(page.getByText("You don’t have access to payouts")).toBeVisible();
  await expectWellInEveryLook(page, () => openAlive(page, `/test/payments/${payment.id}`));

  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^Refund \$/ }).click();
  await expect(dialog.getByText("You are viewing the dashboard as support.")).toBeVisible();
  await page.keyboard.press("Escape");
  await banner.getByRole("button", { name: "Back to your role" }).click();
  await expect(page.getByRole("button", { name: "View as support" })).toBeVisible();
  await expect(menu.getByRole("link", { name: "Payouts" })).toBeVisible();
  await expect(banner).toHaveCount(0);
});

test("appearance takes effect immediately and is kept", async ({ owner }) => {
  await open(owner, "appearance");
  await owner.getByLabel("Dark", { exact: true }).check();
  await expect(owner.locator("html")).toHaveAttribute("data-theme", "dark");
  const saved = owner.waitForResponse("**/api/dashboard/preferences");
  await owner.getByLabel("UTC", { exact: true }).check();
  expect((await saved).status()).toBe(200);
  await owner.reload();
  await untilAlive(owner);
  await expect(owner.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(owner.getByLabel("UTC", { exact: true })).toBeChecked();
});

test("every page of the settings is accessible and fits a phone", { tag: "@looks" }, async ({ owner: page }) => {
  for (const section of PAGES) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await open(page, section);
    await expect(page.getByRole("heading", { level: 2 }).first()).toBeVisible();
    await expectAccessibleInBothSchemes(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSidewaysScroll(page);
  }
});
