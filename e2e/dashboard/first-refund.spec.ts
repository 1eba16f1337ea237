import { createPayment } from "@/lib/contract/payments/endpoints";
import { newId } from "@/lib/ids";
import { test } from "../browser";
import { Api } from "../client";
import { expect } from "../fixtures/playwright";
import { aCard, aPayment, CARDS } from "../samples";

test("from sign-up to the first refund, guided only by the pages", async ({ page, baseUrl }) => {
  await page.goto("/sign-up");
  await page.getByLabel("Business name").fill("Lamps and More");
  await page.getByLabel("Your name").fill("Nora Lind");
  await page.getByLabel("E-mail address").fill(`${newId()}@new.example`);
  await page.getByLabel("Password", { exact: true }).fill("a long enough password");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL("**/test");

  await page.goto("/test/developers/api-keys/new");
  await page.getByLabel("Name").fill("Shop");
  await page.getByRole("button", { name: "Create key" }).click();
  const api = new Api(baseUrl, await page.getByTestId("secret").textContent());
  await page.getByLabel("I have stored this key").check();
  await page.getByRole("button", { name: "Done" }).click();
  await page.waitForURL("**/api-keys");

  await api.call(createPayment, { body: aPayment({ amount: 900, customer_email: "other@shopper.example" }) });
  await api.call(createPayment, { body: aPayment({ card: aCard(CARDS.declined) }) });
  const payment = (
    await api.call(createPayment, { body: aPayment({ amount: 12_000, customer_email: "mei@shopper.example" }) })
  ).ok();

  await page.getByRole("link", { name: "Payments" }).click();
  await page.getByRole("searchbox").fill("mei@shopper.example");
  const rows = page.locator("[data-payment]");
  await expect(rows).toHaveCount(1);
  await rows.first().getByText("mei@shopper.example").click();
  const panel = page.getByRole("complementary", { name: "Payment" });
  await panel.getByRole("button", { name: "Refund", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Refund payment" });
  await dialog.getByLabel("Amount").fill("20.00");
  await dialog.getByRole("button", { name: "Refund $20.00 to Visa •••• 4242" }).click();
  await expect(dialog.getByText("Refunded $20.00 to Visa •••• 4242")).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(panel.getByText("$100.00").first()).toBeVisible();
  await expect(rows.first()).toContainText("Partially refunded");
  await page.goto(`/test/payments/${payment.id}`);
  await expect(page.getByRole("list", { name: "Timeline" })).toContainText("Nora Lind");
});

test("last week's declined Visa payments over 50 dollars are found as typed", async ({ owner, tenant, db }) => {
  const { api } = tenant;
  const declined = { card: aCard(CARDS.declined) };
  const ids: string[] = [];
  for (const body of [
    aPayment({ ...declined, amount: 7_500 }),
    aPayment({ ...declined, amount: 5_000 }),
    aPayment({ amount: 9_900 }),
  ]) {
    ids.push(JSON.parse((await api.call(createPayment, { body })).text).transaction_id ?? "");
  }
  await owner.goto("/test/transactions");
  await owner.getByRole("searchbox").fill("declined visa payments over 50 dollars");
  await owner.getByRole("searchbox").press("Enter");
  const rows = owner.locator("[data-payment]");
  await expect(rows).toHaveCount(1);
  await expect(rows.first()).toContainText("$75.00");
  await expect(owner).toHaveURL(/status=DECLINED/);
  await expect(owner).toHaveURL(/brand=visa/);
  const [count] = await db.sql<{ all: number }[]>`
    select count(*)::int as all from transactions where environment_id = ${tenant.merchant.test.id}`;
  expect(count?.all).toBe(3);
  expect(ids.filter(Boolean)).toHaveLength(2);
});
