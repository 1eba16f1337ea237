import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { eventsAsTold } from "@/e2e/fixtures/events";
import { testContext, testIdempotency, testTenant } from "@/e2e/fixtures/factories";
import { newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { setKeyState } from "./change-keys";
import { editApiKey, issueApiKey, reissueApiKey } from "./issue-keys";
import { getApiKey } from "./read-keys";

const { db } = await testDatabase();

const SETTINGS = {
  name: "Shop",
  permissions: ["payment.create" as const, "payment.read" as const],
  expires_at: null,
  ip_allow_list: ["203.0.113.0/24"],
};

async function setup() {
  const { service, merchant } = await testTenant(db);
  const user = { type: "user", id: newId() } as const;
  const call = (attempt: string = newId()) =>
    testContext(service, merchant.test, { actor: user, idempotency: testIdempotency(attempt, sha256(attempt), null) });
  const events = async () => (await eventsAsTold(db, merchant.test.id)).map(({ event }) => event);
  return { call, events, environmentId: merchant.test.id };
}

/** The commits with events: for each, the event types and the actions in the audit log. */
async function commitsOf(environmentId: string): Promise<{ types: string; audit: string }[]> {
  return [
    ...(await db.sql<{ types: string; audit: string }[]>`
      select string_agg(e.type, ', ' order by e.id) as types, string_agg(a.action, ', ' order by e.id) as audit
      from events e left join audit_log a on a.environment_id = e.environment_id and a.id = e.id and a.xmin = e.xmin
      where e.environment_id = ${environmentId} group by e.xid order by e.xid`),
  ];
}

test("each change of a key has one event, in its own commit, with the changes and a sequence number", async () => {
  const { call, events, environmentId } = await setup();
  const { api_key: created } = await issueApiKey(call(), SETTINGS);
  const { id } = created;
  const change = {
    name: "Till",
    permissions: ["payment.read" as const],
    expires_at: "2040-01-01T00:00:00.000Z",
    ip_allow_list: [],
  };
  const edited = await editApiKey(call(), { id, ...change, updated_at: created.updated_at });
  const disabled = await setKeyState(call(), { id, action: "disable" });
  const enabled = await setKeyState(call(), { id, action: "enable" });
  const { api_key: twin } = await reissueApiKey(call(), { id, overlap_hours: 24 });
  const rotated = await getApiKey(call(), { id });
  const revoked = await setKeyState(call(), { id, action: "revoke" });

  const own = (await events()).filter((event) => event.data.object.id === id);
  expect(own.map(({ type, sequence }) => `${sequence} ${type}`)).toEqual([
    "1 api_key.created",
    "2 api_key.updated",
    "3 api_key.disabled",
    "4 api_key.enabled",
    "5 api_key.rotated",
    "6 api_key.revoked",
  ]);
  expect(own.map(({ data }) => data.object)).toEqual([created, edited, disabled, enabled, rotated, revoked]);
  const all = created.available_actions;
  expect(own.map(({ data }) => data.previous)).toEqual([
    null,
    { ...SETTINGS, updated_at: created.updated_at },
    { status: "ACTIVE", available_actions: all, updated_at: edited.updated_at },
    { status: "DISABLED", available_actions: disabled.available_actions, updated_at: disabled.updated_at },
    { replaced_by: null, expires_at: change.expires_at, available_actions: all, updated_at: enabled.updated_at },
    { status: "ACTIVE", available_actions: rotated.available_actions, updated_at: rotated.updated_at },
  ]);
  const ofTwin = (await events()).filter((event) => event.data.object.id === twin.id);
  expect(ofTwin).toMatchObject([
    { type: "api_key.created", sequence: 1, data: { object: { ...twin, rotated_from: id }, previous: null } },
  ]);
  const commits = await commitsOf(environmentId);
  expect(commits.map(({ types }) => types)).toEqual([
    ...["api_key.created", "api_key.updated", "api_key.disabled", "api_key.enabled"],
    ...["api_key.created, api_key.rotated", "api_key.revoked"],
  ]);
  for (const { types, audit } of commits) expect(audit).toBe(types);
});

test("no event, message or outbox row contains a key's secret or its digest", async () => {
  const { call, environmentId } = await setup();
  const first = await issueApiKey(call(), SETTINGS);
  const second = await reissueApiKey(call(), { id: first.api_key.id, overlap_hours: 0 });
  const [row] = await db.sql<{ text: string }[]>`
    select string_agg(to_jsonb(e)::text, '') as text from events e where environment_id = ${environmentId}`;
  for (const { secret } of [first, second]) {
    if (!secret || !row) throw new Error("a new key shows its secret");
    expect(row.text).toContain(secret.slice(-4));
    expect(row.text).not.toContain(secret.slice(8, 24));
    const digest = sha256(secret);
    for (const text of [digest.toString("hex"), digest.toString("base64")]) expect(row.text).not.toContain(text);
  }
  expect(row?.text).not.toMatch(/secret/);
});

test("unchanged keys, refusals and replayed requests have no event", async () => {
  const { call, events } = await setup();
  const attempt = newId();
  const { api_key: created } = await issueApiKey(call(attempt), SETTINGS);
  await issueApiKey(call(attempt), SETTINGS);
  const { id, updated_at } = created;
  await editApiKey(call(), { id, ...SETTINGS, updated_at });
  await setKeyState(call(), { id, action: "enable" });
  await expect(
    editApiKey(call(), { id, ...SETTINGS, name: "Late", updated_at: "2020-01-01T00:00:00.000Z" }),
  ).rejects.toMatchObject({ code: "invalid_state" });
  await setKeyState(call(), { id, action: "revoke" });
  await setKeyState(call(), { id, action: "revoke" });
  await expect(setKeyState(call(), { id, action: "enable" })).rejects.toMatchObject({ code: "invalid_state" });
  expect((await events()).map(({ type }) => type)).toEqual(["api_key.created", "api_key.revoked"]);
});

test("the event of a disabled key that has expired shows it as the API does: expired", async () => {
  const { call, events } = await setup();
  const expires_at = new Date(Date.now() + 60_000).toISOString();
  const { api_key: created } = await issueApiKey(call(), { ...SETTINGS, expires_at });
  await db.sql`update api_keys set expires_at = now() - interval '1 ms' where last4 = ${created.last4}`;
  await setKeyState(call(), { id: created.id, action: "revoke" });
  expect((await events()).map(({ type, data }) => [type, data.previous])).toEqual([
    ["api_key.created", null],
    ["api_key.revoked", expect.objectContaining({ status: "EXPIRED" })],
  ]);
});
