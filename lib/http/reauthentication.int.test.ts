import { Secret, TOTP } from "otpauth";
import { beforeAll, expect, test } from "vitest";
import { findSignedIn } from "@/db/queries/accounts/sessions";
import { testDatabase } from "@/e2e/fixtures/database";
import { actsOf, cookieOf, TEST_PASSWORD, testUsers } from "@/e2e/fixtures/users";
import { newTotpSecret } from "@/lib/auth/one-time-codes";
import { reauthenticate as proveMerchant, updateBusiness, updateRefundLimit } from "@/lib/contract/accounts/endpoints";
import { createApiKey, disableApiKey, revokeApiKey } from "@/lib/contract/api-keys/api-keys";
import { createPaymentLink, updatePaymentLink } from "@/lib/contract/checkout/payment-link";
import type { DashboardEndpoint } from "@/lib/contract/endpoint";
import { encodeId } from "@/lib/contract/ids";
import { reauthenticateStaff, suspendMerchant } from "@/lib/contract/support/endpoints";
import { changeRole, inviteMember } from "@/lib/contract/team/team";
import { signIn } from "@/lib/domain/accounts/sign-in";
import { newId } from "@/lib/ids";
import { provideService } from "./current-service";
import { dashboardRoutes } from "./dashboard-endpoints";
import { dispatch } from "./dispatch";
import { textOf } from "./response";

const { db } = await testDatabase();
const users = await testUsers(db);
const { service, merchant } = users;
const OWN = { host: "dashboard.test", "sec-fetch-site": "same-origin", "content-type": "application/json" };
const CARD = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };

beforeAll(() => void provideService(service));

type Who = Awaited<ReturnType<typeof users.newUser>>;

async function ask(who: Who, { method, path }: DashboardEndpoint, body: object, params: Record<string, string> = {}) {
  const headers = { ...OWN, cookie: await cookieOf(service, who) };
  const sent = { method, headers, body: JSON.stringify(body) };
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "");
  const response = await dashboardRoutes[method](new Request(`http://dashboard.test${address}`, sent));
  return { status: response.status, body: await response.json() };
}

/** Sends a user's browser request to /v1. */
async function send(who: Who, path: string, body: object, more: Record<string, string> = {}) {
  const cookie = await cookieOf(service, who);
  const place: Record<string, string> = who.user.role === "staff" ? {} : { "x-cardlane-mode": "test" };
  const headers = { ...OWN, ...place, cookie, "x-idempotency-key": newId(), ...more };
  const request = new Request(`http://dashboard.test${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await dispatch(request, { ip: "192.0.2.1" });
  answer.sent?.();
  return { status: answer.status, body: JSON.parse(textOf(answer.body)) };
}

/** Backdates the last re-authentication. */
const age = (who: Who, minutes = 11) =>
  db.sql`update user_sessions set proved_at = now() - make_interval(mins => ${minutes}) where id = ${who.sessionId}`;

const paid = async (who: Who, amount: number, currency = "USD") =>
  (await send(who, "/v1/payments", { amount, currency, card: CARD })).body as { id: string };
const refund = (who: Who, { id }: { id: string }, body: object = {}) => send(who, `/v1/payments/${id}/refund`, body);
const keyBody = () => {
  const attempt = newId();
  return { attempt, name: "K", permissions: ["payment.read"], expires_at: null, ip_allow_list: [] };
};
const refused = (proof_required: string) => ({
  status: 403,
  body: expect.objectContaining({ code: "permission_denied", proof_required }),
});

test("live keys, roles and invitations need re-authentication after ten minutes; test keys do not", async () => {
  const owner = await users.newUser("owner");
  const viewer = await users.newUser("viewer");
  const acts = [
    () => ask(owner, createApiKey, keyBody(), { mode: "live" }),
    () => ask(owner, inviteMember, { email: `${newId()}@team.example`, role: "operator" }),
  ];
  const change = () => ask(owner, changeRole, { role: "operator" }, { id: encodeId("user", viewer.user.id) });
  for (const act of acts) expect((await act()).status).toBe(201);
  await age(owner);
  for (const act of [...acts, change]) expect(await act()).toMatchObject(refused("password"));
  expect((await ask(owner, createApiKey, keyBody(), { mode: "test" })).status).toBe(201);
  const wrong = await ask(owner, proveMerchant, { current_password: "wrong" });
  expect([wrong.status, wrong.body.param]).toEqual([400, "current_password"]);
  expect(await acts[0]?.()).toMatchObject(refused("password"));
  expect((await ask(owner, proveMerchant, { current_password: TEST_PASSWORD })).status).toBe(200);
  for (const act of acts) expect((await act()).status).toBe(201);
  expect((await change()).status).toBe(200);
  const proofs = (await actsOf(db, merchant.live.id)).filter(({ action }) => /prove|proof/.test(action));
  expect(proofs).toEqual([
    { action: "settings.proof_failed", detail: {} },
    { action: "settings.identity_proved", detail: { second_factor: false } },
  ]);
});

test("changing live webhook addresses and secrets needs re-authentication; test ones do not", async () => {
  const owner = await users.newUser("owner");
  const live = { "x-cardlane-mode": "live" };
  const make = (url: string, headers: Record<string, string> = {}) =>
    send(owner, "/v1/webhook-endpoints", { url, event_types: ["*"] }, headers);
  const made = await make("https://example.com/live", live);
  expect(made.status).toBe(201);
  await age(owner);
  expect((await make("https://example.com/test")).status).toBe(201);
  expect(await make("https://example.com/other", live)).toMatchObject(refused("password"));
  const path = `/v1/webhook-endpoints/${made.body.id}/rotate-secret`;
  expect(await send(owner, path, { overlap_hours: 0 }, live)).toMatchObject(refused("password"));
  expect((await ask(owner, proveMerchant, { current_password: TEST_PASSWORD })).status).toBe(200);
  expect((await send(owner, path, { overlap_hours: 0 }, live)).status).toBe(200);
});

test("the business profile and live payment links need re-authentication; stopping a link does not", async () => {
  const owner = await users.newUser("owner");
  const body = { amount: 100, currency: "USD", description: "A poster" };
  const make = (mode: string) => ask(owner, createPaymentLink, body, { mode });
  const change = (id: string, changes: object) => ask(owner, updatePaymentLink, changes, { mode: "live", id });
  const { body: link } = await make("live");
  await age(owner);
  expect((await make("test")).status).toBe(201);
  const acts = [
    () => make("live"),
    () => change(link.id, { description: "Send money here" }),
    () => change(link.id, { active: true }),
    () => change(link.id, { active: false, description: "Send money here" }),
    () => ask(owner, updateBusiness, { name: "Other" }),
    () => ask(owner, updateBusiness, { support_email: "other@shop.example" }),
  ];
  for (const act of acts) expect(await act()).toMatchObject(refused("password"));
  expect(await change(link.id, { active: false })).toMatchObject({ status: 200, body: { active: false } });
  expect((await ask(owner, proveMerchant, { current_password: TEST_PASSWORD })).status).toBe(200);
  for (const act of acts) expect((await act()).status).toBeLessThan(300);
});

test("a sign-in locked by others does not keep a signed-in user from re-authenticating or disabling a key", async () => {
  const owner = await users.newUser("owner");
  const made = await ask(owner, createApiKey, keyBody(), { mode: "live" });
  const guess = (password: string) =>
    signIn(service, {
      kind: "merchant",
      email: owner.user.email,
      password,
      code: null,
      address: newId(),
      userAgent: null,
    });
  for (let i = 0; i < 10; i++) await guess("wrong");
  expect(await guess(TEST_PASSWORD)).toMatchObject({ result: "locked" });
  await age(owner);
  expect((await ask(owner, disableApiKey, {}, { mode: "live", id: made.body.api_key.id })).status).toBe(200);
  expect(await ask(owner, revokeApiKey, {}, { mode: "live", id: made.body.api_key.id })).toMatchObject(
    refused("password"),
  );
  expect((await ask(owner, proveMerchant, { current_password: TEST_PASSWORD })).status).toBe(200);
  expect((await ask(owner, revokeApiKey, {}, { mode: "live", id: made.body.api_key.id })).status).toBe(200);
});

test("after ten wrong guesses, a signed-in user cannot re-authenticate for half an hour, but can sign in", async () => {
  const owner = await users.newUser("owner");
  const prove = (current_password: string) => ask(owner, proveMerchant, { current_password });
  for (let i = 0; i < 9; i++) expect((await prove("wrong")).status).toBe(400);
  expect([(await prove("wrong")).status, (await prove(TEST_PASSWORD)).status]).toEqual([429, 429]);
  const input = { email: owner.user.email, password: TEST_PASSWORD, code: null, address: newId(), userAgent: null };
  expect(await signIn(service, { ...input, kind: "merchant" })).toMatchObject({ result: "ok" });
});

test("a re-authentication with a future time does not count", async () => {
  const owner = await users.newUser("owner");
  await age(owner, -60);
  expect(await ask(owner, createApiKey, keyBody(), { mode: "live" })).toMatchObject(refused("password"));
});

test("a user with a second factor re-authenticates with it, not the password, and each code works once", async () => {
  const secret = newTotpSecret();
  const totp = { totp_secret: service.secret.seal(secret), totp_enabled_at: new Date().toISOString() };
  const owner = await users.newUser("owner", totp);
  await age(owner);
  expect(await ask(owner, createApiKey, keyBody(), { mode: "live" })).toMatchObject(refused("code"));
  const withPassword = await ask(owner, proveMerchant, { current_password: TEST_PASSWORD });
  expect([withPassword.status, withPassword.body.param]).toEqual([400, "code"]);
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  expect((await ask(owner, proveMerchant, { code })).status).toBe(200);
  expect((await ask(owner, createApiKey, keyBody(), { mode: "live" })).status).toBe(201);
  expect((await ask(owner, proveMerchant, { code })).status).toBe(400);
});

test("a refund above the limit, or several that exceed it, need re-authentication; API keys do not", async () => {
  const owner = await users.newUser("owner");
  const [large, small] = [await paid(owner, 500_000), await paid(owner, 150_000)];
  await age(owner);
  // Without an amount, a refund covers everything that is left.
  for (const body of [{}, { amount: 100_001 }])
    expect(await refund(owner, large, body)).toMatchObject(refused("password"));
  expect((await refund(owner, small, { amount: 60_000 })).status).toBe(201);
  expect(await refund(owner, large, { amount: 60_000 })).toMatchObject(refused("password"));
  expect((await refund(owner, small, { amount: 40_000 })).status).toBe(201);
  expect((await ask(owner, proveMerchant, { current_password: TEST_PASSWORD })).status).toBe(200);
  expect((await refund(owner, large, { amount: 200_000 })).status).toBe(201);
  await age(owner);
  expect((await refund(owner, large, { amount: 100_000 })).status).toBe(201);
});

test("a subscription that is cancelled with a refund above the limit needs re-authentication; without one it does not", async () => {
  const owner = await users.newUser("owner");
  const every = { billing_frequency_value: 12, billing_frequency_unit: "MONTHS" };
  const plan = { type: "SUBSCRIPTION_NO_TRIAL", name: "Club", currency: "USD", full_price_amount: 900, ...every };
  const { body: club } = await send(owner, "/v1/subscription-plans", { ...plan, status: "ACTIVE" });
  const customer = { customer_id: newId() };
  const { body: card } = await send(owner, "/v1/payment-methods", { ...customer, card: CARD });
  const subscribe = async () => {
    const order = { ...customer, plan_id: club.id, payment_method_id: card.id };
    return (await send(owner, "/v1/subscriptions", order)).body.id as string;
  };
  const [first, second, third] = [await subscribe(), await subscribe(), await subscribe()];
  await age(owner);
  const cancel = (id: string, body: object) => send(owner, `/v1/subscriptions/${id}/cancel`, body);
  // Together the two are worth more than the limit of 1,000 US dollars.
  expect((await cancel(first, { refund: "prorated" })).status).toBe(200);
  expect(await cancel(second, { refund: "prorated" })).toMatchObject(refused("password"));
  expect((await cancel(third, {})).status).toBe(200);
  expect((await ask(owner, proveMerchant, { current_password: TEST_PASSWORD })).status).toBe(200);
  expect((await cancel(second, { refund: "prorated" })).status).toBe(200);
});

test("an owner sets the limit after re-authenticating; it applies immediately, over all currencies, and is audited", async () => {
  const others = await testUsers(db);
  const [owner, operator] = [await others.newUser("owner"), await others.newUser("operator")];
  const set = (who: Who, refund_limit_usd: unknown) => ask(who, updateRefundLimit, { refund_limit_usd });
  const [dollars, yen] = [await paid(operator, 900_000), await paid(operator, 900_000, "JPY")];
  await age(operator);
  expect(await set(operator, 5_000)).toMatchObject({ status: 403, body: { code: "permission_denied" } });
  expect((await set(owner, 5_000)).status).toBe(200);
  expect((await refund(operator, dollars, { amount: 500_000 })).status).toBe(201);
  for (const payment of [dollars, yen])
    expect(await refund(operator, payment, { amount: 1 })).toMatchObject(refused("password"));
  await db.sql`delete from refund_allowances where user_id = ${operator.user.id}`;
  expect(await refund(operator, yen, { amount: 700_001 })).toMatchObject(refused("password"));
  expect((await refund(operator, yen, { amount: 700_000 })).status).toBe(201);
  expect(await refund(operator, dollars, { amount: 1 })).toMatchObject(refused("password"));
  expect((await set(owner, 0)).status).toBe(200);
  await db.sql`delete from refund_allowances where user_id = ${operator.user.id}`;
  expect(await refund(operator, yen, { amount: 1 })).toMatchObject(refused("password"));
  for (const wrong of [-1, 1.5, 1_000_001, "5000", null]) {
    expect(await set(owner, wrong)).toMatchObject({ status: 400, body: { param: "refund_limit_usd" } });
  }
  await age(owner);
  expect(await set(owner, 9_000)).toMatchObject(refused("password"));
  const changes = (await actsOf(db, others.merchant.live.id)).filter(({ action }) => action.endsWith("updated"));
  expect(changes.map(({ detail }) => detail)).toEqual(
    [
      [1_000, 5_000],
      [5_000, 0],
    ].map((refund_limit_usd) => ({ changes: { refund_limit_usd } })),
  );
});

test("concurrent refunds are counted by their sum, whatever their currencies", async () => {
  const owner = await users.newUser("owner");
  // Each refund counts as 200 US dollars: 160 euros at 800 per 1,000 dollars, and 28,000 yen at 140,000.
  const amounts = { USD: 20_000, EUR: 16_000, JPY: 28_000 };
  const payments = await Promise.all(
    Object.entries(amounts).map(async ([currency, amount]) => ({
      id: (await paid(owner, 900_000, currency)).id,
      amount,
    })),
  );
  await age(owner);
  const orders = [...payments, ...payments, ...payments, ...payments];
  const answers = await Promise.all(orders.map(({ id, amount }) => refund(owner, { id }, { amount })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(answers.filter(({ body }) => body.proof_required === "password")).toHaveLength(7);
});

test("the refusal leaves the idempotency key free for the same request after re-authentication", async () => {
  const owner = await users.newUser("owner");
  const payment = await paid(owner, 500_000);
  await age(owner);
  const again = { "x-idempotency-key": newId() };
  expect((await send(owner, `/v1/payments/${payment.id}/refund`, {}, again)).status).toBe(403);
  await ask(owner, proveMerchant, { current_password: TEST_PASSWORD });
  expect((await send(owner, `/v1/payments/${payment.id}/refund`, {}, again)).status).toBe(201);
});

test("staff need a code from the last ten minutes to act, but not to read", async () => {
  const secret = newTotpSecret();
  const totp = { totp_secret: service.secret.seal(secret), totp_enabled_at: new Date().toISOString() };
  const [staff, owner] = [await users.newUser("staff", totp), await users.newUser("owner")];
  const payment = await paid(owner, 2_000);
  await age(staff);
  const id = encodeId("merchant", merchant.id);
  const place = {
    "x-cardlane-environment": encodeId("environment", merchant.test.id),
    "x-cardlane-reason": "asked by phone",
  };
  const onBehalf = () => send(staff, `/v1/payments/${payment.id}/refund`, { amount: 100 }, place);
  expect(await ask(staff, suspendMerchant, { reason: "fraud" }, { id })).toMatchObject(refused("code"));
  expect(await onBehalf()).toMatchObject(refused("code"));
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  expect((await ask(staff, reauthenticateStaff, { code })).status).toBe(200);
  expect((await onBehalf()).status).toBe(201);
});

test("a session ends after twelve idle hours, whatever its lifetime", async () => {
  const owner = await users.newUser("owner");
  await db.sql`update user_sessions set expires_at = now() + interval '14 days' where id = ${owner.sessionId}`;
  const seen = (ago: string) =>
    db.sql`update user_sessions set last_seen_at = now() - ${ago}::interval where id = ${owner.sessionId}`;
  await seen("11 hours 59 minutes");
  expect(await findSignedIn(db.sql, owner.sessionId)).not.toBeNull();
  await seen("12 hours 1 minute");
  expect(await findSignedIn(db.sql, owner.sessionId)).toBeNull();
});

test("without a verified address, a user can't invite, create live keys or start in live mode", async () => {
  const owner = await users.newUser("owner", { email_verified_at: null, owns_email: false });
  const unverified = { status: 403, body: expect.objectContaining({ verification_required: true }) };
  expect(await ask(owner, inviteMember, { email: `${newId()}@team.example`, role: "viewer" })).toMatchObject(
    unverified,
  );
  expect(await ask(owner, createApiKey, keyBody(), { mode: "live" })).toMatchObject(unverified);
  const live = { "x-cardlane-mode": "live" };
  const sale = { amount: 100, currency: "USD" };
  expect(await send(owner, "/v1/client-sessions", sale, live)).toMatchObject(unverified);
  expect(await send(owner, "/v1/payments", { ...sale, card: CARD }, live)).toMatchObject(unverified);
  expect((await send(owner, "/v1/client-sessions", sale)).status).toBe(201);
  expect((await ask(owner, createApiKey, keyBody(), { mode: "test" })).status).toBe(201);
});
