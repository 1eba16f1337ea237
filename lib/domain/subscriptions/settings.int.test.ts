import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { actsOf, testUsers } from "@/e2e/fixtures/users";
import { DEFAULT_SUBSCRIPTION_SETTINGS } from "@/lib/contract/subscriptions/settings";
import { getSubscriptionSettings, updateSubscriptionSettings } from "./settings";

const { db } = await testDatabase();

test("an environment has the defaults until a setting is changed, and each change is audited once", async () => {
  const { newUser, merchant, call, stranger } = await testUsers(db);
  const { ctx } = await newUser("owner");
  expect(await getSubscriptionSettings(ctx)).toEqual(DEFAULT_SUBSCRIPTION_SETTINGS);
  const changed = { ...DEFAULT_SUBSCRIPTION_SETTINGS, dunning_steps: [1, 60], mail_receipt: false };
  expect(await updateSubscriptionSettings(ctx, { dunning_steps: [1, 60], mail_receipt: false })).toEqual(changed);
  expect(await getSubscriptionSettings(ctx)).toEqual(changed);
  for (const environment of [merchant.live, stranger.test]) {
    expect(await getSubscriptionSettings(call({ environment }))).toEqual(DEFAULT_SUBSCRIPTION_SETTINGS);
  }
  // The same settings again are no change.
  await updateSubscriptionSettings(ctx, { dunning_steps: [1, 60], portal_cancel: undefined });
  await updateSubscriptionSettings(ctx, { after_last_attempt: "KEEP", portal_cancel: false });
  expect(await getSubscriptionSettings(ctx)).toEqual({ ...changed, after_last_attempt: "KEEP", portal_cancel: false });
  expect(await actsOf(db, merchant.live.id)).toEqual([
    {
      action: "settings.subscriptions_updated",
      detail: { mode: "test", changes: { dunning_steps: ["3, 5, 7", "1, 60"], mail_receipt: ["on", "off"] } },
    },
    {
      action: "settings.subscriptions_updated",
      detail: { mode: "test", changes: { after_last_attempt: ["CANCEL", "KEEP"], portal_cancel: ["on", "off"] } },
    },
  ]);
});

test("concurrent changes of different settings lose none", async () => {
  const { newUser } = await testUsers(db);
  const { ctx } = await newUser("owner");
  const changes = [
    { dunning_steps: [2] },
    { after_last_attempt: "KEEP" },
    { mail_receipt: false },
    { mail_cancelled: false },
    { portal_invoices: false },
  ] as const;
  await Promise.all(changes.map((change) => updateSubscriptionSettings(ctx, change)));
  expect(await getSubscriptionSettings(ctx)).toEqual(Object.assign({}, DEFAULT_SUBSCRIPTION_SETTINGS, ...changes));
});

test.each([
  ["none", "{}"],
  ["nine", "{1,1,1,1,1,1,1,1,1}"],
  ["of no days", "{3,0}"],
  ["of 61 days", "{61}"],
  ["unknown", "{3,null}"],
])("the database refuses steps that are %s", async (_, steps) => {
  const { newUser } = await testUsers(db);
  const { ctx } = await newUser("owner");
  await updateSubscriptionSettings(ctx, { mail_receipt: false });
  const write = db.sql`update subscription_settings set dunning_steps = ${steps}::int[]
    where environment_id = ${ctx.environment.id}`;
  await expect(write).rejects.toMatchObject({ code: "23514", constraint_name: "subscription_settings_dunning" });
});
