import { createPayment } from "@/lib/contract/payments/endpoints";
import { expectWellInEveryLook, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { aPayment } from "../samples";

test("the banner advances the test clock, and lists the events on the way", { tag: "@looks" }, async ({
  owner: page,
  api,
}) => {
  (await api.call(createPayment, { body: aPayment({ capture_method: "manual" }), key: "held" })).ok();
  await page.goto("/test/balance");
  const banner = page.getByRole("region", { name: "Test mode" });
  await banner.getByRole("button", { name: "Advance the test clock" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "To a date" }).check();
  await expect(dialog.getByLabel("Date and time")).toBeVisible();
  await expectWellInEveryLook(page);
  await dialog.getByRole("radio", { name: "A month" }).check();
  await dialog.getByRole("button", { name: "Advance", exact: true }).click();

  await expect(dialog.getByRole("heading", { name: "The test clock has advanced" })).toBeVisible({ timeout: 20_000 });
  await expect(dialog.getByRole("link", { name: "payment.voided" })).toBeVisible();
  await expectWellInEveryLook(page);
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();
  await expect(banner.getByText("Test clock:")).toBeAttached();
  await expectWellInEveryLook(page);
});
