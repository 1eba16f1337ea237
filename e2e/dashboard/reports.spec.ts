import { readFileSync } from "node:fs";
import { refundPayment } from "@/lib/contract/payments/endpoints";
import { expectWellInEveryLook, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { captured } from "../samples";

test("gross, refunds, fees and net of each day are shown and saved as a file", { tag: "@looks" }, async ({
  owner: page,
  api,
}) => {
  const paid = await captured(api, { amount: 20_000 });
  await captured(api, { amount: 1_999 });
  await api.call(refundPayment, { id: paid.id, body: { amount: 500 }, key: `refund-${paid.id}` });

  await page.goto("/test");
  await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Reports" }).click();
  await expect(page.getByText("No money moved in these days")).toBeVisible();
  await page.getByLabel("First day").fill("2020-01-01");
  await page.getByLabel("Last day").fill("2099-12-31");
  await page.getByRole("button", { name: "Show" }).click();
  const totals = page.getByRole("table", { name: "Totals by currency" });
  await expect(totals.getByRole("row", { name: /USD/ })).toContainText("$219.99");
  await page.getByText("How this is computed").click();
  await expect(page.getByText(/from ledger_entries/)).toBeVisible();
  await expectWellInEveryLook(page);

  await page.getByRole("button", { name: "Export", exact: true }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
  const [head, ...lines] = readFileSync(await (await download).path(), "utf8")
    .trimEnd()
    .split("\n");
  expect(head).toBe("day,currency,captures,gross,refund_count,refunds,fees,net,disputes,dispute_fees");
  const net = lines.reduce((sum, line) => sum + Number(line.split(",").at(-3)), 0);
  const fees = lines.reduce((sum, line) => sum + Number(line.split(",").at(-4)), 0);
  expect(net + fees).toBe(21_499);

  for (const [tab, table] of [
    ["Balance", /Closing balance/],
    ["Money movements", /Refund .*txn_/],
  ] as const) {
    await page.getByRole("navigation", { name: "Report" }).getByRole("link", { name: tab }).click();
    await expect(
      page.getByRole("table", { name: "Rows of the report" }).getByRole("row", { name: table }),
    ).toBeVisible();
  }
  await expectWellInEveryLook(page);
});

test("a report by mail is chosen, kept, and stopped", async ({ owner: page }) => {
  await page.goto("/test/reports?type=fees");
  const mail = page.getByLabel("By mail");
  await expect(mail).toHaveValue("");
  for (const [choice, value, done] of [
    ["Each month", "MONTH", "Mailed each month from now on"],
    ["Never", "", "No longer mailed"],
  ] as const) {
    await mail.selectOption(choice);
    await expect(page.getByText(done)).toBeVisible();
    await page.reload();
    await expect(mail).toHaveValue(value);
  }
});

test("an invalid address shows no figures", async ({ owner: page }) => {
  await page.goto("/test/reports?type=everything");
  await expect(page.getByText("This link has an unknown filter")).toBeVisible();
  await expect(page.getByRole("table")).toHaveCount(0);
});
