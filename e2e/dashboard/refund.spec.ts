import type { Page } from "playwright/test";
import { decodeId } from "@/lib/contract/ids";
import { refundTransaction } from "@/lib/contract/transactions/endpoints";
import { expectAccessible, expectAccessibleInBothSchemes, expectNoSidewaysScroll, openAlive, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { authorized, captured, chargeOf, settled } from "../samples";
import { dialogOf, keysSent, openDialog, opens, payments, refundsOf, submitOf } from "./money-dialogs";

test("a refund from the payment's page explains what it does, and does it once", async ({ owner, tenant, api, db }) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  await expect(dialog.getByText("Captured")).toBeVisible();
  await expect(dialog.getByText("cannot be undone")).toBeVisible();
  await expect(dialog.getByText("5–10 business days")).toBeVisible();
  await expect(dialog.getByLabel("Amount")).toHaveValue("100.00");
  await dialog.getByRole("button", { name: "Refund $100.00 to Visa •••• 4242" }).click();
  await expect(dialog.getByText("Refunded $100.00 to Visa •••• 4242")).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [10_000], operations: 1 });
  await expect(owner.getByRole("main").getByText("Refunded").first()).toBeVisible();
});

test("a refund from the table: a part, then the rest; the button follows the amount", async ({
  owner,
  tenant,
  api,
  db,
}) => {
  const payment = await captured(api);
  await owner.goto("/test/transactions");
  const menu = owner.getByRole("button", { name: new RegExp(`^Actions for .*${chargeOf(payment).id}`) });
  const refund = owner.getByRole("menuitem", { name: /^Refund/ });
  await opens(menu, refund);
  await refund.click();
  const dialog = dialogOf(owner);
  await dialog.getByLabel("Amount").fill("25.50");
  await dialog.getByLabel("Reason").selectOption("RETURN");
  await dialog.getByRole("button", { name: "Refund $25.50 to Visa •••• 4242" }).click();
  await expect(dialog.getByText("Refunded $25.50")).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();

  await opens(menu, refund);
  await refund.click();
  await expect(dialog.getByLabel("Amount")).toHaveValue("74.50");
  await expect(dialog.getByText("Already refunded")).toBeVisible();
  await submitOf(dialog).click();
  await expect(dialog.getByText("Refunded $74.50")).toBeVisible();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [2_550, 7_450], operations: 2 });
});

test("an amount above what is left is stopped in the form, and by the service if forced", async ({
  owner,
  tenant,
  api,
  db,
}) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  await dialog.getByLabel("Amount").fill("100.01");
  await expect(dialog.getByText("At most $100.00 can be refunded.")).toBeVisible();
  await dialog.getByRole("button", { name: "Refund", exact: true }).click();
  expect((await refundsOf(db, tenant, payment)).operations).toBe(0);

  for (const wrong of ["", "abc", "0", "-5", "10.001"]) {
    await dialog.getByLabel("Amount").fill(wrong);
    await dialog.getByRole("button", { name: "Refund", exact: true }).click();
    await expect(dialog.getByLabel("Amount")).toHaveAttribute("aria-invalid", "true");
  }

  await owner.route("**/v1/**/refund", (route) => route.continue({ postData: JSON.stringify({ amount: 10_001 }) }));
  await dialog.getByLabel("Amount").fill("50,00");
  await submitOf(dialog).click();
  await expect(dialog.getByText(/At most 100\.00 USD can be refunded/)).toBeVisible();
  await expect(dialog.getByLabel("Amount")).toHaveAttribute("aria-invalid", "true");
  await expect(dialog.getByLabel("Amount")).toHaveValue("50,00");
  expect((await refundsOf(db, tenant, payment)).amounts).toEqual([]);

  await owner.unroute("**/v1/**/refund");
  await submitOf(dialog).click();
  await expect(dialog.getByText("Refunded $50.00")).toBeVisible();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [5_000], operations: 1 });
});

test("'other' needs a note, which is stored with the refund", async ({ owner, tenant, api, db }) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  await dialog.getByLabel("Reason").selectOption("OTHER");
  await submitOf(dialog).click();
  await expect(dialog.getByText("Describe the reason.")).toBeVisible();
  await dialog.getByLabel("Note").fill("Broken on arrival");
  await submitOf(dialog).click();
  await expect(dialog.getByText("Refunded $100.00")).toBeVisible();
  const [row] = await db.sql<{ refund_reason: string; refund_comment: string }[]>`
    select refund_reason, refund_comment from transactions
    where environment_id = ${tenant.merchant.test.id} and payment_id = ${decodeId("payment", payment.id)} and type = 'REFUND'`;
  expect(row).toEqual({ refund_reason: "OTHER", refund_comment: "Broken on arrival" });
});

test("a double click makes one refund", async ({ owner, tenant, api, db }) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  await dialog.getByLabel("Amount").fill("30.00");
  await submitOf(dialog).dblclick();
  await expect(dialog.getByText("Refunded $30.00")).toBeVisible();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [3_000], operations: 1 });
});

test("many clicks within one event-loop turn make one refund", async ({ owner, tenant, api, db }) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  await dialog.getByLabel("Amount").fill("30.00");
  await submitOf(dialog).evaluate((button: HTMLButtonElement) => {
    for (let i = 0; i < 10; i++) {
      button.click();
      button.form?.requestSubmit();
    }
  });
  await expect(dialog.getByText("Refunded $30.00")).toBeVisible();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [3_000], operations: 1 });
});

test("two concurrent tabs make one refund, and the other tab shows what changed", async ({
  owner,
  tenant,
  api,
  db,
}) => {
  const payment = await captured(api);
  const other = await owner.context().newPage();
  const dialogs = [await openDialog(owner, payment), await openDialog(other, payment)];
  for (const dialog of dialogs) await dialog.getByLabel("Amount").fill("40.00");
  await Promise.all(dialogs.map((dialog) => submitOf(dialog).click()));
  const told = dialogs.map((dialog) =>
    dialog.getByText("Refunded $40.00 to").or(dialog.getByText("This payment has changed since you opened it")),
  );
  for (const text of told) await expect(text.first()).toBeVisible();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [4_000], operations: 1 });
});

test("a tab that was open during another refund shows it on return, before anything is sent", async ({
  owner,
  api,
}) => {
  const payment = await captured(api);
  const dialog = await openDialog(owner, payment);
  (await api.call(refundTransaction, { id: chargeOf(payment).id, body: { amount: 2_500 } })).ok();
  await owner.evaluate(() => window.dispatchEvent(new Event("focus")));
  await expect(dialog.getByText("A refund of $25.00 was made.")).toBeVisible();
  await expect(dialog.getByLabel("Amount")).toHaveValue("75.00");
});

test("a payment that cannot be refunded shows why, in the table and on its page", async ({ owner, api }) => {
  const held = await authorized(api);
  await owner.goto(payments(held.id));
  const main = owner.getByRole("main");
  await expect(main.getByRole("button", { name: "Refund", exact: true })).toHaveCount(0);
  await opens(main.getByRole("button", { name: "More actions" }), owner.getByText("Nothing has been captured yet"));
  await owner.goto("/test/transactions");
  const menu = owner.getByRole("button", { name: new RegExp(`^Actions for .*${chargeOf(held).id}`) });
  await opens(menu, owner.getByRole("menuitem", { name: /^Refund/ }));
  await expect(owner.getByRole("menuitem", { name: /^Refund/ })).toHaveAttribute("aria-disabled", "true");
  await expect(owner.getByRole("menuitem", { name: /^Refund/ })).toContainText("Nothing has been captured yet");
});

test("a viewer sees reasons, not buttons, and the service agrees", async ({ page, newPerson, signInAs, api }) => {
  await signInAs(page.context(), await newPerson("viewer"));
  const payment = await captured(api);
  await page.goto(payments(payment.id));
  const main = page.getByRole("main");
  const why = page.getByText("Your role does not allow you to refund payments");
  await opens(main.getByRole("button", { name: "More actions" }), why);
  await expect(main.getByRole("button", { name: "Refund", exact: true })).toHaveCount(0);
  const status = await page.evaluate(
    async (id) =>
      (
        await fetch(`/v1/transactions/${id}/refund`, {
          method: "POST",
          headers: {
            "X-Cardlane-Mode": "test",
            "X-Idempotency-Key": crypto.randomUUID(),
            "Content-Type": "application/json",
          },
          body: "{}",
        })
      ).status,
    chargeOf(payment).id,
  );
  expect(status).toBe(403);
});

test("a full refund by keyboard alone, returning the focus to where it was", async ({ owner, tenant, api, db }) => {
  const payment = await captured(api);
  await owner.goto(payments(payment.id));
  const button = owner.getByRole("main").getByRole("button", { name: "Refund", exact: true });
  await button.focus();
  await owner.keyboard.press("Enter");
  const dialog = dialogOf(owner);
  await expect(dialog.getByLabel("Amount")).toBeFocused();
  await owner.keyboard.type("12.34");
  await owner.keyboard.press("Tab");
  await owner.keyboard.press("Tab");
  await expect(dialog.getByLabel("Note")).toBeFocused();
  await owner.keyboard.press("Tab");
  await owner.keyboard.press("Tab");
  await expect(dialog.getByRole("button", { name: "Refund $12.34 to Visa •••• 4242" })).toBeFocused();
  await owner.keyboard.press("Enter");
  await expect(dialog.getByRole("button", { name: "Done" })).toBeFocused();
  await owner.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(button).toBeFocused();
  expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [1_234], operations: 1 });
  await owner.keyboard.press("Enter");
  await expect(dialog.getByLabel("Amount")).toBeFocused();
  await dialog.getByRole("button", { name: /^Refund \$/ }).press("Enter");
  await expect(dialog.getByRole("button", { name: "Done" })).toBeFocused();
  await expect(button).toHaveCount(0);
  await owner.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(owner.getByRole("main").getByRole("button", { name: "More actions" })).toBeFocused();
});

test("currencies keep their decimals", async ({ owner, api }) => {
  const yen = await captured(api, { amount: 5_000, currency: "JPY" });
  const dialog = await openDialog(owner, yen);
  await expect(dialog.getByLabel("Amount")).toHaveValue("5000");
  await dialog.getByLabel("Amount").fill("1200");
  await dialog.getByRole("button", { name: "Refund ¥1,200 to Visa •••• 4242" }).click();
  await expect(dialog.getByText("Refunded ¥1,200")).toBeVisible();

  const dinars = await captured(api, { amount: 2_000_000, currency: "KWD" });
  const other = await openDialog(owner, dinars);
  const amount = other.getByLabel("Amount");
  const submit = other.getByRole("button", { name: /^Refund/ });
  await amount.fill("19,90");
  await expect(submit).toHaveText(/^Refund KWD\s19\.900/);
  await amount.fill("1,500");
  await expect(amount).toHaveAccessibleDescription(/two ways.*one thousand five hundred.*one and 500\/1000/);
  await expect(submit).toHaveText("Refund");
  await other.getByRole("button", { name: "KWD 1.500 (one and 500/1000)" }).click();
  await expect(amount).toHaveValue("1.5");
  await expect(submit).toHaveText(/^Refund KWD\s1\.500/);
});

test("the refund dialog is accessible and fits a phone", { tag: "@looks" }, async ({ owner, tenant }) => {
  const payment = await settled(tenant);
  await owner.setViewportSize({ width: 390, height: 844 });
  const dialog = await openDialog(owner, payment);
  await expectNoSidewaysScroll(owner);
  await expectAccessibleInBothSchemes(owner);
  await dialog.getByLabel("Amount").fill("999999");
  await dialog.getByLabel("Reason").selectOption("OTHER");
  await dialog.getByRole("button", { name: "Refund", exact: true }).click();
  await expectAccessibleInBothSchemes(owner);
  await expect(submitOf(dialog).or(dialog.getByRole("button", { name: "Refund", exact: true }))).toBeInViewport();
});

const proofDialog = (page: Page) => page.getByRole("dialog", { name: "Confirm it’s you" });

test("a large refund requires re-authentication, then continues by itself under the same key, once", async ({
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
  const keys = keysSent(page);
  await openAlive(page, `/test/payments/${payment.id}`);
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  const money = page.getByRole("dialog", { name: /refund/i });
  await money.getByRole("button", { name: /^Refund/ }).click();
  await expect(proofDialog(page)).toBeVisible();
  await expectAccessible(page);
  await proofDialog(page).getByRole("button", { name: "Confirm" }).click();
  await proofDialog(page).getByLabel("Your password").fill("not it at all");
  await proofDialog(page).getByRole("button", { name: "Confirm" }).click();
  await expect(proofDialog(page)).toContainText("That isn't your current password.");
  await proofDialog(page).getByLabel("Your password").fill(person.password);
  const refunded = page.waitForResponse((response) => response.url().endsWith("/refund") && response.status() === 201);
  await proofDialog(page).getByRole("button", { name: "Confirm" }).click();
  await expect(proofDialog(page)).toHaveCount(0);
  await refunded;
  await expect(page.getByRole("status").filter({ hasText: "Status: Refunded" })).toBeVisible();
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
  const refunds =
    await db.sql`select 1 from operations where environment_id = ${tenant.merchant.test.id} and kind = 'refund'`;
  expect(refunds).toHaveLength(1);
});

test("cancelling the confirmation changes nothing, and the form is still open", async ({ owner, db, tenant }) => {
  await db.sql`update user_sessions s set proved_at = now() - interval '11 minutes' from users u
    where u.id = s.user_id and u.merchant_id = ${tenant.merchant.id}`;
  await openAlive(owner, "/test/settings/team");
  await owner.getByRole("button", { name: "Invite" }).click();
  await owner.getByLabel("E-mail address").fill("second@owner.example");
  await owner.getByLabel("Owner", { exact: true }).check();
  await owner.getByRole("button", { name: "Send invitation" }).click();
  await proofDialog(owner).getByRole("button", { name: "Cancel" }).click();
  await expect(owner.getByText("Confirm your identity with your password, then try again.")).toBeVisible();
  await expect(owner.getByLabel("E-mail address")).toHaveValue("second@owner.example");
});
