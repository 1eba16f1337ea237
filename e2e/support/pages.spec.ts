import { encodeId } from "@/lib/contract/ids";
import { expectWellInEveryLook, test } from "../browser";
import { openDispute } from "../fixtures/disputes";
import { expect } from "../fixtures/playwright";
import { captured, newSubscription, waitingPayment } from "../samples";

test("the audit page filters by staff, merchant and action", async ({ tenant, staffPage, staff }) => {
  const merchantId = encodeId("merchant", tenant.merchant.id);
  await staffPage.goto(`/support/merchants/${merchantId}`);
  await staffPage.goto(`/support?q=${merchantId}`);
  await staffPage.goto("/support/audit");
  await staffPage.getByLabel("Staff", { exact: true }).selectOption(staff.staff_id);
  await staffPage.getByLabel("Merchant’s id").fill(merchantId);
  await staffPage.getByLabel("What", { exact: true }).selectOption("support.viewed_merchant");
  await staffPage.getByRole("button", { name: "Filter" }).click();
  await expect(staffPage).toHaveURL(/action=support\.viewed_merchant/);
  const rows = staffPage.getByRole("list", { name: /What support staff did/ }).getByRole("listitem");
  await expect(rows).toHaveCount(1);
  await expect(rows.first()).toContainText("Opened the merchant");
  await staffPage.getByRole("link", { name: "Clear" }).click();
  await expect(staffPage).toHaveURL(/\/support\/audit$/);
});

test("the audit log records only that a payment was opened: no page is prefetched", async ({
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

test("a subscription and its invoices are found by id and shown read-only, each look recorded", async ({
  tenant,
  staffPage,
  staff,
  db,
}) => {
  const subscription = await newSubscription(tenant.api);
  const invoiceId = subscription.latest_invoice_id ?? "";
  await staffPage.goto(`/support?q=${subscription.id}`);
  await expect(staffPage.getByRole("heading", { name: "Subscriptions (1)" })).toBeVisible();
  await staffPage.goto(`/support/merchants/${encodeId("merchant", tenant.merchant.id)}?mode=test`);
  const invoices = staffPage.getByRole("region", { name: "Latest invoices" });
  await expect(invoices.getByRole("link", { name: "INV-000001 $19.99 USD" })).toBeVisible();
  await staffPage.getByRole("region", { name: "Latest subscriptions" }).getByRole("link", { name: /^Plan/ }).click();
  await expect(staffPage).toHaveURL(`/support/subscriptions/${subscription.id}`);
  await staffPage.getByRole("region", { name: "Invoices" }).getByRole("link").click();
  await expect(staffPage).toHaveURL(`/support/invoices/${invoiceId}`);
  await expect(staffPage.getByRole("region", { name: "Timeline" })).toContainText("Paid");
  await expect(staffPage.getByRole("button", { name: /Charge|Void|More actions/ })).toHaveCount(0);
  const viewed = await db.sql<{ action: string }[]>`
    select action from support_audit_log where staff_id = ${staff.userId} and object_id in (${subscription.id}, ${invoiceId})
    order by id`;
  expect(viewed.map(({ action }) => action)).toEqual(["support.viewed_subscription", "support.viewed_invoice"]);
});

test("a dispute is found by id and shown read-only, the look recorded", async ({
  tenant,
  staffPage,
  staff,
  service,
  db,
}) => {
  const payment = await captured(tenant.api);
  const dispute = await openDispute({ service, db, environmentId: tenant.merchant.test.id }, payment.id);
  await staffPage.goto(`/support?q=${dispute.id}`);
  await expect(staffPage.getByRole("heading", { name: "Disputes (1)" })).toBeVisible();
  await staffPage.goto(`/support/merchants/${encodeId("merchant", tenant.merchant.id)}?mode=test`);
  await staffPage.getByRole("region", { name: "Latest disputes" }).getByRole("link").click();
  await expect(staffPage).toHaveURL(`/support/disputes/${dispute.id}`);
  await expect(staffPage.getByRole("region", { name: "Timeline" })).toContainText("Opened by the cardholder’s bank");
  await expect(staffPage.getByRole("link", { name: "Respond at the processor" })).toHaveCount(0);
  const viewed = await db.sql<{ action: string }[]>`
    select action from support_audit_log where staff_id = ${staff.userId} and object_id = ${dispute.id}`;
  expect(viewed.map(({ action }) => action)).toEqual(["support.viewed_dispute"]);
});

test("an unknown id says so, and a foreign id looks the same as a made-up one", async ({ staffPage }) => {
  for (const path of [
    "/support/payments/pay_nothing",
    "/support/invoices/inv_nothing",
    "/support/subscriptions/sub_nothing",
    "/support/disputes/dp_nothing",
    "/support/merchants/mer_nothing",
    "/support/nowhere",
  ]) {
    await staffPage.goto(path);
    await expect(staffPage.getByRole("heading", { name: "Not found" })).toBeVisible();
  }
});

test("every page is accessible and fits a phone, light and dark", { tag: "@looks" }, async ({
  tenant,
  staffPage,
  service,
  db,
}) => {
  const payment = await captured(tenant.api, { customer_email: "anna@shopper.example" });
  const dispute = await openDispute({ service, db, environmentId: tenant.merchant.test.id }, payment.id);
  await waitingPayment(tenant, db.sql, 1_234);
  const subscription = await newSubscription(tenant.api);
  const pages = [
    "/support",
    `/support?q=${payment.id}`,
    "/support?q=nothing-like-that",
    `/support/merchants/${encodeId("merchant", tenant.merchant.id)}`,
    `/support/payments/${payment.id}`,
    `/support/subscriptions/${subscription.id}`,
    `/support/invoices/${subscription.latest_invoice_id}`,
    `/support/disputes/${dispute.id}`,
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
