import type { Page } from "playwright/test";
import { listEvents } from "@/lib/contract/events/endpoints";
import { listInvoices } from "@/lib/contract/invoices/endpoints";
import { createPortalSession } from "@/lib/contract/portal/endpoints";
import { getSubscription, listSubscriptions } from "@/lib/contract/subscriptions/endpoints";
import { advanceTestClock, getTestClock } from "@/lib/contract/test-clock/endpoints";
import { listTransactions } from "@/lib/contract/transactions/endpoints";
import { test } from "../browser";
import { fillCard } from "../checkout/fixtures";
import type { Api } from "../client";
import { expect } from "../fixtures/playwright";
import { mailsTo } from "../fixtures/users";
import { newPlan } from "../samples";

/** Pays twice when the merchant charges it, and is then declined. */
const PAYS_TWICE = "4000000000007205";
const PHONE = { width: 390, height: 844 };

/** Turns the clock to a subscription's next invoice, and returns the subscription as it is then. */
async function turnToNextInvoice(api: Api, id: string) {
  const { next_invoice_at: to } = (await api.call(getSubscription, { id })).ok();
  (await api.call(advanceTestClock, { body: { to: to ?? "" } })).ok();
  await expect.poll(async () => (await api.call(getTestClock)).ok().status, { timeout: 30_000 }).toBe("READY");
  return (await api.call(getSubscription, { id })).ok();
}

type Payer = { card: string; email?: string; button: RegExp };

async function payOnPhone(page: Page, { card, email, button }: Payer): Promise<void> {
  await fillCard(page, card);
  if (email) await page.getByLabel("E-mail").fill(email);
  const consent = page.getByRole("checkbox");
  if ((await consent.count()) > 0) await consent.check();
  await page.getByRole("button", { name: button }).click();
}

test("from a link on a phone to a fourth payment that fails, its mail and a new card: all pages agree", async ({
  owner: page,
  api,
  tenant,
  browser,
  db,
}) => {
  const email = `${tenant.merchant.id}@customers.example`;
  const plan = await newPlan(api, {
    name: "Print club",
    type: "SUBSCRIPTION_PAID_TRIAL",
    currency: "USD",
    full_price_amount: 19,
    trial_price_amount: 1,
    trial_period_value: 7,
    trial_period_unit: "DAYS",
    billing_frequency_value: 1,
    billing_frequency_unit: "MONTHS",
    status: "ACTIVE",
  });

  // The merchant makes a link, and a shopper subscribes on a phone.
  await page.goto(`/test/checkout/links/new?plan=${plan.id}`);
  await page.getByRole("button", { name: "Create payment link" }).click();
  await page.waitForURL("**/checkout/links/plink_*");
  const address = await page.getByTestId("payment-link").innerText();
  const context = await browser.newContext({ viewport: PHONE, isMobile: true, hasTouch: true });
  const phone = await context.newPage();
  await phone.goto(address);
  await payOnPhone(phone, { card: PAYS_TWICE, email, button: /\$1\.00/ });
  await expect(phone.getByRole("heading", { name: "Payment approved" })).toBeVisible();

  const [{ id } = { id: "" }] = (await api.call(listSubscriptions)).ok().data;
  const invoices = async () =>
    (await api.call(listInvoices, { query: { subscription_id: id } })).ok().data.toReversed();

  // Three months later three invoices are paid, and the fourth is not.
  for (const status of ["ACTIVE", "ACTIVE", "PAST_DUE"])
    expect(await turnToNextInvoice(api, id)).toMatchObject({ status, customer_email: email });
  expect((await invoices()).map(({ status, amount_paid }) => [status, amount_paid])).toEqual([
    ["PAID", 100],
    ["PAID", 1_900],
    ["PAID", 1_900],
    ["OPEN", 0],
  ]);

  // The customer gets the mail, and changes the card in the portal.
  const failed = async () => (await mailsTo(db, email)).find(({ subject }) => subject.includes("failed: $19.00"));
  await expect.poll(failed, { timeout: 30_000 }).toBeTruthy();
  const open = (await invoices()).at(-1);
  // Any service on this database may have written the mail, with an address of its own.
  expect((await failed())?.body).toContain(new URL(open?.hosted_url ?? "").pathname);
  const customer_id = open?.customer_id ?? "";
  const portal = (await api.call(createPortalSession, { body: { customer_id } })).ok();
  await phone.goto(portal.url);
  await expect(phone.getByText("Your last payment didn’t go through.")).toBeVisible();
  await phone
    .getByRole("button", { name: "Change card" })
    .or(phone.getByRole("link", { name: "Change card" }))
    .click();
  await payOnPhone(phone, { card: "4242424242424242", button: /Save card/ });
  await expect
    .poll(async () => (await api.call(getSubscription, { id })).ok().status, { timeout: 30_000 })
    .toBe("ACTIVE");
  await phone.goto(portal.url);
  await expect(phone.getByText("Visa •••• 4242")).toBeVisible();
  await context.close();

  // Invoices, payments, events and the overview agree to the cent.
  const paid = await invoices();
  expect(paid.map(({ number, status }) => [number, status])).toEqual([
    ["INV-000001", "PAID"],
    ["INV-000002", "PAID"],
    ["INV-000003", "PAID"],
    ["INV-000004", "PAID"],
  ]);
  const total = paid.reduce((sum, { amount_paid }) => sum + amount_paid, 0);
  expect(total).toBe(5_800);
  const charges = (await api.call(listTransactions, { query: { type: "CHARGE", limit: 100 } })).ok().data;
  expect(charges.reduce((sum, { amount_captured }) => sum + amount_captured, 0)).toBe(total);
  expect(charges.filter(({ status }) => status === "DECLINED")).toHaveLength(1);
  const events = (await api.call(listEvents, { query: { limit: 100 } })).ok().data;
  const told = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data.object);
  expect(told("invoice.payment_failed")).toMatchObject([{ number: "INV-000004", amount_due: 1_900 }]);
  const paidEvents = told("invoice.paid") as { amount_paid: number }[];
  expect(paidEvents.reduce((sum, { amount_paid }) => sum + amount_paid, 0)).toBe(total);
  expect(told("subscription.past_due")).toHaveLength(1);
  await page.goto("/test");
  const figure = (name: string) => page.getByRole("listitem").filter({ hasText: name });
  await expect(figure("Monthly recurring revenue")).toContainText("$19.00");
  await expect(figure("Failed renewals")).toContainText("$0.00");
  await page.goto(`/test/subscriptions/${id}`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Jane Doe");
});
