import { expect, test, vi } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext, testIdempotency } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { seesAll } from "@/e2e/fixtures/request-log";
import { losesAnswer } from "@/e2e/fixtures/scripted-processor";
import { actsOf, createTestUser } from "@/e2e/fixtures/users";
import { createClientSessionBody } from "@/lib/contract/checkout/client-session";
import { ROLE_PERMISSIONS } from "@/lib/contract/permissions";
import { newId } from "@/lib/ids";
import { createClientSession } from "../checkout/client-sessions";
import { findIdempotencyKey, getIdempotencyKey, listIdempotencyKeys, lookUpIdempotencyKey } from "./inspect-keys";

const { db } = await testDatabase();

const CARD = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "987" };
const contextOf = (tenant: MoneyTenant) => testContext(tenant.service, tenant.merchant.test);
const find = (tenant: MoneyTenant, key: string) => findIdempotencyKey(contextOf(tenant), { key, can: seesAll });

test("a finished key shows its first request, its response, its payment, its replays and what differed", async () => {
  const tenant = await moneyTenant(db);
  const first = await tenant.create({ card: CARD, metadata: { order: "7" } }, { key: "k" });
  await tenant.create({ card: CARD, metadata: { order: "7" } }, { key: "k" });
  await tenant.create({ card: CARD, amount: 5, metadata: { order: "8" } }, { key: "k" });
  const found = await vi.waitFor(
    async () => {
      const row = await find(tenant, "k");
      expect(row).toMatchObject({ replay_count: 1, reuse_count: 1 });
      return row;
    },
    { timeout: 30_000 },
  );
  expect(found).toMatchObject({
    state: "done",
    method: "POST",
    path: "/v1/payments",
    status: 201,
    body: { amount: 10_000, card: { brand: "visa", last4: "4242" } },
    response: first.body,
    sealed: false,
    effect: { kind: "authorize", state: "succeeded", payment_id: first.body.id },
  });
  expect(found?.retry).toContain("stored response again (201)");
  expect(found?.reuse?.differences).toEqual([
    { member: "amount", first: 10_000, other: 5 },
    { member: "metadata.order", first: "7", other: "8" },
  ]);
  // Quoted, because an id or a time may contain the three digits.
  expect(JSON.stringify(found)).not.toMatch(/4242424242424242|"987"|"cvv"/);
});

test("a key whose outcome is unknown waits for the processor, and a retry never starts a second operation", async () => {
  const tenant = await moneyTenant(db);
  tenant.script.next(losesAnswer);
  await tenant.create({}, { key: "k" });
  expect(await find(tenant, "k")).toMatchObject({ state: "waiting", status: null, response: null });
  expect((await find(tenant, "k"))?.retry).toContain("never starts a second operation");
});

test("a key of 24 hours is expired, and new to the next request", async () => {
  const tenant = await moneyTenant(db);
  await tenant.create({}, { key: "k" });
  await tenant.ageKey("k", "24 hours");
  const found = await find(tenant, "k");
  expect(found?.state).toBe("expired");
  expect(found?.retry).toContain("counts as new");
});

test("bodies are shown to roles that may read what the endpoint changes, and a refused request by its own endpoint", async () => {
  const tenant = await moneyTenant(db);
  const first = await tenant.create({}, { key: "k" });
  await tenant.create({ amount: 5 }, { key: "k" });
  await vi.waitFor(async () => expect((await find(tenant, "k"))?.reuse_count).toBe(1), { timeout: 30_000 });
  const viewer = new Set(ROLE_PERMISSIONS.viewer);
  const seen = () => findIdempotencyKey(contextOf(tenant), { key: "k", can: (permission) => viewer.has(permission) });
  expect(await seen()).toMatchObject({
    bodies_shown: true,
    response: first.body,
    reuse: { body_shown: true, body: { amount: 5 }, differences: [{ member: "amount", first: 10_000, other: 5 }] },
  });
  // The same reuse as if the second request were for a webhook endpoint, whose URL may contain a secret.
  await db.sql`update idempotency_keys
    set last_reuse = last_reuse || '{"endpoint":"createWebhookEndpoint","path":"/v1/webhook-endpoints"}' where key = 'k'
    and environment_id = ${tenant.merchant.test.id}`;
  expect(await seen()).toMatchObject({
    bodies_shown: true,
    response: first.body,
    reuse: { body_shown: false, body: null, differences: [{ member: "endpoint" }] },
  });
  await db.sql`update idempotency_keys set operation_name = 'createWebhookEndpoint' where key = 'k'
    and environment_id = ${tenant.merchant.test.id}`;
  expect(await seen()).toMatchObject({ bodies_shown: false, body: null, response: null });
  expect(await find(tenant, "k")).toMatchObject({ bodies_shown: true, response: first.body });
});

test("a response with a secret is not shown", async () => {
  const tenant = await moneyTenant(db);
  const ctx = testContext(tenant.service, tenant.merchant.test, {
    request: { id: tenant.merchant.id, endpoint: "createClientSession", path: "/v1/client-sessions" },
    idempotency: testIdempotency("k", Buffer.alloc(32), `{"amount":1}`),
  });
  await createClientSession(ctx, createClientSessionBody.parse({ amount: 1, currency: "USD" }));
  expect(await find(tenant, "k")).toMatchObject({ sealed: true, response: null, effect: null, status: 201 });
});

test("keys are visible only to their merchant", async () => {
  const tenant = await moneyTenant(db);
  const stranger = await moneyTenant(db);
  await tenant.create({}, { key: "k" });
  expect(await find(stranger, "k")).toBeNull();
  expect((await listIdempotencyKeys(contextOf(stranger), { limit: 10, after: null })).keys).toEqual([]);
});

test("the latest keys are paged, each once", async () => {
  const tenant = await moneyTenant(db);
  for (const key of ["a", "b", "c", "d", "e"]) await tenant.create({}, { key });
  const seen: string[] = [];
  let after: string | null = null;
  for (let more = true; more; ) {
    const page: Awaited<ReturnType<typeof listIdempotencyKeys>> = await listIdempotencyKeys(contextOf(tenant), {
      limit: 2,
      after,
    });
    seen.push(...page.keys.map(({ key }) => key));
    after = page.keys.at(-1)?.key ?? null;
    more = page.has_more;
  }
  expect(seen).toEqual(["e", "d", "c", "b", "a"]);
});

test("a user's look-up is in the account's history before the response, once while the page stays open, masked", async () => {
  const tenant = await moneyTenant(db);
  await tenant.create({}, { key: "order 7" });
  const { id } = await createTestUser(db, { merchantId: tenant.merchant.id, role: "viewer" });
  const ctx = testContext(tenant.service, tenant.merchant.test, { actor: { type: "user", id } });
  const looks = async () =>
    (await actsOf(db, tenant.merchant.live.id)).filter(({ action }) => action === "settings.idempotency_key_viewed");
  for (let look = 0; look < 3; look++)
    expect((await getIdempotencyKey(ctx, { key: "order 7", can: seesAll })).state).toBe("done");
  expect((await looks()).map(({ detail }) => detail)).toEqual([{ mode: "test", key: "order 7" }]);
  expect(await lookUpIdempotencyKey(ctx, { key: "4242 4242 4242 4242", can: seesAll })).toBeNull();
  expect(await looks()).toHaveLength(2);
  expect(JSON.stringify(await looks())).not.toContain("4242 4242 4242");
  const later = { ...tenant.service, clock: { now: () => new Date(Date.now() + 11 * 60_000) } };
  await getIdempotencyKey({ ...ctx, service: later }, { key: "order 7", can: seesAll });
  expect(await looks()).toHaveLength(3);
  await getIdempotencyKey({ ...ctx, actor: { type: "staff", id } }, { key: "order 7", can: seesAll });
  expect(await looks()).toHaveLength(3);
  const broken = { ...ctx, environment: { ...ctx.environment, merchantId: newId() } };
  await expect(getIdempotencyKey(broken, { key: "order 7", can: seesAll })).rejects.toThrow(
    "a merchant has a live environment",
  );
});
