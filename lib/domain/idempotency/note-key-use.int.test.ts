import { expect, test, vi } from "vitest";
import type { Database } from "@/db/client";
import { removeExpiredKeys } from "@/db/queries/idempotency/keys";
import type { IdempotencyKeyRow } from "@/db/schema/operations";
import { testDatabase } from "@/e2e/fixtures/database";
import { ageKey, testIdempotency, testTenant } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { runOnce } from "./run-once";

const { db } = await testDatabase();
const NUMBER = "4000000000000002";
const CARD = { number: NUMBER, exp_month: 12, exp_year: 2040, cvv: "987" };

async function rowOf(environmentId: string, key: string): Promise<IdempotencyKeyRow> {
  const [row] = await db.sql<IdempotencyKeyRow[]>`
    select * from idempotency_keys where environment_id = ${environmentId} and key = ${key}`;
  if (!row) throw new Error(`there is no key ${key}`);
  return row;
}

/** Waits until a key has this many replays or reuses, because notes are written after the response. */
async function noted(
  environmentId: string,
  key: string,
  counts: Partial<IdempotencyKeyRow>,
): Promise<IdempotencyKeyRow> {
  return vi.waitFor(
    async () => {
      const row = await rowOf(environmentId, key);
      expect(row).toMatchObject(counts);
      return row;
    },
    { timeout: 30_000 },
  );
}

test("a payment's key stores the body without card number and CVV, counts replays, and keeps the last differing use", async () => {
  const tenant = await moneyTenant(db);
  const first = await tenant.create({ card: CARD, description: "first" }, { key: "k" });
  for (let i = 0; i < 3; i++) {
    const again = await tenant.create({ card: CARD, description: "first" }, { key: "k" });
    expect(again).toMatchObject({ text: first.text, replayed: true });
  }
  for (const amount of [1, 2]) {
    expect(await tenant.create({ card: CARD, amount }, { key: "k" })).toMatchObject({ code: "idempotency_key_reused" });
  }
  const row = await noted(tenant.environmentId, "k", { replay_count: 3, reuse_count: 2 });
  const card = { brand: "visa", last4: "0002", exp_month: 12, exp_year: 2040 };
  expect(row.request_body).toEqual({ amount: 10_000, currency: "USD", card, description: "first" });
  expect(row.last_replayed_at).not.toBeNull();
  expect(row.last_reuse).toMatchObject({
    path: "/v1/payments",
    body: { amount: 2, currency: "USD", card },
    actor: { type: "api_key" },
  });
  const stored = await db.sql`select row_to_json(k)::text as text from idempotency_keys k
    where environment_id = ${tenant.environmentId}`;
  expect(stored.map(({ text }) => text).join()).not.toMatch(new RegExp(`${NUMBER}|"987"|"cvv`));
  expect(row.response_body).toBe(first.text);
});

test("forty concurrent replays are all counted, and every response is the first one's", async () => {
  const tenant = await moneyTenant(db);
  const first = await tenant.create({}, { key: "k" });
  const answers = await Promise.all(Array.from({ length: 40 }, () => tenant.create({}, { key: "k" })));
  expect(new Set(answers.map((answer) => answer.text))).toEqual(new Set([first.text]));
  await noted(tenant.environmentId, "k", { replay_count: 40 });
});

/** The tenant's clients, with `write` in place of the statement that writes a note. */
function databaseNoting({ environmentId }: MoneyTenant, write: () => Promise<unknown>): Database {
  const clients = db.within(environmentId);
  const sql = new Proxy(clients.sql, {
    apply(target, self, [text, ...values]) {
      const isNote = String(text).includes("set replay_count = replay_count +");
      return isNote ? write() : Reflect.apply(target, self, [text, ...values]);
    },
  });
  return { ...db, within: () => ({ ...clients, sql }) };
}

test("a response does not wait for its note", async () => {
  const tenant = await moneyTenant(db);
  const service = { ...tenant.service, db: databaseNoting(tenant, () => new Promise(() => {})) };
  const first = await tenant.create({}, { key: "k" });
  for (let i = 0; i < 3; i++) {
    expect(await tenant.create({}, { key: "k", service })).toMatchObject({ text: first.text, replayed: true });
  }
});

test("a key that is used again while its note is written waits for the next round", async () => {
  const tenant = await moneyTenant(db);
  const events: string[] = [];
  const replayed = () => tenant.create({}, { key: "k", service });
  const noting = databaseNoting(tenant, async () => {
    events.push("write");
    if (events.length < 6) await replayed();
  });
  const timer = {
    ...tenant.service.timer,
    async wait(ms: number) {
      events.push(ms > 0 ? "pause" : "start");
    },
  };
  const service = { ...tenant.service, db: noting, timer };
  await tenant.create({}, { key: "k" });
  await replayed();
  await expect.poll(() => events).toEqual(["start", "write", "pause", "write", "pause", "write"]);
});

test("a key reused after 24 hours starts from zero", async () => {
  const tenant = await moneyTenant(db);
  await tenant.create({}, { key: "k" });
  await tenant.create({}, { key: "k" });
  await tenant.create({ amount: 1 }, { key: "k" });
  await noted(tenant.environmentId, "k", { replay_count: 1, reuse_count: 1 });
  await tenant.ageKey("k", "24 hours");
  await tenant.create({ amount: 5 }, { key: "k" });
  expect(await rowOf(tenant.environmentId, "k")).toMatchObject({
    request_body: { amount: 5 },
    replay_count: 0,
    last_replayed_at: null,
    reuse_count: 0,
    last_reuse: null,
  });
});

test("requests that move no money are recorded in the same way", async () => {
  const { call, merchant } = await testTenant(db);
  const keyed = (body: object) => {
    const text = JSON.stringify(body);
    return call({ idempotency: testIdempotency("k", Buffer.from(text.padEnd(32)), text) });
  };
  const work = async () => ({ done: true });
  await runOnce(keyed({ a: 1 }), work);
  expect(await runOnce(keyed({ a: 1 }), work)).toMatchObject({ replayed: true });
  await expect(runOnce(keyed({ a: 2 }), work)).rejects.toMatchObject({
    code: "idempotency_key_reused",
  });
  const row = await noted(merchant.test.id, "k", { replay_count: 1, reuse_count: 1 });
  expect([row.request_body, row.last_reuse?.body]).toEqual([{ a: 1 }, { a: 2 }]);
  await ageKey(db, merchant.test.id, "k", "24 hours");
  await runOnce(keyed({ a: 3 }), work);
  expect(await rowOf(merchant.test.id, "k")).toMatchObject({
    request_body: { a: 3 },
    replay_count: 0,
    last_reuse: null,
  });
});

test("a note that cannot be written is logged, and the response is sent", async () => {
  const tenant = await moneyTenant(db);
  const warnings: unknown[] = [];
  const broken = new Error("no connection");
  const service = {
    ...tenant.service,
    db: databaseNoting(tenant, () => Promise.reject(broken)),
    log: { ...tenant.service.log, warn: (details: unknown) => warnings.push(details) } as never,
  };
  const first = await tenant.create({}, { key: "k" });
  expect(await tenant.create({}, { key: "k", service })).toMatchObject({ text: first.text, replayed: true });
  await expect.poll(() => warnings).toEqual([{ err: broken }]);
});

test("keys of more than 25 hours are removed, in every environment", async () => {
  const tenants = [await moneyTenant(db), await moneyTenant(db)];
  for (const tenant of tenants) {
    for (const key of ["old", "new"]) await tenant.create({}, { key });
    await tenant.ageKey("old", "26 hours");
  }
  expect(await removeExpiredKeys(db.sql, 100)).toBeGreaterThanOrEqual(2);
  for (const tenant of tenants) {
    expect([await tenant.key("old"), (await tenant.key("new"))?.state]).toEqual([null, "done"]);
  }
});
