import { afterEach, describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { latch } from "@/e2e/fixtures/latch";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { holds } from "@/e2e/fixtures/scripted-processor";
import { decodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";

/*
 * Payments, follow-ups and outcomes of one merchant that come at the same time share a statement. Each must end as if it had
 * come alone, whatever happens to the others.
 */

const { db } = await testDatabase({ max: 20 });

/** How many rows each statement for several had. */
function watch(tenant: MoneyTenant) {
  const { sql } = db.within(tenant.environmentId);
  const seen = { payments: 0, followUps: 0, outcomes: 0 };
  sql.options.debug = (_connection, text) => {
    if (!text.includes("patience")) return;
    if (text.includes("insert into payments")) seen.payments++;
    else if (text.includes("update idempotency_keys")) seen.outcomes++;
    else seen.followUps++;
  };
  return seen;
}
afterEach(async () => {
  const broken = (await verifyBooks(db)).checks.filter((check) => check.count > 0);
  if (broken.length > 0) throw new Error(JSON.stringify(broken));
});

const uuidOf = (payment: string) => decodeId("payment", payment) ?? "";
const many = <T>(count: number, one: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => one(i)));

test("payments made at once are each made whole, in few statements", async () => {
  const tenant = await moneyTenant(db);
  const seen = watch(tenant);
  const answers = await many(48, (i) =>
    tenant.create(
      {
        amount: 1_000 + i,
        ...(i % 2 && { capture_method: "manual" }),
        ...(i % 3 && { metadata: { 'quoted "key" \\': `{a, "b"} null ${i}` }, description: `\\x, {"${i}"} ü` }),
        ...(i % 5 && { billing_address: { line1: '1, "Main" Street', postal_code: null } }),
        ...(i % 7 && { customer_email: `Buyer+${i}@Example.com` }),
      },
      { key: `k${i}` },
    ),
  );
  for (const [i, { status, body }] of answers.entries()) {
    expect(status).toBe(201);
    expect(body).toMatchObject({ amount: 1_000 + i, status: i % 2 ? "AUTHORIZED" : "CAPTURED" });
    expect(body.description).toBe(i % 3 ? `\\x, {"${i}"} ü` : null);
    const stored = await tenant.get(body.id);
    expect(JSON.parse(JSON.stringify(stored))).toEqual(body);
    expect(await tenant.create({ amount: 1 }, { key: `k${i}` })).toMatchObject({ code: "idempotency_key_reused" });
  }
  expect(seen.payments).toBeGreaterThan(1);
  expect(seen.outcomes).toBeGreaterThan(1);
  expect(seen.payments).toBeLessThan(30);
});

test("one key sent many times at once, among other keys, makes one payment", async () => {
  const tenant = await moneyTenant(db);
  const answers = await many(40, (i) => tenant.create({ amount: 5 }, { key: i % 2 ? "same" : `k${i}` }));
  const same = answers.filter((_, i) => i % 2);
  expect(new Set(same.map(({ text }) => text)).size).toBe(1);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(21);
  expect(tenant.script.count("authorize")).toBe(21);
});

test("a key of a day ago is used once more, beside keys in use and new ones", async () => {
  const tenant = await moneyTenant(db);
  const first = await many(6, (i) => tenant.create({}, { key: `k${i}` }));
  for (const key of ["k0", "k1", "k2"]) await tenant.ageKey(key, "24 hours");
  const again = await many(12, (i) => tenant.create({}, { key: `k${i}` }));
  expect(again.map(({ replayed }) => replayed)).toEqual(Array.from({ length: 12 }, (_, i) => i >= 3 && i < 6));
  expect(again.slice(3, 6).map(({ text }) => text)).toEqual(first.slice(3).map(({ text }) => text));
});

describe("follow-ups at once", () => {
  test("of many payments each end as they would alone", async () => {
    const tenant = await moneyTenant(db);
    const payments = await many(30, (i) => tenant.create({ capture_method: i % 3 === 0 ? "automatic" : "manual" }));
    const seen = watch(tenant);
    const answers = await many(30, (i) => {
      const id = payments[i]?.body.id;
      if (i % 3 === 0) return tenant.act("refund", id, { amount: 4_000, reason: "DUPLICATE", comment: `no. ${i}` });
      return i % 3 === 1
        ? tenant.act("capture", id, { amount: 6_000 })
        : tenant.act("void", id, { reason: "changed mind" });
    });
    expect(seen.followUps).toBeGreaterThan(0);
    for (const [i, { status, body }] of answers.entries()) {
      expect(status).toBe(i % 3 === 0 ? 201 : 200);
      expect(body).toMatchObject(
        [
          { status: "PARTIALLY_REFUNDED", amount_refunded: 4_000 },
          { status: "CAPTURED", amount_captured: 6_000 },
          { status: "VOIDED", amount_captured: 0 },
        ][i % 3] as object,
      );
    }
  });

  test("that the guard refuses are refused alone, for the right reasons", async () => {
    const tenant = await moneyTenant(db);
    const payments = await many(12, () => tenant.create());
    const seen = watch(tenant);
    const answers = await many(12, (i) => {
      const id = payments[i]?.body.id;
      if (i % 4 === 0) return tenant.act("refund", id, { amount: 10_001 });
      if (i % 4 === 1) return tenant.act("capture", id);
      return tenant.act("refund", i % 4 === 2 ? `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}` : id);
    });
    expect(seen.followUps).toBeGreaterThan(0);
    const kinds = ["amount_exceeds_refundable", "invalid_state", "resource_not_found", null];
    expect(answers.map(({ code }) => code)).toEqual(answers.map((_, i) => kinds[i % 4]));
  });

  test("of one payment never take more than there is, among those of others", async () => {
    const tenant = await moneyTenant(db);
    const [one, ...others] = await many(8, () => tenant.create());
    const answers = await many(40, (i) =>
      i % 2
        ? tenant.act("refund", one?.body.id, { amount: 3_000 })
        : tenant.act("refund", others[(i / 2) % 7]?.body.id, { amount: 2_000 }),
    );
    expect(answers.filter(({ status }, i) => i % 2 && status === 201)).toHaveLength(3);
    expect((await tenant.get(one?.body.id)).amount_refunded).toBe(9_000);
    for (const { body } of others) expect((await tenant.get(body.id)).amount_refunded).toBeLessThanOrEqual(10_000);
  });

  test("wait for nobody's payment but their own", async () => {
    const tenant = await moneyTenant(db);
    const payments = await many(10, () => tenant.create());
    const [held, ...others] = payments.map(({ body }) => body.id);
    let settled = 0;
    const { release, holding } = await holdPayment(tenant, held);
    const waits = tenant.act("refund", held).then((answer) => {
      settled++;
      return answer;
    });
    const free = await Promise.all(others.map((id) => tenant.act("refund", id)));
    expect(free.every(({ status }) => status === 201)).toBe(true);
    expect(settled).toBe(0);
    release();
    await holding;
    expect((await waits).status).toBe(201);
  });
});

/** Somebody else's transaction that has the payment's row locked. */
async function holdPayment(tenant: MoneyTenant, id: string) {
  const { reached, hold, release } = latch();
  const holding = db.sql.begin(async (tx) => {
    await tx`select 1 from payments where environment_id = ${tenant.environmentId} and id = ${uuidOf(id)} for update`;
    await hold();
  });
  await reached;
  return { release, holding };
}

describe("outcomes at once", () => {
  test("of which one was taken over: it alone writes nothing", async () => {
    const tenant = await moneyTenant(db);
    const payments = await many(8, () => tenant.create());
    const steps = payments.map(() => holds());
    tenant.script.next(...steps.map(({ step }) => step));
    const refunds = payments.map(({ body }, i) => tenant.act("refund", body.id, { amount: 1_000 }, { key: `r${i}` }));
    await Promise.all(steps.map(({ reached }) => reached));
    await db.sql`update operations set epoch = epoch + 1, lease_until = now() + interval '1 minute'
      where environment_id = ${tenant.environmentId} and state = 'open' and payment_id = ${uuidOf(payments[3]?.body.id)}`;
    const seen = watch(tenant);
    for (const { release } of steps) release();
    const answers = await Promise.all(refunds);
    expect(seen.outcomes).toBeGreaterThan(0);
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, i) => (i === 3 ? 202 : 201)));
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.act("refund", payments[3]?.body.id, { amount: 1_000 }, { key: "r3" })).toMatchObject({
      status: 201,
      replayed: true,
    });
  });

  test("of which one's payment is held: the others are answered before it", async () => {
    const tenant = await moneyTenant(db);
    const payments = await many(8, () => tenant.create());
    const steps = payments.map(() => holds());
    tenant.script.next(...steps.map(({ step }) => step));
    let waited = false;
    const refunds = payments.map(({ body }, i) =>
      tenant.act("refund", body.id, { amount: 1_000 }).then((answer) => {
        if (i === 5) waited = true;
        return answer;
      }),
    );
    await Promise.all(steps.map(({ reached }) => reached));
    const { release, holding } = await holdPayment(tenant, payments[5]?.body.id);
    for (const step of steps) step.release();
    const free = await Promise.all(refunds.filter((_, i) => i !== 5));
    expect([free.every(({ status }) => status === 201), waited]).toEqual([true, false]);
    release();
    await holding;
    expect((await Promise.all(refunds)).every(({ status }) => status === 201)).toBe(true);
  });
});
