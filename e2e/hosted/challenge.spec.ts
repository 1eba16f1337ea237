import { getPayment } from "@/lib/contract/payments/operations";
import { test } from "../browser";
import { expect } from "../fixtures";
import { aCard, CARDS, captured } from "../samples";

const challenged = { amount: 1_999, card: aCard(CARDS.challenge) };

for (const [button, status, title] of [
  ["Approve the payment", "CAPTURED", "The payment is confirmed"],
  ["Fail the check", "DECLINED", "The check was not passed"],
] as const) {
  test(`a shopper answers the 3-D Secure challenge: ${button}`, async ({ page, api }) => {
    const payment = await captured(api, challenged);
    const url = payment.next_action?.redirect_to_url.url ?? "";
    await page.goto(url);
    await expect(page.getByRole("heading", { name: "Confirm your payment" })).toBeVisible();
    await expect(page.getByText("$19.99")).toBeVisible();
    await expect(page.getByText("•••• 3220")).toBeVisible();
    await page.getByRole("button", { name: button }).click();
    await expect(page.getByRole("heading", { name: title })).toBeVisible();
    await expect(page.getByRole("button")).toHaveCount(0);
    expect((await api.call(getPayment, { id: payment.id })).ok().status).toBe(status);
    await page.reload();
    await expect(page.getByRole("heading", { name: title })).toBeVisible();
  });
}

test("the challenge shows no card data, and works without JavaScript", async ({ browser, api }) => {
  const payment = await captured(api, challenged);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(payment.next_action?.redirect_to_url.url ?? "");
  expect(await page.content()).not.toContain(CARDS.challenge);
  await page.getByRole("button", { name: "Approve the payment" }).click();
  await expect(page.getByRole("heading", { name: "The payment is confirmed" })).toBeVisible();
  await context.close();
});
