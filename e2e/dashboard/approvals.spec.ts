import { decodeId } from "@/lib/contract/ids";
import { createPayment } from "@/lib/contract/payments/endpoints";
import { expectAccessible, openAlive, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { mailsTo, TEST_PASSWORD } from "../fixtures/users";
import { aPayment } from "../samples";

test("an owner sets a rule, an operator requests a refund, and an admin approves it with their password: one refund, with both names", async ({
  owner,
  tenant: { api },
  db,
  browser,
  baseUrl,
  newPerson,
  signInAs,
}) => {
  const [operator, admin] = [await newPerson("operator"), await newPerson("admin")];
  const paid = (await api.call(createPayment, { body: aPayment({ amount: 8_000, currency: "USD" }) })).ok();

  await openAlive(owner, "/test/settings/approvals");
  await owner.getByRole("checkbox", { name: "Operator" }).check();
  await owner.getByRole("button", { name: "Save rule" }).click();
  await expect(owner.getByText("Enter one of the two amounts.")).toBeVisible();
  await owner.getByLabel("One refund over").fill("50");
  await owner.getByRole("button", { name: "Save rule" }).click();
  await expect(owner.getByText("Saved")).toBeVisible();
  await expectAccessible(owner);

  const open = async (person: typeof operator, path: string) => {
    const context = await browser.newContext({ baseURL: baseUrl });
    await signInAs(context, person);
    const page = await context.newPage();
    await openAlive(page, path);
    return page;
  };
  const requester = await open(operator, `/test/payments/${paid.id}`);
  await requester.getByRole("button", { name: "Refund", exact: true }).click();
  await requester
    .getByRole("dialog")
    .getByRole("button", { name: /^Refund \$80/ })
    .click();
  const dialog = requester.getByRole("dialog", { name: "Request approval" });
  await expect(dialog).toContainText("Your role refunds up to $50.00 alone.");
  await dialog.getByLabel("Reason for your colleagues").fill("The parcel is lost.");
  await expectAccessible(requester);
  await dialog.getByRole("button", { name: "Request approval" }).click();
  const waiting = requester.getByRole("region", { name: /waits for approval/ });
  await expect(waiting).toContainText("The parcel is lost.");
  await expect(waiting.getByRole("button", { name: "Withdraw…" })).toBeVisible();
  await expect(waiting.getByRole("button", { name: "Approve…" })).toHaveCount(0);

  await expect
    .poll(async () => (await mailsTo(db, admin.email)).map(({ subject }) => subject))
    .toContain("Test mode: Approve a refund of $80.00 USD?");
  const approver = await open(admin, "/test");
  await approver.getByRole("link", { name: "Approvals 1 to decide" }).click();
  await expect(approver.getByRole("heading", { level: 1 })).toHaveText("Approvals");
  await approver.getByRole("link", { name: "$80.00" }).click();
  await expect(approver.getByRole("heading", { level: 1 })).toContainText("Refund of $80.00");
  await expectAccessible(approver);
  await db.sql`update user_sessions set proved_at = now() - interval '11 minutes' where user_id = (select id from users where email = ${admin.email})`;
  await approver.getByRole("button", { name: "Approve…" }).click();
  await approver.getByRole("button", { name: "Approve and refund $80.00" }).click();
  await approver.getByLabel("Your password").fill(TEST_PASSWORD);
  await approver.getByRole("button", { name: "Confirm" }).click();
  await expect(approver.getByText("Approved: $80.00 is refunded")).toBeVisible();
  await expect(approver.getByText("Approved by")).toBeVisible();
  const menu = approver.getByRole("navigation", { name: "Dashboard" });
  await expect(menu.getByRole("link", { name: "Approvals", exact: true })).toBeVisible();

  await openAlive(requester, `/test/payments/${paid.id}`);
  await expect(requester.getByText("who approved the request of")).toBeVisible();
  await expect(requester.getByRole("region", { name: "Approvals" })).toContainText("Approved");
  const refunds =
    await db.sql`select 1 from transactions where payment_id = ${decodeId("payment", paid.id)} and type = 'REFUND'`;
  expect(refunds).toHaveLength(1);
});
