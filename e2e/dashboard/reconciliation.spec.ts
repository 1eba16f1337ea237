import type { Database } from "@/db/client";
import { processorConnections } from "@/db/schema/processors";
import { reconciliationRuns } from "@/db/schema/reconciliation";
import { encodeId } from "@/lib/contract/ids";
import type { Difference } from "@/lib/contract/processors/reconciliation";
import { idTime, newId } from "@/lib/ids";
import { expectWellInEveryLook, test } from "../browser";
import { expect, type Tenant } from "../fixtures/playwright";
import { captured } from "../samples";

const OBJECT = { kind: "payment_intent", id: "pi_3SVqXkLkdIwHu7ixQW2mC4aT" };

/** A removed connection, with the findings from before its removal. */
async function compared(db: Database, { merchant, api }: Tenant) {
  const payment = await captured(api);
  const id = newId();
  const at = idTime(id);
  const environment_id = merchant.test.id;
  await db.orm.insert(processorConnections).values({
    environment_id,
    id,
    processor: "stripe",
    account: "Main shop",
    account_id: "acct_1",
    label: "Main shop",
    status: "DISCONNECTED",
    credentials: null,
    hint: "sk_test_…4242",
    takes_webhooks: true,
    raw_cards: false,
    metadata_keys: [],
    is_default: false,
    checked_at: at,
    created_at: at,
    updated_at: at,
  });
  const difference: Difference = {
    kind: "amounts_differ",
    object: "payment",
    payment_id: payment.id,
    transaction_id: null,
    at,
    processor_object: OBJECT,
    url: `https://dashboard.stripe.com/test/payments/${OBJECT.id}`,
    here: "Captured, $100.00 USD",
    there: "Captured, $100.00 USD, $90.00 USD captured",
    advice: "Another part was captured. Refund the surplus, or charge what is missing with a new payment.",
  };
  const run = { environment_id, connection_id: id, since: at, until: at, started_at: at, finished_at: at };
  await db.orm.insert(reconciliationRuns).values([
    { ...run, id: newId(), night: "2026-11-23", state: "done", payments: 12, refunds: 3 },
    { ...run, id: newId(), state: "done", payments: 1, difference_count: 1, differences: [difference] },
  ]);
  return { payment, connection: encodeId("connection", id) };
}

test("a difference is shown with both sides, what to do, and links; older comparisons are one click away", {
  tag: "@looks",
}, async ({ owner, tenant, db }) => {
  const { payment, connection } = await compared(db, tenant);
  await owner.goto(`/test/settings/processors/${connection}/reconciliation`);
  await expect(owner.getByRole("heading", { name: "Reconciliation: Stripe (Main shop)" })).toBeVisible();
  const difference = owner.getByRole("article").filter({ hasText: "Amounts differ" });
  await expect(difference).toContainText("$90.00 USD captured");
  await expect(difference).toContainText("Another part was captured.");
  await expect(difference.getByRole("link", { name: "Open at the processor" })).toHaveAttribute(
    "href",
    `https://dashboard.stripe.com/test/payments/${OBJECT.id}`,
  );
  await expectWellInEveryLook(owner);
  await owner.getByRole("row").filter({ hasText: "Agree" }).getByRole("link").click();
  await expect(owner.getByText("The books agree")).toBeVisible();
  await expect(difference).toHaveCount(0);
  await owner.goBack();
  await difference.getByRole("link", { name: /^pay_/ }).click();
  await expect(owner).toHaveURL(new RegExp(`/test/payments/${payment.id}$`));
});

test("it doesn't exist in the other mode, nor under a made-up id", async ({ owner, tenant, db }) => {
  const { connection } = await compared(db, tenant);
  for (const path of [
    `/live/settings/processors/${connection}/reconciliation`,
    `/test/settings/processors/${encodeId("connection", newId())}/reconciliation`,
    `/test/settings/processors/${connection}/reconciliation?run=rec_nothing`,
  ]) {
    await owner.goto(path);
    await expect(owner.getByText("Not found").first()).toBeVisible();
  }
});

test("support sees the same, from the list of all connections, and the merchant sees that it was looked at", {
  tag: "@looks",
}, async ({ staffPage, staff, tenant, db }) => {
  const { connection, payment } = await compared(db, tenant);
  await staffPage.goto(`/support/reconciliation/${connection}`);
  await expect(staffPage.getByRole("article").filter({ hasText: "Amounts differ" })).toContainText(
    "$90.00 USD captured",
  );
  await expectWellInEveryLook(staffPage);
  await staffPage.getByRole("link", { name: /^pay_/ }).click();
  await expect(staffPage).toHaveURL(new RegExp(`/support/payments/${payment.id}$`));
  const acts = await db.sql<{ object_id: string | null }[]>`
    select object_id from support_audit_log where staff_id = ${staff.userId} and action = 'support.viewed_reconciliation'`;
  expect(acts.map(({ object_id }) => object_id)).toEqual([connection]);
});
