import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { createPlanBody, type Plan } from "@/lib/contract/plans/plan";
import { createPlan } from "../plans/plans";

const { db } = await testDatabase();

const MONTHLY = { billing_frequency_value: 1, billing_frequency_unit: "MONTHS" };
const TRIAL = { trial_period_value: 7, trial_period_unit: "DAYS" };

test.each([
  ["ONE_TIME", {}, [1_250], /costs 12\.50 USD \(amount 1250\)/],
  ["SUBSCRIPTION_NO_TRIAL", MONTHLY, [1_250], /costs 12\.50 USD/],
  ["SUBSCRIPTION_FREE_TRIAL", { ...MONTHLY, ...TRIAL }, [1_250], /costs 12\.50 USD/],
  [
    "SUBSCRIPTION_PAID_TRIAL",
    { ...MONTHLY, ...TRIAL, trial_price_amount: 1 },
    [1_250, 100],
    /12\.50 USD \(amount 1250\) or 1\.00 USD \(amount 100\)/,
  ],
])(
  "a payment for a plan that is %s has the plan's price and currency, and nothing else",
  async (type, more, prices, detail) => {
    const tenant = await moneyTenant(db);
    const body = { type, name: "Plan", currency: "USD", full_price_amount: 12.5, status: "ACTIVE", ...more };
    const reply = await createPlan(testContext(tenant.service, tenant.merchant.test), createPlanBody.parse(body));
    const { id: plan_id } = JSON.parse(reply.body) as Plan;
    for (const amount of prices) {
      expect(await tenant.create({ plan_id, amount })).toMatchObject({ status: 201, body: { plan_id, amount } });
      expect(await tenant.create({ plan_id, amount, currency: "EUR" })).toMatchObject({
        status: 400,
        code: "invalid_parameter",
        body: { param: "currency" },
      });
    }
    expect(await tenant.create({ plan_id, amount: 1_251 })).toMatchObject({
      status: 400,
      code: "invalid_parameter",
      text: expect.stringMatching(detail),
      body: { param: "amount" },
    });
  },
);

test("a paid key is replayed even if its plan's price has changed", async () => {
  const tenant = await moneyTenant(db);
  const body = { type: "ONE_TIME", name: "Plan", currency: "USD", full_price_amount: 5, status: "ACTIVE" };
  const reply = await createPlan(testContext(tenant.service, tenant.merchant.test), createPlanBody.parse(body));
  const { id: plan_id } = JSON.parse(reply.body) as Plan;
  const first = await tenant.create({ plan_id, amount: 500 }, { key: "k" });
  await db.sql`update plans set full_price = 600 where environment_id = ${tenant.environmentId}`;
  const again = await tenant.create({ plan_id, amount: 500 }, { key: "k" });
  expect([again.status, again.replayed, again.text]).toEqual([201, true, first.text]);
  expect(await tenant.create({ plan_id, amount: 500 })).toMatchObject({ status: 400 });
});

test("a key that becomes free while its request waits pays the same price as a free key", async () => {
  const tenant = await moneyTenant(db);
  const body = { type: "ONE_TIME", name: "Plan", currency: "USD", full_price_amount: 5, status: "ACTIVE" };
  const reply = await createPlan(testContext(tenant.service, tenant.merchant.test), createPlanBody.parse(body));
  const { id: plan_id } = JSON.parse(reply.body) as Plan;
  await tenant.create({ plan_id, amount: 500 }, { key: "k" });
  // Simulates a request whose later refusal frees the key.
  await db.sql`update idempotency_keys set state = 'running', operation_id = gen_random_uuid(), locked_until = now() + interval '1 minute',
      status_code = null, response_body = null, completed_at = null
    where environment_id = ${tenant.environmentId} and key = 'k'`;
  await db.sql`update plans set full_price = 600 where environment_id = ${tenant.environmentId}`;
  const waiting = tenant.create({ plan_id, amount: 500 }, { key: "k" });
  await wait(100);
  await db.sql`delete from idempotency_keys where environment_id = ${tenant.environmentId} and key = 'k'`;
  expect(await waiting).toMatchObject({ status: 400, body: { param: "amount" } });
  const [made] =
    await db.sql`select count(*)::int as count from payments where environment_id = ${tenant.environmentId}`;
  expect(made).toEqual({ count: 1 });
});
