import { beforeAll, expect, test } from "vitest";
import { insertSession, revokeSession } from "@/db/queries/accounts/sessions";
import { users } from "@/db/schema/accounts";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, type TestMerchant, testService } from "@/e2e/fixtures/factories";
import { sessionCookie } from "@/e2e/fixtures/users";
import type { Audience } from "@/lib/contract/accounts/sessions";
import { encodeId } from "@/lib/contract/ids";
import type { UserRole } from "@/lib/contract/permissions";
import { newId } from "@/lib/ids";
import { provideService } from "./current-service";
import { dispatch } from "./dispatch";
import { textOf } from "./response";

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
