import { decodeId, encodeId } from "@/lib/contract/ids";
import { createPayment } from "@/lib/contract/payments/endpoints";
import { requestRefund } from "@/lib/domain/approvals/acts";
import { expectAccessible, openAlive, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { mailsTo, TEST_PASSWORD } from "../fixtures/users";
import { aPayment } from "../samples";

test("an owner sets a rule, an operator requests a refund, and an admin approves it with their password: one refund, with both names", async ({
  owner,
  tenant: { api },
  db,
  newPerson,
  openAs,
}) => {
  const [operator, admin] = [await newPerson("operator"), await newPerson("admin")];
  const paid = (await api.call(createPayment, { body: aPayment({ amount: 8_000, currency: "USD" }) })).ok();

  await openAlive(owner, "/test/settings/approvals");
  const rule = owner.getByRole("region", { name: "Refunds" });
  await rule.getByRole("checkbox", { name: "Operator" }).check();
  await rule.getByRole("button", { name: "Save rule" }).click();
  await expect(rule.getByText("Enter one of the two amounts.")).toBeVisible();
  await rule.getByLabel("One refund over").fill("50");
  await rule.getByRole("button", { name: "Save rule" }).click();
  await expect(owner.getByText("Saved")).toBeVisible();
  await expectAccessible(owner);

  const requester = await openAs(operator, `/test/payments/${paid.id}`);
  await requester.getByRole("button", { name: "Refund", exact: true }).click();
  await requester
    .getByRole("dialog")
    .getByRole("button", { name: /^Refund \$80/ })
    .click();
  const dialog = requester.getByRole("dialog", { name: "Request approval" });
  await expect(dialog).toContainText("Your role can refund up to $50.00 without approval.");
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
  const approver = await openAs(admin, "/test");
  await expect(approver.getByRole("link", { name: "1 request waits for your approval" })).toBeVisible();
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

test("another bank account: two colleagues approve it at once in two browsers, and it changes once; its requester can't, in another tab", async ({
  owner,
  tenant: { merchant },
  db,
  newPerson,
  openAs,
}) => {
  const [person, firstColleague, secondColleague] = [
    await newPerson("admin"),
    await newPerson("admin"),
    await newPerson("admin"),
  ] as const;
  await openAlive(owner, "/test/settings/approvals");
  const rule = owner.getByRole("region", { name: "Bank account" });
  await rule.getByRole("checkbox", { name: "Admin" }).check();
  await rule.getByRole("button", { name: "Save rule" }).click();
  await expect(owner.getByText("Saved")).toBeVisible();

  const requester = await openAs(person, "/test/payouts");
  await requester.getByRole("button", { name: "Bank account •••• 6789" }).click();
  await requester.getByLabel("IBAN or account number").fill("0001112345");
  await requester.getByRole("button", { name: "Save bank account" }).click();
  const dialog = requester.getByRole("dialog", { name: "Request approval" });
  await expect(dialog).toContainText("•••• 2345");
  await expectAccessible(requester);
  await dialog.getByLabel("Reason for your colleagues").fill("We moved to another bank.");
  await dialog.getByRole("button", { name: "Request approval" }).click();
  await expect(requester.getByText("Approval requested")).toBeVisible();
  const [made] = await db.sql`select id from approval_requests where environment_id = ${merchant.test.id}`;
  const path = `/test/approvals/${encodeId("approval", made?.id)}`;

  const [mine, first, second] = await Promise.all([
    openAs(person, path),
    openAs(firstColleague, path),
    openAs(secondColleague, path),
  ]);
  await expect(mine.getByRole("button", { name: "Withdraw…" })).toBeVisible();
  const refused = await mine.evaluate(
    async (address) => ((await (await fetch(address, { method: "POST" })).json()) as { detail: string }).detail,
    `/api/dashboard/test/approval-requests/${encodeId("approval", made?.id)}/approve`,
  );
  expect(refused).toContain("This is your own request.");
  await expect(first.getByRole("region", { name: "What would change" })).toContainText(
    /•••• 6789\s*→\s*becomes\s*•••• 2345/,
  );
  await expectAccessible(first);
  for (const page of [first, second]) await page.getByRole("button", { name: "Approve…" }).click();
  await Promise.all(
    [first, second].map((page) => page.getByRole("button", { name: "Approve and change the account" }).click()),
  );
  await expect
    .poll(async () => {
      const texts = await Promise.all([first, second].map((page) => page.locator("body").innerText()));
      return new Set(
        texts.map((text) => /approved this request already|Approved: the bank account is changed/.exec(text)?.[0]),
      );
    })
    .toEqual(new Set(["Approved: the bank account is changed", "approved this request already"]));
  const changes = await db.sql`select 1 from audit_log
    where environment_id = ${merchant.test.id} and action = 'settings.bank_account_updated'`;
  expect(changes).toHaveLength(1);
});

test("a live key: a developer requests it, an owner approves it, and its requester collects the secret, once", async ({
  owner,
  tenant: { merchant },
  db,
  newPerson,
  openAs,
}) => {
  await openAlive(owner, "/live/settings/approvals");
  const rule = owner.getByRole("region", { name: "Live keys" });
  await rule.getByRole("checkbox", { name: "Developer" }).check();
  await rule.getByRole("button", { name: "Save rule" }).click();
  await expect(owner.getByText("Saved")).toBeVisible();

  const requester = await openAs(await newPerson("developer"), "/live/developers/api-keys/new");
  await requester.getByLabel("Name").fill("Shop server");
  await requester.getByRole("radio", { name: "Read-only" }).check();
  await requester.getByRole("button", { name: "Create live key" }).click();
  const dialog = requester.getByRole("dialog", { name: "Request approval" });
  await expect(dialog).toContainText("A colleague has to approve it.");
  await dialog.getByLabel("Reason for your colleagues").fill("The new shop needs it.");
  await dialog.getByRole("button", { name: "Request approval" }).click();
  await expect(requester.getByText("Approval requested")).toBeVisible();
  const [made] = await db.sql`select id from approval_requests where environment_id = ${merchant.live.id}`;
  const path = `/live/approvals/${encodeId("approval", made?.id)}`;
  const keys = () =>
    db.sql`select id from api_keys where environment_id = ${merchant.live.id} and name = 'Shop server'`;

  await openAlive(owner, path);
  await expectAccessible(owner);
  await expect(owner.getByRole("heading", { level: 1 })).toContainText("New live key “Shop server”");
  await owner.getByRole("button", { name: "Approve…" }).click();
  await owner.getByRole("button", { name: "Approve the key" }).click();
  await expect(owner.getByText("Approved by")).toBeVisible();
  await expect(owner.getByRole("button", { name: "Collect the secret…" })).toHaveCount(0);
  expect(await keys()).toHaveLength(0);

  const other = await requester.context().newPage();
  for (const page of [requester, other]) {
    await openAlive(page, path);
    await page.getByRole("button", { name: "Collect the secret…" }).click();
  }
  await requester.bringToFront();
  await requester.getByRole("button", { name: "Create and show" }).click();
  await expect(requester.getByTestId("secret")).toHaveText(/^sk_live_\w{38}$/);
  await expectAccessible(requester);
  await other.bringToFront();
  await other.getByRole("button", { name: "Create and show" }).click();
  await expect(other.getByText("The secret was shown already, and can’t be shown again.")).toBeVisible();
  await expect(other.getByTestId("secret")).toHaveCount(0);
  await requester.bringToFront();
  await requester.getByLabel("I have stored this key").check();
  await requester.getByRole("button", { name: "Done" }).click();
  await expect(requester.getByRole("button", { name: "Collect the secret…" })).toHaveCount(0);
  expect(await keys()).toHaveLength(1);
});

test("a requester who has become a viewer reads and withdraws their own request, and sees no other", async ({
  tenant,
  newPerson,
  openAs,
}) => {
  const requester = await newPerson("viewer");
  const colleague = await newPerson("operator");
  // The role’s change withdraws earlier requests, so this one is made as if at the same time.
  const request = async ({ userId, email }: typeof requester) => {
    const paid = (await tenant.api.call(createPayment, { body: aPayment({ amount: 8_000, currency: "USD" }) })).ok();
    const given = { subject: paid.id, parameters: { amount: 8_000 }, reason: "The parcel is lost." };
    const member = { userId, name: null, email, role: "operator" as const };
    return `/test/approvals/${(await requestRefund(tenant.context(), given, member)).id}`;
  };
  const own = await request(requester);
  const page = await openAs(requester, own);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Refund of $80.00");
  await expect(page.getByRole("region", { name: "Request", exact: true })).toContainText("The parcel is lost.");
  const breadcrumb = page.getByRole("navigation", { name: "Breadcrumb" });
  await expect(breadcrumb).toContainText("Approvals");
  await expect(breadcrumb.getByRole("link")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^(Approve|Reject)…$/ })).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Withdraw…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click();
  await expect(page.getByText("Request withdrawn")).toBeVisible();
  await expect(page.getByRole("button", { name: "Withdraw…" })).toHaveCount(0);
  for (const path of [await request(colleague), "/test/approvals"]) {
    await page.goto(path);
    await expect(page.getByText("You don’t have access to approvals")).toBeVisible();
  }
});
