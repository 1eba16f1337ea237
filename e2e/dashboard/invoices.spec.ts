import type { Page } from "playwright/test";
import { getInvoice, listInvoices } from "@/lib/contract/invoices/endpoints";
import { listPaymentMethods } from "@/lib/contract/payment-methods/endpoints";
import { refundPayment } from "@/lib/contract/payments/endpoints";
import { expectAccessible, expectNoSidewaysScroll, expectWellInEveryLook, openAlive, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { aCard, newPaymentMethod, newSubscription, overdueInvoice } from "../samples";

const rows = (page: Page) => page.getByRole("table").first().getByRole("row");
const block = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

test("the list finds an invoice by number, customer and status, and opens it", async ({ owner, api }) => {
  const { customer_id } = await newSubscription(api);
  const late = await overdueInvoice(api);
  await openAlive(owner, "/test/invoices");
  await expect(rows(owner)).toHaveCount(1 + 2);
  await expect(rows(owner).filter({ hasText: late.number ?? "" })).toContainText("Next attempt");
  await expect(block(owner, "Totals")).toContainText("$39.98");
  await owner.getByRole("searchbox", { name: "Search invoices" }).fill("INV-000001");
  await expect(owner).toHaveURL(/q=INV-000001/);
  await expect(rows(owner)).toHaveCount(1 + 1);
  await expect(rows(owner).nth(1)).toContainText(customer_id);
  await owner.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Payment failed" }).click();
  await expect(owner).toHaveURL(/payment=failed/);
  await expect(rows(owner)).toHaveCount(1 + 1);
  await rows(owner).nth(1).getByRole("link").click();
  await expect(owner).toHaveURL(`/test/invoices/${late.id}`);
  await expect(owner.getByRole("heading", { level: 1 })).toHaveText(late.number ?? "");
});

test("an unpaid invoice says what happens next, and is charged to a chosen card", async ({ owner, api }) => {
  const late = await overdueInvoice(api);
  const good = await newPaymentMethod(api, { customer_id: late.customer_id, card: aCard("5555555555554444") });
  await openAlive(owner, `/test/invoices/${late.id}`);
  await expect(owner.getByText("Next attempt").first()).toBeVisible();
  await expect(owner.getByText("The last payment failed: Insufficient funds.")).toBeVisible();
  await expect(block(owner, "Payments").getByRole("listitem")).toHaveCount(1);

  await owner.getByRole("button", { name: "Charge now" }).click();
  const dialog = owner.getByRole("dialog");
  await dialog.getByRole("button", { name: "Charge $19.99 to Visa •••• 7106" }).click();
  await expect(dialog.getByRole("alert")).toContainText(/insufficient funds/i);
  await dialog.getByLabel("Card").selectOption(good.id);
  await dialog.getByRole("button", { name: "Charge $19.99 to Mastercard •••• 4444" }).click();
  await expect(dialog.getByText("Charged $19.99 to Mastercard •••• 4444")).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();

  await expect(owner.getByText("Paid", { exact: true }).first()).toBeVisible();
  await expect(block(owner, "Payments").getByRole("listitem")).toHaveCount(3);
  await expect(owner.getByRole("button", { name: "Charge now" })).toHaveCount(0);
  expect((await api.call(getInvoice, { id: late.id })).ok()).toMatchObject({ status: "PAID", attempts: 3 });

  await block(owner, "Payments").getByRole("link").first().click();
  await expect(owner).toHaveURL(/\/test\/payments\/pay_/);
  const linked = block(owner, "Linked");
  await expect(linked.getByRole("link", { name: late.number ?? "" })).toHaveAttribute(
    "href",
    `/test/invoices/${late.id}`,
  );
  await expect(linked.getByRole("link", { name: /^Plan/ })).toHaveCount(2);
  await expect(block(owner, "Card and checks")).toContainText("Initiated by merchant");
});

test("a charge whose response is lost is retried under the same key, and charges once", async ({ owner, api }) => {
  const late = await overdueInvoice(api);
  await newPaymentMethod(api, { customer_id: late.customer_id });
  await openAlive(owner, `/test/invoices/${late.id}`);
  const keys: string[] = [];
  await owner.route(`**/v1/invoices/${late.id}/pay`, async (route) => {
    keys.push((await route.request().headerValue("x-idempotency-key")) ?? "");
    if (keys.length > 1) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await owner.getByRole("button", { name: "Charge now" }).click();
  const dialog = owner.getByRole("dialog");
  await dialog.getByLabel("Card").selectOption({ label: "Visa •••• 4242" });
  await dialog.getByRole("button", { name: /^Charge \$19\.99/ }).click();
  await expect(dialog.getByText("We don’t know yet whether it went through")).toBeVisible();
  await dialog.getByRole("button", { name: "Retry safely" }).click();
  await expect(dialog.getByText("Charged $19.99 to Visa •••• 4242")).toBeVisible();
  expect(keys).toEqual([keys[0], keys[0]]);
  expect((await api.call(getInvoice, { id: late.id })).ok()).toMatchObject({ status: "PAID", attempts: 2 });
});

test("an unpaid invoice is marked uncollectible, then voided", async ({ owner, api }) => {
  const { id } = await overdueInvoice(api);
  await openAlive(owner, `/test/invoices/${id}`);
  const choose = async (name: string, confirm: string) => {
    await owner.getByRole("button", { name: "More actions" }).click();
    await owner.getByRole("menuitem", { name }).click();
    await owner.getByRole("dialog").getByRole("button", { name: confirm }).click();
    await expect(owner.getByRole("dialog")).toHaveCount(0);
  };
  await choose("Mark as uncollectible", "Mark as uncollectible");
  await expect(owner.getByText("no further payment is attempted")).toBeVisible();
  expect((await api.call(getInvoice, { id })).ok().status).toBe("UNCOLLECTIBLE");
  await choose("Void", "Void invoice");
  await expect(owner.getByText("Void", { exact: true }).first()).toBeVisible();
  expect((await api.call(getInvoice, { id })).ok().status).toBe("VOID");
  await expect(owner.getByRole("button", { name: "Charge now" })).toHaveCount(0);
});

test("a viewer sees invoices and can change none", async ({ page, api, newPerson, signInAs }) => {
  const { id } = await overdueInvoice(api);
  await signInAs(page.context(), await newPerson("viewer"));
  await openAlive(page, `/test/invoices/${id}`);
  await expect(block(page, "Timeline")).toContainText("Payment failed");
  await expect(page.getByRole("button", { name: "Charge now" })).toHaveCount(0);
  await expect(page.getByRole("menuitem", { name: "Void" })).toHaveCount(0);
});

test("another merchant's invoice is not found", async ({ owner, stranger }) => {
  await newSubscription(stranger.api);
  const [invoice] = (await stranger.api.call(listInvoices)).ok().data;
  for (const path of [`/test/invoices/${invoice?.id}`, "/test/invoices/inv_nothing"]) {
    await owner.goto(path);
    await expect(owner.getByRole("heading", { name: "No such invoice" })).toBeVisible();
  }
});

test("the search box leads to an invoice by id and by number, and to a card on file", async ({ owner, api }) => {
  const { customer_id } = await newSubscription(api);
  const [invoice] = (await api.call(listInvoices)).ok().data;
  const [card] = (await api.call(listPaymentMethods, { query: { customer_id } })).ok().data;
  await openAlive(owner, "/test/plans");
  const jump = async (text: string, name: RegExp) => {
    await owner.keyboard.press("ControlOrMeta+k");
    await owner.getByRole("dialog").getByRole("combobox").fill(text);
    await owner.getByRole("option", { name }).first().click();
  };
  await jump(invoice?.id ?? "", /^Invoice inv_.*Test$/);
  await expect(owner).toHaveURL(`/test/invoices/${invoice?.id}`);
  await jump("inv-000001", /^Invoice INV-000001/);
  await expect(owner).toHaveURL("/test/invoices?q=inv-000001");
  await openAlive(owner, "/test/transactions");
  await owner.getByRole("searchbox", { name: "Search payments" }).fill(invoice?.id ?? "");
  await expect(owner).toHaveURL(`/test/invoices/${invoice?.id}`);
  await owner.goto(`/test/payment-methods/${card?.id}`);
  await expect(owner).toHaveURL(/\/test\/(customers\/cust_|subscriptions\?customer=)/);
});

test("a customer's page shows subscriptions, invoices and cards, and removes a card that is free", async ({
  owner,
  api,
}) => {
  const subscription = await newSubscription(api);
  const { customer_id } = subscription;
  const spare = await newPaymentMethod(api, { customer_id, card: aCard("5555555555554444") });
  await expect(async () => {
    await owner.goto(`/test/payment-methods/${spare.id}`);
    await expect(owner).toHaveURL(/\/test\/customers\/cust_/, { timeout: 1_000 });
  }).toPass();
  await expect(block(owner, "Subscriptions").getByRole("link", { name: /^Plan/ })).toHaveAttribute(
    "href",
    `/test/subscriptions/${subscription.id}`,
  );
  await expect(block(owner, "Invoices").getByRole("listitem")).toHaveCount(1);
  await openAlive(owner, owner.url());
  const cards = block(owner, "Cards on file");
  await cards.getByRole("button", { name: "Remove Visa •••• 4242" }).click();
  const dialog = owner.getByRole("dialog");
  await dialog.getByRole("button", { name: "Remove card" }).click();
  await expect(dialog.getByRole("alert")).toContainText("A subscription that has not ended is charged");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await cards.getByRole("button", { name: "Remove Mastercard •••• 4444" }).click();
  await dialog.getByRole("button", { name: "Remove card" }).click();
  await expect(cards.getByRole("listitem").filter({ hasText: "4444" })).toContainText("Removed");
  await expectAccessible(owner);
});

test("the overview shows what subscriptions bring, and only where there are any", async ({ owner, api }) => {
  await owner.goto("/test");
  await expect(owner.getByRole("heading", { name: /^Subscriptions in/ })).toHaveCount(0);
  const subscription = await newSubscription(api, { quantity: 3 });
  await overdueInvoice(api);
  await owner.goto("/test");
  const figures = block(owner, "Subscriptions in USD");
  const tile = (name: string) => figures.getByRole("listitem").filter({ has: owner.getByRole("heading", { name }) });
  await expect(tile("Monthly recurring revenue")).toContainText("$79.96");
  await expect(tile("Monthly recurring revenue")).toContainText("2 paying subscriptions");
  await expect(tile("Trials")).toContainText("None now");
  await expect(tile("Churn")).toContainText("0 of 2 cancelled in 30 days");
  await expect(tile("Failed renewals")).toContainText("$19.99");
  await tile("Failed renewals").getByRole("link").click();
  await expect(owner).toHaveURL("/test/invoices?payment=failed&currency=USD");
  await expect(rows(owner)).toHaveCount(1 + 1);
  await owner.goBack();
  await tile("Monthly recurring revenue").getByRole("link").click();
  await expect(owner).toHaveURL(/\/test\/subscriptions\?status=/);
  await expect(rows(owner)).toHaveCount(1 + 2);
  await expect(rows(owner).filter({ hasText: subscription.customer_id })).toHaveCount(1);
});

test("the pages are accessible and fit a phone, with their dialogs and in print", {
  tag: ["@looks", "@prove"],
}, async ({ owner, api }) => {
  const late = await overdueInvoice(api);
  for (const path of ["/test/invoices", `/test/invoices/${late.id}`, `/test/invoices/${late.id}/print`]) {
    await expectWellInEveryLook(owner, async () => {
      await owner.goto(path);
      await expect(owner.getByRole("heading", { level: 1 })).toBeVisible();
    });
  }
  await openAlive(owner, `/test/invoices/${late.id}`);
  await owner.getByRole("button", { name: "Charge now" }).click();
  await expect(owner.getByRole("dialog")).toBeVisible();
  await expectWellInEveryLook(owner);
  await expectNoSidewaysScroll(owner);
});

test("an invoice is printed without the dashboard around it", async ({ owner, api }) => {
  await newSubscription(api);
  const [invoice] = (await api.call(listInvoices)).ok().data;
  await openAlive(owner, `/test/invoices/${invoice?.id}/print`);
  await owner.emulateMedia({ media: "print" });
  await expect(owner.getByRole("heading", { name: "Invoice INV-000001" })).toBeVisible();
  await expect(owner.getByRole("button", { name: "Print" })).toBeHidden();
  await expect(owner.getByRole("navigation", { name: "Dashboard" })).toBeHidden();
  await expect(owner.getByText("$19.99").last()).toBeVisible();
});

test("a tax is set, and an invoice, its credit note and a receipt show it in the default language", {
  tag: "@looks",
}, async ({ owner, api, browser }) => {
  await openAlive(owner, "/test/settings/business");
  await owner.getByLabel(/^Tax name/).fill("MwSt");
  await owner.getByRole("button", { name: "Save tax and language" }).click();
  await expect(owner.getByText("Enter a percentage above 0")).toBeVisible();
  await owner.getByLabel(/^Rate, percent/).fill("19,5");
  await owner.getByLabel("Default language").selectOption("de");
  await owner.getByRole("button", { name: "Save tax and language" }).click();
  await expect(owner.getByText("Saved", { exact: true })).toBeVisible();
  await expect(owner.getByLabel(/^Rate, percent/)).toHaveValue("19.5");
  await expectAccessible(owner);

  await newSubscription(api);
  const [invoice] = (await api.call(listInvoices)).ok().data;
  expect(invoice?.tax).toEqual({ name: "MwSt", percentage: 19.5, net: 1673, amount: 326 });
  const paymentId = invoice?.payment_ids[0] ?? "";
  for (const amount of [1_000, 999]) (await api.call(refundPayment, { id: paymentId, body: { amount } })).ok();
  await openAlive(owner, `/test/invoices/${invoice?.id}`);
  await expect(block(owner, "Lines")).toContainText("MwSt 19.5%");
  const notes = block(owner, "Credit notes");
  await expect(notes.getByRole("listitem")).toHaveCount(2);
  const popup = owner.waitForEvent("popup");
  await notes.getByRole("link", { name: "CN-000001" }).click();
  const note = await popup;
  await expect(note.getByRole("heading", { level: 1 })).toHaveText("Rechnungskorrektur CN-000001");
  for (const text of ["INV-000001", "MwSt 19,5 %", "Nettobetrag", "10,00 $"])
    await expect(note.locator("main")).toContainText(text);
  await expectWellInEveryLook(note);

  // The customer has no account here.
  const context = await browser.newContext();
  const customer = await context.newPage();
  await customer.goto(invoice?.hosted_url ?? "");
  await expect(customer.getByRole("heading", { level: 1 })).toHaveText("Rechnung INV-000001");
  await expect(customer.locator("main")).toContainText("MwSt 19,5 %");
  await expectWellInEveryLook(customer);
  await customer.getByRole("link", { name: "CN-000002" }).click();
  await expect(customer.locator("main")).toContainText("9,99 $");
  await customer.emulateMedia({ media: "print" });
  await expect(customer.getByRole("button", { name: "Drucken" })).toBeHidden();
  await customer.goto(`${invoice?.hosted_url}/credit-note/CN-000003`);
  await expect(customer.getByRole("heading", { level: 1 })).toHaveText(/not found/);
  await context.close();

  await owner.goto(`/test/payments/${paymentId}/receipt`);
  await expect(owner.getByRole("heading", { level: 1 })).toHaveText(/^Beleg /);
  await expect(owner.locator("main")).toContainText("INV-000001");
  await expect(owner.locator("main")).toContainText("3,26 $");
  await expect(owner.getByRole("link", { name: /^CN-/ })).toHaveCount(2);
  await expectWellInEveryLook(owner);
  await owner.goto(`/test/invoices/${invoice?.id}/print`);
  await expect(owner.getByRole("heading", { name: "Rechnung INV-000001" })).toBeVisible();
  await expectWellInEveryLook(owner);
});
