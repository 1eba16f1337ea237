import { beforeAll, describe, expect, test } from "vitest";
import { insertSession, revokeSession } from "@/db/queries/accounts/sessions";
import { users } from "@/db/schema/accounts";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, type TestMerchant, testService } from "@/e2e/fixtures/factories";
import { sessionCookie } from "@/e2e/fixtures/users";
import type { Audience } from "@/lib/contract/accounts/sessions";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { MERCHANT_ROLES, ROLE_PERMISSIONS, type UserRole } from "@/lib/contract/permissions";
import { roleViewCookie } from "@/lib/contract/team/role-view";
import { newId } from "@/lib/ids";
import { provideService } from "./current-service";
import { dashboardRoutes } from "./dashboard-endpoints";
import { dispatch } from "./dispatch";
import { textOf } from "./response";
import { signedIn } from "./session-caller";

const { db } = await testDatabase();
const service = testService(db);
const OWN_PAGE = { "sec-fetch-site": "same-origin" };
const CARD = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };

let merchant: TestMerchant;

beforeAll(async () => {
  provideService(service);
  merchant = await createTestMerchant(db);
});

type Call = { method?: string; path: string; headers?: Record<string, string>; body?: object };

async function send({ method = "GET", path, headers = {}, body }: Call) {
  const request = new Request(`http://dashboard.test${path}`, {
    method,
    headers: { host: "dashboard.test", ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await dispatch(request, { ip: "192.0.2.1" });
  answer.sent?.();
  return { status: answer.status, body: JSON.parse(textOf(answer.body)), headers: answer.headers };
}

/** A signed-in user: the cookie to send, and the ids of user and session. */
async function signIn(role: UserRole = "owner", of = merchant) {
  const [userId, sessionId] = [newId(), newId()];
  const merchant_id = role === "staff" ? null : of.id;
  await db.orm.insert(users).values({ id: userId, merchant_id, email: `${userId}@x.example`, password_hash: "", role });
  await insertSession(db.orm, { id: sessionId, userId, address: "", userAgent: null, mfa: true, livesHours: 1 });
  const audience: Audience = role === "staff" ? "staff" : "merchant";
  const { name, value } = await sessionCookie(service, audience, sessionId);
  return { userId, sessionId, cookie: `${name}=${value}` };
}

const test_ = { "x-cardlane-mode": "test" };

async function pay(cookie: string): Promise<{ id: string }> {
  const { status, body } = await send({
    method: "POST",
    path: "/v1/payments",
    headers: { cookie, ...test_, ...OWN_PAGE, "x-idempotency-key": newId() },
    body: { amount: 5_000, currency: "USD", card: CARD },
  });
  expect(status).toBe(201);
  return body;
}

test("a user's request runs in their own merchant's environment and is recorded under their name", async () => {
  const { cookie, userId } = await signIn();
  const { id } = await pay(cookie);
  const { status } = await send({
    method: "POST",
    path: `/v1/payments/${id}/refund`,
    headers: { cookie, ...test_, ...OWN_PAGE, "x-idempotency-key": newId() },
    body: { amount: 100 },
  });
  expect(status).toBe(201);
  const actors = await db.sql<{ actor: unknown }[]>`
    select actor from operations where environment_id = ${merchant.test.id} and kind = 'refund'`;
  expect(actors.map(({ actor }) => actor)).toContainEqual({ type: "user", id: userId });
  expect((await send({ path: `/v1/payments/${id}`, headers: { cookie, ...test_ } })).status).toBe(200);
  const live = await send({ path: `/v1/payments/${id}`, headers: { cookie, "x-cardlane-mode": "live" } });
  expect(live.status).toBe(404);
});

test("a cookie alone is not enough: the page must name the environment", async () => {
  const { cookie } = await signIn();
  const { status, body } = await send({ path: "/v1/transactions", headers: { cookie } });
  expect([status, body.code]).toEqual([401, "api_key_missing"]);
});

test.each([
  ["another site", { "sec-fetch-site": "cross-site" }],
  ["a sister site", { "sec-fetch-site": "same-site" }],
  ["no page at all", { "sec-fetch-site": "none" }],
  ["nothing said", {}],
  ["an opaque origin", { origin: "null" }],
  ["another origin", { origin: "http://evil.test" }],
  ["an origin that only begins like ours", { origin: "http://dashboard.test.evil.test" }],
  ["our origin from another site", { origin: "http://dashboard.test", "sec-fetch-site": "cross-site" }],
])("a write from %s is refused", async (_, headers) => {
  const { cookie } = await signIn();
  const { status, body } = await send({
    method: "POST",
    path: "/v1/payments",
    headers: { cookie, ...test_, ...headers, "x-idempotency-key": newId() } as Record<string, string>,
    body: { amount: 5_000, currency: "USD", card: CARD },
  });
  expect([status, body.code]).toEqual([403, "origin_not_allowed"]);
});

test("a browser without Sec-Fetch-Site is checked by its exact origin", async () => {
  const { cookie } = await signIn();
  const { status } = await send({
    method: "POST",
    path: "/v1/payments/pay_unknown/void",
    headers: { cookie, ...test_, origin: "http://dashboard.test", "x-idempotency-key": newId() },
  });
  expect(status).toBe(404);
});

test("another merchant's payment does not exist", async () => {
  const { id } = await pay((await signIn()).cookie);
  const stranger = await signIn("owner", await createTestMerchant(db));
  const answers = await Promise.all([
    send({ path: `/v1/payments/${id}`, headers: { cookie: stranger.cookie, ...test_ } }),
    send({
      method: "POST",
      path: `/v1/payments/${id}/refund`,
      headers: { cookie: stranger.cookie, ...test_, ...OWN_PAGE, "x-idempotency-key": newId() },
    }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
});

test("a viewer reads and moves no money", async () => {
  const { id } = await pay((await signIn()).cookie);
  const { cookie } = await signIn("viewer");
  expect((await send({ path: `/v1/payments/${id}`, headers: { cookie, ...test_ } })).status).toBe(200);
  const { status, body } = await send({
    method: "POST",
    path: `/v1/payments/${id}/refund`,
    headers: { cookie, ...test_, ...OWN_PAGE, "x-idempotency-key": newId() },
  });
  expect([status, body.code]).toEqual([403, "permission_denied"]);
  expect(body.detail).toContain("role");
});

test("users of a suspended merchant can neither read nor write", async () => {
  const suspended = await createTestMerchant(db);
  const { cookie } = await signIn("owner", suspended);
  const { id } = await pay(cookie);
  await db.sql`update merchants set suspended_at = now() where id = ${suspended.id}`;
  expect((await send({ path: `/v1/payments/${id}`, headers: { cookie, ...test_ } })).status).toBe(200);
  const { status, body } = await send({
    method: "POST",
    path: `/v1/payments/${id}/refund`,
    headers: { cookie, ...test_, ...OWN_PAGE, "x-idempotency-key": newId() },
  });
  expect([status, body.code]).toEqual([403, "merchant_suspended"]);
});

test("an ended session is refused immediately, and each audience accepts only its own cookie", async () => {
  const person = await signIn();
  const staff = await signIn("staff");
  const headers = { cookie: person.cookie, ...test_ };
  expect((await send({ path: "/v1/transactions", headers })).status).toBe(200);
  const environment = { "x-cardlane-environment": encodeId("environment", merchant.test.id) };
  for (const wrong of [
    { cookie: person.cookie, ...environment },
    { cookie: staff.cookie, ...test_ },
    { cookie: staff.cookie.replace("cardlane.staff", "cardlane.session"), ...test_ },
    { cookie: "cardlane.session=made-up", ...test_ },
  ]) {
    const { status, body } = await send({ path: "/v1/transactions", headers: wrong });
    expect([status, body.code]).toEqual([401, "api_key_missing"]);
  }
  await revokeSession(db.sql, person.sessionId);
  expect((await send({ path: "/v1/transactions", headers })).status).toBe(401);
});

test("staff act on a merchant's behalf with a reason, which is recorded first", async () => {
  const { id } = await pay((await signIn()).cookie);
  const { cookie, userId } = await signIn("staff");
  const environment = { "x-cardlane-environment": encodeId("environment", merchant.test.id) };
  const refund = (headers: Record<string, string>) =>
    send({
      method: "POST",
      path: `/v1/payments/${id}/refund`,
      headers: { cookie, ...environment, ...OWN_PAGE, "x-idempotency-key": newId(), ...headers },
      body: { amount: 700 },
    });
  const refused = await refund({});
  expect([refused.status, refused.body.param]).toEqual([400, "X-Cardlane-Reason"]);
  expect((await refund({ "x-cardlane-reason": encodeURIComponent("Anruf von Frau Müller") })).status).toBe(201);
  const rows = await db.sql`
    select action, merchant_id, object_id, detail from support_audit_log where staff_id = ${userId}`;
  expect(rows).toEqual([
    {
      action: "support.refundPayment",
      merchant_id: merchant.id,
      object_id: id,
      detail: { reason: "Anruf von Frau Müller" },
    },
  ]);
  const [operation] = await db.sql`select actor from operations where actor->>'id' = ${userId}`;
  expect(operation?.actor).toEqual({ type: "staff", id: userId });
  const capture = await send({
    method: "POST",
    path: `/v1/payments/${id}/void`,
    headers: { cookie, ...environment, ...OWN_PAGE, "x-idempotency-key": newId(), "x-cardlane-reason": "x" },
  });
  expect([capture.status, capture.body.code]).toEqual([403, "permission_denied"]);
});

describe("an owner who views the dashboard as a role", () => {
  const viewing = (person: Awaited<ReturnType<typeof signIn>>, role: string) => ({
    ...person,
    cookie: `${person.cookie}; ${roleViewCookie(encodeId("user", person.userId), false)}=${role}`,
  });

  test("reads what that role reads, and changes nothing", async () => {
    const owner = await signIn();
    const payment = await pay(owner.cookie);
    const { cookie } = viewing(owner, "support");
    const read = (path: string) => send({ path, headers: { cookie, ...test_ } });
    expect((await read(`/v1/payments/${payment.id}`)).status).toBe(200);
    // Events contain payouts.
    for (const path of ["/v1/balance", "/v1/payouts", "/v1/events", "/v1/events?type=payout.created"])
      expect((await read(path)).body, path).toMatchObject({ status: 403, code: "permission_denied" });
    const write = (path: string, body: object) =>
      send({
        method: "POST",
        path,
        headers: { cookie, ...test_, ...OWN_PAGE, "x-idempotency-key": newId() },
        body,
      });
    expect((await write("/v1/transactions/search", {})).status).toBe(200);
    const refund = await write(`/v1/payments/${payment.id}/refund`, { amount: 100 });
    expect(refund.body).toMatchObject({
      status: 403,
      detail: expect.stringContaining("viewing the dashboard as support"),
    });
    const [row] =
      await db.sql`select amount_refunded, refund_pending from payments where id = ${decodeId("payment", payment.id)}`;
    expect(row).toEqual({ amount_refunded: 0, refund_pending: 0 });
  });

  test("changes nothing in the dashboard either, not even their own account", async () => {
    const { cookie } = viewing(await signIn(), "admin");
    const request = new Request("http://dashboard.test/api/dashboard/preferences", {
      method: "PATCH",
      headers: { cookie, ...OWN_PAGE, "content-type": "application/json" },
      body: JSON.stringify({ times: "utc" }),
    });
    const response = await dashboardRoutes.PATCH(request);
    expect([response.status, (await response.json()).code]).toEqual([403, "permission_denied"]);
  });

  test.each(["owner", "staff", "nobody", ""])("keeps every right with the unknown role '%s'", async (role) => {
    await pay(viewing(await signIn(), role).cookie);
  });
});

test.each(MERCHANT_ROLES)("no role (%s) gets the rights of another by the cookie of a role's view", async (role) => {
  for (const wanted of MERCHANT_ROLES) {
    const person = await signIn(role);
    const name = roleViewCookie(encodeId("user", person.userId), false);
    const found = await signedIn(`${person.cookie}; ${name}=${wanted}`, "merchant");
    const own = new Set(ROLE_PERMISSIONS[role]);
    expect([...(found?.user.permissions ?? [])].filter((permission) => !own.has(permission))).toEqual([]);
    expect(found?.user.isRoleView).toBe(role === "owner" && wanted !== "owner");
  }
});
