import { type BrowserContext, mergeTests, type Page } from "playwright/test";
import { createPayment, getPayment, listPayments } from "@/lib/contract/payments/endpoints";
import { connectAccount, test as connecting, openAction, openProcessors } from "../connecting";
import { expect } from "../fixtures/playwright";
import { CARDS } from "../samples";
import { test as checkout, expectPaid, type Form, pay, TEXTS } from "./fixtures";

/** 3-D Secure on the processor's own page: out of the form and back, with a double in place of Stripe. */
const test = mergeTests(checkout, connecting);
// In order, in one worker: each worker starts its own service.
test.describe.configure({ mode: "default" });
const CONFIRMED = "The payment is confirmed";

/** Connects the main account and allows sending it the card numbers typed into the form. */
async function takeCards(owner: Page, account: Parameters<typeof connectAccount>[1]): Promise<void> {
  await openProcessors(owner);
  await connectAccount(owner, account, "Main shop");
  const dialog = await openAction(owner, "Main shop", /Card numbers/);
  await dialog.getByLabel("Send card numbers to Stripe").check();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expect(dialog).toHaveCount(0);
}

/** Follows the form's link to the bank, which opens outside its frame. */
async function goToBank(context: BrowserContext, form: Form): Promise<Page> {
  const opened = context.waitForEvent("page");
  await form.getByRole("link", { name: TEXTS.challenge.openInWindow }).click();
  const bank = await opened;
  await expect(bank.getByRole("heading", { name: "Test bank" })).toBeVisible();
  return bank;
}

test("a form that can't accept card numbers says so when it opens, and reports it to the page", async ({
  owner,
  context,
  openCheckout,
  connecting: { main },
}) => {
  await openProcessors(owner);
  await connectAccount(owner, main, "Main shop");
  const shop = await context.newPage();
  const { form, told } = await openCheckout(shop);
  await expect(form.getByText(TEXTS.notices.processor_unavailable)).toBeVisible();
  await expect(form.locator("#number")).toHaveCount(0);
  await expect.poll(() => told("onError")).toMatchObject([{ code: "processor_unavailable" }]);
});

test("to the bank and back, in two tabs and reloaded: one payment, confirmed once", async ({
  owner,
  context,
  api,
  openCheckout,
  connecting: { main },
}) => {
  await takeCards(owner, main);
  const confirmed = () => main.requests.filter(({ operation }) => operation === "confirm").length;
  const before = { confirmed: confirmed(), charges: main.books.charges.size };
  const shop = await context.newPage();
  const { form, told } = await openCheckout(shop);
  await pay(form, CARDS.challenge);
  const bank = await goToBank(context, form);
  const second = await context.newPage();
  await second.goto(bank.url());
  await bank.getByRole("button", { name: "Yes, pay" }).click();
  await expect(bank.getByRole("heading", { name: CONFIRMED })).toBeVisible();
  const back = bank.url();
  await second.reload();
  await expect(second.getByText("There is nothing to answer here anymore.")).toBeVisible();
  await Promise.all([bank.reload(), second.goto(back)]);
  for (const page of [bank, second]) await expect(page.getByRole("heading", { name: CONFIRMED })).toBeVisible();
  await shop.bringToFront();
  await expectPaid(form);
  await expect.poll(() => told("onSuccess")).toHaveLength(1);
  expect((await api.call(listPayments)).ok().data.map(({ status }) => status)).toEqual(["CAPTURED"]);
  expect({ confirmed: confirmed(), charges: main.books.charges.size }).toEqual({
    confirmed: before.confirmed + 1,
    charges: before.charges + 1,
  });
});

test("a challenge that the bank rejects is declined, and the form accepts another card", async ({
  owner,
  context,
  api,
  openCheckout,
  connecting: { main },
}) => {
  await takeCards(owner, main);
  const shop = await context.newPage();
  const { form } = await openCheckout(shop);
  await pay(form, CARDS.challenge);
  const bank = await goToBank(context, form);
  await bank.getByRole("button", { name: "No", exact: true }).click();
  await expect(bank.getByRole("heading", { name: "3-D Secure failed" })).toBeVisible();
  await shop.bringToFront();
  await expect(form.getByText(TEXTS.notices.authentication_failed)).toBeVisible();
  await pay(form, CARDS.approved);
  await expectPaid(form);
  const statuses = (await api.call(listPayments)).ok().data.map(({ status }) => status);
  expect(statuses.sort()).toEqual(["CAPTURED", "DECLINED"]);
});

test("a payment of the API's own leads from the bank to the shop's page, also when it is loaded twice", async ({
  owner,
  context,
  api,
  merchantSite,
  connecting: { main },
}) => {
  await openProcessors(owner);
  await connectAccount(owner, main, "Main shop");
  const return_url = merchantSite.serve("<h1>Thank you</h1>", { path: "/thanks" });
  const body = { amount: 1_999, currency: "USD", payment_token: "pm_card_threeDSecure2Required", return_url };
  const payment = (await api.call(createPayment, { body })).ok();
  expect(payment.status).toBe("REQUIRES_ACTION");
  const page = await context.newPage();
  let back = "";
  page.on("request", (request) => {
    if (request.url().includes("/challenge/")) back = request.url();
  });
  await page.goto(payment.next_action?.redirect_to_url.url ?? "");
  await page.getByRole("button", { name: "Yes, pay" }).click();
  await expect(page.getByRole("heading", { name: "Thank you" })).toBeVisible();
  expect(new URL(page.url()).searchParams.get("payment_id")).toBe(payment.id);
  await page.goto(back);
  await expect(page.getByRole("heading", { name: CONFIRMED })).toBeVisible();
  expect((await api.call(getPayment, { id: payment.id })).ok()).toMatchObject({
    status: "CAPTURED",
    amount_captured: 1_999,
  });
});
