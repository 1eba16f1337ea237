import { randomUUID } from "node:crypto";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { getPayment } from "@/lib/contract/payments/endpoints";
import { test } from "../browser";
import { expect } from "../fixtures/playwright";
import { captured, waitingPayment } from "../samples";

test("a refund for a merchant carries the reason, and the merchant sees it", async ({
  tenant,
  staffPage,
  staff,
  db,
}) => {
  const payment = await captured(tenant.api, { amount: 5_000 });
  const reason = "Customer called – twice (“überfällig”)";
  await staffPage.goto(`/support/payments/${payment.id}`);
  await staffPage.getByRole("button", { name: "Refund for the merchant" }).click();
  const dialog = staffPage.getByRole("dialog");
  await dialog.getByLabel("Amount").fill("12.50");
  await dialog.getByRole("button", { name: "Refund $12.50 to Visa •••• 4242" }).click();
  await expect(dialog.getByText("Enter why you’re refunding for the merchant.")).toBeVisible();
  await dialog.getByLabel("Reason for refunding for the merchant").fill(reason);
  await dialog.getByRole("button", { name: "Refund $12.50 to Visa •••• 4242" }).dblclick();
  await expect(dialog.getByText("Refunded $12.50")).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(staffPage.getByText("Partially refunded").first()).toBeVisible();
  await expect(staffPage.getByText(`Reason: ${reason}`).first()).toBeVisible();

  const after = (await tenant.api.call(getPayment, { id: payment.id })).ok();
  expect(after).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refunded: 1_250 });
  const rows = await db.sql`
    select kind, actor from operations where payment_id = ${decodeId("payment", payment.id)} and kind = 'refund'`;
  expect([...rows]).toEqual([{ kind: "refund", actor: { type: "staff", id: staff.userId } }]);
  const acts = await db.sql`
    select action, detail ->> 'reason' as reason from support_audit_log
    where merchant_id = ${tenant.merchant.id} and detail ? 'reason'`;
  expect([...acts]).toEqual([{ action: "support.refundTransaction", reason }]);
});

test("the merchant's users see in their dashboard what support did and why", async ({
  tenant,
  staffPage,
  newPerson,
  signInAs,
  browser,
  baseUrl,
}) => {
  const payment = await captured(tenant.api, { amount: 5_000 });
  await staffPage.goto(`/support/payments/${payment.id}`);
  await staffPage.getByRole("button", { name: "Refund for the merchant" }).click();
  const dialog = staffPage.getByRole("dialog");
  await dialog.getByLabel("Reason for refunding for the merchant").fill("They asked us to");
  await dialog.getByRole("button", { name: /^Refund \$50\.00/ }).click();
  await expect(dialog.getByText("Refunded $50.00")).toBeVisible();

  const context = await browser.newContext({ baseURL: baseUrl });
  await signInAs(context, await newPerson("owner"));
  const page = await context.newPage();
  await page.goto(`/test/payments/${payment.id}`);
  await expect(page.getByText("They asked us to").first()).toBeVisible();
  await expect(page.getByText("Cardlane support").first()).toBeVisible();
  await context.close();
});

test("suspending stops keys immediately and the merchant's users can't act; reinstating undoes it", async ({
  tenant,
  staffPage,
  owner: _,
  newPerson,
  signInAs,
  browser,
  baseUrl,
  db,
}) => {
  const payment = await captured(tenant.api);
  const merchantId = encodeId("merchant", tenant.merchant.id);
  await staffPage.goto(`/support/merchants/${merchantId}`);
  await staffPage.getByRole("button", { name: "Suspend" }).click();
  await staffPage.getByLabel("Reason").fill("Too many chargebacks");
  await staffPage.getByRole("button", { name: "Suspend merchant" }).click();
  await expect(staffPage.getByText("This merchant is suspended")).toBeVisible();
  // Keys are cached for half a second at most, and the page took longer than that.
  (await tenant.api.call(getPayment, { id: payment.id })).problem("merchant_suspended");

  const context = await browser.newContext({ baseURL: baseUrl });
  await signInAs(context, await newPerson("owner"));
  const page = await context.newPage();
  await page.goto(`/test/payments/${payment.id}`);
  await expect(page.getByText("This account is suspended")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("100.00");
  const refund = await page.request.post(`${baseUrl}/v1/payments/${payment.id}/refund`, {
    headers: { "x-cardlane-mode": "test", "x-idempotency-key": randomUUID(), "sec-fetch-site": "same-origin" },
    data: { amount: 100, reason: "OTHER" },
  });
  expect(refund.status()).toBe(403);
  expect(await refund.json()).toMatchObject({ code: "merchant_suspended" });
  await context.close();

  await staffPage.getByRole("button", { name: "Reinstate" }).click();
  await staffPage.getByLabel("Reason").fill("Cleared up");
  await staffPage.getByRole("button", { name: "Reinstate merchant" }).click();
  await expect(staffPage.getByText("This merchant is suspended")).toBeHidden();
  (await tenant.api.call(getPayment, { id: payment.id })).ok();
  const acts = await db.sql`
    select action, detail ->> 'reason' as reason from support_audit_log
    where merchant_id = ${tenant.merchant.id} and detail ? 'reason' order by id`;
  expect([...acts]).toEqual([
    { action: "support.suspended_merchant", reason: "Too many chargebacks" },
    { action: "support.reinstated_merchant", reason: "Cleared up" },
  ]);
});

test("a locked sign-in is unlocked with a reason", async ({ tenant, staffPage, newPerson, db }) => {
  const person = await newPerson("viewer");
  await db.sql`
    update users set failed_sign_ins = 10, locked_until = now() + interval '20 minutes' where id = ${person.userId}`;
  await staffPage.goto(`/support/merchants/${encodeId("merchant", tenant.merchant.id)}`);
  await staffPage.getByRole("button", { name: "Unlock" }).click();
  await staffPage.getByLabel("Reason").fill("They called, and it is them");
  await staffPage.getByRole("button", { name: "Unlock sign-in" }).click();
  await expect(staffPage.getByText("Locked until")).toBeHidden();
  const [row] = await db.sql`select failed_sign_ins, locked_until from users where id = ${person.userId}`;
  expect(row).toEqual({ failed_sign_ins: 0, locked_until: null });
});

test("an unknown outcome that waits for staff is checked again, and becomes known", async ({
  tenant,
  staffPage,
  db,
}) => {
  const payment = await waitingPayment(tenant, db.sql, 4_321);
  await staffPage.goto("/support/unknown-outcomes");
  const row = staffPage.getByRole("listitem").filter({ hasText: payment.id });
  await expect(row).toContainText("Waiting for staff");
  await expect(row).toContainText("$43.21");
  await row.getByRole("button", { name: "Check status" }).click();
  await expect(row.getByRole("status")).toContainText("Now known: succeeded");
  expect((await tenant.api.call(getPayment, { id: payment.id })).ok().status).toBe("CAPTURED");
  await staffPage.getByRole("button", { name: "Refresh" }).click();
  await expect(row).toBeHidden();

  await staffPage.goto(`/support/payments/${payment.id}`);
  await expect(staffPage.getByRole("heading", { name: "Authorization" })).toBeVisible();
  // Our books' result, and the processor's own.
  await expect(staffPage.getByText("approved", { exact: true })).toBeVisible();
  await expect(staffPage.getByText("Approved", { exact: true })).toBeVisible();
  await expect(staffPage.getByText("Checked the status of an unknown outcome")).toBeVisible();
});
