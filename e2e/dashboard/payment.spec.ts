import type { Page } from "playwright/test";
import { createPayment, refundPayment } from "@/lib/contract/payments/endpoints";
import { expectAccessible, expectWellInEveryLook, test } from "../browser";
import { expect, type Tenant } from "../fixtures/playwright";
import { aCard, aPayment, CARDS } from "../samples";
import { opens } from "./money-dialogs";

const CUSTOMER = {
  customer_id: "cus_77",
  customer_email: "ada@shop.example",
  customer_name: "Ada Lovelace",
  billing_address: { line1: "12 St James's Square", city: "London", postal_code: "SW1Y 4LB", country: "GB" },
};

const block = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const open = (page: Page, id: string) => page.goto(`/test/payments/${id}`);

/** Opens the closed technical part. */
const openDeveloperPart = (page: Page) => opens(page.locator("#developer > summary"), block(page, "Ids"));

/** Creates a payment that is declined. */
async function declined({ api }: Tenant, number: string): Promise<string> {
  const answer = await api.call(createPayment, { body: aPayment({ card: aCard(number), ...CUSTOMER }) });
  return answer.problem("card_declined").payment_id ?? "";
}

test("a captured payment shows every block", async ({ owner, tenant }) => {
  const body = aPayment({ ...CUSTOMER, description: "Order 1042", metadata: { order_id: "1042" } });
  await tenant.api.call(createPayment, { body: aPayment(CUSTOMER) });
  const payment = (await tenant.api.call(createPayment, { body, key: "order 1042" })).ok();
  await open(owner, payment.id);

  await expect(owner.getByRole("heading", { level: 1 })).toHaveText("$100.00 USD");
  await expect(owner.getByText(payment.id, { exact: true }).first()).toBeVisible();
  await expect(owner.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link")).toHaveAttribute(
    "href",
    "/test/transactions",
  );
  await expect(owner.getByRole("button", { name: "Refund", exact: true })).toBeVisible();

  const timeline = block(owner, "Timeline");
  await expect(timeline.getByRole("listitem")).toHaveCount(1);
  await expect(timeline).toContainText("Authorized and captured $100.00");
  await expect(timeline).toContainText("Test key");
  await expect(block(owner, "Operations")).toBeHidden();

  const card = block(owner, "Card and checks");
  await expect(card).toContainText("Visa •••• 4242");
  await expect(card).toContainText("Street and five-digit postal code match (Y)");
  await expect(card).toContainText("The security code matches (M)");
  await expect(card.getByRole("meter", { name: "Fraud score" })).toHaveCount(1);

  await expect(block(owner, "Customer")).toContainText("Ada Lovelace");
  await expect(block(owner, "Customer").getByRole("link", { name: "1", exact: true })).toHaveAttribute(
    "href",
    "/test/transactions?customer=cus_77",
  );
  await expect(block(owner, "Details")).toContainText("Order 1042");
  await expect(block(owner, "Details")).toContainText("order_id");
  await expect(block(owner, "Your balance").getByRole("listitem")).toContainText(/^Charge.*\+\$100\.00$/);

  await openDeveloperPart(owner);
  await expect(block(owner, "Operations").getByRole("link", { name: "order 1042" })).toHaveAttribute(
    "href",
    "/test/developers/idempotency?key=order%201042",
  );
  await expect(block(owner, "Ids")).toContainText("424242");
  await expect(block(owner, "Ledger accounts").getByRole("row").nth(1)).toContainText("Owed by the processor");
  await expect(block(owner, "Events")).toContainText("payment.captured");

  const requests = block(owner, "API requests");
  await requests.getByText("Request body").click();
  await expect(requests).toContainText('"last4": "4242"');
  await expect(owner.getByText("4242424242424242")).toHaveCount(0);
  await owner.getByText("Raw JSON").click();
  await expect(owner.getByRole("figure", { name: "The payment as JSON" })).toContainText(`"id": "${payment.id}"`);
});

test("the technical part stays as its reader left it, and an anchor inside opens it", async ({ owner, tenant }) => {
  const payment = (await tenant.api.call(createPayment, { body: aPayment() })).ok();
  await open(owner, payment.id);
  await expect(block(owner, "Timeline")).toBeVisible();
  await expect(block(owner, "API requests")).toBeHidden();
  await owner.goto("/test");
  await owner.goto(`/test/payments/${payment.id}#requests`);
  await expect(block(owner, "API requests")).toBeVisible();
  await owner.goto("/test");
  await open(owner, payment.id);
  await expect(block(owner, "API requests")).toBeHidden();
  await openDeveloperPart(owner);
  await owner.reload();
  await expect(block(owner, "API requests")).toBeVisible();
});

test("a refund by the API appears while the page is open, with its reason", async ({ owner, tenant }) => {
  const payment = (await tenant.api.call(createPayment, { body: aPayment() })).ok();
  await open(owner, payment.id);
  await expect(block(owner, "Timeline").getByRole("listitem")).toHaveCount(1);
  await tenant.api.call(refundPayment, {
    id: payment.id,
    body: { amount: 2_500, reason: "RETURN", comment: "One lamp came back" },
  });
  await expect(block(owner, "Timeline")).toContainText("Refunded $25.00");
  await expect(block(owner, "Timeline")).toContainText("Goods returned: One lamp came back");
  await expect(owner.getByText("Partially refunded").first()).toBeVisible();
  await expect(block(owner, "Charge and refunds").getByRole("listitem")).toHaveCount(2);
  // Both the refundable amount and the net amount.
  await expect(owner.getByText("$75.00", { exact: true })).toHaveCount(2);
});

test("r starts a refund on a payment's page, and explains why if none is possible", async ({ owner, tenant }) => {
  const payment = (await tenant.api.call(createPayment, { body: aPayment() })).ok();
  await open(owner, payment.id);
  const dialog = owner.getByRole("dialog", { name: /^Refund/ });
  // Keyboard shortcuts work once React has hydrated the page.
  await expect(async () => {
    await owner.keyboard.press("r");
    await expect(dialog).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await owner.keyboard.press("Escape");
  await tenant.api.call(refundPayment, { id: payment.id });
  await expect(owner.getByRole("button", { name: "Refund", exact: true })).toBeHidden();
  await owner.keyboard.press("r");
  await expect(owner.getByText(/refunded/i).last()).toBeVisible();
  await expect(dialog).toBeHidden();
});

test("a declined payment says why in plain words, and what to do", async ({ owner, tenant }) => {
  await open(owner, await declined(tenant, "4000000000009995"));
  await expect(owner.getByText("Insufficient funds.").first()).toBeVisible();
  await expect(owner.getByText("Ask the customer for another card, or try again in a few days.")).toBeVisible();
  await expect(block(owner, "Your balance")).toContainText("No money has moved.");
  await expect(owner.getByRole("button", { name: "Refund", exact: true })).toHaveCount(0);
});

test("a suspected fraud shows its score and the reasons", async ({ owner, tenant }) => {
  await open(owner, await declined(tenant, "4000000000004954"));
  const card = block(owner, "Card and checks");
  await expect(card).toContainText("High risk 95 / 100");
  await expect(card.getByRole("list", { name: "What raised the score" }).getByRole("listitem").first()).toBeVisible();
});

test("an AVS mismatch is explained in words", async ({ owner, tenant }) => {
  const body = aPayment({ card: aCard("4000000000000044"), ...CUSTOMER });
  const payment = (await tenant.api.call(createPayment, { body })).ok();
  await open(owner, payment.id);
  await expect(block(owner, "Card and checks")).toContainText("No match: nothing that was checked matches (N)");
});

test("an unknown outcome is shown, and the page updates itself when it is known", async ({ owner, tenant }) => {
  const answer = await tenant.api.call(createPayment, { body: aPayment({ card: aCard(CARDS.lostAnswer) }) });
  const payment = answer.ok(202);
  await open(owner, payment.id);
  await expect(block(owner, "Timeline")).toContainText(/outcome not known yet|Authorized and captured/);
  await expect(block(owner, "Timeline")).toContainText("Authorized and captured $100.00", { timeout: 60_000 });
  await expect(owner.getByText("Outcome not known yet")).toHaveCount(0);
});

test("a transaction's address leads to its payment", async ({ owner, tenant }) => {
  const payment = (await tenant.api.call(createPayment, { body: aPayment() })).ok();
  const transactionId = payment.transactions[0]?.id;
  await owner.goto(`/test/transactions/${transactionId}`);
  await expect(owner).toHaveURL(`/test/payments/${payment.id}#${transactionId}`);
});

test("another merchant's payment is not found by page, transaction or API call", async ({ owner, stranger }) => {
  const payment = (await stranger.api.call(createPayment, { body: aPayment() })).ok();
  await open(owner, payment.id);
  await expect(owner.getByRole("heading", { name: "No such payment" })).toBeVisible();
  await expectAccessible(owner);
  await owner.goto(`/test/transactions/${payment.transactions[0]?.id}`);
  await expect(owner.getByRole("heading", { name: "No such transaction" })).toBeVisible();
  const answer = await owner.request.get(`/api/dashboard/test/payments/${payment.id}`);
  expect(answer.status()).toBe(404);
  expect(await answer.text()).not.toMatch(/\b100/);
});

test("the panel opens beside the list, and Escape closes it", async ({ owner, tenant }) => {
  const payment = (await tenant.api.call(createPayment, { body: aPayment() })).ok();
  await owner.goto(`/test/transactions?panel=${payment.id}`);
  const panel = owner.getByRole("complementary", { name: "Payment" });
  await expect(panel.getByRole("list", { name: "Timeline" })).toBeVisible();
  await expect(panel.getByRole("link", { name: "Open page" })).toHaveAttribute("href", `/test/payments/${payment.id}`);
  await expectAccessible(owner);
  await panel.press("Escape");
  await expect(panel).toHaveCount(0);
});

test("the technical part is open for developers, until they close it", async ({
  page,
  tenant,
  newPerson,
  signInAs,
}) => {
  const payment = (await tenant.api.call(createPayment, { body: aPayment(CUSTOMER) })).ok();
  await signInAs(page.context(), await newPerson("developer"));
  await open(page, payment.id);
  await expect(block(page, "Ids")).toBeVisible();
  await page.locator("#developer > summary").click();
  await page.reload();
  await expect(block(page, "Timeline")).toBeVisible();
  await expect(block(page, "Ids")).toBeHidden();
});

test("the page is accessible and fits 390 px", { tag: ["@looks", "@prove"] }, async ({ owner, tenant }) => {
  const payment = (await tenant.api.call(createPayment, { body: aPayment(CUSTOMER) })).ok();
  await tenant.api.call(refundPayment, { id: payment.id, body: { amount: 100, reason: "OTHER", comment: "Kind" } });
  for (const id of [payment.id, await declined(tenant, "4000000000004954")]) {
    await owner.setViewportSize({ width: 1440, height: 900 });
    await open(owner, id);
    await expect(block(owner, "Timeline")).toBeVisible();
    if (await block(owner, "Ids").isHidden()) await openDeveloperPart(owner);
    await block(owner, "API requests").getByText("Request body").first().click();
    await expectWellInEveryLook(owner);
  }
});
