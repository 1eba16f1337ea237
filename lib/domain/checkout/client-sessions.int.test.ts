import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testIdempotency, testTenant } from "@/e2e/fixtures/factories";
import { type ClientSession, clientSession, createClientSessionBody } from "@/lib/contract/checkout/client-session";
import { createPlanBody, type Plan } from "@/lib/contract/plans/plan";
import type { Context } from "@/lib/domain/context";
import { sha256 } from "@/lib/secret";
import { activatePlan, createPlan, deactivatePlan } from "../plans/plans";
import { cancelClientSession, createClientSession, getClientSession } from "./client-sessions";

const { db } = await testDatabase();

async function create(ctx: Context, body: object = { amount: 1999, currency: "USD" }): Promise<ClientSession> {
  const reply = await createClientSession(ctx, createClientSessionBody.parse(body));
  expect(reply.status).toBe(201);
  return clientSession.strict().parse(JSON.parse(reply.body));
}

async function newPlan(ctx: Context, body: object = {}): Promise<Plan> {
  const whole = { type: "ONE_TIME", name: "Poster", currency: "KWD", full_price_amount: 4.505, ...body };
  return JSON.parse((await createPlan(ctx, createPlanBody.parse(whole))).body);
}

const DAY_MS = 24 * 60 * 60 * 1000;

test("a session is open for 24 hours and five attempts, and shows its token once", async () => {
  const { call } = await testTenant(db);
  const session = await create(call());
  expect(session).toMatchObject({
    status: "OPEN",
    amount: 1999,
    currency: "USD",
    attempts_left: 5,
    payment_id: null,
    plan_id: null,
  });
  expect(session.client_session_token).toMatch(/^cst_[A-Za-z0-9_-]{43}$/);
  expect(session.iframe_url).toBe(`http://cardlane.test/pay/${session.client_session_token}`);
  expect(Date.parse(session.expires_at) - Date.parse(session.created_at)).toBe(DAY_MS);
  expect(await getClientSession(call(), { id: session.id })).toEqual({
    ...session,
    client_session_token: null,
    iframe_url: null,
  });
});

test("returns all values that were sent", async () => {
  const { call } = await testTenant(db);
  const body = {
    amount: 5,
    currency: "JPY",
    customer_id: "c1",
    customer_email: "Jo@example.com",
    customer_name: "Jo",
    billing_address: { line1: "1 Road", line2: null, city: "Oslo", state: null, postal_code: "0150", country: "NO" },
    capture_method: "manual",
    allowed_origins: ["https://shop.example", "http://localhost:3000"],
    return_url: "https://shop.example/done",
    appearance: { theme: "dark", border_radius: 4 },
    metadata: { order: "42", gift: true, weight: 1.5 },
  };
  expect(await create(call(), body)).toMatchObject(body);
});

test("the token is stored as a digest only, and is in no event", async () => {
  const { call, merchant } = await testTenant(db);
  const ctx = call({ idempotency: testIdempotency("k", Buffer.alloc(32), null) });
  const { client_session_token: token } = await create(ctx);
  const [row] = await db.sql`select token_sha256 from client_sessions where environment_id = ${merchant.test.id}`;
  expect(row?.token_sha256).toEqual(sha256(token as string));
  const texts = await db.sql`
    select to_jsonb(s)::text from client_sessions s where environment_id = ${merchant.test.id}
    union all select to_jsonb(e)::text from events e where environment_id = ${merchant.test.id}
    union all select to_jsonb(a)::text from audit_log a where environment_id = ${merchant.test.id}
    union all select to_jsonb(k)::text from idempotency_keys k where environment_id = ${merchant.test.id}`;
  expect(texts).toHaveLength(4);
  expect(JSON.stringify(texts)).not.toContain(token);
  expect(
    (await createClientSession(ctx, createClientSessionBody.parse({ amount: 1999, currency: "USD" }))).body,
  ).toContain(token);
});

test("with a plan the amount is the plan's, in minor units", async () => {
  const { call } = await testTenant(db);
  const plan = await newPlan(call(), { status: "ACTIVE" });
  expect(await create(call(), { plan_id: plan.id })).toMatchObject({ amount: 4505, currency: "KWD", plan_id: plan.id });
});

test("a plan that is a draft or inactive is 422, and a refusal is replayed", async () => {
  const { call } = await testTenant(db);
  const plan = await newPlan(call());
  const body = createClientSessionBody.parse({ plan_id: plan.id });
  await expect(createClientSession(call(), body)).rejects.toMatchObject({ code: "plan_not_active", param: "plan_id" });
  const keyed = { idempotency: testIdempotency("k", Buffer.alloc(32), null) };
  const refused = await createClientSession(call(keyed), body);
  expect(refused).toMatchObject({ status: 422, replayed: false });
  await activatePlan(call(), { id: plan.id });
  expect(await createClientSession(call(keyed), body)).toEqual({ ...refused, replayed: true });
  expect((await createClientSession(call(), body)).status).toBe(201);
  await deactivatePlan(call(), { id: plan.id });
  await expect(createClientSession(call(), body)).rejects.toMatchObject({ code: "plan_not_active" });
});

test("an unknown, malformed or foreign plan is the same 404 on plan_id", async () => {
  const { call, stranger: otherMerchant } = await testTenant(db);
  const foreign = await newPlan(call({ environment: otherMerchant.test }), { status: "ACTIVE" });
  for (const plan_id of [foreign.id, "plan_01h455vb4pex5vsknk084sn02q", "nonsense"]) {
    const error = await create(call(), { plan_id }).catch((e) => e);
    expect(error).toMatchObject({ code: "resource_not_found", param: "plan_id" });
    expect(error.message.replace(plan_id, "")).toBe("There is no plan '' in this environment.");
  }
});

test("a currency that is not ISO 4217's is 422", async () => {
  const { call } = await testTenant(db);
  await expect(create(call(), { amount: 1, currency: "XXX" })).rejects.toMatchObject({
    code: "currency_not_supported",
  });
});

test("a session is expired from its last millisecond on, and can then not be cancelled", async () => {
  let now = new Date();
  const { call } = await testTenant(db, { clock: { now: () => now } });
  const session = await create(call());
  now = new Date(Date.parse(session.expires_at) - 1);
  expect((await getClientSession(call(), { id: session.id })).status).toBe("OPEN");
  now = new Date(session.expires_at);
  expect((await getClientSession(call(), { id: session.id })).status).toBe("EXPIRED");
  await expect(cancelClientSession(call(), { id: session.id })).rejects.toMatchObject({
    code: "invalid_state",
    extra: { current_status: "EXPIRED", allowed_actions: [] },
  });
});

test("an open session is cancelled once by ten concurrent requests, with one event", async () => {
  const { call, merchant } = await testTenant(db);
  const { id } = await create(call());
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => cancelClientSession(call(), { id })));
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
  for (const result of results) {
    if (result.status === "rejected") {
      expect(result.reason).toMatchObject({
        code: "invalid_state",
        extra: { current_status: "CANCELLED", allowed_actions: [] },
      });
    }
  }
  const session = await getClientSession(call(), { id });
  expect(session.status).toBe("CANCELLED");
  const rows =
    await db.sql`select type, sequence, data from events where environment_id = ${merchant.test.id} order by id`;
  expect(rows.map((row) => row.type)).toEqual(["client_session.created", "client_session.cancelled"]);
  expect(rows.map((row) => row.sequence)).toEqual([1, 2]);
  expect(rows[1]?.data.object).toEqual(session);
  expect(rows[1]?.data.previous).toEqual({ status: "OPEN", updated_at: rows[0]?.data.object.updated_at });
});

test("unknown, malformed and foreign ids get the same 404", async () => {
  const { call, stranger: otherMerchant, merchant } = await testTenant(db);
  const { id } = await create(call());
  for (const verb of [getClientSession, cancelClientSession]) {
    for (const [environment, given] of [
      [otherMerchant.test, id],
      [merchant.live, id],
      [merchant.test, "cs_01h455vb4pex5vsknk084sn02q"],
      [merchant.test, "nonsense"],
    ] as const) {
      const error = await verb(call({ environment }), { id: given }).catch((e) => e);
      expect(error.code).toBe("resource_not_found");
      expect(error.message.replace(given, "")).toBe("There is no client session '' in this environment.");
    }
  }
  expect((await getClientSession(call(), { id })).status).toBe("OPEN");
});
