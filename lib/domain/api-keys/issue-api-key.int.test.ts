import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testTenant } from "@/e2e/fixtures/factories";
import { type ApiKey, type ApiKeySettings, issuedApiKey, keyLimits } from "@/lib/contract/api-keys/api-keys";
import { attemptContext } from "@/lib/http/caller";
import { newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { setKeyState } from "./change-keys";
import { editApiKey, issueApiKey, reissueApiKey } from "./issue-keys";
import { findUsableKey, listKeyPage } from "./read-keys";

const { db } = await testDatabase();

const shop = { name: " Shop ", permissions: ["payment.create" as const], expires_at: null, ip_allow_list: [] };

async function setup() {
  const tenant = await testTenant(db);
  const user = { type: "user", id: newId() } as const;
  /** A user's call with an attempt's id; the same attempt is the same request. */
  const call = (attempt: string = randomUUID(), body: object = shop, path = "/api/dashboard/test/api-keys") =>
    attemptContext(tenant.call({ actor: user, request: { id: newId(), endpoint: "createApiKey", path } }), {
      attempt,
      ...body,
    });
  const list = async () => (await listKeyPage(tenant.call(), { limit: 50, offset: 0 })).data;
  const works = async (secret: string | null) => (await findUsableKey(tenant.service, sha256(secret ?? ""))) !== null;
  const audit = () => db.sql<{ action: string; actor: object }[]>`
    select action, actor from audit_log where environment_id = ${tenant.merchant.test.id} order by created_at, id`;
  /** Each edit's old and new values, for the activity page. */
  const edits = async () => {
    const rows = await db.sql<{ changes: object }[]>`
      select detail -> 'changes' as changes from audit_log
      where environment_id = ${tenant.merchant.test.id} and action = 'api_key.updated' order by created_at, id`;
    return rows.map(({ changes }) => changes);
  };
  /** Sends the form of a page that shows the key as `seen`. */
  const edit = (seen: ApiKey, settings: Partial<ApiKeySettings>) => {
    const { id, name, permissions, expires_at, ip_allow_list, updated_at } = seen;
    return editApiKey(call(), { id, name, permissions, expires_at, ip_allow_list, ...settings, updated_at });
  };
  return { ...tenant, call, list, works, audit, edits, edit, user };
}

test("a key is created by the requesting user, and its secret works", async () => {
  const { call, list, works, audit, user } = await setup();
  const issued = issuedApiKey.parse(await issueApiKey(call(), shop));
  expect(issued.api_key).toMatchObject({
    name: "Shop",
    status: "ACTIVE",
    available_actions: ["edit", "rotate", "disable", "revoke"],
  });
  expect(await works(issued.secret)).toBe(true);
  expect(await list()).toEqual([issued.api_key]);
  expect([...(await audit())]).toEqual([{ action: "api_key.created", actor: user }]);
});

test("one attempt creates one key, even when sent repeatedly and concurrently, and one response has the secret", async () => {
  const { call, list } = await setup();
  const attempt = randomUUID();
  const results = await Promise.all(Array.from({ length: 5 }, () => issueApiKey(call(attempt), shop)));
  expect(await list()).toHaveLength(1);
  expect(new Set(results.map((result) => result.api_key.id)).size).toBe(1);
  expect(results.filter((result) => result.secret !== null)).toHaveLength(1);
  expect((await issueApiKey(call(attempt), shop)).secret).toBeNull();
});

test("the same attempt with other settings is refused, and creates nothing", async () => {
  const { call, list } = await setup();
  const attempt = randomUUID();
  await issueApiKey(call(attempt), shop);
  const other = { ...shop, name: "Other" };
  await expect(issueApiKey(call(attempt, other), other)).rejects.toMatchObject({ code: "idempotency_key_reused" });
  expect(await list()).toHaveLength(1);
});

test("an attempt never collides with an idempotency key of the merchant's own requests", async () => {
  const { call, merchant, list } = await setup();
  await issueApiKey(call("order-00000000-1001"), shop);
  expect(await list()).toHaveLength(1);
  const [{ key = "" } = {}] = await db.sql`select key from idempotency_keys where environment_id = ${merchant.test.id}`;
  const sent = new Headers({ "x-idempotency-key": key }).get("x-idempotency-key");
  expect([key.includes("order-00000000-1001"), sent === key]).toEqual([true, false]);
});

test("a refused form can be corrected and sent as the same attempt", async () => {
  const { call, list } = await setup();
  const attempt = randomUUID();
  const wrong = { ...shop, name: "", ip_allow_list: ["10.0.0.0/8", "x"] };
  await expect(issueApiKey(call(attempt, wrong), wrong)).rejects.toMatchObject({
    errors: [{ param: "name" }, { param: "ip_allow_list.1" }],
  });
  await issueApiKey(call(attempt), shop);
  expect(await list()).toHaveLength(1);
});

test("the secret is not in the database, neither with the key nor with the attempt", async () => {
  const { call, merchant } = await setup();
  const { secret } = await issueApiKey(call(), shop);
  const [kept] = await db.sql`
    select concat((select jsonb_agg(k) from idempotency_keys k where environment_id = ${merchant.test.id})::text,
      (select jsonb_agg(k) from api_keys k where environment_id = ${merchant.test.id})::text,
      (select jsonb_agg(a) from audit_log a where environment_id = ${merchant.test.id})::text) as text`;
  expect(kept?.text).toContain("Shop");
  expect(kept?.text).not.toContain(secret?.slice(8, 30));
});

test("a rotation is one attempt, too; both keys name each other and cannot be rotated twice", async () => {
  const { call, list, works } = await setup();
  const old = await issueApiKey(call(), shop);
  const roll = (attempt: string) =>
    reissueApiKey(call(attempt, { overlap_hours: 24 }, `/api/dashboard/test/api-keys/${old.api_key.id}/rotate`), {
      id: old.api_key.id,
      overlap_hours: 24,
    });
  const attempt = randomUUID();
  const issued = await roll(attempt);
  expect(await roll(attempt)).toEqual({ ...issued, secret: null });
  await expect(roll(randomUUID())).rejects.toMatchObject({
    code: "invalid_state",
    extra: { current_status: "ACTIVE" },
  });
  expect(await list()).toMatchObject([
    { id: issued.api_key.id, rotated_from: old.api_key.id, replaced_by: null },
    { id: old.api_key.id, replaced_by: issued.api_key.id, available_actions: ["disable", "revoke"] },
  ]);
  expect([await works(old.secret), await works(issued.secret)]).toEqual([true, true]);
});

test("a refusal stored with its attempt is replayed", async () => {
  const { call } = await setup();
  const { api_key } = await issueApiKey(call(), shop);
  await setKeyState(call(), { id: api_key.id, action: "revoke" });
  const attempt = randomUUID();
  for (let i = 0; i < 2; i++) {
    await expect(
      reissueApiKey(call(attempt, { overlap_hours: 0 }), { id: api_key.id, overlap_hours: 0 }),
    ).rejects.toMatchObject({ code: "invalid_state", extra: { current_status: "REVOKED", allowed_actions: [] } });
  }
});

test("the available actions of a key follow its state", async () => {
  const { call, list, merchant } = await setup();
  const { api_key } = await issueApiKey(call(), shop);
  const change = (action: "disable" | "enable" | "revoke") => setKeyState(call(), { id: api_key.id, action });
  expect(await change("disable")).toMatchObject({
    status: "DISABLED",
    available_actions: ["edit", "enable", "revoke"],
  });
  expect(await change("enable")).toMatchObject({ status: "ACTIVE" });
  await db.sql`update api_keys set expires_at = now() - interval '1 second' where environment_id = ${merchant.test.id}`;
  expect(await list()).toMatchObject([{ status: "EXPIRED", available_actions: ["revoke"] }]);
  expect(await change("revoke")).toMatchObject({ status: "REVOKED", available_actions: [] });
});

test("the list has pages, and only the environment's keys", async () => {
  const { call, stranger } = await setup();
  for (const name of ["a", "b", "c"]) await issueApiKey(call(randomUUID(), { name }), { ...shop, name });
  const second = await listKeyPage(call(), { limit: 2, offset: 2 });
  expect(second).toMatchObject({ total: 3, has_more: false, data: [{ name: "a" }] });
  expect((await listKeyPage(call(), { limit: 2, offset: 0 })).has_more).toBe(true);
  const foreign = await listKeyPage({ ...call(), environment: stranger.test }, { limit: 2, offset: 0 });
  expect(foreign).toMatchObject({ total: 0, data: [] });
});

test("an edit changes a key's settings, not its secret, and the log has the actor", async () => {
  const { call, list, works, audit, edits, edit, user } = await setup();
  const issued = await issueApiKey(call(), shop);
  const expires_at = "2099-01-01T00:00:00.000Z";
  const settings = { name: " Till ", permissions: ["event.read" as const], expires_at, ip_allow_list: ["10.0.0.0/8"] };
  const changed = await edit(issued.api_key, settings);
  expect(changed).toEqual({ ...issued.api_key, ...settings, name: "Till", updated_at: changed.updated_at });
  expect(await list()).toEqual([changed]);
  expect(await works(issued.secret)).toBe(true);
  expect((await findUsableKey({ db }, sha256(issued.secret ?? "")))?.permissions).toEqual(["event.read"]);
  expect([...(await audit())].at(-1)).toEqual({ action: "api_key.updated", actor: user });
  await edit(changed, { permissions: ["event.read", "payment.read"] });
  expect(await edits()).toEqual([
    {
      name: ["Shop", "Till"],
      permissions: ["payment.create", "event.read"],
      expires_at: [null, expires_at],
      ip_allow_list: ["", "10.0.0.0/8"],
    },
    { permissions: ["event.read", "event.read, payment.read"] },
  ]);
});

test("limits are set, kept by other edits and by rotations, and removed; a limit needs its currency", async () => {
  const { call, edits, edit } = await setup();
  const limits = { refund_max: 500, refunds_per_day: 3, refund_amount_per_day: null, currency: "USD" };
  const { api_key } = await issueApiKey(call(), { ...shop, limits });
  expect(api_key.limits).toEqual(limits);
  const renamed = await edit(api_key, { name: "Till" });
  expect(renamed.limits).toEqual(limits);
  const free = await edit(renamed, { limits: null });
  expect(free.limits).toBeNull();
  const set = await edit(free, { limits });
  expect((await edits()).slice(1)).toEqual([
    { limits: ["$5.00 a refund, 3 refunds a day", null] },
    { limits: [null, "$5.00 a refund, 3 refunds a day"] },
  ]);
  expect((await reissueApiKey(call(), { id: set.id, overlap_hours: 24 })).api_key.limits).toEqual(limits);
  for (const wrong of [{ ...limits, currency: null }, { refunds_per_day: 3, currency: "USD" }, { refund_max: 0 }]) {
    expect(keyLimits.safeParse(wrong).success).toBe(false);
  }
});

test("an edit that changes nothing leaves the key and the log as they are", async () => {
  const { call, list, edits, edit } = await setup();
  const { api_key } = await issueApiKey(call(), { ...shop, permissions: ["payment.create", "event.read"] });
  expect(await edit(api_key, { permissions: ["event.read", "payment.create"] })).toEqual(api_key);
  expect(await list()).toEqual([api_key]);
  expect(await edits()).toEqual([]);
});

test("a form opened before another user's change does not undo that change", async () => {
  const { call, list, edits, edit } = await setup();
  const { api_key: seen } = await issueApiKey(call(), { ...shop, permissions: ["payment.create", "payment.read"] });
  const results = await Promise.allSettled([
    edit(seen, { permissions: ["payment.create"] }),
    edit(seen, { name: "B" }),
  ]);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(results.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { code: "invalid_state", message: expect.stringContaining("Reload the page") },
  });
  expect(await edits()).toHaveLength(1);
  const [now] = await list();
  if (!now) throw new Error("the key is gone");
  await edit(now, { permissions: ["payment.create"], name: "B" });
  expect(await list()).toMatchObject([{ name: "B", permissions: ["payment.create"] }]);
});

test("a replaced key ends as its rotation set it: no edit extends its life", async () => {
  const { call, list, edit } = await setup();
  const { api_key } = await issueApiKey(call(), shop);
  const twin = await reissueApiKey(call(), { id: api_key.id, overlap_hours: 24 });
  const find = async () => {
    const key = (await list()).find(({ id }) => id === api_key.id);
    if (!key) throw new Error("the key is gone");
    return key;
  };
  const replaced = await find();
  expect(replaced.available_actions).toEqual(["disable", "revoke"]);
  for (const settings of [{ expires_at: null }, { expires_at: "2099-01-01T00:00:00.000Z" }, { name: "B" }])
    await expect(edit(replaced, settings)).rejects.toMatchObject({
      code: "invalid_state",
      extra: { current_status: "ACTIVE", allowed_actions: ["disable", "revoke"] },
    });
  expect(await find()).toEqual(replaced);
  await setKeyState(call(), { id: api_key.id, action: "disable" });
  expect((await find()).available_actions).toEqual(["enable", "revoke"]);
  await edit(twin.api_key, { name: "B" });
});

test("a concurrent rotation and edit never leave the old key without its end", async () => {
  const { call, list, edit } = await setup();
  for (let i = 0; i < 5; i++) {
    const { api_key } = await issueApiKey(call(), shop);
    const later = edit(api_key, { expires_at: "2099-01-01T00:00:00.000Z" });
    await Promise.allSettled([reissueApiKey(call(), { id: api_key.id, overlap_hours: 1 }), later]);
    const old = (await list()).find(({ id }) => id === api_key.id);
    expect(Date.parse(old?.expires_at ?? "")).toBeLessThan(Date.now() + 2 * 3_600_000);
  }
});

test("invalid settings are refused, and an ended or foreign key cannot be edited", async () => {
  const { call, list, edit } = await setup();
  const { api_key } = await issueApiKey(call(), shop);
  const { id } = api_key;
  const wrong: [param: string, settings: Partial<ApiKeySettings>][] = [
    ["name", { name: " " }],
    ["permissions", { permissions: [] }],
    ["expires_at", { expires_at: "2020-01-01T00:00:00Z" }],
    ["ip_allow_list.0", { ip_allow_list: ["10.0.0.0/99"] }],
  ];
  for (const [param, settings] of wrong) {
    const refusal = { code: "invalid_parameter", param };
    await expect(edit(api_key, settings), param).rejects.toMatchObject(refusal);
  }
  const stranger = await setup();
  await expect(stranger.edit(api_key, { name: "B" })).rejects.toMatchObject({ code: "resource_not_found" });
  expect(await list()).toEqual([api_key]);
  await setKeyState(call(), { id, action: "revoke" });
  await expect(edit(api_key, { name: "B" })).rejects.toMatchObject({ code: "invalid_state" });
});
