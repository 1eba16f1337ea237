import type { APIRequestContext, Page } from "playwright/test";
import { createPaymentLinkBody } from "@/lib/contract/checkout/payment-link";
import { listSubscriptions } from "@/lib/contract/subscriptions/endpoints";
import { listTransactions } from "@/lib/contract/transactions/endpoints";
import { createPaymentLink, updatePaymentLink } from "@/lib/domain/checkout/payment-links";
import { expectAccessibleInBothSchemes, expectNoSidewaysScroll, test } from "../browser";
import { expectPaid, fillCard, pay } from "../checkout/fixtures";
import { expect, type Tenant } from "../fixtures/playwright";
import { newPlan } from "../samples";

async function newLink(tenant: Tenant, baseUrl: string, body: object = {}) {
  const sold = { amount: 1_999, currency: "EUR", description: "A poster", ...body };
  const link = await createPaymentLink(tenant.context(), createPaymentLinkBody.parse(sold));
  return { id: link.id, url: baseUrl + new URL(link.url).pathname };
}

const PHONE = { width: 390, height: 844 };

test("a link for a plan is created, opened on a phone and paid, and its sale is in the list", async ({
  owner: page,
  tenant: { api },
  browser,
}) => {
  const plan = await newPlan(api, {
    name: "Trail club",
    status: "ACTIVE",
    type: "SUBSCRIPTION_NO_TRIAL",
    full_price_amount: 12,
    billing_frequency_value: 1,
    billing_frequency_unit: "MONTHS",
  });
  await page.goto("/test/checkout/links");
  await expect(page.getByRole("heading", { name: "No payment links yet" })).toBeVisible();
  await page.goto(`/test/plans/${plan.id}`);
  await page.getByRole("link", { name: "Sell by link" }).click();
  await page.waitForURL("**/checkout/links/new?plan=*");
  const form = page.getByRole("form", { name: "New payment link" });
  await expect(form.getByLabel("Plan", { exact: true })).toHaveValue(plan.id);
  await form.getByLabel("Link name").fill("Shop window");
  await form.getByRole("button", { name: "Create payment link" }).click();
  await page.waitForURL("**/checkout/links/plink_*");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Shop window");
  await expect(page.getByRole("img", { name: "QR code of the payment link" })).toBeVisible();
  const address = await page.getByTestId("payment-link").innerText();

  const context = await browser.newContext({ viewport: PHONE });
  const phone = await context.newPage();
  await phone.goto(address);
  await phone.waitForURL("**/pay/cst_*");
  await expect(phone.getByText("Trail club")).toBeVisible();
  await expect(phone.getByText(/^\$12\.00 today, then \$12\.00 every month from /)).toBeVisible();
  await expectNoSidewaysScroll(phone);
  await pay(phone);
  await expectPaid(phone);
  await context.close();

  await page.goto("/test/checkout/links");
  const row = page.getByRole("row", { name: /Shop window/ });
  await expect(row).toContainText("$12.00");
  await row.getByRole("link", { name: "1 subscription of Shop window" }).click();
  await page.waitForURL("**/checkout/links/plink_*?status=COMPLETED");
  await expect(page.getByText("1 session", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "View payment" }).click();
  await page.waitForURL("**/payments/pay_*");
  await page.getByRole("link", { name: "Shop window" }).click();
  await page.waitForURL("**/checkout/links/plink_*");
});

test("a click right after a wrong amount counts, and a decimal comma is one", async ({ owner: page, tenant, db }) => {
  await page.goto("/test/checkout/links/new");
  const form = page.getByRole("form", { name: "New payment link" });
  await form.getByRole("radio", { name: "An amount" }).check();
  const amount = form.getByLabel("Amount", { exact: true });
  const once = form.getByRole("radio", { name: "Once" });
  const before = await once.boundingBox();
  await amount.fill("5,00,0");
  await once.click();
  await expect(once).toBeChecked();
  await expect(amount).toHaveAccessibleDescription("Enter an amount such as 19.90.");
  expect(await once.boundingBox()).toEqual(before);
  // The question is taller than the line reserved for it.
  await form.getByRole("radio", { name: "Many times" }).check();
  await amount.fill("1,500");
  await once.click();
  await expect(once).toBeChecked();
  await form.getByRole("button", { name: "$1.50 (one and 50/100)" }).click();
  await expect(amount).toHaveValue("1.50");
  await amount.fill("19,90");
  await form.getByLabel("Description").fill("A poster");
  await form.getByRole("button", { name: "Create payment link" }).click();
  await page.waitForURL("**/checkout/links/plink_*");
  const [link] = await db.sql`
    select amount, single_use from payment_links where environment_id = ${tenant.merchant.test.id}`;
  expect(link).toEqual({ amount: 1_990, single_use: true });
});

test("a plan with a free trial is sold by link: link, form and the plan's subscriber agree, and nothing is charged", async ({
  owner: page,
  tenant: { api },
  browser,
}) => {
  const plan = await newPlan(api, {
    name: "Print of the month",
    status: "ACTIVE",
    type: "SUBSCRIPTION_FREE_TRIAL",
    full_price_amount: 19,
    billing_frequency_value: 1,
    billing_frequency_unit: "MONTHS",
    trial_period_value: 14,
    trial_period_unit: "DAYS",
  });
  await page.goto(`/test/plans/${plan.id}`);
  await page.getByRole("link", { name: "Sell by link" }).click();
  const form = page.getByRole("form", { name: "New payment link" });
  await expect(form.getByLabel("Plan", { exact: true })).toHaveAccessibleDescription(
    /^Starts a subscription.*: 14 days free, then \$19\.00 every month from /,
  );
  await form.getByRole("button", { name: "Create payment link" }).click();
  await page.waitForURL("**/checkout/links/plink_*");
  await expect(page.getByText("14 days free, then $19.00 every month", { exact: true })).toBeVisible();
  const address = await page.getByTestId("payment-link").innerText();

  const context = await browser.newContext({ viewport: PHONE });
  const phone = await context.newPage();
  await phone.goto(address);
  await phone.waitForURL("**/pay/cst_*");
  await expect(phone.getByText(/^14 days free, then \$19\.00 every month from /)).toBeVisible();
  await expect(phone.getByText(/^You can cancel at any time/)).toBeVisible();
  await expectNoSidewaysScroll(phone);
  await fillCard(phone);
  await phone.getByRole("button", { name: "Start free trial" }).click();
  await expect(phone.getByText("Tick this box to continue.")).toBeVisible();
  await phone.getByRole("checkbox", { name: /^I agree that .* charges this card \$19\.00 every month/ }).check();
  await phone.getByRole("button", { name: "Start free trial" }).click();
  await expect(phone.getByRole("heading", { name: "Your free trial has started" })).toBeVisible();
  await context.close();

  expect((await api.call(listTransactions, { query: { plan_id: plan.id } })).ok().data).toEqual([]);
  const { data } = (await api.call(listSubscriptions, { query: { plan_id: plan.id } })).ok();
  expect(data).toMatchObject([{ status: "TRIALING", payment_method_id: expect.any(String) }]);
});

/** Stays on the link's own page, which otherwise redirects to the form. */
async function openHeld(page: Page, address: string): Promise<void> {
  await page.addInitScript(() => {
    HTMLFormElement.prototype.submit = () => {};
  });
  await page.goto(address);
}

test("a link's pages are accessible in both schemes and fit a phone; it is changed and deactivated", {
  tag: "@looks",
}, async ({ owner: page, tenant, context, baseUrl }) => {
  const link = await newLink(tenant, baseUrl, { single_use: true });
  await page.setViewportSize(PHONE);
  await page.goto(`/test/checkout/links/${link.id}`);
  const form = page.getByRole("form", { name: "Payment link" });
  await form.getByLabel("Description").fill("A big poster");
  await form.getByLabel("Expires").selectOption("at");
  await form.getByLabel("Expires at").fill("2099-12-31T18:30");
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Payment link saved")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("A big poster");
  await expectAccessibleInBothSchemes(page);
  await expectNoSidewaysScroll(page);

  const shopper = await context.newPage();
  await shopper.setViewportSize(PHONE);
  await openHeld(shopper, link.url);
  await expect(shopper.getByText("A big poster")).toBeVisible();
  await expect(shopper.getByRole("button", { name: "Continue to payment" })).toBeVisible();
  await expectAccessibleInBothSchemes(shopper);
  await expectNoSidewaysScroll(shopper);

  await page.getByLabel("Link name").fill("Half typed");
  await page.getByRole("button", { name: "Deactivate" }).click();
  const dialog = page.getByRole("dialog", { name: "Deactivate this link?" });
  await dialog.getByRole("button", { name: "Deactivate link" }).click();
  await expect(page.getByRole("button", { name: "Activate", exact: true })).toBeVisible();
  await expect(page.getByLabel("Link name")).toHaveValue("Half typed");
  const answer = await shopper.reload();
  expect(answer?.status()).toBe(410);
  await expect(shopper.getByRole("heading", { name: "This is no longer available" })).toBeVisible();
  await expectAccessibleInBothSchemes(shopper);
});

const open = (request: APIRequestContext, address: string, headers: Record<string, string> = SAME_ORIGIN) =>
  request.post(`${address}/open`, { headers, maxRedirects: 0 });
const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };

test("viewing a link writes nothing; only its own page opens a session, and every error is a page", async ({
  request,
  tenant,
  db,
  baseUrl,
}) => {
  const link = await newLink(tenant, baseUrl);
  const sessions = async () => {
    const rows = await db.sql`select id from client_sessions where environment_id = ${tenant.merchant.test.id}`;
    return rows.length;
  };
  const looked = await request.get(link.url);
  expect(looked.status()).toBe(200);
  expect(looked.headers()["content-security-policy"]).toContain("default-src 'none'");
  expect(looked.headers()["content-security-policy"]).toContain("frame-ancestors 'none'");
  expect((await request.head(link.url)).status()).toBe(200);
  expect((await open(request, link.url, { "sec-fetch-site": "cross-site" })).status()).toBe(403);
  expect((await open(request, link.url, {})).status()).toBe(403);
  expect(await sessions()).toBe(0);

  const opened = await open(request, link.url);
  expect(opened.status()).toBe(303);
  const { location = "" } = opened.headers();
  expect(location).toMatch(/^\/pay\/cst_[\w-]{43}$/);
  expect((await open(request, link.url)).headers().location, "a reload leads to the same form").toBe(location);
  expect(await sessions()).toBe(1);

  expect((await request.get(`${baseUrl}/link/${"a".repeat(22)}`)).status()).toBe(404);
  expect((await open(request, `${baseUrl}/link/nothing`)).status()).toBe(404);
  await updatePaymentLink(tenant.context(), { id: link.id, active: false });
  for (const answer of [await request.get(link.url), await open(request, link.url)]) {
    expect(answer.status()).toBe(410);
    expect(await answer.text()).toContain("no longer available");
  }
});

test("after paying at a link the shopper finds the payment there again, even once the link is off; others don't", async ({
  page,
  browser,
  tenant,
  baseUrl,
}) => {
  const link = await newLink(tenant, baseUrl);
  await page.goto(link.url);
  await page.waitForURL("**/pay/cst_*");
  await pay(page);
  await expectPaid(page);
  const paid = page.url();

  await page.goto(link.url);
  await expect(page.getByText("You’ve already paid here in this browser.")).toBeVisible();
  await page.getByRole("link", { name: "View your payment" }).click();
  await page.waitForURL(paid);
  await expectPaid(page);

  await updatePaymentLink(tenant.context(), { id: link.id, active: false });
  await page.goto(link.url);
  await page.waitForURL(paid);
  await expectPaid(page);
  const stranger = await browser.newContext();
  const answer = await stranger.request.get(link.url, { maxRedirects: 0 });
  expect(answer.status()).toBe(410);
  await stranger.close();
});
