import { describe, expect, test } from "vitest";
import { listDueInvoices, listDueSubscriptions } from "@/db/queries/subscriptions/due";
import { testDatabase } from "@/e2e/fixtures/database";
import { latch } from "@/e2e/fixtures/latch";
import { CARDS, type SubscriptionTenant, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { decodeId } from "@/lib/contract/ids";
import type { Service } from "@/lib/domain/context";
import { newId } from "@/lib/ids";
import type { Processor } from "@/lib/processor/port";
import { createRegistry } from "@/lib/processor/registry";
import { runSubscriptions } from "./engine";

const { db } = await testDatabase({ max: 30 });

const DAY_MS = 86_400_000;
const EVENTUALLY = { timeout: 30_000, interval: 20 };

/** A tenant with subscriptions that were just renewed, on a running clock. */
async function runningTenant(count: number, card: string = CARDS.good) {
  const tenant = await subscriptionTenant(db, { start: new Date().toISOString() });
  const days = { billing_frequency_value: 30, billing_frequency_unit: "DAYS" } as const;
  const plan_id = await tenant.plan(days);
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const { body } = await tenant.create({ plan_id, payment_method_id: await tenant.card(card) });
    ids.push(body.id);
  }
  await tenant.letRun(0);
  return { tenant, ids };
}

/** The service of all environments, whose processor holds the authorizations of one of them. */
function holding({ service }: SubscriptionTenant, environmentId: string) {
  const sandbox = service.processors.builtIn("test") as Processor;
  const { hold, reached, release } = latch();
  const seen = { now: 0, most: 0, calls: 0 };
  const processor: Processor = {
    ...sandbox,
    authorize: async (request) => {
      if (request.account !== environmentId) return sandbox.authorize(request);
      seen.calls++;
      seen.most = Math.max(seen.most, ++seen.now);
      await hold();
      seen.now--;
      return sandbox.authorize(request);
    },
  };
  const held: Service = { ...service, processors: createRegistry({ sandbox: processor }) };
  return { service: held, reached, release, seen };
}

const statuses = async (tenant: SubscriptionTenant, id: string) =>
  (await tenant.invoices(id)).map(({ status }) => status);

describe("a processor that hangs", () => {
  test("delays no other merchant's renewals, not even those that become due in the meantime", async () => {
    const slow = await runningTenant(5);
    const [first, second] = [await runningTenant(2), await runningTenant(1)];
    await slow.tenant.letRun(31 * DAY_MS);
    await first.tenant.letRun(31 * DAY_MS);
    const { service, reached, release, seen } = holding(slow.tenant, slow.tenant.environmentId);
    const running = runSubscriptions(service);
    await reached;
    for (const id of first.ids)
      await expect.poll(() => statuses(first.tenant, id), EVENTUALLY).toEqual(["PAID", "PAID"]);
    await second.tenant.letRun(31 * DAY_MS);
    for (const id of second.ids)
      await expect.poll(() => statuses(second.tenant, id), EVENTUALLY).toEqual(["PAID", "PAID"]);
    await expect.poll(() => seen, EVENTUALLY).toMatchObject({ now: 2, most: 2 });
    release();
    await running;
    await runSubscriptions(service);
    for (const id of slow.ids) expect(await statuses(slow.tenant, id)).toEqual(["PAID", "PAID"]);
    expect(seen.most).toBe(2);
  });
});

describe("a suspended merchant", () => {
  const suspend = (tenant: SubscriptionTenant) =>
    db.sql`update merchants set suspended_at = now(), suspended_reason = 'test' where id = ${tenant.merchant.id}`;
  const reinstate = (tenant: SubscriptionTenant) =>
    db.sql`update merchants set suspended_at = null, suspended_reason = null where id = ${tenant.merchant.id}`;

  test("has no renewals, and all of the periods once it is reinstated", async () => {
    const { tenant, ids } = await runningTenant(2);
    await suspend(tenant);
    for (const days of [31, 61]) {
      await tenant.letRun(days * DAY_MS);
      await runSubscriptions(tenant.service);
      await runSubscriptions(tenant.service, undefined, tenant.environmentId);
    }
    for (const id of ids) expect(await statuses(tenant, id)).toEqual(["PAID"]);
    await reinstate(tenant);
    await tenant.run();
    for (const id of ids) {
      const invoices = await tenant.invoices(id);
      expect(invoices.map(({ status, period }) => [status, period.number])).toEqual([
        ["PAID", 1],
        ["PAID", 2],
        ["PAID", 3],
      ]);
    }
  });

  test("isn't charged for what the engine had found before", async () => {
    const { tenant, ids } = await runningTenant(4);
    await tenant.letRun(31 * DAY_MS);
    const { service, reached, release, seen } = holding(tenant, tenant.environmentId);
    const running = runSubscriptions(service);
    await reached;
    await expect.poll(() => seen.now, EVENTUALLY).toBe(2);
    await suspend(tenant);
    release();
    await running;
    expect(seen.calls).toBe(2);
    await reinstate(tenant);
    // The uncharged invoice was postponed.
    await tenant.letRun(31 * DAY_MS + 120_000);
    await runSubscriptions(service);
    for (const id of ids) expect(await statuses(tenant, id)).toEqual(["PAID", "PAID"]);
  });
});

test("a subscription ends before an attempt that is due at the same instant", async () => {
  const { tenant, ids } = await runningTenant(1, CARDS.poorLater);
  const [id = ""] = ids;
  for (const days of [31, 61]) {
    await tenant.letRun(days * DAY_MS);
    await runSubscriptions(tenant.service);
  }
  await tenant.update(id, { cancel_at_period_end: true });
  await db.sql`update invoices set next_attempt_at = (
      select due_at from subscriptions s where s.environment_id = invoices.environment_id)
    where environment_id = ${tenant.environmentId} and status = 'OPEN'`;
  await tenant.letRun(91 * DAY_MS);
  const page = { only: null, busy: [], perEnvironment: 40, limit: 200 };
  const isDue = ({ environment_id }: { environment_id: string }) => environment_id === tenant.environmentId;
  expect((await listDueSubscriptions(db.sql, page)).filter(isDue)).toHaveLength(1);
  expect((await listDueInvoices(db.sql, page)).filter(isDue)).toEqual([]);
  await runSubscriptions(tenant.service);
  expect(await tenant.get(id)).toMatchObject({ status: "CANCELLED", cancel_reason: null });
  expect((await tenant.invoices(id)).at(-1)).toMatchObject({ status: "VOID", attempts: 1 });
});

describe("work that can't be done now", () => {
  const dueTimes = async ({ environmentId }: SubscriptionTenant) => {
    const rows = await db.sql<{ next_attempt_at: string | null; seconds: number }[]>`
      select next_attempt_at, extract(epoch from next_attempt_at - clock_now(environment_id))::float8 as seconds
      from invoices where environment_id = ${environmentId} and status = 'OPEN'`;
    return [...rows];
  };

  test("is postponed by a minute of the clock, and the rest is done", async () => {
    const { tenant, ids } = await runningTenant(3);
    const [lost = ""] = ids;
    // Its card is at a connection that is gone.
    await db.sql`update payment_methods set connection_id = ${newId()} where environment_id = ${tenant.environmentId}
      and id = (select payment_method_id from subscriptions where id = ${decodeId("subscription", lost)})`;
    await tenant.letRun(31 * DAY_MS);
    await runSubscriptions(tenant.service);
    await runSubscriptions(tenant.service);
    expect(await Promise.all(ids.map((id) => statuses(tenant, id)))).toEqual([
      ["PAID", "OPEN"],
      ["PAID", "PAID"],
      ["PAID", "PAID"],
    ]);
    const [due, ...others] = await dueTimes(tenant);
    expect(others).toEqual([]);
    expect(due?.seconds).toBeGreaterThan(30);
    expect(due?.seconds).toBeLessThanOrEqual(60);
    // The next run leaves it alone.
    await runSubscriptions(tenant.service);
    expect((await dueTimes(tenant))[0]?.next_attempt_at).toBe(due?.next_attempt_at);
    await db.sql`update payment_methods set connection_id = null where environment_id = ${tenant.environmentId}`;
    await tenant.letRun(31 * DAY_MS + 61_000);
    await runSubscriptions(tenant.service);
    expect(await statuses(tenant, lost)).toEqual(["PAID", "PAID"]);
  });

  test("is not postponed by an advancing clock, which does it at a later instant", async () => {
    const { tenant } = await runningTenant(1);
    await db.sql`update payment_methods set connection_id = ${newId()} where environment_id = ${tenant.environmentId}`;
    const at = new Date(Date.parse(tenant.now()) + 30 * DAY_MS).toISOString();
    await tenant.setClock(at);
    await expect(tenant.run()).rejects.toThrow("no longer connected");
    expect(await dueTimes(tenant)).toEqual([{ next_attempt_at: at, seconds: 0 }]);
  });

  test("includes a renewal while a change is being paid, which is checked again a minute later", async () => {
    const { tenant, ids } = await runningTenant(1);
    const [id = ""] = ids;
    const before = new Date(Date.parse(tenant.now()) + 29 * DAY_MS).toISOString();
    await tenant.setClock(before);
    tenant.script.next(async () => ({ kind: "unknown", reason: "lost" }));
    const plan_id = await tenant.plan({
      full_price: 5_000,
      billing_frequency_value: 30,
      billing_frequency_unit: "DAYS",
    });
    expect(await tenant.change(id, { plan_id, when: "now" })).toMatchObject({ status: 202 });
    await tenant.letRun(31 * DAY_MS);
    await runSubscriptions(tenant.service);
    const [row] = await db.sql<{ seconds: number }[]>`
      select extract(epoch from due_at - clock_now(environment_id))::float8 as seconds
      from subscriptions where environment_id = ${tenant.environmentId}`;
    expect(row?.seconds).toBeGreaterThan(30);
    expect(row?.seconds).toBeLessThanOrEqual(60);
    expect((await tenant.get(id)).period?.number).toBe(1);
  });
});
