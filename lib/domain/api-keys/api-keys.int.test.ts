import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testTenant } from "@/e2e/fixtures/factories";
import type { OverlapHours } from "@/lib/contract/api-keys/api-keys";
import { encodeId } from "@/lib/contract/ids";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { disableApiKey, enableApiKey, revokeApiKey } from "./change-keys";
import { type CreateApiKeyInput, createApiKey, isWellFormedKey, rotateApiKey } from "./issue-keys";
import { findUsableKey, listApiKeys } from "./read-keys";

const { db } = await testDatabase();

async function setup() {
  const tenant = await testTenant(db);
  const { service } = tenant;
  const environmentId = tenant.merchant.test.id;
  return {
    ...tenant,
    environmentId,
    create: (input: Partial<Parameters<typeof createApiKey>[1]> = {}) =>
      createApiKey(service, { environmentId, name: "Shop", permissions: ["payment.create"], ...input }),
    input: (row: { id: string }) => ({ environmentId, id: encodeId("apiKey", row.id) }),
    works: async (secret: string) => (await findUsableKey(service, sha256(secret))) !== null,
  };
}

test("a key has its environment's mode, and only its digest is stored", async () => {
  const { create, merchant, service } = await setup();
  const { row, secret } = await create({ permissions: ["payment.create", "payment.read", "payment.create"] });
  expect(secret).toMatch(/^sk_test_/);
  expect(isWellFormedKey(secret)).toBe(true);
  expect(row).toMatchObject({
    prefix: "sk_test_",
    last4: secret.slice(-4),
    status: "ACTIVE",
    permissions: ["payment.create", "payment.read"],
  });
  const [stored] = await db.sql`select to_jsonb(k)::text as text, secret_sha256 from api_keys k where id = ${row.id}`;
  expect(stored?.text).not.toContain(secret.slice(8, 40));
  expect(stored?.secret_sha256).toEqual(sha256(secret));
  expect(await findUsableKey(service, sha256(secret))).toEqual({
    id: row.id,
    permissions: row.permissions,
    ip_allow_list: [],
    suspended: false,
    verified: false,
    clock_offset_ms: 0,
    clock_frozen_at: null,
    environment_id: merchant.test.id,
    mode: "test",
    merchant_id: merchant.id,
  });
  const live = await create({ environmentId: merchant.live.id });
  expect(live.secret).toMatch(/^sk_live_/);
});

test.each<[Partial<CreateApiKeyInput>, string]>([
  [{ name: " " }, "name"],
  [{ name: "x".repeat(101) }, "name"],
  [{ permissions: [] }, "permissions"],
  [{ permissions: ["payment.create", "everything" as never] }, "permissions.1"],
  [{ expiresAt: "2020-01-01T00:00:00.000Z" }, "expires_at"],
  [{ expiresAt: "soon" }, "expires_at"],
  [{ ipAllowList: ["10.0.0.0/8", "10.0.0.0/40"] }, "ip_allow_list.1"],
])("%j is refused on %s", async (input, param) => {
  const { create } = await setup();
  await expect(create(input)).rejects.toMatchObject({ code: "invalid_parameter", param });
});

test("an unknown environment gets no keys", async () => {
  const { create } = await setup();
  await expect(create({ environmentId: newId() })).rejects.toMatchObject({ code: "resource_not_found" });
});

test("the list has only the environment's keys, newest first", async () => {
  const { create, service, environmentId, stranger } = await setup();
  const rows = [];
  for (const name of ["a", "b", "c"]) rows.unshift((await create({ name })).row);
  expect((await listApiKeys(service, { environmentId })).map((row) => row.name)).toEqual(["c", "b", "a"]);
  expect(await listApiKeys(service, { environmentId, limit: 1 })).toEqual([rows[0]]);
  expect(await listApiKeys(service, { environmentId: stranger.test.id })).toEqual([]);
});

test("a key can be disabled and enabled; revoked, it stays revoked", async () => {
  const { create, input, works, service } = await setup();
  const { row, secret } = await create();
  expect(await works(secret)).toBe(true);
  expect((await disableApiKey(service, input(row))).status).toBe("DISABLED");
  expect(await works(secret)).toBe(false);
  expect((await enableApiKey(service, input(row))).status).toBe("ACTIVE");
  expect(await works(secret)).toBe(true);
  expect((await revokeApiKey(service, input(row))).status).toBe("REVOKED");
  expect(await works(secret)).toBe(false);
  for (const verb of [enableApiKey, disableApiKey]) {
    await expect(verb(service, input(row))).rejects.toMatchObject({
      code: "invalid_state",
      extra: { current_status: "REVOKED", allowed_actions: [] },
    });
  }
  expect((await revokeApiKey(service, input(row))).status).toBe("REVOKED");
});

test("an expired key does not work", async () => {
  const { create, works } = await setup();
  const { row, secret } = await create({ expiresAt: new Date(Date.now() + 60_000).toISOString() });
  expect(await works(secret)).toBe(true);
  await db.sql`update api_keys set expires_at = now() - interval '1 ms' where id = ${row.id}`;
  expect(await works(secret)).toBe(false);
});

test.each([0, 1, 24, 168] as OverlapHours[])(
  "a key rotated with %d hours of overlap has a twin, and ends then",
  async (overlapHours) => {
    const { create, input, works, service, environmentId } = await setup();
    const old = await create({ permissions: [...PERMISSIONS], ipAllowList: ["10.0.0.0/8"] });
    const twin = await rotateApiKey(service, { ...input(old.row), overlapHours });
    const { name, permissions, ip_allow_list, expires_at } = old.row;
    expect(twin.row).toMatchObject({
      name,
      permissions,
      ip_allow_list,
      expires_at,
      rotated_from: old.row.id,
      status: "ACTIVE",
    });
    expect(await works(twin.secret)).toBe(true);
    expect(await works(old.secret)).toBe(overlapHours > 0);
    const ended = (await listApiKeys(service, { environmentId })).find((row) => row.id === old.row.id);
    const hours = (Date.parse(ended?.expires_at ?? "") - Date.now()) / 3_600_000;
    expect(Math.abs(hours - overlapHours)).toBeLessThan(0.01);
  },
);

test("rotating does not extend a key's life, and its replacement has the same expiry", async () => {
  const { create, input, service, environmentId } = await setup();
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const { row } = await create({ expiresAt });
  const twin = await rotateApiKey(service, { ...input(row), overlapHours: 24 });
  expect(twin.row.expires_at).toBe(expiresAt);
  expect((await listApiKeys(service, { environmentId })).map((key) => key.expires_at)).toEqual([expiresAt, expiresAt]);
});

test("a key can be rotated once, and only while it works", async () => {
  const { create, input, service } = await setup();
  const rotate = (row: { id: string }) => rotateApiKey(service, { ...input(row), overlapHours: 24 });
  const { row } = await create();
  const results = await Promise.allSettled([rotate(row), rotate(row)]);
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
  const disabled = (await create()).row;
  await disableApiKey(service, input(disabled));
  await expect(rotate(disabled)).rejects.toMatchObject({
    code: "invalid_state",
    extra: { current_status: "DISABLED" },
  });
  const expired = (await create()).row;
  await db.sql`update api_keys set expires_at = now() - interval '1 minute' where id = ${expired.id}`;
  await expect(rotate(expired)).rejects.toMatchObject({ code: "invalid_state" });
});

test("another environment's key is not found", async () => {
  const { create, input, service, works, merchant, stranger } = await setup();
  const { row, secret } = await create();
  for (const environmentId of [merchant.live.id, stranger.test.id]) {
    for (const verb of [disableApiKey, enableApiKey, revokeApiKey]) {
      await expect(verb(service, { ...input(row), environmentId })).rejects.toMatchObject({
        code: "resource_not_found",
      });
    }
    await expect(rotateApiKey(service, { ...input(row), environmentId, overlapHours: 0 })).rejects.toMatchObject({
      code: "resource_not_found",
    });
  }
  expect(await works(secret)).toBe(true);
});

test("every change is in the audit log with its actor; a request that changes nothing is not", async () => {
  const { create, input, service, environmentId } = await setup();
  const by = { actor: { type: "user", id: newId() } as const, requestId: newId() };
  const { row } = await create(by);
  await disableApiKey(service, { ...input(row), ...by });
  await disableApiKey(service, { ...input(row), ...by });
  await enableApiKey(service, { ...input(row), ...by });
  const twin = await rotateApiKey(service, { ...input(row), ...by, overlapHours: 0 });
  await revokeApiKey(service, input(twin.row));
  const rows = await db.sql`
    select action, object_id, actor, request_id from audit_log where environment_id = ${environmentId} order by created_at, id`;
  const entry = (action: string, object_id: string) => ({
    action,
    object_id,
    actor: by.actor,
    request_id: by.requestId,
  });
  expect([...rows]).toEqual([
    entry("api_key.created", row.id),
    entry("api_key.disabled", row.id),
    entry("api_key.enabled", row.id),
    entry("api_key.created", twin.row.id),
    entry("api_key.rotated", row.id),
    { action: "api_key.revoked", object_id: twin.row.id, actor: { type: "system", id: null }, request_id: null },
  ]);
});
