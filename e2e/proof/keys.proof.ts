import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabase } from "../fixtures/database";
import { ageKey } from "../fixtures/factories";
import { expectCleanBooks } from "./books";
import { Client, chargeOf, type MoneyRequest, paymentBody, paymentOf } from "./client";
import { type ProofHost, startHost } from "./host";
import { createTenant, type ProofTenant } from "./tenant";

const { db, url } = await testDatabase();
let host: ProofHost;
let tenant: ProofTenant;
let client: Client;

beforeAll(async () => {
  host = await startHost({ databaseUrl: url });
  tenant = await createTenant(db);
  client = new Client(tenant.apiKey, () => host.baseUrl);
});
afterAll(async () => {
  await expectCleanBooks(db);
  await host.stop();
});

const newPayment = async (input = {}) =>
  paymentOf(await client.until({ key: randomUUID(), path: "/v1/payments", body: paymentBody(input) }));

const plan = () => ({
  type: "ONE_TIME",
  name: `Plan ${randomUUID().slice(0, 8)}`,
  currency: "USD",
  full_price_amount: 10,
});

/** One request per POST that takes a key; each can be made twice, as far as its resource allows. */
const REQUESTS: [string, () => Promise<Omit<MoneyRequest, "key">>, number[]][] = [
  ["a payment", async () => ({ path: "/v1/payments", body: paymentBody() }), [201, 201]],
  [
    "a refund of a payment",
    async () => ({ path: `/v1/payments/${(await newPayment()).id}/refund`, body: { amount: 100 } }),
    [201, 201],
  ],
  [
    "a refund of a transaction",
    async () => ({ path: `/v1/transactions/${chargeOf(await newPayment())}/refund`, body: { amount: 100 } }),
    [201, 201],
  ],
  [
    "a capture of a payment",
    async () => ({ path: `/v1/payments/${(await newPayment({ manual: true })).id}/capture`, body: {} }),
    [200, 409],
  ],
  [
    "a capture of a transaction",
    async () => ({ path: `/v1/transactions/${chargeOf(await newPayment({ manual: true }))}/capture`, body: {} }),
    [200, 409],
  ],
  [
    "a void of a payment",
    async () => ({ path: `/v1/payments/${(await newPayment({ manual: true })).id}/void`, body: {} }),
    [200, 409],
  ],
  [
    "a void of a transaction",
    async () => ({ path: `/v1/transactions/${chargeOf(await newPayment({ manual: true }))}/void`, body: {} }),
    [200, 409],
  ],
  ["a plan", async () => ({ path: "/v1/subscription-plans", body: plan() }), [201, 409]],
  [
    "a client session",
    async () => ({ path: "/v1/client-sessions", body: { amount: 500, currency: "USD" } }),
    [201, 201],
  ],
];

const age = (key: string, interval: string) => ageKey(db, tenant.environmentId, key, interval);

async function isYoungerThanADay(key: string): Promise<boolean> {
  const [row] =
    await db.sql`select now() - created_at < interval '24 hours' as young from idempotency_keys where key = ${key}`;
  return row?.young === true;
}

/**
 * Retries until the key is still under a day old after the replay, since PostgreSQL's clock keeps running.
 */
async function replayInItsLastSecond(make: () => Promise<Omit<MoneyRequest, "key">>, status: number | undefined) {
  for (;;) {
    const request = { key: randomUUID(), ...(await make()) };
    const answer = await client.post(request);
    expect([answer.status, answer.replayed], answer.text).toEqual([status, false]);
    await age(request.key, "23:59:59");
    const replay = await client.post(request);
    if (await isYoungerThanADay(request.key)) return { request, answer, replay };
  }
}

describe("24 hours", () => {
  test.each(REQUESTS)("the key of %s replays at 23:59:59 and is new at 24:00:00", async (_, make, [first, second]) => {
    const { request, answer, replay } = await replayInItsLastSecond(make, first);
    expect([replay.status, replay.text, replay.replayed]).toEqual([answer.status, answer.text, true]);
    await age(request.key, "24:00:00");
    const anew = await client.post(request);
    expect([anew.status, anew.replayed], anew.text).toEqual([second, false]);
    expect(anew.text).not.toBe(answer.text);
  });
});

describe("scope", () => {
  test("the same key of another merchant, and of the other mode, is another key", async () => {
    const stranger = new Client((await createTenant(db)).apiKey, () => host.baseUrl);
    const live = new Client(await tenant.newKey({ mode: "live" }), () => host.baseUrl);
    const request = { key: randomUUID(), path: "/v1/payments", body: paymentBody() };
    const [mine, theirs] = [await client.post(request), await stranger.post(request)];
    expect([mine.status, theirs.status, theirs.replayed]).toEqual([201, 201, false]);
    expect(paymentOf(theirs).id).not.toBe(paymentOf(mine).id);
    const plans = { key: randomUUID(), path: "/v1/client-sessions", body: { amount: 500, currency: "USD" } };
    const [test, other] = [await client.post(plans), await live.post(plans)];
    expect([test.replayed, other.replayed]).toEqual([false, false]);
  });
});

describe("permission", () => {
  test("a key without the permission gets 403 and never a stored response", async () => {
    const reader = await tenant.newKey({ permissions: ["payment.read", "transaction.read"] });
    for (const [, make] of REQUESTS) {
      const request = { key: randomUUID(), ...(await make()) };
      expect((await client.post(request)).status).toBeLessThan(300);
      const answer = await client.post(request, reader);
      expect([answer.status, answer.code, answer.replayed], request.path).toEqual([403, "permission_denied", false]);
    }
  });
});
