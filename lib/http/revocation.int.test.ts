import { Readable } from "node:stream";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { testDatabase } from "@/e2e/fixtures/database";
import { cookieOf, staffCaller, testUsers } from "@/e2e/fixtures/users";
import { updateBusiness } from "@/lib/contract/accounts/endpoints";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { encodeId } from "@/lib/contract/ids";
import type { Permission } from "@/lib/contract/permissions";
import { endOtherSessions } from "@/lib/domain/accounts/sessions";
import { setKeyState } from "@/lib/domain/api-keys/change-keys";
import { createApiKey, reissueApiKey } from "@/lib/domain/api-keys/issue-keys";
import { suspendMerchant } from "@/lib/domain/support/suspend-merchants";
import { removeMember } from "@/lib/domain/team/team";
import { newId } from "@/lib/ids";
import { provideService } from "./current-service";
import { dashboardRoutes } from "./dashboard-endpoints";
import { dispatch } from "./dispatch";
import { acquireExportSlot, streamExport } from "./export";
import type { ApiRequest } from "./request-parts";
import { textOf } from "./response";

const { db } = await testDatabase();
afterEach(() => void vi.restoreAllMocks());
beforeAll(async () => void provideService((await testUsers(db)).service));

/** The limit in section 10 of the contract. */
const WITHIN_MS = 1_000;

type Headers = Record<string, string>;
const OWN = { "sec-fetch-site": "same-origin", "content-type": "application/json" };

function requestTo(method: string, path: string, headers: Headers, body: ApiRequest["body"] = null): ApiRequest {
  return { method, url: `http://api.test${path}`, headers: { get: (name) => headers[name] ?? null }, body };
}

/**
 * A merchant with a key and a signed-in member, and the ways in which owners or staff can end their access.
 */
async function setup(permissions: Permission[] = ["event.read"]) {
  const users = await testUsers(db);
  const { service, merchant } = users;
  const owner = await users.newUser("owner");
  const member = await users.newUser("operator");
  const { row, secret } = await createApiKey(service, {
    environmentId: merchant.test.id,
    name: "Shop",
    permissions,
  });
  const id = encodeId("apiKey", row.id);
  const staff = await staffCaller(service);
  return {
    ...users,
    owner,
    member,
    row,
    key: { "x-api-key": secret },
    session: { ...OWN, cookie: await cookieOf(service, member), "x-cardlane-mode": "test" },
    revoke: () => setKeyState(owner.ctx, { id, action: "revoke" }),
    disable: () => setKeyState(owner.ctx, { id, action: "disable" }),
    expire: () => db.sql`update api_keys set expires_at = now() - interval '1 ms' where id = ${row.id}`,
    narrow: () => db.sql`update api_keys set permissions = '{payment.read}' where id = ${row.id}`,
    rotate: () =>
      reissueApiKey(
        { ...owner.ctx, request: { ...owner.ctx.request, endpoint: "rotateApiKey" } },
        { id, overlap_hours: 0 },
      ),
    suspend: () => suspendMerchant(staff(), { id: encodeId("merchant", merchant.id), reason: "a test" }),
    remove: () => removeMember(owner.ctx, { id: encodeId("user", member.user.id) }),
    signOut: () => endOtherSessions({ ...member.ctx }, { sessionId: newId() }),
  };
}
type Setup = Awaited<ReturnType<typeof setup>>;

/** Milliseconds from the end of `stop` to the end of the stream, which nothing else ends. */
async function closesAfter(headers: Headers, stop: () => Promise<unknown>): Promise<number> {
  const answer = await dispatch(requestTo("GET", "/v1/events/stream", headers), { ip: "192.0.2.1" });
  expect(answer.status).toBe(200);
  const over = new AbortController();
  const ended = new Promise((resolve) => over.signal.addEventListener("abort", resolve));
  // Like a client that has stopped reading: takes the first chunk, and none after it.
  const pieces = answer.stream?.(over);
  await pieces?.next();
  await stop();
  const stoppedMs = performance.now();
  await ended;
  await pieces?.return();
  return performance.now() - stoppedMs;
}

/** Measured again if it took longer: a busy machine can delay a single end. */
const isSoon = (measureMs: () => Promise<number>) =>
  vi.waitFor(async () => expect(await measureMs()).toBeLessThan(WITHIN_MS), { timeout: 30_000, interval: 0 });

const KEY_ENDS = ["revoke", "disable", "expire", "narrow", "rotate", "suspend"] as const;
test.concurrent.each(KEY_ENDS)(
  "a stream ends within a second of its key's end, although nothing is sent: %s",
  async (end) => {
    await isSoon(async () => {
      const the = await setup();
      return closesAfter(the.key, the[end]);
    });
  },
);

test.concurrent.each(["remove", "signOut"] as const)(
  "a stream ends within a second of its session's end: %s",
  async (end) => {
    await isSoon(async () => {
      const the = await setup();
      return closesAfter(the.session, the[end]);
    });
  },
);

/** A body that ends after `before`, once the key's half second in the cache is over. */
async function* slowly(text: string, before: () => Promise<unknown>) {
  yield Buffer.from(text.slice(0, 1));
  await before();
  vi.spyOn(performance, "now").mockReturnValue(performance.now() + 600);
  yield Buffer.from(text.slice(1));
}

test("a body received after its key's revocation moves no money", async () => {
  const the = await setup(["payment.create"]);
  const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };
  const text = JSON.stringify({ amount: 1_000, currency: "USD", card });
  const headers = { ...the.key, "content-type": "application/json", "x-idempotency-key": newId() };
  const answer = await dispatch(requestTo("POST", "/v1/payments", headers, slowly(text, the.revoke)), {
    ip: "192.0.2.1",
  });
  expect([answer.status, JSON.parse(textOf(answer.body)).code]).toEqual([401, "api_key_invalid"]);
  expect(await db.sql`select 1 from payments where environment_id = ${the.merchant.test.id}`).toHaveLength(0);
});

test("a body received after the session's end or a change of role has no effect", async () => {
  const ends: [(the: Setup) => Promise<unknown>, number][] = [
    [({ owner }) => db.sql`update user_sessions set revoked_at = now() where id = ${owner.sessionId}`, 401],
    [({ owner }) => db.sql`update users set role = 'viewer' where id = ${owner.user.id}`, 403],
  ];
  for (const [end, status] of ends) {
    vi.restoreAllMocks();
    const the = await setup();
    const body = Readable.toWeb(
      Readable.from(slowly(JSON.stringify({ website: "https://other.example" }), () => end(the))),
    );
    const { method, path } = updateBusiness;
    const headers = { ...OWN, cookie: await cookieOf(the.service, the.owner) };
    const sent = { method, headers, body, duplex: "half" } as RequestInit;
    expect((await dashboardRoutes[method](new Request(`http://api.test${path}`, sent))).status).toBe(status);
    expect(await db.sql`select website from merchants where id = ${the.merchant.id}`).toEqual([{ website: null }]);
  }
});

const EXPORT = dashboardEndpoint({
  name: "exportTransactions",
  method: "GET",
  path: "/{mode}/export",
  permission: "transaction.read",
  status: 200,
  response: z.unknown(),
});

test("an export whose session ends while it waits for a slot does not begin", async () => {
  const the = await setup();
  const other = await acquireExportSlot(the.merchant.id);
  const open = vi.fn();
  const request = new Request("http://api.test/test/export", { headers: the.session });
  let response: Promise<Response> | undefined;
  await new Promise<void>((waiting) => {
    response = streamExport(EXPORT, request, { mode: "test" }, () => {
      waiting();
      return { name: "late", act: ["settings.transactions_exported", {}], open };
    });
  });
  await the.signOut();
  vi.spyOn(performance, "now").mockReturnValue(performance.now() + 600);
  other.release();
  expect((await response)?.status).toBe(401);
  expect(open).not.toHaveBeenCalled();
});

test.concurrent("an export is cut off within a second of its session's end", async () => {
  await isSoon(async () => {
    const the = await setup();
    const request = new Request("http://api.test/test/export", { headers: the.session });
    const response = await streamExport(EXPORT, request, { mode: "test" }, () => ({
      name: "endless",
      act: ["settings.transactions_exported", {}],
      open: async () => ({
        parts: (async function* () {
          yield "first";
          await new Promise(() => {});
        })(),
      }),
    }));
    const reader = response.body?.getReader();
    await reader?.read();
    await the.signOut();
    const stoppedMs = performance.now();
    await expect(reader?.read()).rejects.toThrow("cut off");
    return performance.now() - stoppedMs;
  });
});
