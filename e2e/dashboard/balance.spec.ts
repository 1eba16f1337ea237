import { readFileSync } from "node:fs";
import { refundPayment } from "@/lib/contract/payments/endpoints";
import { listPayouts } from "@/lib/contract/settlement/endpoints";
import { runPayouts } from "@/lib/domain/settlement/payouts";
import { expectWellInEveryLook, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { captured, settled } from "../samples";

test("money is followed from the balance through its payout to the transactions of its batch", {
  tag: "@looks",
}, async ({ owner: page, tenant, api }) => {
  const paid = await settled(tenant, { amount: 20_000 });
  await runPayouts(tenant.context().service);
  await captured(api, { amount: 3_000 });
  await api.call(refundPayment, { id: paid.id, body: { amount: 500 }, key: `refund-${paid.id}` });

  await page.goto("/test/balance");
  const next = page.getByRole("region", { name: "Next payout" });
  await expect(next.getByRole("listitem")).toHaveText(/\$200\.00 USD\s*Arrives \w{3}, \w{3} \d+\s*View payout/);
  const statement = page.getByRole("table", { name: /closing balance in USD/ });
  await expect(statement.getByRole("row", { name: /Closing balance/ })).toContainText("$200.00");
  await expectWellInEveryLook(page);
  await next.getByRole("link", { name: "View payout" }).click();

  await expect(page.getByRole("heading", { level: 1 })).toContainText("$200.00");
  await expect(page.getByRole("table", { name: /Transactions of this payout/ }).getByRole("row")).toHaveCount(2);
  await expectWellInEveryLook(page);
  const batches = page.getByRole("table", { name: "Settlement batches" });
  await batches.getByRole("link", { name: "$200.00" }).click();

  const exporting = page.getByRole("button", { name: "Export", exact: true });
  await expect(exporting).toBeVisible();
  await expectWellInEveryLook(page);
  await exporting.click();
  const download = page.waitForEvent("download");
  await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
  const csv = readFileSync(await (await download).path(), "utf8")
    .trimEnd()
    .split("\n");
  expect(csv).toHaveLength(2);
  expect(csv[1]).toContain(`${paid.id},charge,20000,USD,`);
});

test("a failed payout shows why, and is retried to another account", { tag: "@looks" }, async ({
  owner: page,
  newPerson,
  signInAs,
  tenant,
  api,
  db,
}) => {
  const environmentId = tenant.merchant.test.id;
  const { service } = tenant.context();
  await page.goto("/test/payouts");
  await page.getByRole("button", { name: /Bank account/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("IBAN or account number").fill("1234 0000");
  await dialog.getByRole("button", { name: "Save bank account" }).click();
  await expect(page.getByRole("button", { name: "Bank account •••• 0000" })).toBeVisible();

  await settled(tenant, { amount: 20_000 });
  await runPayouts(service);
  await runPayouts(service);
  await db.sql`update payouts set due_at = now() - interval '1 second' where environment_id = ${environmentId}`;
  await runPayouts(service);
  const [failed] = (await api.call(listPayouts, { query: { status: "FAILED" } })).ok().data;
  await page.goto("/test/payouts");
  await expect(page.getByRole("region", { name: "Next payout" })).toContainText("Returned by your bank");
  await signInAs(page.context(), await newPerson("finance"));
  await page.goto(`/test/payouts/${failed?.id}`);
  await expect(page.getByText("The bank has no account with this number.")).toBeVisible();
  await expectWellInEveryLook(page);
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByRole("button", { name: "Retry payout" }).click();
  await expect(page.getByText("Payout created")).toBeVisible();
  await page.goto(`/test/payouts/${failed?.id}`);
  await expect(page.getByText("The money went out with a later payout.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Retry" })).toHaveCount(0);
  await page.goto("/test/payouts");
  await expectWellInEveryLook(page);
  await page.goto("/test/settlement-batches");
  await expectWellInEveryLook(page);
});
