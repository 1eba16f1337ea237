import type { Page } from "playwright/test";
import { createPayment } from "@/lib/contract/payments/endpoints";
import { outboxLink } from "@/lib/http/outbox-link";
import { expectAccessible, expectWellInEveryLook, openAlive, test } from "../browser";
import { expectPaid, pay } from "../checkout/fixtures";
import { png } from "../fixtures/pictures";
import { expect } from "../fixtures/playwright";
import { aPayment, newSession } from "../samples";
import { opens } from "./money-dialogs";

const file = (content: string | Buffer) => ({
  name: "logo.png",
  mimeType: "image/png",
  buffer: Buffer.from(content),
});

/** Identical images share an address across merchants, so a test that checks it needs its own color. */
async function uploadLogo(page: Page, rgb: string): Promise<void> {
  const logo = page.getByLabel("Logo file");
  await logo.setInputFiles(file("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"));
  await expect(page.getByText("SVG files can contain scripts")).toBeVisible();
  await logo.setInputFiles(file(png(240, 60, { rgb })));
  await expect(page.getByRole("img", { name: /^Logo of .* on light$/ })).toBeVisible();
}

test("a logo is uploaded and receipts switched on: the shopper pays, and gets the receipt by link and by mail", {
  tag: "@looks",
}, async ({ owner: page, tenant, service, baseUrl, db, browser }) => {
  await openAlive(page, "/test/settings/business");
  await uploadLogo(page, "1f6feb");
  await page.getByLabel("A payment is captured").check();
  await page.getByRole("button", { name: "Save receipts" }).click();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await expectAccessible(page);

  const email = `${tenant.merchant.id}@customers.example`;
  const session = await newSession(tenant.api, { amount: 4_900, currency: "EUR", customer_email: email });
  const context = await browser.newContext();
  const shopper = await context.newPage();
  await shopper.goto(`${baseUrl}/pay/${session.client_session_token}`);
  const logo = shopper.locator("header img.logo");
  await expect(logo).toHaveAttribute("alt", "Test merchant");
  expect(await logo.evaluate((img: HTMLImageElement) => [img.complete, img.naturalWidth])).toEqual([true, 240]);
  await expectAccessible(shopper);
  await pay(shopper);
  await expectPaid(shopper);
  await shopper.getByRole("link", { name: "View receipt" }).click();
  const receipt = await context.waitForEvent("page");
  await expect(receipt).toHaveURL(/\/receipt\/rcp_/);
  await expect(receipt.getByRole("heading", { level: 1 })).toHaveText(/^Receipt [0-9A-Z]{4}-[0-9A-Z]{4}$/);
  await expect(receipt.locator("main")).toContainText("€49.00 EUR");
  await expect(receipt.locator("main")).toContainText("Visa •••• 4242");
  await expect(receipt.getByRole("img", { name: "Test merchant" })).toBeVisible();
  await expectWellInEveryLook(receipt);
  await receipt.emulateMedia({ media: "print", colorScheme: "dark" });
  await expect(receipt.getByRole("button", { name: "Print" })).toBeHidden();
  const ground = () => receipt.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  expect(await ground()).toBe("rgb(255, 255, 255)");

  const written = () => db.sql`select body from mail_outbox where recipient = ${email}`;
  await expect.poll(async () => (await written()).length).toBe(1);
  await page.goto(outboxLink({ ...service, baseUrl }));
  const mail = page.getByRole("article").filter({ hasText: email });
  await expect(mail).toContainText("Receipt from Test merchant: €49.00 EUR");
  expect(new URL((await mail.getByRole("link").getAttribute("href")) ?? "").pathname).toBe(
    new URL(receipt.url()).pathname,
  );
  await context.close();
});

test("a payment's page shows and sends its receipt; an authorization has none", async ({ owner: page, tenant, db }) => {
  const email = `sent-${tenant.merchant.id}@customers.example`;
  const body = { customer_email: email };
  const payment = (await tenant.api.call(createPayment, { body: aPayment(body) })).ok();
  await openAlive(page, `/test/payments/${payment.id}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Send receipt" }).click();
  const dialog = page.getByRole("dialog", { name: "Send receipt" });
  await expect(dialog.getByLabel("E-mail address")).toHaveValue(email);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText(`nothing was sent to ${email}`)).toBeVisible();
  expect(await db.sql`select subject from mail_outbox where recipient = ${email}`).toHaveLength(1);
  const popup = page.waitForEvent("popup");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "View receipt" }).click();
  await expect((await popup).getByRole("heading", { level: 1 })).toHaveText(/^Receipt /);

  const held = (await tenant.api.call(createPayment, { body: aPayment({ capture_method: "manual" }) })).ok();
  await page.goto(`/test/payments/${held.id}`);
  await expect(page.getByRole("button", { name: "Capture", exact: true })).toBeVisible();
  await opens(page.getByRole("button", { name: "More actions" }), page.getByRole("menuitem", { name: /^Refund/ }));
  await expect(page.getByRole("menuitem", { name: "View receipt" })).toHaveCount(0);
  await page.goto(`/test/payments/${held.id}/receipt`);
  await expect(page.getByRole("heading", { level: 1, name: "No receipt yet" })).toBeVisible();
});

test("a logo is immutable and inert under its digest; other receipt and logo addresses are 404", async ({
  owner: page,
  baseUrl,
}) => {
  await openAlive(page, "/test/settings/business");
  await uploadLogo(page, "7a1fa2");
  const src = await page.getByRole("img", { name: /^Logo of .* on light$/ }).getAttribute("src");
  const logo = await fetch(baseUrl + src);
  expect([logo.status, logo.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect(logo.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(logo.headers.get("x-content-type-options")).toBe("nosniff");
  expect(logo.headers.get("content-security-policy")).toMatch(/^default-src 'none';/);
  await page.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No logo yet")).toBeVisible();
  const wrong = [src, "/logo/x", `/logo/${"0".repeat(64)}`, "/receipt/x", `/receipt/rcp_${"a".repeat(43)}`];
  for (const path of [...wrong, `/pay/cst_${"a".repeat(43)}/receipt`]) {
    const response = await fetch(baseUrl + path);
    expect([response.status, response.headers.get("cache-control")], String(path)).toEqual([404, "no-store"]);
  }
});
