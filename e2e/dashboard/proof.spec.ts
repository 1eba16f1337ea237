import type { Page } from "@playwright/test";
import { untilAlive } from "../browser";
import { expect } from "../fixtures";
import { expectAccessible } from "../looks";
import { captured } from "../samples";
import { test } from "./fixtures";

/** The page is there and alive. */
async function open(page: Page, path: string): Promise<void> {
  await page.bringToFront();
  await page.goto(path);
  await untilAlive(page);
}

const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Confirm that it is you" });

test("a large refund asks who it is, then goes on by itself under the same key, once", async ({
  page,
  newPerson,
  signInAs,
  tenant,
  db,
}) => {
  const payment = await captured(tenant.api, { amount: 250_000 });
  const person = await newPerson("operator");
  await signInAs(page.context(), person);
  await db.sql`update user_sessions set proved_at = now() - interval '11 minutes' where user_id = ${person.userId}`;
  const keys: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/refund")) keys.push(request.headers()["x-idempotency-key"]);
  });
  await open(page, `/test/payments/${payment.id}`);
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  const money = page.getByRole("dialog", { name: /refund/i });
  await money.getByRole("button", { name: /^Refund/ }).click();
  await expect(dialogOf(page)).toBeVisible();
  await expectAccessible(page);
  await dialogOf(page).getByRole("button", { name: "Confirm" }).click();
  await dialogOf(page).getByLabel("Your password").fill("not it at all");
  await dialogOf(page).getByRole("button", { name: "Confirm" }).click();
  await expect(dialogOf(page)).toContainText("That is not your current password.");
  await dialogOf(page).getByLabel("Your password").fill(person.password);
  const refunded = page.waitForResponse((response) => response.url().endsWith("/refund") && response.status() === 201);
  await dialogOf(page).getByRole("button", { name: "Confirm" }).click();
  await expect(dialogOf(page)).toHaveCount(0);
  await refunded;
  await expect(page.getByRole("status").filter({ hasText: "Status: Refunded" })).toBeVisible();
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
  const refunds =
    await db.sql`select 1 from operations where environment_id = ${tenant.merchant.test.id} and kind = 'refund'`;
  expect(refunds).toHaveLength(1);
});

test("whoever would rather not confirm has changed nothing, and the form is still there", async ({
  owner,
  db,
  tenant,
}) => {
  await db.sql`update user_sessions s set proved_at = now() - interval '11 minutes' from users u
    where u.id = s.user_id and u.merchant_id = ${tenant.merchant.id}`;
  await open(owner, "/test/settings/team");
  await owner.getByRole("button", { name: "Invite" }).click();
  await owner.getByLabel("E-mail address").fill("second@owner.example");
  await owner.getByLabel("Owner", { exact: true }).check();
  await owner.getByRole("button", { name: "Send invitation" }).click();
  await dialogOf(owner).getByRole("button", { name: "Cancel" }).click();
  await expect(owner.getByText("Confirm with your password that it is you, then do this again.")).toBeVisible();
  await expect(owner.getByLabel("E-mail address")).toHaveValue("second@owner.example");
});
