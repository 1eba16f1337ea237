import { createPayment, getPayment, listPayments } from "@/lib/contract/payments/endpoints";
import { disableApiKey, enableApiKey, revokeApiKey } from "@/lib/domain/api-keys/change-keys";
import { rotateApiKey } from "@/lib/domain/api-keys/issue-keys";
import { Api } from "../client";
import { expect, test } from "../fixtures/playwright";
import { aPayment, captured } from "../samples";

/** Generous, since a busy machine may be slow: one test below checks the real limit against the clock. */
const KNOWN = { timeout: 10_000, intervals: [50] };
const statusOf = async (api: Api) => (await api.call(listPayments)).status;

test("a key has the shape of the contract", async ({ tenant }) => {
  expect((await tenant.newKey()).secret).toMatch(/^sk_test_[0-9A-Za-z]{38}$/);
  expect((await tenant.newKey({ mode: "live" })).secret).toMatch(/^sk_live_[0-9A-Za-z]{38}$/);
});

test("a missing key is api_key_missing, whatever else is sent", async ({ api, baseUrl }) => {
  const nobody = new Api(baseUrl, null);
  (await nobody.call(listPayments)).problem("api_key_missing");
  (await nobody.call(listPayments, { headers: { "X-Api-Key": "" } })).problem("api_key_missing");
  (await nobody.call(listPayments, { headers: { Authorization: `Bearer ${api.apiKey}` } })).problem("api_key_missing");
});

test("all keys that don't work get the same response", async ({ tenant, service, baseUrl, db }) => {
  const [revoked, disabled, expired] = [await tenant.newKey(), await tenant.newKey(), await tenant.newKey()];
  const environmentId = tenant.merchant.test.id;
  await revokeApiKey(service, { environmentId, id: revoked.id });
  await disableApiKey(service, { environmentId, id: disabled.id });
  await db.sql`update api_keys set expires_at = now() - interval '1 ms' where environment_id = ${environmentId} and id = ${expired.uuid}`;
  const good = tenant.api.apiKey ?? "";
  const bodies = new Set<string>();
  for (const secret of [
    revoked.secret,
    disabled.secret,
    expired.secret,
    `${good.slice(0, -1)}${good.endsWith("a") ? "b" : "a"}`,
    good.replace("sk_test_", "sk_live_"),
    good.toUpperCase(),
    good.slice(8),
    `sk_test_${"A".repeat(38)}`,
    "x",
    "x".repeat(5_000),
    "' or 1=1 --",
    "__proto__",
  ]) {
    const answer = await new Api(baseUrl, secret).call(listPayments);
    const { request_id } = answer.problem("api_key_invalid");
    expect(answer.text).not.toContain(secret.slice(0, 12) === secret ? "\n" : secret);
    bodies.add(answer.text.replace(request_id, "REQUEST"));
  }
  expect([...bodies]).toHaveLength(1);
});

test("white space around a key does not matter, a key is one key", async ({ api, baseUrl }) => {
  (await new Api(baseUrl, ` ${api.apiKey} `).call(listPayments)).ok();
  (await new Api(baseUrl, `${api.apiKey}, ${api.apiKey}`).call(listPayments)).problem("api_key_invalid");
});

test("a revoked key stops working within a second, for good", async ({ tenant, service }) => {
  const msUntilRefused = async () => {
    const key = await tenant.newKey();
    const input = { environmentId: tenant.merchant.test.id, id: key.id };
    expect(await statusOf(key.api)).toBe(200);
    await revokeApiKey(service, input);
    const revokedMs = performance.now();
    await expect.poll(() => statusOf(key.api), KNOWN).toBe(401);
    const ms = performance.now() - revokedMs;
    await expect(enableApiKey(service, input)).rejects.toThrow();
    return ms;
  };
  // Several keys, because a busy machine can delay single requests.
  await expect.poll(msUntilRefused, { intervals: [0] }).toBeLessThan(1_000);
});

test("a disabled key works again when it is enabled", async ({ tenant, service }) => {
  const key = await tenant.newKey();
  const input = { environmentId: tenant.merchant.test.id, id: key.id };
  expect(await statusOf(key.api)).toBe(200);
  await disableApiKey(service, input);
  await expect.poll(() => statusOf(key.api), KNOWN).toBe(401);
  await enableApiKey(service, input);
  await expect.poll(() => statusOf(key.api), KNOWN).toBe(200);
});

test("a key ends at its expiry", async ({ tenant, db }) => {
  const key = await tenant.newKey({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
  expect(await statusOf(key.api)).toBe(200);
  await db.sql`update api_keys set expires_at = now() - interval '1 ms' where id = ${key.uuid}`;
  await expect.poll(() => statusOf(key.api), KNOWN).toBe(401);
});

test("a rotated key works beside its successor for the chosen overlap", async ({ tenant, service, baseUrl, db }) => {
  const [now, later] = [await tenant.newKey(), await tenant.newKey()];
  const environmentId = tenant.merchant.test.id;
  const afterNow = await rotateApiKey(service, { environmentId, id: now.id, overlapHours: 0 });
  const afterLater = await rotateApiKey(service, { environmentId, id: later.id, overlapHours: 24 });
  await expect.poll(() => statusOf(now.api), KNOWN).toBe(401);
  expect(await statusOf(later.api)).toBe(200);
  for (const { secret } of [afterNow, afterLater]) expect(await statusOf(new Api(baseUrl, secret))).toBe(200);
  await db.sql`update api_keys set expires_at = expires_at - interval '24 hours' where id = ${later.uuid}`;
  await expect.poll(() => statusOf(later.api), KNOWN).toBe(401);
});

test("a key with an allow list is refused from other addresses", async ({ tenant }) => {
  for (const ipAllowList of [["203.0.113.7"], ["203.0.113.0/24", "2001:db8::/32"]]) {
    const { api } = await tenant.newKey({ ipAllowList });
    (await api.call(listPayments)).problem("ip_not_allowed");
    // The caller's own header is ignored unless a proxy is trusted.
    (
      await api.raw({ method: "GET", path: "/v1/payments", headers: { "X-Forwarded-For": "203.0.113.7, 203.0.113.7" } })
    ).problem("ip_not_allowed");
  }
  const home = await tenant.newKey({ ipAllowList: ["127.0.0.0/8", "::1"] });
  (await home.api.call(listPayments)).ok();
});

test("the keys of a suspended merchant do nothing until it is reinstated", async ({ tenant, db }) => {
  const { id } = await captured(tenant.api);
  await db.sql`update merchants set suspended_at = now() where id = ${tenant.merchant.id}`;
  await expect.poll(() => statusOf(tenant.api), KNOWN).toBe(403);
  (await tenant.api.call(createPayment, { body: aPayment() })).problem("merchant_suspended");
  (await tenant.live.call(listPayments)).problem("merchant_suspended");
  await db.sql`update merchants set suspended_at = null where id = ${tenant.merchant.id}`;
  await expect.poll(() => statusOf(tenant.api), KNOWN).toBe(200);
  (await tenant.api.call(getPayment, { id })).ok();
});

test("the last use of a key is recorded", async ({ tenant, db }) => {
  const key = await tenant.newKey();
  (await key.api.call(listPayments)).ok();
  const lastUse = async () => {
    const [row] = await db.sql`select last_used_at, last_used_ip from api_keys where id = ${key.uuid}`;
    return row?.last_used_at ? row.last_used_ip : null;
  };
  await expect.poll(lastUse, { timeout: 15_000 }).toBe("127.0.0.1");
});

test("only a secret's digest, prefix and last characters are stored", async ({ tenant, db }) => {
  const key = await tenant.newKey();
  const [row] = await db.sql`select to_jsonb(k)::text as row, prefix, last4 from api_keys k where id = ${key.uuid}`;
  expect(row).toMatchObject({ prefix: "sk_test_", last4: key.secret.slice(-4) });
  expect(row?.row).not.toContain(key.secret.slice(8, 20));
});
