import { beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { CARD, codeOf, openShop } from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { cookieOf, testUsers } from "@/e2e/fixtures/users";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { PERMISSIONS } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import { createWebhookEndpoint } from "@/lib/domain/webhooks/endpoints";
import { newId } from "@/lib/ids";
import { provideService } from "./current-service";
import { forUsers, serveAll } from "./dashboard";
import { dispatch } from "./dispatch";
import { textOf } from "./response";

const { db } = await testDatabase();
const users = await testUsers(db);
const SMALL = { amount: 500, currency: "USD", card: CARD };
const BULKY = {
  ...SMALL,
  metadata: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, "v".repeat(300)])),
};
const UNVERIFIED = { owns_email: false, email_verified_at: null };

beforeAll(() => {
  // 1 MB and 100 writes per day.
  vi.stubEnv("SANDBOX_QUOTA_MB_PER_DAY", "1");
  provideService(users.service);
});

/** A separate merchant whose owner has a verified address or not, with one of its keys. */
async function account(isVerified: boolean, mode: Mode = "test") {
  const { newUser, merchant, service } = await testUsers(db);
  const cookie = await cookieOf(service, await newUser("owner", isVerified ? {} : UNVERIFIED));
  const newKey = async () =>
    (await createApiKey(service, { environmentId: merchant[mode].id, name: "K", permissions: PERMISSIONS })).secret;
  const send = async (apiKey: string, body: object, idempotencyKey: string = newId(), chunked = false) => {
    const text = JSON.stringify(body);
    const headers = {
      "x-api-key": apiKey,
      "x-idempotency-key": idempotencyKey,
      "content-type": "application/json",
      ...(!chunked && { "content-length": String(text.length) }),
    };
    const request = new Request("http://dashboard.test/v1/payments", { method: "POST", headers, body: text });
    const { status, headers: sent, body: answered } = await dispatch(request, { ip: "192.0.2.1" });
    return { status, headers: sent as Record<string, string>, body: JSON.parse(textOf(answered)) };
  };
  /** Counts accepted payments before the first refusal, up to `most`. */
  const taken = async (apiKey: string, body: object, max: number, chunked = false) => {
    for (let i = 0; i < max; i++) {
      const { status } = await send(apiKey, body, newId(), chunked);
      if (status === 429) return i;
      // Live mode has no processor in this test.
      expect(status).toBe(mode === "live" ? 422 : 201);
    }
    return max;
  };
  return { merchant, cookie, newKey, send, taken, key: await newKey() };
}

test.each([false, true])(
  "an account without a verified address can write only up to the daily quota; chunks: %s",
  async (chunked) => {
    const { key, newKey, send, taken, merchant } = await account(false);
    // 15 KB in the request and twice as much in its response.
    const count = await taken(key, BULKY, 40, chunked);
    expect(count).toBeGreaterThanOrEqual(19);
    expect(count).toBeLessThanOrEqual(23);
    const refused = await send(await newKey(), SMALL);
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    expect(refused.body.detail).toMatch(/^Test mode has reached its daily limit: 1 MB .*confirmed e-mail address/);
    expect(refused.headers["RateLimit-Policy"]).toBe('"sandbox-bytes";q=1000000;qu="content-bytes";w=86400');
    expect(Number(refused.headers["Retry-After"])).toBeGreaterThan(0);
    const [kept] =
      await db.sql`select count(*)::int as payments from payments where environment_id = ${merchant.test.id}`;
    expect(kept).toEqual({ payments: count });
    await db.sql`update users set owns_email = true, email_verified_at = now() where merchant_id = ${merchant.id}`;
    expect((await send(await newKey(), SMALL)).status).toBe(201);
  },
);

test("small writes are limited by number; reads continue, and repeats count too", async () => {
  const { key, send, taken } = await account(false);
  const idempotencyKey = newId();
  for (let i = 0; i < 30; i++) expect((await send(key, SMALL, idempotencyKey)).status).toBe(201);
  expect(await taken(key, SMALL, 100)).toBe(70);
  const request = new Request("http://dashboard.test/v1/payments", { headers: { "x-api-key": key } });
  expect((await dispatch(request, { ip: "192.0.2.1" })).status).toBe(200);
});

test("the OpenAPI document is built once and limited per address; errors in a query are reported briefly", async () => {
  const ask = async (query: string) =>
    dispatch(new Request(`http://dashboard.test/v1/openapi.json${query}`), { ip: "192.0.2.1" });
  expect((await ask("")).body[0]).toBe((await ask("")).body[0]);
  const long = await ask(`?${Array.from({ length: 3_500 }, (_, i) => i).join("&")}`);
  expect(long.status).toBe(400);
  expect(long.body.length).toBeLessThan(8_000);
  const statuses = await Promise.all(Array.from({ length: 130 }, async () => (await ask("")).status));
  expect(new Set(statuses.slice(0, 100))).toEqual(new Set([200]));
  expect(statuses.at(-1)).toBe(429);
});

test("deliveries reopened by a replay of webhooks count as well", async () => {
  const { key, send, merchant } = await account(false);
  const ids = Array.from({ length: 1_100 }, () => newId());
  await db.sql`insert into events (environment_id, id, type, object_id, sequence, data)
    select ${merchant.test.id}::uuid, id, 'subscription_plan.updated', id, 1, '{}' from unnest(${ids}::uuid[]) as row (id)`;
  const made = await createWebhookEndpoint(testContext(users.service, merchant.test), {
    url: "http://127.0.0.1:9/hook",
    description: null,
    event_types: ["*"],
    payload: "full",
    signature: "v1",
  });
  const replay = async () => {
    const { id } = JSON.parse(made.body) as { id: string };
    const request = new Request(`http://dashboard.test/v1/webhook-endpoints/${id}/replay`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ since: new Date(Date.now() - 3_600_000).toISOString() }),
    });
    const { status, body } = await dispatch(request, { ip: "192.0.2.1" });
    return { status, body: JSON.parse(textOf(body)) };
  };
  // The thousand events that one call examines use up the rest of the quota.
  const { status, body } = await replay();
  expect(status).toBe(200);
  expect(body.delivery_count).toBeGreaterThanOrEqual(1_000);
  expect((await replay()).status).toBe(429);
  expect((await send(key, SMALL)).headers["RateLimit-Policy"]).toContain("sandbox-bytes");
});

test("live mode has no quota", async () => {
  const { key, taken } = await account(false, "live");
  expect(await taken(key, BULKY, 40)).toBe(40);
});

test("shoppers' writes count for their merchant, and a verified address has a larger quota", async () => {
  const shop = await openShop(db, { metadata: BULKY.metadata });
  const pay = async () => {
    const session = await shop.open();
    return codeOf(session.pay());
  };
  const codes: string[] = [];
  while (codes.length < 50 && codes.at(-1) !== "rate_limited") codes.push(await pay());
  expect(codes.length).toBeGreaterThan(17);
  expect(codes.slice(0, -1).every((code) => code === "ok")).toBe(true);
  expect(codes.at(-1)).toBe("rate_limited");
  const user = { id: newId(), merchant_id: shop.tenant.merchant.id, role: "owner" as const };
  await db.sql`insert into users (id, merchant_id, email, owns_email, role, password_hash)
    values (${user.id}, ${user.merchant_id}, ${`${user.id}@x.example`}, true, 'owner', '')`;
  expect(await pay()).toBe("ok");
});

test("users' changes are counted separately, and changes that secure an account are not counted", async () => {
  const { key, taken, cookie } = await account(false);
  const act = async (permission: "settings.manage" | null, mode: Mode = "test") => {
    const endpoint = dashboardEndpoint({
      name: "sample",
      method: "POST",
      path: "/api/dashboard/{mode}/sample",
      permission,
      status: 200,
      response: z.object({ done: z.boolean() }),
    });
    const handler = serveAll([forUsers(endpoint, async () => ({ done: true }))]);
    const headers = { cookie, host: "dashboard.test", "sec-fetch-site": "same-origin" };
    const request = new Request(`http://dashboard.test/api/dashboard/${mode}/sample`, { method: "POST", headers });
    return (await handler(request)).status;
  };
  await taken(key, BULKY, 40);
  for (let i = 0; i < 100; i++) expect(await act("settings.manage", i % 2 ? "live" : "test")).toBe(200);
  expect([await act("settings.manage"), await act("settings.manage", "live"), await act(null)]).toEqual([
    429, 429, 200,
  ]);
});
