import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright/test";
import { outboxLink } from "@/lib/http/outbox-link";
import { newId } from "@/lib/ids";
import {
  expectAccessible,
  expectAccessibleInBothSchemes,
  expectNoSidewaysScroll,
  openAlive,
  test,
  untilAlive,
} from "../browser";
import { expect } from "../fixtures/playwright";

const NEW = "a new and long password";

async function fillIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/**
 * Leaves the page first: a signed-out page redirects to the sign-in, which would clear what a test types
 * there.
 */
async function leaveSignedOut(page: Page): Promise<void> {
  await page.goto("about:blank");
  await page.context().clearCookies();
}

test("a sign-up leads into the test environment of a new merchant, signed in", async ({
  page,
  db,
  service,
  baseUrl,
}) => {
  const email = `${newId()}@new.example`;
  await openAlive(page, "/sign-up");
  await page.getByLabel("Business name").fill("Lovelace Ltd");
  await page.getByLabel("Your name").fill("Ada Lovelace");
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByText("Choose a password of at least 12 characters.")).toBeVisible();
  // The entries are kept.
  await expect(page.getByLabel("Business name")).toHaveValue("Lovelace Ltd");
  await expect(page.getByLabel("E-mail address")).toHaveValue(email);
  await page.getByLabel("Password", { exact: true }).fill("qwertyuiop123");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByText("This password is easy to guess.")).toBeVisible();
  await page.getByLabel("Password", { exact: true }).fill(NEW);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL("**/test");
  await expect(page.getByText("Lovelace Ltd").first()).toBeVisible();
  const keys = await db.sql`select 1 from api_keys k join environments e on e.id = k.environment_id
    join users u on u.merchant_id = e.merchant_id where u.email = ${email}`;
  expect(keys).toHaveLength(0);

  // Until the address is verified, live keys are unavailable, and the page explains the next step.
  const banner = page.getByText("Confirm your e-mail address");
  await expect(banner).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Send it again" }).click();
  await expect(page.getByText("Sent. Only the newest link works.")).toBeVisible();
  await page.goto(outboxLink({ ...service, baseUrl }));
  await page.getByRole("listitem").filter({ hasText: email }).first().getByRole("link").click();
  await page.waitForURL("**/verify-email/**");
  await untilAlive(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.waitForURL("**/test");
  await expect(banner).toHaveCount(0);
});

test("a taken address gets the same response, and its owner is mailed", async ({
  page,
  newPerson,
  service,
  baseUrl,
}) => {
  const { email } = await newPerson();
  await openAlive(page, "/sign-up");
  await page.getByLabel("Business name").fill("Second");
  await page.getByLabel("Your name").fill("Eve");
  await page.getByLabel("E-mail address").fill(email.toUpperCase());
  await page.getByLabel("Password", { exact: true }).fill(NEW);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL("**/test");
  await expect(page.getByText("Confirm your e-mail address")).toBeVisible();
  await page.goto(outboxLink({ ...service, baseUrl }));
  const mail = page.getByRole("listitem").filter({ hasText: email }).first();
  await expect(mail.getByRole("heading")).toHaveText("You already have a Cardlane account");
});

test("signing in returns to the requested page, and never to another site", async ({ page, newPerson }) => {
  const person = await newPerson();
  await openAlive(page, "/live/settings/sessions");
  await page.waitForURL(/\/sign-in\?next=/);
  await expect(page.getByLabel("E-mail address")).toBeFocused();
  await fillIn(page, person.email, "wrong password");
  await expect(page.getByText("The e-mail address or the password is wrong.")).toBeVisible();
  await expect(page.getByLabel("E-mail address")).toHaveValue(person.email);
  await fillIn(page, person.email, person.password);
  await page.waitForURL("**/live/settings/sessions");
  await leaveSignedOut(page);
  await openAlive(page, "/sign-in?next=https://evil.example/");
  await fillIn(page, person.email, person.password);
  await page.waitForURL("**/test");
});

test("a forgotten password is replaced through the outbox, and the link works once", async ({
  page,
  newPerson,
  service,
  baseUrl,
}) => {
  const person = await newPerson();
  await openAlive(page, "/sign-in");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.waitForURL("**/forgot-password");
  await untilAlive(page);
  await page.getByLabel("E-mail address").fill(person.email);
  await page.getByRole("button", { name: "Send me a link" }).click();
  await expect(page.getByText(`If ${person.email} has an account`)).toBeVisible();
  await page.getByRole("link", { name: "outbox" }).click();
  await page.waitForURL("**/outbox");
  await expect(page.getByRole("heading", { name: "The outbox is locked" })).toBeVisible();
  expect(await page.content()).not.toContain("/reset-password/");
  await page.goto(outboxLink({ ...service, baseUrl }));
  await page.waitForURL("**/outbox");
  const mail = page.getByRole("listitem").filter({ hasText: person.email }).first();
  await expect(mail.getByRole("heading")).toHaveText("Choose a new Cardlane password");
  const link = await mail.getByRole("link").getAttribute("href");
  await expectAccessible(page);
  await mail.getByRole("link").click();
  await page.waitForURL("**/reset-password/**");
  await untilAlive(page);
  await page.getByLabel("New password").fill(NEW);
  await page.getByRole("button", { name: "Change password and sign in" }).click();
  await page.waitForURL("**/test");
  await page.goto(link ?? "");
  await expect(page.getByRole("heading", { name: "This link no longer works" })).toBeVisible();
});

test("an unknown address gets the same message", async ({ page }) => {
  await openAlive(page, "/forgot-password");
  const email = `${newId()}@nobody.example`;
  await page.getByLabel("E-mail address").fill(email);
  await page.getByRole("button", { name: "Send me a link" }).click();
  await expect(page.getByText(`If ${email} has an account`)).toBeVisible();
});

test("ten failures lock the account, and then the right password does not help", { tag: "@prove" }, async ({
  page,
  newPerson,
}) => {
  const person = await newPerson();
  await openAlive(page, "/sign-in");
  for (let i = 1; i <= 10; i++) {
    const answer = page.waitForResponse("**/callback/credentials");
    await fillIn(page, person.email, `wrong password ${i}`);
    await answer;
    await expect(page.getByRole("button", { name: "Sign in" })).not.toHaveAttribute("aria-busy", "true");
  }
  await expect(page.getByText("this account is locked for up to 30 minutes")).toBeVisible();
  await fillIn(page, person.email, person.password);
  await expect(page.getByText("this account is locked for up to 30 minutes")).toBeVisible();
  expect(new URL(page.url()).pathname).toBe("/sign-in");
});

test("a second factor is set up, required, and replaced once by a recovery code", async ({
  page,
  context,
  newPerson,
  signInAs,
}) => {
  const person = await newPerson("viewer");
  await signInAs(context, person);
  await openAlive(page, "/test/settings/second-factor");
  await page.getByRole("button", { name: "Set up" }).click();
  await page.getByLabel("Current password").fill(person.password);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByAltText(/QR code/)).toBeVisible();
  await expectAccessible(page);
  const secret = (await page.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? "";
  const codeAt = (ms: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + ms });
  await page.getByLabel("Code").fill(codeAt(0));
  await page.getByRole("button", { name: "Turn on" }).click();
  const dialog = page.getByRole("dialog", { name: "Save your recovery codes" });
  const codes = ((await dialog.locator("code").textContent()) ?? "").split("\n");
  expect(codes).toHaveLength(10);
  await expect(dialog.getByRole("button", { name: "Done" })).toBeDisabled();
  await dialog.getByLabel("I’ve saved them in a safe place.").check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText("10 of 10 left")).toBeVisible();

  for (const code of [codeAt(30_000), codes[0] ?? ""]) {
    await leaveSignedOut(page);
    await openAlive(page, "/sign-in");
    await fillIn(page, person.email, person.password);
    await expect(page.getByRole("heading", { name: "Enter your code" })).toBeVisible();
    await page.getByLabel("Code").fill(code);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.waitForURL("**/test");
  }
  await leaveSignedOut(page);
  await openAlive(page, "/sign-in");
  await fillIn(page, person.email, person.password);
  await page.getByLabel("Code").fill(codes[0] ?? "");
  await page.getByRole("button", { name: "Verify" }).click();
  await expect(page.getByText("That code is wrong, expired or already used.")).toBeVisible();
});

test("the pages that mails lead to are accessible and fit a phone", { tag: "@looks" }, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ["/outbox", "/reset-password/unknown", "/verify-email/unknown"]) {
    await openAlive(page, path);
    await expectAccessibleInBothSchemes(page);
    await expectNoSidewaysScroll(page);
  }
});
