import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { issuedApiKey } from "@/lib/contract/api-keys/api-keys";
import { attemptContext } from "@/lib/http/caller";
import { newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { testDatabase } from "@/lib/testing/database";
import { testTenant } from "@/lib/testing/factories";
import { setKeyState } from "./change-keys";
import { issueApiKey, reissueApiKey } from "./issue-keys";
import { findUsableKey, listKeyPage } from "./read-keys";

const { db } = await testDatabase();

const shop = { name: " Shop ", permissions: ["payment.create" as const], expires_at: null, ip_allow_list: [] };

async function setup() {
  const tenant = await testTenant(db);
  const person = { type: "user", id: newId() } as const;
  /** A call of a person with one attempt's id; the same attempt is the same request. */
  const call = (attempt: string = randomUUID(), body: object = shop, path = "/api/dashboard/test/api-keys") =>
    attemptContext(tenant.call({ actor: person, request: { id: newId(), operation: "createApiKey", path } }), {
      attempt,
      ...body,
    });
  const list = async () => (await listKeyPage(tenant.call(), { limit: 50, offset: 0 })).data;
  const works = async (secret: string | null) => (await findUsableKey(tenant.service, sha256(secret ?? ""))) !== null;
  const audit = () => db.sql<{ action: string; actor: object }[]>`
    select action, actor from audit_log where environment_id = ${tenant.merchant.test.id} order by created_at, id`;
  return { ...tenant, call, list, works, audit, person };
}

test("a key is made by the person who asked, and its secret works", async () => {
  const { call, list, works, audit, person } = await setup();
  const issued = issuedApiKey.parse(await issueApiKey(call(), shop));
  expect(issued.api_key).toMatchObject({
    name: "Shop",
    status: "ACTIVE",
    available_actions: ["rotate", "disable", "revoke"],
  });
  expect(await works(issued.secret)).toBe(true);
  expect(await list()).toEqual([issued.api_key]);
  expect([...(await audit())]).toEqual([{ action: "api_key.created", actor: person }]);
});

test("one attempt makes one key, however often and however quickly it is sent, and one answer has the secret", async () => {
  const { call, list } = await setup();
  const attempt = randomUUID();
  const answers = await Promise.all(Array.from({ length: 5 }, () => issueApiKey(call(attempt), shop)));
  expect(await list()).toHaveLength(1);
  expect(new Set(answers.map((answer) => answer.api_key.id)).size).toBe(1);
  expect(answers.filter((answer) => answer.secret !== null)).toHaveLength(1);
  expect((await issueApiKey(call(attempt), shop)).secret).toBeNull();
});

test("one attempt with other settings is refused, and makes nothing", async () => {
  const { call, list } = await setup();
  const attempt = randomUUID();
  await issueApiKey(call(attempt), shop);
  const other = { ...shop, name: "Other" };
  await expect(issueApiKey(call(attempt, other), other)).rejects.toMatchObject({ code: "idempotency_key_reused" });
  expect(await list()).toHaveLength(1);
});

test("an attempt uses up no idempotency key of the merchant's own requests, whatever it is called", async () => {
  const { call, merchant, list } = await setup();
  await issueApiKey(call("order-00000000-1001"), shop);
  expect(await list()).toHaveLength(1);
  const [{ key = "" } = {}] = await db.sql`select key from idempotency_keys where environment_id = ${merchant.test.id}`;
  const sent = new Headers({ "x-idempotency-key": key }).get("x-idempotency-key");
  expect([key.includes("order-00000000-1001"), sent === key]).toEqual([true, false]);
});

test("a refused form may be corrected and sent as the same attempt", async () => {
  const { call, list } = await setup();
  const attempt = randomUUID();
  const wrong = { ...shop, name: "", ip_allow_list: ["10.0.0.0/8", "x"] };
  await expect(issueApiKey(call(attempt, wrong), wrong)).rejects.toMatchObject({
    errors: [{ param: "name" }, { param: "ip_allow_list.1" }],
  });
  await issueApiKey(call(attempt), shop);
  expect(await list()).toHaveLength(1);
});

test("the secret is nowhere in the database, neither with the key nor with the attempt", async () => {
  const { call, merchant } = await setup();
  const { secret } = await issueApiKey(call(), shop);
  const [kept] = await db.sql`
    select concat((select jsonb_agg(k) from idempotency_keys k where environment_id = ${merchant.test.id})::text,
      (select jsonb_agg(k) from api_keys k where environment_id = ${merchant.test.id})::text,
      (select jsonb_agg(a) from audit_log a where environment_id = ${merchant.test.id})::text) as text`;
  expect(kept?.text).toContain("Shop");
  expect(kept?.text).not.toContain(secret?.slice(8, 30));
});

test("a roll is one attempt, too; both keys know of each other and cannot be rolled twice", async () => {
  const { call, list, works } = await setup();
  const old = await issueApiKey(call(), shop);
  const roll = (attempt: string) =>
    reissueApiKey(call(attempt, { overlap_hours: 24 }, `/api/dashboard/test/api-keys/${old.api_key.id}/rotate`), {
      id: old.api_key.id,
      overlap_hours: 24,
    });
  const attempt = randomUUID();
  const made = await roll(attempt);
  expect(await roll(attempt)).toEqual({ ...made, secret: null });
  await expect(roll(randomUUID())).rejects.toMatchObject({
    code: "invalid_state",
    extra: { current_status: "ACTIVE" },
  });
  expect(await list()).toMatchObject([
    { id: made.api_key.id, rotated_from: old.api_key.id, replaced_by: null },
    { id: old.api_key.id, replaced_by: made.api_key.id, available_actions: ["disable", "revoke"] },
  ]);
  expect([await works(old.secret), await works(made.secret)]).toEqual([true, true]);
});

test("a refusal that its attempt keeps is the same refusal again", async () => {
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

test("what can be done with a key follows its state", async () => {
  const { call, list, merchant } = await setup();
  const { api_key } = await issueApiKey(call(), shop);
  const change = (action: "disable" | "enable" | "revoke") => setKeyState(call(), { id: api_key.id, action });
  expect(await change("disable")).toMatchObject({ status: "DISABLED", available_actions: ["enable", "revoke"] });
  expect(await change("enable")).toMatchObject({ status: "ACTIVE" });
  await db.sql`update api_keys set expires_at = now() - interval '1 second' where environment_id = ${merchant.test.id}`;
  expect(await list()).toMatchObject([{ status: "EXPIRED", available_actions: ["revoke"] }]);
  expect(await change("revoke")).toMatchObject({ status: "REVOKED", available_actions: [] });
});

test("the list has pages, and is the environment's own", async () => {
  const { call, stranger } = await setup();
  for (const name of ["a", "b", "c"]) await issueApiKey(call(randomUUID(), { name }), { ...shop, name });
  const second = await listKeyPage(call(), { limit: 2, offset: 2 });
  expect(second).toMatchObject({ total: 3, has_more: false, data: [{ name: "a" }] });
  expect((await listKeyPage(call(), { limit: 2, offset: 0 })).has_more).toBe(true);
  const strange = await listKeyPage({ ...call(), environment: stranger.test }, { limit: 2, offset: 0 });
  expect(strange).toMatchObject({ total: 0, data: [] });
});
