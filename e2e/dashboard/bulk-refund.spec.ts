import type { Payment } from "@/lib/contract/payments/payment";
import { refundTransaction } from "@/lib/contract/transactions/endpoints";
import { expectAccessible, openAlive, test } from "../browser";
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

test("refunds that need approval are requested together, once each, and made when a colleague approves", async ({
  owner,
  tenant,
  api,
  db,
  newPerson,
  openAs,
}) => {
  await openAlive(owner, "/test/settings/approvals");
  const rule = owner.getByRole("region", { name: "Refunds" });
  await rule.getByRole("checkbox", { name: "Operator" }).check();
  await rule.getByLabel("One refund over").fill("50");
  await rule.getByRole("button", { name: "Save rule" }).click();
  await expect(owner.getByText("Saved")).toBeVisible();
  const [small, ...large] = await Promise.all([4_000, 6_000, 7_000].map((amount) => captured(api, { amount })));

  const operator = await openAs(await newPerson("operator"), "/test/transactions");
  const bar = operator.getByRole("region", { name: "Selection" });
  await expect(async () => {
    await operator.getByRole("checkbox", { name: /^Select this page/ }).check({ timeout: 2_000 });
    await expect(bar).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await bar.getByRole("button", { name: "Refund 3…" }).click();
  const dialog = operator.getByRole("dialog", { name: /Refund 3 payments|Bulk refund/ });
  await dialog.getByRole("button", { name: "Refund $170.00 to 3 cards" }).click();
  await expect(dialog.getByText(/1 refunded · 2 need approval/)).toBeVisible();
  const form = dialog.getByRole("region", { name: "Approval" });
  await form.getByRole("button", { name: "Request approval of 2 refunds" }).click();
  await expect(form).toContainText("Say why they should be refunded.");
  await form.getByLabel("Reason for your colleagues").fill("The parcels are lost.");
  await expectAccessible(operator);
  // The first response is lost; the second click finds the request that it made.
  await operator.route("**/approval-requests", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    await route.abort();
    await operator.unroute("**/approval-requests");
  });
  await form.getByRole("button", { name: "Request approval of 2 refunds" }).dblclick();
  await expect(dialog.getByText(/1 need approval · 1 requested/)).toBeVisible();
  await form.getByRole("button", { name: "Request approval of 1 refund" }).click();
  await expect(dialog.getByText(/1 refunded · 2 requested/)).toBeVisible();
  await expect(form).toHaveCount(0);
  await expectAccessible(operator);
  const requests = await db.sql`select amount from approval_requests
    where environment_id = ${tenant.merchant.test.id} order by amount`;
  expect(requests.map(({ amount }) => Number(amount))).toEqual([6_000, 7_000]);

  await openAlive(owner, "/test/approvals");
  await owner.getByRole("link", { name: "$60.00" }).click();
  await owner.getByRole("button", { name: "Approve…" }).click();
  await owner.getByRole("button", { name: "Approve and refund $60.00" }).click();
  await expect(owner.getByText("Approved: $60.00 is refunded")).toBeVisible();
  const amounts = await Promise.all([small, ...large].map((payment) => refundsOf(db, tenant, payment as Payment)));
  expect(amounts.map(({ amounts }) => amounts)).toEqual([[4_000], [6_000], []]);
});
