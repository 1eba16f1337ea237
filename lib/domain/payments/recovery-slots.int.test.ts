import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { DatabaseUnavailable } from "@/db/unavailable";
import { testDatabase } from "@/e2e/fixtures/database";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { holds, losesAnswer } from "@/e2e/fixtures/scripted-processor";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import type { Processor } from "@/lib/processor/port";
import { createRegistry } from "@/lib/processor/registry";
import type { Service } from "../context";
import { recoverOperations } from "./recover-operations";

const { db } = await testDatabase();
const ALONE = 20;
const SLOTS_PER_ENVIRONMENT = 4;
const SLOTS = 32;

beforeEach(async () => {
  await db.sql`update operations set created_at = created_at - interval '25 hours' where state = 'open'`;
});

/** A tenant with `count` payments whose responses were lost, due late enough for a slow machine. */
async function withLost(count: number): Promise<MoneyTenant> {
  const tenant = await moneyTenant(db);
  tenant.script.next(...Array.from({ length: count }, () => losesAnswer));
  await Promise.all(Array.from({ length: count }, (_, i) => tenant.create({}, { key: `k${i}` })));
  await db.sql`update operations set next_attempt_at = now() + interval '100 seconds'
    where environment_id = ${tenant.environmentId} and state = 'open'`;
  return tenant;
}

/** Makes operations due, the first of them longest. */
async function makeDue(tenant: MoneyTenant): Promise<void> {
  await tenant.endLeases();
  await db.sql`update operations o set next_attempt_at = now() - interval '1 hour' + place * interval '1 ms'
    from (select id, row_number() over (order by id) as place from operations where environment_id = ${tenant.environmentId}) due
    where o.environment_id = ${tenant.environmentId} and o.id = due.id and o.state = 'open'`;
}

const epochs = async (tenant: MoneyTenant) =>
  (
    await db.sql<
      { epoch: number }[]
    >`select epoch from operations where environment_id = ${tenant.environmentId} order by next_attempt_at, id`
  ).map(({ epoch }) => epoch);

const open = async (tenant: MoneyTenant) =>
  (await db.sql`select 1 from operations where environment_id = ${tenant.environmentId} and state = 'open'`).length;

/** A recovery worker whose processor does not respond to inquiries about these tenants until `letGo`. */
function recoveryWorker(tenant: MoneyTenant, of: readonly MoneyTenant[], overrides: Partial<Service> = {}) {
  const sandbox = tenant.service.processors.builtIn("test") as Processor;
  const held = new Map<string, { environmentId: string; letGo(): void }>();
  let isHolding = true;
  const inquire: Processor["inquire"] = async (request) => {
    const { reference } = request;
    const [row] = await db.sql`select environment_id from operations where id = ${reference}`;
    if (isHolding && of.some(({ environmentId }) => environmentId === row?.environment_id)) {
      await new Promise<void>((letGo) => held.set(reference, { environmentId: row?.environment_id, letGo }));
      held.delete(reference);
    }
    return sandbox.inquire(request);
  };
  const service = { ...tenant.service, processors: createRegistry({ sandbox: { ...sandbox, inquire } }), ...overrides };
  const stopping = new AbortController();
  const done = recoverOperations(service, stopping.signal);
  const letAllGo = () => {
    isHolding = false;
    for (const one of held.values()) one.letGo();
  };
  onTestFinished(async () => {
    stopping.abort();
    letAllGo();
    await done;
  });
  const heldOf = (one: MoneyTenant) =>
    [...held.values()].filter(({ environmentId }) => environmentId === one.environmentId);
  return {
    done,
    letAllGo,
    stop: () => stopping.abort(),
    count: (one: MoneyTenant) => heldOf(one).length,
    letOneGo: (one: MoneyTenant) => heldOf(one)[0]?.letGo(),
  };
}

describe("while one environment has hundreds of operations whose inquiries hang", () => {
  test("another environment's only operation is finished within seconds", async () => {
    const [large, small] = [await withLost(300), await withLost(1)];
    await makeDue(large);
    const recovering = recoveryWorker(large, [large]);
    await expect.poll(() => recovering.count(large)).toBe(ALONE);
    await makeDue(small);
    await expect.poll(() => open(small), { timeout: 10_000 }).toBe(0);
    expect(recovering.count(large)).toBe(ALONE);
    recovering.letAllGo();
    expect(await recovering.done).toBe(301);
    expect(await open(large)).toBe(0);
    expect((await verifyBooks(db)).balanced).toBe(true);
  });

  test("it keeps only its share once others wait, and they get theirs", async () => {
    const large = await withLost(60);
    const others = await Promise.all(Array.from({ length: 5 }, () => withLost(6)));
    await makeDue(large);
    const recovering = recoveryWorker(large, [large, ...others]);
    await expect.poll(() => recovering.count(large)).toBe(ALONE);
    for (const other of others) await makeDue(other);
    const all = () => others.map((other) => recovering.count(other)).toSorted((a, b) => a - b);
    await expect.poll(all).toEqual([2, 2, 2, 3, 3]);
    // Its freed slots go to the others.
    for (let left = ALONE; left > SLOTS - 5 * SLOTS_PER_ENVIRONMENT; left--) {
      recovering.letOneGo(large);
      await expect.poll(() => recovering.count(large)).toBe(left - 1);
    }
    await expect.poll(all).toEqual([4, 4, 4, 4, 4]);
    expect(recovering.count(large)).toBe(SLOTS - 5 * SLOTS_PER_ENVIRONMENT);
  });

  test("an environment without a slot gets the next one that another releases", async () => {
    const half = () =>
      Promise.all(Array.from({ length: SLOTS / SLOTS_PER_ENVIRONMENT / 2 }, () => withLost(SLOTS_PER_ENVIRONMENT + 2)));
    // Environments are served by id: after the last of the crowd its first is next, and it has more due
    // operations.
    const before = await half();
    const small = await withLost(1);
    const crowd = [...before, ...(await half())];
    for (const one of crowd) await makeDue(one);
    const recovering = recoveryWorker(small, crowd);
    const all = () => crowd.reduce((sum, one) => sum + recovering.count(one), 0);
    await expect.poll(all).toBe(SLOTS);
    await makeDue(small);
    recovering.letOneGo(crowd[0] as MoneyTenant);
    await expect.poll(() => open(small), { timeout: 10_000 }).toBe(0);
  });
});

describe("operations of one environment", () => {
  test("start in the order of their due times, are claimed only when they start, and the next when one ends", async () => {
    const tenant = await withLost(40);
    await makeDue(tenant);
    const [all] = [await epochs(tenant)];
    expect(all).toEqual(Array(40).fill(1));
    const order = (
      await db.sql<
        { id: string }[]
      >`select id from operations where environment_id = ${tenant.environmentId} order by next_attempt_at`
    ).map(({ id }) => id);
    const recovering = recoveryWorker(tenant, [tenant]);
    const taken = async () =>
      (
        await db.sql<
          { id: string }[]
        >`select id from operations where environment_id = ${tenant.environmentId} and epoch > 1`
      )
        .map(({ id }) => id)
        .toSorted();
    await expect.poll(() => recovering.count(tenant)).toBe(ALONE);
    expect(await taken()).toEqual(order.slice(0, ALONE).toSorted());
    recovering.letOneGo(tenant);
    await expect.poll(taken).toEqual(order.slice(0, ALONE + 1).toSorted());
  });

  test("a stop waits for those in progress and starts no others", async () => {
    const tenant = await withLost(30);
    await makeDue(tenant);
    const recovering = recoveryWorker(tenant, [tenant]);
    await expect.poll(() => recovering.count(tenant)).toBe(ALONE);
    recovering.stop();
    recovering.letAllGo();
    expect(await recovering.done).toBe(ALONE);
    expect(await open(tenant)).toBe(30 - ALONE);
    expect(await recoverOperations(tenant.service, AbortSignal.abort())).toBe(0);
    expect((await epochs(tenant)).filter((epoch) => epoch > 1)).toHaveLength(ALONE);
  });
});

test("operations of one payment never run in parallel, and do not delay another payment's", async () => {
  const tenant = await moneyTenant(db);
  const [{ body: one }, { body: other }] = [await tenant.create(), await tenant.create()];
  tenant.script.next(...Array.from({ length: 13 }, () => losesAnswer));
  for (let i = 0; i < 12; i++) await tenant.act("refund", one.id, { amount: 100 });
  await tenant.act("refund", other.id, { amount: 100 });
  await makeDue(tenant);
  const sandbox = tenant.service.processors.builtIn("test") as Processor;
  const first = holds();
  let [isFirst, now, max] = [true, 0, 0];
  const refund: Processor["refund"] = async (request) => {
    if ((await tenant.operations(other.id)).some(({ id }) => id === request.reference)) return sandbox.refund(request);
    max = Math.max(max, ++now);
    const wasFirst = isFirst;
    isFirst = false;
    if (wasFirst) await first.step(async () => ({ kind: "not_found" }));
    const outcome = await sandbox.refund(request);
    now--;
    return outcome;
  };
  const processors = createRegistry({ sandbox: { ...sandbox, refund } });
  const done = recoverOperations({ ...tenant.service, processors });
  await first.reached;
  await expect
    .poll(async () => (await tenant.operations(other.id)).map(({ state }) => state))
    .toEqual(["succeeded", "succeeded"]);
  expect((await tenant.operations(one.id)).filter(({ epoch }) => epoch > 1)).toHaveLength(1);
  first.release();
  expect(await done).toBe(13);
  expect(max).toBe(1);
  expect(await tenant.get(one.id)).toMatchObject({ amount_refunded: 1_200, amount_refundable: 8_800 });
  expect((await verifyBooks(db)).balanced).toBe(true);
});

test("operations in progress end, and the rest are claimed, after a short outage of the database", async () => {
  const tenant = await withLost(ALONE + 5);
  await makeDue(tenant);
  let isAway = false;
  const sql = new Proxy(tenant.service.db.sql, {
    apply(target, self, args) {
      if (isAway && String(args[0]).includes("recursive")) throw new DatabaseUnavailable("away");
      return Reflect.apply(target, self, args);
    },
  });
  const recovering = recoveryWorker(tenant, [tenant], { db: { ...tenant.service.db, sql } });
  await expect.poll(() => recovering.count(tenant)).toBe(ALONE);
  isAway = true;
  recovering.letOneGo(tenant);
  await expect.poll(() => open(tenant)).toBe(ALONE + 4);
  isAway = false;
  recovering.letAllGo();
  expect(await recovering.done).toBe(ALONE + 5);
  expect(await open(tenant)).toBe(0);
});

test("an outage of the database while nothing is in progress is thrown to the job", async () => {
  const { service } = await moneyTenant(db);
  const sql = new Proxy(service.db.sql, {
    apply() {
      throw new DatabaseUnavailable("away");
    },
  });
  await expect(recoverOperations({ ...service, db: { ...service.db, sql } })).rejects.toThrow("away");
});
