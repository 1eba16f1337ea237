import type { Payment } from "@/lib/contract/payments/payment";
import { refundTransaction } from "@/lib/contract/transactions/endpoints";
import { expectAccessible, test } from "../browser";
import { latch } from "../fixtures/latch";
import { expect } from "../fixtures/playwright";
import { authorized, captured, chargeOf } from "../samples";
import { loseAnswers, refundsOf } from "./money-dialogs";

test("a bulk refund of five, one of which is not refundable, has an outcome for each", async ({
  owner,
  tenant,
  api,
  db,
}) => {
  const good = await Promise.all([2_000, 3_000, 4_000, 5_000].map((amount) => captured(api, { amount })));
  const held = await authorized(api);
  await owner.goto("/test/transactions");
  const bar = owner.getByRole("region", { name: "Selection" });
  await expect(async () => {
    await owner.getByRole("checkbox", { name: /^Select this page/ }).check({ timeout: 2_000 });
    await expect(bar).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await expect(bar).toContainText("5 selected");
  await expect(bar).toContainText("$140.00");
  await bar.getByRole("button", { name: "Refund 4…" }).click();
  const dialog = owner.getByRole("dialog", { name: /Refund 4 payments|Bulk refund/ });
  await expect(dialog.getByRole("region", { name: "Not refundable" })).toContainText("Nothing has been captured yet");
  await expectAccessible(owner);
  // One of the four changes in the meantime.
  const changed = good[1] as Payment;
  (await api.call(refundTransaction, { id: chargeOf(changed).id, body: { amount: 1_000 } })).ok();
  await loseAnswers(owner);
  await dialog.getByRole("button", { name: "Refund $140.00 to 4 cards" }).dblclick();
  await expect(dialog.getByText(/Finished: 4 of 4/)).toBeVisible();
  await expect(dialog.getByText(/2 refunded · 1 refused · 1 unknown/)).toBeVisible();
  await expect(dialog.getByText("The payment has changed: $20.00 is left to refund. Nothing was sent.")).toBeVisible();
  await expectAccessible(owner);

  await owner.reload();
  await expect(dialog.getByText(/2 refunded · 1 refused · 1 unknown/)).toBeVisible();
  await dialog.getByRole("button", { name: "Retry safely" }).click();
  await expect(dialog.getByText(/3 refunded · 1 refused/)).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();
  for (const payment of good) {
    const amount = payment === changed ? 1_000 : payment.amount;
    expect(await refundsOf(db, tenant, payment)).toEqual({ amounts: [amount], operations: 1 });
  }
  expect(await refundsOf(db, tenant, held)).toEqual({ amounts: [], operations: 0 });
});

test("a stopped bulk refund sends nothing more until it is continued", async ({ owner, tenant, api, db }) => {
  const all = await Promise.all(Array.from({ length: 5 }, () => captured(api)));
  await owner.goto("/test/transactions");
  const bar = owner.getByRole("region", { name: "Selection" });
  await expect(async () => {
    await owner.getByRole("checkbox", { name: /^Select this page/ }).check({ timeout: 2_000 });
    await expect(bar).toBeVisible({ timeout: 2_000 });
  }).toPass();
  const { hold, release } = latch();
  await owner.route("**/v1/**/refund", async (route) => {
    await hold();
    await route.continue();
  });
  await bar.getByRole("button", { name: "Refund 5…" }).click();
  const dialog = owner.getByRole("dialog", { name: /Refund 5 payments|Bulk refund/ });
  await dialog.getByRole("button", { name: "Refund $500.00 to 5 cards" }).click();
  await dialog.getByRole("button", { name: "Stop", exact: true }).click();
  release();
  await expect(dialog.getByText(/3 refunded · 2 not sent/)).toBeVisible();
  const made = async () =>
    (await Promise.all(all.map((payment) => refundsOf(db, tenant, payment)))).flatMap(({ amounts }) => amounts);
  expect(await made()).toHaveLength(3);
  await dialog.getByRole("button", { name: "Send the remaining 2" }).click();
  await expect(dialog.getByText(/5 refunded/)).toBeVisible();
  expect(await made()).toHaveLength(5);
});
