import { encodeId } from "@/lib/contract/ids";
import { expectWellInEveryLook, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { captured, waitingPayment } from "../samples";

test("the audit page filters by staff, merchant and action", async ({ tenant, staffPage, staff }) => {
  const merchantId = encodeId("merchant", tenant.merchant.id);
  await staffPage.goto(`/support/merchants/${merchantId}`);
  await staffPage.goto(`/support?q=${merchantId}`);
  await staffPage.goto("/support/audit");
  await staffPage.getByLabel("Staff", { exact: true }).selectOption(staff.staff_id);
  await staffPage.getByLabel("Merchant's id").fill(merchantId);
  await staffPage.getByLabel("What", { exact: true }).selectOption("support.viewed_merchant");
  await staffPage.getByRole("button", { name: "Filter" }).click();
  await expect(staffPage).toHaveURL(/action=support\.viewed_merchant/);
  const rows = staffPage.getByRole("list", { name: /What support staff did/ }).getByRole("listitem");
  await expect(rows).toHaveCount(1);
  await expect(rows.first()).toContainText("Opened the merchant");
  await staffPage.getByRole("link", { name: "Clear" }).click();
  await expect(staffPage).toHaveURL(/\/support\/audit$/);
});

test("opening a payment is all that the audit log says of it: no page is looked at ahead", async ({
  tenant,
  staffPage,
  staff,
  db,
}) => {
  const payment = await captured(tenant.api);
  await staffPage.goto(`/support?q=${payment.id}`);
  const asked: string[] = [];
  staffPage.on("request", (request) => asked.push(request.url()));
  await staffPage.getByRole("link", { name: payment.id }).first().click();
  await expect(staffPage.getByRole("navigation", { name: "Breadcrumb" })).toBeVisible();
  for (const link of await staffPage.getByRole("main").getByRole("link").all()) await link.hover();
  await staffPage.waitForLoadState("networkidle");
  expect(asked.filter((url) => url.includes("/support/merchants/"))).toEqual([]);
  const viewed = await db.sql<{ action: string }[]>`
    select action from support_audit_log where staff_id = ${staff.userId} and action like 'support.viewed%'`;
  expect(viewed.map(({ action }) => action)).toEqual(["support.viewed_payment"]);
});

test("what does not exist says so, and a foreign id looks the same as a made-up one", async ({ staffPage }) => {
  for (const path of ["/support/payments/pay_nothing", "/support/merchants/mer_nothing", "/support/nowhere"]) {
    await staffPage.goto(path);
    await expect(staffPage.getByRole("heading", { name: "Not found" })).toBeVisible();
  }
});

test("every page is accessible and fits a phone, light and dark", { tag: "@looks" }, async ({
  tenant,
  staffPage,
  db,
}) => {
  const payment = await captured(tenant.api, { customer_email: "anna@shopper.example" });
  await waitingPayment(tenant, db.sql, 1_234);
  const pages = [
    "/support",
    `/support?q=${payment.id}`,
    "/support?q=nothing-like-that",
    `/support/merchants/${encodeId("merchant", tenant.merchant.id)}`,
    `/support/payments/${payment.id}`,
    "/support/unknown-outcomes",
    "/support/reconciliation",
    "/support/audit",
    "/support/payments/pay_nothing",
  ];
  for (const path of pages) {
    await expectWellInEveryLook(staffPage, async () => {
      await staffPage.goto(path);
      await expect(staffPage.getByRole("heading", { level: 1 })).toBeVisible();
      await expect(staffPage.locator(".skeleton")).toHaveCount(0);
    });
  }
});
