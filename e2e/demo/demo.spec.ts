import { randomUUID } from "node:crypto";
import type { Page } from "playwright/test";
import { getClientSession } from "@/lib/contract/checkout/endpoints";
import { createPayment } from "@/lib/contract/payments/endpoints";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";
import { getSubscription } from "@/lib/contract/subscriptions/endpoints";
import { expectAccessibleInBothSchemes, expectNoSidewaysScroll } from "../browser";
import { fillCard, payButton } from "../checkout/fixtures";
import { expect } from "../fixtures/playwright";
import { aPayment, CARDS, newSession } from "../samples";
import { formOf, openCheckout, paymentOnPage, test } from "./fixtures";

const drawerOf = (page: Page, wide: boolean) =>
  page.getByRole(wide ? "complementary" : "dialog", { name: "Behind the counter" });

test("from the product to the result: the server decides the price, and the form's result only opens the next page", async ({
  page,
  baseUrl,
  demo,
}) => {
  await page.goto(`${baseUrl}/demo`);
  await page.getByRole("link", { name: "Harbour, noon" }).click();
  await expect(page.getByRole("heading", { name: "Harbour, noon" })).toBeVisible();
  await page.getByLabel("Quantity").selectOption("3");
  await page.getByLabel("Pay in").selectOption("KWD");
  await page.getByRole("button", { name: "Buy" }).click();
  await expect(page.getByText("KWD 23.850").first()).toBeVisible();
  await fillCard(formOf(page), CARDS.amex);
  await payButton(formOf(page)).click();
  await expect(page.getByRole("heading", { name: "It’s yours" })).toBeVisible();
  expect(await paymentOnPage(page, demo)).toMatchObject({ status: "CAPTURED", amount: 23_850, currency: "KWD" });
  await expect(page.getByText("American Express •••• 0005")).toBeVisible();
});

test("the monthly print begins with a trial, and the result page shows what comes next", { tag: "@looks" }, async ({
  page,
  baseUrl,
  demo,
}) => {
  await page.goto(`${baseUrl}/demo`);
  await page.getByRole("link", { name: "Try it free" }).click();
  await expect(page.getByText("14 days free, then $19.00 every month").first()).toBeVisible();
  const form = formOf(page);
  // The demo data has used up the trial of the usual cards.
  await fillCard(form, "6011111111111117");
  await form.getByLabel("E-mail").fill(`${randomUUID()}@shopper.example`);
  await form.getByRole("checkbox").check();
  await form.getByRole("button", { name: "Start free trial" }).click();
  await expect(page.getByRole("heading", { name: "Your trial has begun" })).toBeVisible();
  await expect(page.getByText("The first payment is $19.00 on")).toBeVisible();
  await expect(page.getByRole("heading", { name: "See it renew now" })).toBeVisible();
  await expectNoSidewaysScroll(page);
  await expectAccessibleInBothSchemes(page);
  const session = new URL(page.url()).searchParams.get("client_session_id") ?? "";
  const { subscription_id } = (await demo.call(getClientSession, { id: session })).ok();
  const begun = (await demo.call(getSubscription, { id: subscription_id ?? "" })).ok();
  expect(begun).toMatchObject({ status: "TRIALING", next_invoice_amount: 1_900 });
});

test("a tampered price in the URL or the body changes nothing", async ({ page, baseUrl, demo }) => {
  await openCheckout(page, baseUrl, "&amount=1&quantity=-5&currency=XXX");
  const answer = await page.evaluate(async () => {
    const order = new URL(window.location.href).searchParams.get("order");
    const response = await fetch("/demo/checkout/session", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ print: "ridge", order, amount: 1, quantity: 1 }),
    });
    return (await response.json()) as { client_session_id: string };
  });
  expect((await demo.call(getClientSession, { id: answer.client_session_id })).ok()).toMatchObject({
    amount: 3_800,
    currency: "USD",
  });
});

test("the server responds only to the shop's own pages, and shows no key or token", async ({
  page,
  request,
  baseUrl,
}) => {
  const data = { print: "tide", order: "0123456789abcdef" };
  for (const headers of [undefined, { Origin: "https://evil.example" }]) {
    expect(
      (await request.post(`${baseUrl}/demo/checkout/session`, { data, ...(headers && { headers }) })).status(),
    ).toBe(403);
  }
  const responses: Promise<string>[] = [];
  page.on("response", (response) => {
    if (new URL(response.url()).pathname.startsWith("/demo")) responses.push(response.text().catch(() => ""));
  });
  await openCheckout(page, baseUrl);
  const sent = (await Promise.all(responses)).join();
  expect(sent).toContain("/v1/client-sessions");
  expect(sent).not.toContain(process.env.E2E_DEMO_KEY);
  const log = await page.evaluate(() => sessionStorage.getItem("cardlane.demo.log") ?? "");
  expect(log).toContain("/v1/client-sessions");
  expect(log).not.toMatch(/cst_[A-Za-z0-9]/);
});

test("a reload is the same order and the same session; another currency is another one", async ({ page, baseUrl }) => {
  const sessionIds = () =>
    page.evaluate(() => {
      const log = JSON.parse(sessionStorage.getItem("cardlane.demo.log") ?? "[]") as {
        call?: { response_body: { id: string } };
      }[];
      return log.flatMap(({ call }) => (call ? [call.response_body.id] : []));
    });
  await openCheckout(page, baseUrl);
  const { href } = new URL(page.url());
  await page.reload();
  await expect(formOf(page).getByLabel("Card number")).toBeVisible();
  expect(page.url()).toBe(href);
  await expect.poll(async () => (await sessionIds()).length).toBe(2);
  expect(new Set(await sessionIds()).size).toBe(1);
  await page.getByLabel("Currency").selectOption("JPY");
  await expect(payButton(formOf(page))).toContainText("5,600");
  expect(page.url()).not.toBe(href);
  expect(new Set(await sessionIds()).size).toBe(2);
});

test("manual capture authorizes only, and says so", async ({ page, baseUrl, demo }) => {
  const form = await openCheckout(page, baseUrl, "&capture=manual");
  await expect(page.getByText("Reserved today")).toBeVisible();
  await fillCard(form, CARDS.approved);
  await payButton(form).click();
  await expect(page.getByRole("heading", { name: "It’s reserved for you" })).toBeVisible();
  expect(await paymentOnPage(page, demo)).toMatchObject({ status: "AUTHORIZED", amount_captured: 0 });
});

test.describe("mode tokenize", () => {
  test("the shop's server pays with the token, once", async ({ page, baseUrl, demo }) => {
    const form = await openCheckout(page, baseUrl, "&mode=tokenize");
    await fillCard(form, CARDS.approved);
    await payButton(form).click();
    await expect(page.getByRole("heading", { name: "It’s yours" })).toBeVisible();
    expect(await paymentOnPage(page, demo)).toMatchObject({ status: "CAPTURED", description: "1 × Four ridges" });
    await page.getByRole("button", { name: "Live log" }).click();
    await expect(page.getByText("POST /v1/payments", { exact: true })).toBeVisible();
    expect(await page.evaluate(() => sessionStorage.getItem("cardlane.demo.log"))).not.toMatch(/tok_[a-z0-9]/);
  });

  test("a declined card leads to a new form for another one", async ({ page, baseUrl, demo }) => {
    const form = await openCheckout(page, baseUrl, "&mode=tokenize");
    await fillCard(form, CARDS.declined);
    await payButton(form).click();
    await expect(page.getByRole("alert").filter({ hasText: "declined" })).toBeVisible();
    await expect(payButton(form)).toBeEnabled();
    await fillCard(form, CARDS.approved);
    await payButton(form).click();
    await expect(page.getByRole("heading", { name: "It’s yours" })).toBeVisible();
    expect((await paymentOnPage(page, demo))?.status).toBe("CAPTURED");
  });

  test("3-D Secure redirects to the bank's page and back", async ({ page, baseUrl, demo }) => {
    const form = await openCheckout(page, baseUrl, "&mode=tokenize");
    await fillCard(form, CARDS.challenge);
    await payButton(form).click();
    await page.waitForURL(/\/challenge\//);
    await page.getByRole("button", { name: "Approve the payment" }).click();
    await expect(page.getByRole("heading", { name: "It’s yours" })).toBeVisible();
    expect((await paymentOnPage(page, demo))?.status).toBe("CAPTURED");
  });

  test("an outcome that is not known yet is waited for, and never called paid before", async ({ page, baseUrl }) => {
    const form = await openCheckout(page, baseUrl, "&mode=tokenize");
    await fillCard(form, CARDS.lostAnswer);
    await payButton(form).click();
    await expect(page.getByRole("heading", { name: "Your payment is being confirmed" })).toBeVisible({
      timeout: 60_000,
    });
    await expect(page.getByRole("heading", { name: "It’s yours" })).toBeVisible({ timeout: 60_000 });
  });
});

test("the result page shows only its own orders, and only a payment of its own session", async ({
  page,
  baseUrl,
  demo,
}) => {
  const foreign = await newSession(demo);
  const { id: paid } = (await demo.call(createPayment, { body: aPayment() })).ok();
  for (const session of ["", "nonsense", "cs_01h455vb4pex5vsknk084sn02q", foreign.id]) {
    await page.goto(`${baseUrl}/demo/result?client_session_id=${session}&payment_id=${paid}`);
    await expect(page.getByRole("heading", { name: "No order found" })).toBeVisible();
  }
  await openCheckout(page, baseUrl);
  const log = await page.evaluate(() => sessionStorage.getItem("cardlane.demo.log") ?? "");
  const own = /"id":"(cs_\w+)"/.exec(log)?.[1];
  await page.goto(`${baseUrl}/demo/result?client_session_id=${own}&payment_id=${paid}`);
  await expect(page.getByRole("heading", { name: "Not paid yet" })).toBeVisible();
  await expect(page.getByText(paid)).toHaveCount(0);
});

test("language, appearance and button change in the existing form, and typed values stay", async ({
  page,
  baseUrl,
}) => {
  const form = await openCheckout(page, baseUrl);
  await form.getByLabel("Card number").fill("4242424242424242");
  await page.getByLabel("Language").selectOption("de");
  await expect(form.getByLabel("Kartennummer")).toHaveValue("4242 4242 4242 4242");
  await page.getByLabel("Language").selectOption("en");
  await page.getByLabel("Appearance").selectOption("night");
  await page.getByLabel("Pay button").selectOption("shop");
  await expect(payButton(form)).toHaveCount(0);
  const own = page.getByRole("button", { name: "Place the order · $38.00" });
  await own.click();
  await expect(form.getByText("Enter the expiry date.")).toBeVisible();
  await fillCard(form, CARDS.approved);
  await own.click();
  await expect(page.getByRole("heading", { name: "It’s yours" })).toBeVisible();
});

for (const width of [1440, 390]) {
  const wide = width > 1024;
  test(`the drawer has every card to copy, and closes by Escape to where it was opened, ${width} px`, async ({
    page,
    context,
    baseUrl,
  }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.setViewportSize({ width, height: 844 });
    const form = await openCheckout(page, baseUrl);
    const opener = page.getByRole("button", { name: "Test cards" });
    await opener.press("Enter");
    const drawer = drawerOf(page, wide);
    await expect(drawer).toBeVisible();
    await expect(drawer.getByRole("button", { name: /^Copy / })).toHaveCount(SANDBOX_CARDS.length);
    await drawer.getByRole("button", { name: "Copy 3782 822463 10005" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("378282246310005");
    // The form stays usable beside the drawer; on a phone the drawer must be closed first.
    if (wide) {
      await form.getByLabel("Card number").fill("378282246310005");
      await expect(drawer).toBeVisible();
      await drawer.getByRole("tab", { name: "Test cards" }).focus();
    }
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Escape");
    await expect(drawer).toBeHidden();
    await expect(opener.or(page.getByRole("button", { name: "Live log" })).and(page.locator(":focus"))).toHaveCount(1);
  });
}

test("the live log shows the call, its bodies and the form's messages, newest first, and can be cleared", async ({
  page,
  baseUrl,
}) => {
  const form = await openCheckout(page, baseUrl);
  await page.getByRole("button", { name: "Live log" }).click();
  const drawer = drawerOf(page, true);
  const entries = drawer.getByRole("list", { name: "Live log, newest first" }).getByRole("listitem");
  await expect(entries.filter({ hasText: "ready" })).toHaveCount(1);
  const call = entries.filter({ hasText: "POST /v1/client-sessions" });
  await expect(call).toContainText("201");
  await call.locator("summary").click();
  await expect(call).toContainText("X-Request-Id");
  await expect(call).toContainText('"amount": 3800');
  await expect(call).toContainText('"client_session_token": "cst_•••"');
  await fillCard(form, CARDS.declined);
  await payButton(form).click();
  await expect(entries.filter({ hasText: "onError" })).toHaveCount(1);
  await expect(entries.first()).not.toContainText("hello");
  await drawer.getByRole("button", { name: "Clear" }).click();
  await expect(entries).toHaveCount(0);
  await expect(drawer.getByText("Nothing yet.")).toBeVisible();
});

for (const width of [390, 1440, 320]) {
  const tag = width === 390 ? ["@looks"] : ["@looks", "@prove"];
  test(`every page of the shop is accessible and fits, ${width} px`, { tag }, async ({ page, baseUrl }) => {
    const look = async () => {
      await expectAccessibleInBothSchemes(page);
      await expectNoSidewaysScroll(page);
    };
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${baseUrl}/demo`);
    await look();
    const form = await openCheckout(page, baseUrl);
    await look();
    for (const name of ["Test cards", "Live log"]) {
      await page.getByRole("button", { name }).click();
      await look();
      await page.keyboard.press("Escape");
    }
    await fillCard(form, CARDS.approved);
    await payButton(form).click();
    await expect(page.getByRole("heading", { name: "It’s yours" })).toBeVisible();
    await look();
    await page.goto(`${baseUrl}/demo/result`);
    await look();
  });
}
