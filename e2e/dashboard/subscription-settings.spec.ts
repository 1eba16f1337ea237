import type { Locator, Page } from "playwright/test";
import { expectWellInEveryLook, openAlive, test } from "../browser";
import { expect } from "../fixtures/playwright";

const PATH = "/test/settings/subscriptions";

async function save(page: Page, form: Locator): Promise<void> {
  const saved = page.waitForResponse((response) => response.url().includes("/subscription-settings"));
  await form.getByRole("button", { name: "Save" }).click();
  expect((await saved).status()).toBe(200);
}

test("an owner plans retries and switches off a mail and the portal, in one mode", {
  tag: "@looks",
}, async ({ owner: page }) => {
  await openAlive(page, PATH);
  const main = page.getByRole("main");
  await expect(main).toContainText("Tried again 3, 8 and 15 days after the first attempt.");
  await page.getByRole("button", { name: "Add a retry" }).click();
  await page.getByLabel("Days before retry 4").fill("61");
  const failed = main.locator("form").filter({ hasText: "If the last retry fails" });
  await failed.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Enter 1 to 60 days.")).toBeVisible();
  await expect(page.getByLabel("Days before retry 4")).toBeFocused();
  await page.getByLabel("Days before retry 4").fill("14");
  await page.getByRole("button", { name: "Remove retry 2" }).click();
  await expect(main).toContainText("Tried again 3, 10 and 24 days after the first attempt.");
  await page.getByLabel("Leave it past due").check();
  await save(page, failed);
  for (const [label, name] of [
    ["A subscription is cancelled", "E-mail customers when:"],
    [/^Cancel/, "In the customer portal"],
  ] as const) {
    const form = main.locator("form").filter({ hasText: name });
    await form.getByRole("checkbox", { name: label }).uncheck();
    await save(page, form);
  }

  await openAlive(page, PATH);
  await expect(main).toContainText("Tried again 3, 10 and 24 days after the first attempt.");
  await expect(page.getByLabel("Leave it past due")).toBeChecked();
  await expect(page.getByLabel("A subscription is cancelled")).not.toBeChecked();
  await expect(page.getByLabel("A payment succeeds")).toBeChecked();
  await expectWellInEveryLook(page);

  await openAlive(page, "/live/settings/subscriptions");
  await expect(main).toContainText("Tried again 3, 8 and 15 days after the first attempt.");
  await expect(page.getByLabel("A subscription is cancelled")).toBeChecked();

  await openAlive(page, "/test/settings/activity");
  await expect(main).toContainText("Changed subscription settings");
  await expect(main).toContainText("Days between attempts: 3, 5, 7 → 3, 7, 14");
});

test("a viewer sees the settings of subscriptions and changes nothing", async ({ page, newPerson, signInAs }) => {
  await signInAs(page.context(), await newPerson("viewer"));
  await openAlive(page, PATH);
  await expect(page.getByText("Only owners and admins can change them.")).toBeVisible();
  await expect(page.getByLabel("A payment succeeds")).toBeDisabled();
  await expect(page.getByLabel("Days before retry 1")).toBeDisabled();
  await expect(page.getByRole("button", { name: "Save" })).toHaveCount(0);
  const refused = await page.request.fetch("/api/dashboard/test/subscription-settings", {
    method: "PATCH",
    headers: { Origin: new URL(page.url()).origin, "Sec-Fetch-Site": "same-origin" },
    data: { mail_receipt: false },
  });
  expect(refused.status()).toBe(403);
});
