import { createPayment } from "@/lib/contract/payments/endpoints";
import { runPayouts } from "@/lib/domain/settlement/payouts";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { test } from "../browser";
import { expect } from "../fixtures/playwright";
import { aPayment } from "../samples";

/** Lists, and the headings of their files. */
const LISTS = {
  payouts: "id,status,currency,amount,arrival_date,bank_name,bank_last4,failure_reason,created_at,created_at_local",
  "settlement-batches":
    "id,currency,charge_count,charge_amount,refund_count,refund_amount,reversal_count,reversal_amount,fee_amount,net_amount,payout_id,created_at,created_at_local",
  balance:
    "created_at,created_at_local,type,currency,amount,transaction_id,settlement_batch_id,payout_id,id,dispute_id",
  customers:
    "id,customer_id,name,email,payments,declined,currency,captured,refunded,net,disputed,other_currencies,first_payment_at,first_payment_at_local,last_payment_at,last_payment_at_local",
  disputes:
    "id,status,reason,currency,amount,fee,respond_by,respond_by_local,payment_id,transaction_id,customer_id,network_reason_code,processor_id,created_at,created_at_local",
};

test("each list of money is saved as the page shows it, in every format", async ({ owner: page, api, tenant }) => {
  for (const [customer_id, amount] of [
    ["ada", 5_000],
    ["grace", 1_250],
  ] as const)
    (await api.call(createPayment, { body: { ...aPayment(), amount, customer_id }, key: customer_id })).ok();
  const { service } = tenant.context();
  await runSettlement(service, { environmentId: tenant.merchant.test.id });
  await runPayouts(service);
  const rows: Record<string, string[]> = {};
  for (const [list, heading] of Object.entries(LISTS)) {
    await expect(async () => {
      const response = await page.request.get(`/test/${list}/export`);
      expect(response.status(), list).toBe(200);
      const [head, ...lines] = (await response.text()).trimEnd().split("\n");
      expect(head, list).toBe(heading);
      expect(response.headers()["x-total-count"], list).toBe(String(lines.length));
      rows[list] = lines;
      // A job records customers within a second of their payments.
      if (list === "customers") expect(lines).toHaveLength(2);
    }).toPass();
  }
  expect(rows.payouts).toHaveLength(1);
  expect(rows["settlement-batches"]?.[0]).toContain(",USD,2,6250,0,0,");
  expect(rows.customers?.map((line) => line.split(",")[1]).sort()).toEqual(["ada", "grace"]);
  expect(rows.disputes).toEqual([]);
  const amounts = (rows.balance ?? []).map((line) => line.split(",")).filter(([, , type]) => type === "capture");
  expect(new Set(amounts.map(([, , , , amount]) => Number(amount)))).toEqual(new Set([1_250, 5_000]));

  const german = await page.request.get("/test/settlement-batches/export?format=csv_excel&locale=de-DE");
  expect(await german.text()).toContain(";62,50;");
  const workbook = await page.request.get("/test/customers/export?format=xlsx&q=ada");
  expect([workbook.headers()["x-total-count"], (await workbook.body()).subarray(0, 2).toString()]).toEqual(["1", "PK"]);
  expect((await page.request.get("/test/payouts/export?status=LOST")).status()).toBe(400);
});

test("buttons on Payouts, Batches, Balance, Customers and the overview's table save files", async ({
  owner: page,
  api,
  tenant,
}) => {
  (await api.call(createPayment, { body: { ...aPayment(), customer_id: "ada" }, key: "ada" })).ok();
  const { service } = tenant.context();
  await runSettlement(service, { environmentId: tenant.merchant.test.id });
  await runPayouts(service);
  await expect(async () => {
    await page.goto("/test/customers");
    await expect(page.getByRole("button", { name: "Export" })).toBeVisible({ timeout: 1_000 });
  }).toPass();
  for (const [path, name, count] of [
    ["/test/customers", /^customers-test-.*\.csv$/, 1],
    ["/test/payouts", /^payouts-test-.*\.csv$/, 1],
    ["/test/settlement-batches", /^settlement-batches-test-.*\.csv$/, 1],
    ["/test/balance", /^report-balance-test-.*\.csv$/, 2],
    ["/test", /^report-activity-test-.*-USD\.csv$/, 1],
  ] as const) {
    await page.goto(path);
    if (path === "/test") await page.getByRole("button", { name: "Table" }).click();
    const buttons = page.getByRole("button", { name: "Export", exact: true });
    await expect(buttons, path).toHaveCount(count);
    await buttons.first().click();
    const download = page.waitForEvent("download");
    await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
    expect((await download).suggestedFilename(), path).toMatch(name);
  }
});
