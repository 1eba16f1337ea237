import { listInvoices } from "@/lib/contract/invoices/endpoints";
import { createPayment } from "@/lib/contract/payments/endpoints";
import { expectWellInEveryLook, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { aPayment, newSubscription } from "../samples";

test("the banner advances the test clock, and lists the events on the way", { tag: "@looks" }, async ({
  owner: page,
  api,
}) => {
  (await api.call(createPayment, { body: aPayment({ capture_method: "manual" }), key: "held" })).ok();
  await page.goto("/test/balance");
  const banner = page.getByRole("region", { name: "Test mode" });
  await banner.getByRole("button", { name: "Advance time…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "To a date" }).check();
  await expect(dialog.getByLabel("Date and time")).toBeVisible();
  await expectWellInEveryLook(page);
  await expect(dialog.getByRole("radio", { name: "To the next renewal" })).toHaveAccessibleDescription(
    "No subscription renews.",
  );
  await dialog.getByRole("radio", { name: "A month" }).check();
  await dialog.getByRole("button", { name: "Advance", exact: true }).click();

  await expect(dialog.getByRole("heading", { name: "The test clock has advanced" })).toBeVisible({ timeout: 20_000 });
  await expect(dialog.getByText("Authorizations that expired")).toBeVisible();
  await expectWellInEveryLook(page);
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();
  await expect(banner.getByText("Test clock:")).toBeAttached();
  await expectWellInEveryLook(page);
});

test("the clock goes to the end of a trial and to the next renewal, and names what was paid", async ({
  owner: page,
  api,
}) => {
  const { trial_end_at } = await newSubscription(api, { trial_end_at: new Date(Date.now() + 864e6).toISOString() });
  await page.goto("/test/balance");
  await page.getByRole("region", { name: "Test mode" }).getByRole("button", { name: "Advance time…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "To the end of a trial" }).check();
  await expect(dialog.getByRole("radio", { name: "To the next renewal" })).toBeDisabled();
  await dialog.getByRole("button", { name: "Advance", exact: true }).click();
  await expect(dialog.getByText("Subscriptions now active")).toBeVisible({ timeout: 20_000 });
  await expect(dialog.getByRole("link", { name: "INV-000001 $" })).toBeVisible();

  await dialog.getByRole("button", { name: "Advance again" }).click();
  await dialog.getByRole("radio", { name: "To the next renewal" }).check();
  await dialog.getByRole("button", { name: "Advance", exact: true }).click();
  await dialog.getByRole("link", { name: "INV-000002 $" }).click({ timeout: 20_000 });
  await expect(page.getByRole("heading", { level: 1 })).toContainText("INV-000002");
  const { data } = (await api.call(listInvoices)).ok();
  expect(data.map(({ status, created_at }) => [status, created_at >= (trial_end_at ?? "")])).toEqual([
    ["PAID", true],
    ["PAID", true],
  ]);
});
