import { cancelClientSession, createClientSession, getClientSession } from "@/lib/contract/checkout/endpoints";
import { activatePlan, updatePlan } from "@/lib/contract/plans/endpoints";
import { expect, test } from "../fixtures/playwright";
import { aSession, newPlan, newSession } from "../samples";

const DAY_MS = 86_400_000;

test("a session holds the server's amount for 24 hours", async ({ api }) => {
  const session = await newSession(api);
  expect(session).toMatchObject({
    object: "client_session",
    status: "OPEN",
    amount: 2_500,
    currency: "EUR",
    plan_id: null,
    payment_id: null,
    capture_method: "automatic",
    allowed_origins: [],
    attempts_left: 5,
    environment: "sandbox",
  });
  expect(Date.parse(session.expires_at) - Date.parse(session.created_at)).toBe(DAY_MS);
});

test("its token and address are shown once", async ({ api }) => {
  const session = await newSession(api);
  expect(session.client_session_token).toMatch(/^\S{30,}$/);
  expect(session.iframe_url).toContain(session.client_session_token ?? "nothing");
  const again = await api.call(getClientSession, { id: session.id });
  expect(again.ok()).toEqual({ ...session, client_session_token: null, iframe_url: null });
  expect(again.text).not.toContain(session.client_session_token);
  const other = await newSession(api);
  expect(other.client_session_token).not.toBe(session.client_session_token);
});

test("returns the values that were sent", async ({ api }) => {
  const body = {
    customer_id: "c-1",
    customer_email: "jane@shop.example",
    customer_name: "Jane",
    billing_address: { line1: "1 Main St", line2: null, city: null, state: null, postal_code: "62701", country: "US" },
    capture_method: "manual",
    allowed_origins: ["https://shop.example", "http://localhost:3000"],
    return_url: "https://shop.example/thanks?order=1",
    appearance: { theme: "dark", accent_color: "#1a73e8", border_radius: 8 },
    metadata: { order: "A-1" },
  };
  expect(await newSession(api, body)).toMatchObject(body);
});

test("the price of a plan is the plan's, in minor units", async ({ api }) => {
  const plan = await newPlan(api, { currency: "KWD", full_price_amount: 1.005 });
  const body = { plan_id: plan.id };
  (await api.call(createClientSession, { body })).problem("plan_not_active");
  (await api.call(activatePlan, { id: plan.id })).ok();
  const session = (await api.call(createClientSession, { body })).ok();
  expect(session).toMatchObject({ plan_id: plan.id, amount: 1_005, currency: "KWD" });
  (await api.call(updatePlan, { id: plan.id, body: { status: "INACTIVE" } })).ok();
  (await api.call(createClientSession, { body })).problem("plan_not_active");
});

for (const [what, body, code, param] of [
  ["neither plan nor amount", {}, "missing_parameter", "amount"],
  ["amount without currency", { amount: 1 }, "missing_parameter", "currency"],
  ["currency without amount", { currency: "USD" }, "missing_parameter", "amount"],
  ["plan and amount", { plan_id: "plan_x", amount: 1 }, "invalid_parameter", "amount"],
  ["plan and currency", { plan_id: "plan_x", currency: "USD" }, "invalid_parameter", "currency"],
  ["an unknown plan", { plan_id: "plan_x" }, "resource_not_found", "plan_id"],
  ["an unknown currency", aSession({ currency: "ZZZ" }), "currency_not_supported", "currency"],
  ["an amount of nothing", aSession({ amount: 0 }), "invalid_parameter", "amount"],
  ["a fraction of a cent", aSession({ amount: 0.5 }), "invalid_parameter", "amount"],
  [
    "an origin with a path",
    aSession({ allowed_origins: ["https://shop.example/path"] }),
    "invalid_parameter",
    "allowed_origins.0",
  ],
  [
    "an origin of another scheme",
    aSession({ allowed_origins: ["ftp://shop.example"] }),
    "invalid_parameter",
    "allowed_origins.0",
  ],
  ["a return address that runs", aSession({ return_url: "javascript:alert(1)" }), "invalid_parameter", "return_url"],
  [
    "an invalid color",
    aSession({ appearance: { accent_color: "red;}" } }),
    "invalid_parameter",
    "appearance.accent_color",
  ],
  ["an unknown appearance", aSession({ appearance: { css: "*" } }), "unknown_parameter", "appearance.css"],
  ["a mistyped member", aSession({ ammount: 1 }), "unknown_parameter", "ammount"],
] as const) {
  test(`is rejected: ${what}`, async ({ api }) => {
    expect((await api.call(createClientSession, { body })).problem(code).param).toBe(param);
  });
}

test("an open session can be cancelled, once", async ({ api }) => {
  const session = await newSession(api);
  const cancelled = (await api.call(cancelClientSession, { id: session.id })).ok();
  expect(cancelled).toMatchObject({ id: session.id, status: "CANCELLED", client_session_token: null });
  const refusal = (await api.call(cancelClientSession, { id: session.id })).problem("invalid_state");
  expect(refusal).toMatchObject({ current_status: "CANCELLED", allowed_actions: [] });
  expect((await api.call(getClientSession, { id: session.id })).ok()).toEqual(cancelled);
});

test("after 24 hours a session is EXPIRED, and can no longer be cancelled", async ({ tenant, api, db }) => {
  const session = await newSession(api);
  await db.sql`update client_sessions set expires_at = now() - interval '1 ms' where environment_id = ${tenant.merchant.test.id}`;
  expect((await api.call(getClientSession, { id: session.id })).ok().status).toBe("EXPIRED");
  const refusal = (await api.call(cancelClientSession, { id: session.id })).problem("invalid_state");
  expect(refusal.current_status).toBe("EXPIRED");
});

test("sessions and plans also exist in the live environment, on their own", async ({ tenant }) => {
  const session = await newSession(tenant.live);
  expect(session.environment).toBe("live");
  (await tenant.api.call(getClientSession, { id: session.id })).problem("resource_not_found");
});
