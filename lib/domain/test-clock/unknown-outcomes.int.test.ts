import { expect, test } from "vitest";
import { readClock } from "@/db/queries/clock";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { losesAnswer } from "@/e2e/fixtures/scripted-processor";
import { type SubscriptionTenant, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { advanceClocks } from "./advance";
import { advanceTestClock, getTestClock } from "./test-clock";

const { db } = await testDatabase();
const DAY_MS = 86_400_000;

async function contextOf({ service, merchant }: SubscriptionTenant) {
  return testContext(service, { ...merchant.test, clock: await readClock(db.sql, merchant.test.id) });
}

/** Continues the advance without the pause before it. */
async function goOn(tenant: SubscriptionTenant) {
  await db.sql`update environments set clock_held_until = now() - interval '1 s' where id = ${tenant.environmentId}`;
  await advanceClocks(tenant.service);
  return getTestClock(await contextOf(tenant));
}

/** A tenant whose clock advances 65 days, over two renewals. The response to the first one is lost. */
async function advancing() {
  const tenant = await subscriptionTenant(db, { start: new Date().toISOString() });
  const plan_id = await tenant.plan({ billing_frequency_value: 30, billing_frequency_unit: "DAYS" });
  const { body } = await tenant.create({ plan_id, payment_method_id: await tenant.card() });
  await tenant.letRun(0);
  const renewal = body.period.end_at as string;
  const to = new Date(Date.parse(renewal) + 35 * DAY_MS).toISOString();
  await advanceTestClock(await contextOf(tenant), { to });
  tenant.script.next(losesAnswer);
  return { tenant, id: body.id as string, renewal, to };
}

test("the clock stands still until the outcome of an invoice's payment is known, which counts at that instant", async () => {
  const { tenant, id, renewal, to } = await advancing();
  for (let round = 0; round < 3; round++)
    expect(await goOn(tenant)).toMatchObject({ status: "ADVANCING", now: renewal });
  expect(await tenant.invoices(id)).toMatchObject([{ status: "PAID" }, { status: "OPEN" }]);
  await tenant.endLeases();
  await tenant.complete();
  expect(await goOn(tenant)).toMatchObject({ status: "READY" });
  expect(Date.parse((await getTestClock(await contextOf(tenant))).now)).toBeGreaterThanOrEqual(Date.parse(to));
  const second = new Date(Date.parse(renewal) + 30 * DAY_MS).toISOString();
  expect((await tenant.invoices(id)).slice(1)).toMatchObject([
    { status: "PAID", attempts: 1, paid_at: renewal },
    { status: "PAID", attempts: 1, paid_at: second },
  ]);
  expect((await verifyBooks(db)).checks.filter(({ count }) => count > 0)).toEqual([]);
});

test("the advance fails after ten minutes without the outcome, and goes no further when it is requested again", async () => {
  const { tenant, id, renewal, to } = await advancing();
  await goOn(tenant);
  await db.sql`update operations set created_at = created_at - interval '11 minutes' where environment_id = ${tenant.environmentId}`;
  await db.sql`update operations set lease_until = now() - interval '1 ms' where environment_id = ${tenant.environmentId}`;
  const failed = {
    status: "FAILED",
    failure_reason: `The outcome of an invoice's payment at ${renewal} is not known yet.`,
  };
  expect(await goOn(tenant)).toMatchObject(failed);
  await advanceTestClock(await contextOf(tenant), { to });
  expect(await goOn(tenant)).toMatchObject({ status: "FAILED" });
  expect(await tenant.invoices(id)).toHaveLength(2);
  // The recovery of another test's process may hold the operation for a moment.
  const openOperations = async () => {
    await tenant.endLeases();
    await tenant.complete();
    const open = await db.sql`
      select id from operations where environment_id = ${tenant.environmentId} and state = 'open'`;
    return open.length;
  };
  await expect.poll(openOperations).toBe(0);
  await advanceTestClock(await contextOf(tenant), { to });
  expect(await goOn(tenant)).toMatchObject({ status: "READY" });
  expect(await tenant.invoices(id)).toMatchObject([{ status: "PAID" }, { status: "PAID" }, { status: "PAID" }]);
});
