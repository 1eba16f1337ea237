import { randomUUID } from "node:crypto";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { test } from "../browser";
import { expect } from "../fixtures/playwright";
import { captured, chargeOf } from "../samples";

test("everything can be found in the one box, by keyboard, and leads to the payment", async ({
  tenant,
  staffPage,
  db,
  staff,
}) => {
  // Letters alone, because digits beside the card's last four can look like a whole card number.
  const email = `${randomUUID().replaceAll(/\d/g, "x")}@shopper.example`;
  const key = `order ${randomUUID()}`;
  const amount = 1_000_000 + Math.floor(Math.random() * 8_000_000);
  const payment = await captured(tenant.api, { customer_email: email, amount });
  const charge = chargeOf(payment);
  await db.sql`update merchants set name = ${`Shop ${key}`} where id = ${tenant.merchant.id}`;
  const [operation] = await db.sql<{ id: string; request_id: string; idempotency_key: string }[]>`
    select id, request_id, idempotency_key from operations where payment_id = ${decodeId("payment", payment.id)}`;
  if (!operation) throw new Error("there is no operation");

  const look = async (text: string) => {
    await staffPage.goto("/support");
    await expect(staffPage.getByRole("searchbox")).toBeFocused();
    await staffPage.getByRole("searchbox").fill(text);
    await staffPage.keyboard.press("Enter");
    await expect(staffPage.getByRole("status").filter({ hasText: "read as" })).toContainText(text);
    return staffPage.getByRole("main");
  };
  const texts = [
    payment.id,
    charge.id,
    email.toUpperCase(),
    (amount / 100).toFixed(2),
    `$${(amount / 100).toFixed(2)}`,
    encodeId("request", operation.request_id),
    operation.id,
    operation.idempotency_key,
  ];
  for (const text of texts) {
    const results = await look(text);
    const link = results.locator(`a[href="/support/payments/${payment.id}"]`).first();
    await expect(link, text).toBeVisible();
    await expect(results).toContainText(`Shop ${key}`);
    await expect(results).toContainText("Test");
  }
  for (const text of [
    encodeId("merchant", tenant.merchant.id),
    encodeId("environment", tenant.merchant.live.id),
    key,
  ]) {
    const results = await look(text);
    await expect(results.locator(`a[href^="/support/merchants/"]`).first(), text).toContainText(`Shop ${key}`);
  }
  // Details that someone might remember: half an address, a card's last digits, the approximate amount.
  const remembered = await look(`${email.slice(0, 12)} 4242 about $${Math.round(amount / 100)} today`);
  await expect(remembered.locator(`a[href="/support/payments/${payment.id}"]`)).toHaveCount(1);
  await expect(remembered.getByRole("status").filter({ hasText: "read as" })).toContainText("Card ends in 4242");
  await remembered
    .getByRole("navigation", { name: "Sort transactions" })
    .getByRole("link", { name: "Largest" })
    .click();
  await staffPage.waitForURL(/sort=-amount/);
  await expect(remembered.locator(`a[href="/support/payments/${payment.id}"]`)).toHaveCount(1);
  // Other merchants' cards have the same last digits; the newest are shown.
  await expect((await look("4242")).getByRole("heading", { name: /^Transactions/ })).toBeVisible();
  const rows = await db.sql`
    select 1 from support_audit_log where staff_id = ${staff.userId} and action = 'support.searched'`;
  expect(rows.length).toBe(texts.length + 6);
  const seen = await db.sql`
    select 1 from support_audit_log where merchant_id = ${tenant.merchant.id} and action = 'support.found'`;
  expect(seen.length).toBeGreaterThanOrEqual(texts.length + 5);

  await look("nobody@nowhere.example");
  await expect(staffPage.getByRole("heading", { name: "Nothing found in any merchant’s data" })).toBeVisible();
  await expect(async () => {
    await staffPage.getByRole("searchbox").fill("");
    await staffPage.keyboard.press("Enter");
    await expect(staffPage.getByText("Enter something to search for.")).toBeVisible({ timeout: 2_000 });
  }).toPass();
  for (const secret of ["4242 4242 4242 4242", "anna 4242424242424242 yesterday", "cst_4242abcdefghijklmnop"]) {
    await staffPage.getByRole("searchbox").fill(secret);
    await staffPage.keyboard.press("Enter");
    await expect(staffPage.getByText("Search by the last 4 digits")).toBeVisible();
    expect(staffPage.url()).not.toContain("4242");
  }

  // Search terms cover recent data only, and the page says so; a missing page links back.
  const half = email.slice(0, 12);
  await staffPage.goto(`/support?q=${half}`);
  const status = staffPage.getByRole("status").filter({ hasText: "read as" });
  await expect(status).toContainText("1 found");
  await status.getByRole("link", { name: "Search all time" }).click();
  await staffPage.waitForURL(/reach=all/);
  await expect(staffPage.getByRole("heading", { name: "Transactions (1)" })).toBeVisible();
  await expect(status.getByRole("link", { name: "Search all time" })).toHaveCount(0);
  await staffPage.goto(`/support?q=${half}&offset=900`);
  await expect(staffPage.getByText("No page 46")).toBeVisible();
  await staffPage.getByRole("link", { name: "Go to the first page" }).click();
  await expect(staffPage.getByRole("heading", { name: "Transactions (1)" })).toBeVisible();
});
