import type { Page } from "playwright/test";
import { getInvoice, listInvoices } from "@/lib/contract/invoices/endpoints";
import { createPortalSession } from "@/lib/contract/portal/endpoints";
import { createSubscription, getSubscription } from "@/lib/contract/subscriptions/endpoints";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { advanceTestClock, getTestClock } from "@/lib/contract/test-clock/endpoints";
import { test as base, expectWellInEveryLook, openAlive } from "../browser";
import type { Api } from "../client";
import { expect } from "../fixtures/playwright";
import { aCard, CARDS, newPaymentMethod, newPlan, newSubscription } from "../samples";
import { fillCard } from "./fixtures";

/** On a phone, as most customers open a mail. */
const test = base.extend({ viewport: { width: 390, height: 844 } });

/** Its charges by the merchant are declined. */
const POOR = "4000000000007106";

/** A subscription whose first charge, after a trial of a day, was declined. */
async function pastDue(api: Api): Promise<Subscription> {
  const plan = await newPlan(api, {
    type: "SUBSCRIPTION_FREE_TRIAL",
    status: "ACTIVE",
    name: "Print of the month",
    billing_frequency_value: 1,
    billing_frequency_unit: "MONTHS",
    trial_period_value: 1,
    trial_period_unit: "DAYS",
  });
  const method = await newPaymentMethod(api, { card: aCard(POOR) });
  const body = { plan_id: plan.id, customer_id: method.customer_id, payment_method_id: method.id };
  const { id } = (await api.call(createSubscription, { body })).ok();
  const to = new Date(Date.now() + 2 * 86_400_000).toISOString();
  await api.call(advanceTestClock, { body: { to } });
  await expect.poll(async () => (await api.call(getTestClock)).ok().status).toBe("READY");
  const subscription = (await api.call(getSubscription, { id })).ok();
  expect(subscription.status).toBe("PAST_DUE");
  return subscription;
}

const openInvoiceOf = async (api: Api, { id }: Subscription) => {
  const query = { subscription_id: id, status: "OPEN" };
  const [invoice] = (await api.call(listInvoices, { query })).ok().data;
  if (!invoice) throw new Error("no open invoice");
  return invoice;
};

async function openPortal(page: Page, api: Api, { customer_id }: Subscription, more: object = {}): Promise<string> {
  const { url } = (await api.call(createPortalSession, { body: { customer_id, ...more } })).ok();
  await page.goto(url);
  return url;
}

/** Fills the payment form to which a button has led, agrees to later charges, and sends it. */
async function payInForm(page: Page): Promise<void> {
  await expect(page).toHaveURL(/\/pay\/cst_/);
  await expect(page.locator("#number")).toBeVisible();
  await fillCard(page, CARDS.approved);
  const consent = page.locator("#consent");
  if ((await consent.count()) > 0) await consent.check();
  await page.locator("button[type=submit].pay").click();
}

test("a customer cancels on a phone, reads what happens, and undoes it", { tag: "@looks" }, async ({ page, api }) => {
  const failures: Error[] = [];
  page.on("pageerror", (error) => failures.push(error));
  const subscription = await newSubscription(api);
  const url = await openPortal(page, api, subscription, { return_url: "https://shop.example/account" });
  await expect(page.getByRole("heading", { level: 1, name: "Your subscriptions with Test merchant" })).toBeVisible();
  await expect(page.getByText("$19.99 every month")).toBeVisible();
  await expect(page.getByText(/^Next charge: \$19\.99 on /)).toBeVisible();
  await expect(page.getByRole("link", { name: "Back to Test merchant" })).toHaveAttribute(
    "href",
    "https://shop.example/account",
  );
  await expectWellInEveryLook(page);
  await page.getByRole("link", { name: "Cancel subscription" }).click();
  await expect(page.getByText(/^You keep Plan .* until .*; nothing more is charged\.$/)).toBeVisible();
  await expectWellInEveryLook(page);
  await page.getByRole("link", { name: "Don’t cancel" }).click();
  await expect(page).toHaveURL(url);
  await page.getByRole("link", { name: "Cancel subscription" }).click();
  await page.getByRole("button", { name: "Cancel subscription" }).click();
  await expect(page.getByRole("status")).toContainText("Your subscription is cancelled. You keep");
  expect((await api.call(getSubscription, { id: subscription.id })).ok().cancel_at_period_end).toBe(true);
  await expectWellInEveryLook(page);
  await page.getByRole("button", { name: "Keep subscription" }).click();
  await expect(page.getByRole("status")).toContainText("continues. Next charge: $19.99");
  expect((await api.call(getSubscription, { id: subscription.id })).ok().cancel_at_period_end).toBe(false);
  expect(failures).toEqual([]);

  await page.getByRole("link", { name: "View INV-000001" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Invoice INV-000001");
  await expect(page.getByText(/^Paid on .* with Visa •••• 4242$/)).toBeVisible();
  await expectWellInEveryLook(page);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await expect(page.getByRole("button")).toHaveCount(0);
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  expect(await ground()).toBe("rgb(255, 255, 255)");
});

test("a merchant copies a customer's portal link from the subscription's page", async ({
  owner: page,
  context,
  tenant,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const subscription = await newSubscription(tenant.api);
  await openAlive(page, `/test/subscriptions/${subscription.id}`);
  await page.getByRole("button", { name: "Copy portal link" }).click();
  await expect(page.getByText("Portal link copied")).toBeVisible();
  const url = await page.evaluate(() => navigator.clipboard.readText());
  await page.goto(url);
  await expect(page.getByRole("heading", { level: 1, name: "Your subscriptions with Test merchant" })).toBeVisible();
});

test("a customer whose renewal failed changes the card in the portal, and what was owed is paid", {
  tag: "@looks",
}, async ({ page, api }) => {
  const subscription = await pastDue(api);
  const url = await openPortal(page, api, subscription);
  await expect(page.getByText("Past due")).toBeVisible();
  await expect(page.getByText(/Your last payment didn’t go through/)).toBeVisible();
  await expectWellInEveryLook(page);
  await page.getByRole("button", { name: /^Change card/ }).click();
  await payInForm(page);
  await expect(page).toHaveURL((address) => address.href.startsWith(`${url}?client_session_id=cs_`));
  await expect(page.getByRole("status")).toContainText("Your card is now Visa •••• 4242.");
  await expect.poll(async () => (await api.call(getSubscription, { id: subscription.id })).ok().status).toBe("ACTIVE");
  await page.reload();
  await expect(page.getByText("Active", { exact: true })).toBeVisible();
  await expect(page.getByText("Paid").first()).toBeVisible();
});

test("an English browser shows a German customer's pages and forms in German, as their documents are", async ({
  page,
  api,
  tenant,
  db,
}) => {
  await db.sql`update environments set document_locale = 'de' where id = ${tenant.merchant.test.id}`;
  const subscription = await pastDue(api);
  const invoice = await openInvoiceOf(api, subscription);
  const expectGerman = () => expect(page.locator("html")).toHaveAttribute("lang", "de");
  await page.goto(invoice.hosted_url ?? "");
  await expectGerman();
  await page.locator("button[type=submit]").click();
  await expect(page).toHaveURL(/\/pay\/cst_/);
  await expectGerman();
  await expect(page.locator("button[type=submit].pay")).toContainText("bezahlen");
  const url = await openPortal(page, api, subscription);
  await expectGerman();
  for (const form of ["card", "pay"]) {
    await page.goto(url);
    await page.locator(`form[action$="/${form}"] button[type=submit]`).first().click();
    await expect(page).toHaveURL(/\/pay\/cst_/);
    await expectGerman();
  }
  await page.goto(`${url.slice(0, -3)}xyz`);
  await expect(page.locator("html"), "a page of nobody's").toHaveAttribute("lang", "en");
});

test("a customer pays an open invoice by the link in a mail", { tag: "@looks" }, async ({ page, api }) => {
  const mailed = await pastDue(api);
  const invoice = await openInvoiceOf(api, mailed);
  await page.goto(invoice.hosted_url ?? "");
  await expect(
    page.getByText(/^The last payment didn’t go through\. Test merchant will charge your card again/),
  ).toBeVisible();
  await expectWellInEveryLook(page);
  await page.getByRole("button", { name: "Pay $19.99 USD" }).click();
  await payInForm(page);
  await expect(page.getByText(/^Paid on .* with Visa •••• 4242$/)).toBeVisible();
  expect(page.url()).toContain(invoice.hosted_url ?? "no address");
  await expect(page.getByRole("button", { name: /^Pay/ })).toHaveCount(0);
  expect((await api.call(getInvoice, { id: invoice.id })).ok()).toMatchObject({ status: "PAID", attempts: 2 });
  expect((await api.call(getSubscription, { id: mailed.id })).ok().status).toBe("ACTIVE");
});

test("the portal pays an open invoice once, even if two windows try", async ({ page, context, api }) => {
  const subscription = await pastDue(api);
  const invoice = await openInvoiceOf(api, subscription);
  const url = await openPortal(page, api, subscription);
  const second = await context.newPage();
  await second.goto(url);
  for (const one of [page, second]) await one.getByRole("button", { name: `Pay: ${invoice.number}` }).click();
  await payInForm(page);
  await expect(page.getByRole("status")).toContainText(`Invoice ${invoice.number} is paid. Thank you.`);
  // The other form closes by itself, and leads back.
  await expect(second.locator("#number")).toHaveCount(0);
  await second.getByRole("link", { name: "Back to Test merchant" }).click();
  await expect(second).toHaveURL((address) => address.href.startsWith(url));
  expect((await api.call(getInvoice, { id: invoice.id })).ok().payment_ids).toHaveLength(2);
  await expect(second.getByRole("button", { name: /^Pay/ })).toHaveCount(0);
});
