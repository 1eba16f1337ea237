import { randomUUID } from "node:crypto";
import { createPayment, listPayments, refundPayment } from "@/lib/contract/payments/operations";
import { createPlan } from "@/lib/contract/plans/operations";
import type { Tenant } from "../fixtures";
import { expect, test } from "../fixtures";
import { aCard, aPayment, aPlan, CARDS, captured } from "../samples";

/** Makes a key as old as that, by the database's clock. */
async function age({ context, merchant }: Tenant, key: string, interval: string): Promise<void> {
  const { sql } = context().service.db;
  const aged = await sql`
    update idempotency_keys set created_at = now() - ${interval}::interval
    where environment_id = ${merchant.test.id} and key = ${key}`;
  expect(aged.count).toBe(1);
}

test("a key is replayed for 24 hours, and is new after that", async ({ tenant, api }) => {
  const key = randomUUID();
  const first = await api.call(createPayment, { key, body: aPayment() });
  await age(tenant, key, "23 hours 59 minutes 30 seconds");
  expect((await api.call(createPayment, { key, body: aPayment() })).text).toBe(first.text);
  (await api.call(createPayment, { key, body: aPayment({ amount: 1 }) })).problem("idempotency_key_reused");

  await age(tenant, key, "24 hours");
  const next = await api.call(createPayment, { key, body: aPayment({ amount: 1 }) });
  expect([next.status, next.replayed]).toEqual([201, false]);
  expect((await api.call(createPayment, { key, body: aPayment({ amount: 1 }) })).text).toBe(next.text);
  expect((await api.call(listPayments)).ok().total).toBe(2);
});

test("24 hours are 24 hours for follow-ups and plans, too", async ({ tenant, api }) => {
  const { id } = await captured(api);
  const refundKey = randomUUID();
  (await api.call(refundPayment, { id, key: refundKey, body: { amount: 100 } })).ok();
  await age(tenant, refundKey, "24 hours");
  const again = (await api.call(refundPayment, { id, key: refundKey, body: { amount: 100 } })).ok();
  expect(again.amount_refunded).toBe(200);

  const planKey = randomUUID();
  const plan = (await api.call(createPlan, { key: planKey, body: aPlan() })).ok();
  await age(tenant, planKey, "24 hours");
  const other = (await api.call(createPlan, { key: planKey, body: aPlan() })).ok();
  expect(other.id).not.toBe(plan.id);
});

test("many at once under one key are one operation with one answer", async ({ api }) => {
  const key = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => api.call(createPayment, { key, body: aPayment() })),
  );
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
  expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
  expect((await api.call(listPayments)).ok().total).toBe(1);
});

test("many refunds at once under one key are one refund", async ({ api }) => {
  const { id } = await captured(api);
  const key = randomUUID();
  const refund = () => api.call(refundPayment, { id, key, body: { amount: 1_000 } });
  const answers = await Promise.all(Array.from({ length: 12 }, refund));
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
  expect((await refund()).ok().amount_refunded).toBe(1_000);
});

test("while the first request runs: waits 2 s for it, then 409; afterwards its result", async ({ api }) => {
  const key = randomUUID();
  const body = aPayment({ card: aCard(CARDS.slow) });
  const slow = api.call(createPayment, { key, body });
  // Only a request that came second can be told that another one is running.
  await expect.poll(async () => (await api.call(listPayments)).ok().total, { intervals: [20], timeout: 4_000 }).toBe(1);
  const started = Date.now();
  const impatient = await api.call(createPayment, { key, body });
  impatient.problem("idempotency_request_in_progress");
  expect(impatient.headers.get("retry-after")).toBe("1");
  expect(Date.now() - started).toBeGreaterThan(1_500);
  (await api.call(createPayment, { key, body: aPayment() })).problem("idempotency_key_reused");

  const first = await slow;
  expect(first.status).toBe(201);
  const replay = await api.call(createPayment, { key, body });
  expect([replay.replayed, replay.text]).toEqual([true, first.text]);
});
