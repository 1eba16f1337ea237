import { createPayment, refundPayment } from "@/lib/contract/payments/endpoints";
import { expectWellInEveryLook, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { aPayment, captured } from "../samples";

const PAGE = "/test/developers/requests";

test("a refund is found, shown without secrets, and resent without moving money twice", { tag: "@looks" }, async ({
  owner,
  tenant,
}) => {
  const payment = await captured(tenant.api, {});
  (await tenant.api.call(refundPayment, { id: payment.id, body: { amount: 500 }, key: "refund-1" })).ok();
  (await tenant.api.call(refundPayment, { id: payment.id, body: { amount: 9_999_999 }, key: "refund-2" })).problem(
    "amount_exceeds_refundable",
  );
  await expect(async () => {
    await owner.goto(`${PAGE}?q=${payment.id}`);
    await expect(owner.getByRole("row")).toHaveCount(4, { timeout: 500 });
  }).toPass({ timeout: 30_000 });

  await owner.goto(PAGE);
  const errors = owner.getByRole("region", { name: "Errors by code" });
  await errors.getByRole("link", { name: "amount_exceeds_refundable" }).click();
  await expect(owner.getByRole("row")).toHaveCount(2);

  await owner.goto(`${PAGE}?q=refund-1`);
  await owner.getByRole("link", { name: /POST \/v1\/payments\/.*\/refund/ }).click();
  await expect(owner.getByRole("figure").filter({ hasText: "Request body" })).toContainText('"amount": 500');
  await expect(owner.getByRole("figure").filter({ hasText: "As curl" })).toContainText("$CARDLANE_KEY");
  await owner.getByRole("button", { name: "Send again" }).click();
  await expect(owner.getByText("Nothing ran twice: same response, replayed")).toBeVisible();
  await expectWellInEveryLook(owner);
  await owner.goto(`/test/payments/${payment.id}`);
  await expect(owner.getByText("All requests of the last 30 days")).toHaveCount(1);
});

test("a payment with a card cannot be sent from here, and its card is nowhere", async ({ owner, tenant }) => {
  (await tenant.api.call(createPayment, { body: aPayment(), key: "card-1" })).ok();
  await expect(async () => {
    await owner.goto(`${PAGE}?q=card-1`);
    await expect(owner.getByRole("row")).toHaveCount(2, { timeout: 500 });
  }).toPass({ timeout: 30_000 });
  await owner.getByRole("link", { name: /POST \/v1\/payments/ }).click();
  await expect(owner.getByText("The card or token isn't stored")).toBeVisible();
  await expect(owner.getByRole("figure").filter({ hasText: "Request body" })).toContainText("[redacted]");
  expect(await owner.content()).not.toContain("4242424242424242");
});
