import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext, testTenant } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { testUsers } from "@/e2e/fixtures/users";
import { createClientSessionBody } from "@/lib/contract/checkout/client-session";
import { decodeId } from "@/lib/contract/ids";
import type { Payment } from "@/lib/contract/payments/payment";
import { createPlanBody, type Plan } from "@/lib/contract/plans/plan";
import type { Context } from "@/lib/domain/context";
import { createPlan } from "../plans/plans";
import { cancelClientSession, createClientSession, getSessionDetail, listClientSessions } from "./client-sessions";

const { db } = await testDatabase();
const DAY_MS = 24 * 60 * 60 * 1000;

async function create(ctx: Context, body: object = {}): Promise<string> {
  const price = "plan_id" in body ? {} : { amount: 1999, currency: "USD" };
  const reply = await createClientSession(ctx, createClientSessionBody.parse({ ...price, ...body }));
  return (JSON.parse(reply.body) as { id: string }).id;
}

test("sessions are listed newest first, twenty per page, each with its purpose and customer", async () => {
  const { call } = await testTenant(db);
  const plan: Plan = JSON.parse(
    (
      await createPlan(
        call(),
        createPlanBody.parse({
          type: "ONE_TIME",
          name: "Poster",
          currency: "EUR",
          full_price_amount: 5,
          status: "ACTIVE",
        }),
      )
    ).body,
  );
  const ids: string[] = [];
  for (let i = 0; i < 21; i++) ids.push(await create(call(), { customer_name: `Shopper ${i}` }));
  ids.push(await create(call(), { plan_id: plan.id }));
  const first = await listClientSessions(call(), {});
  expect(first).toMatchObject({ limit: 20, offset: 0, has_more: true, total: 22, total_capped: false });
  expect(first.data.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 20));
  expect(first.data[0]).toMatchObject({
    plan: { id: plan.id, name: "Poster" },
    amount: 500,
    currency: "EUR",
    customer_name: null,
    status: "OPEN",
    attempts: 0,
    under_way: false,
    payment_id: null,
  });
  expect(first.data[1]).toMatchObject({ plan: null, customer_name: "Shopper 20" });
  const second = await listClientSessions(call(), { offset: 20 });
  expect(second.data.map(({ id }) => id)).toEqual(ids.toReversed().slice(20));
  expect(second.has_more).toBe(false);
});

test("a status filters the list and its total; a session past its expiry is expired and no longer open", async () => {
  let now = new Date();
  const { call } = await testTenant(db, { clock: { now: () => now } });
  const cancelled = await create(call());
  await cancelClientSession(call(), { id: cancelled });
  const old = await create(call());
  now = new Date(now.getTime() + DAY_MS);
  const fresh = await create(call());
  const idsOf = async (status: "OPEN" | "EXPIRED" | "CANCELLED" | "COMPLETED") => {
    const page = await listClientSessions(call(), { status });
    expect(page.total).toBe(page.data.length);
    expect(page.data.every((session) => session.status === status)).toBe(true);
    return page.data.map(({ id }) => id);
  };
  // Ids contain the real time while the service has the test's clock, so either order of the sessions is
  // possible.
  expect(await idsOf("CANCELLED")).toEqual([cancelled]);
  expect((await idsOf("EXPIRED")).concat(await idsOf("OPEN")).toSorted()).toEqual([old, fresh].toSorted());
  expect(await idsOf("COMPLETED")).toEqual([]);
});

test("while a payment is in progress the session is open past its expiry, and both pages show it", async () => {
  const { service, merchant, create: pay } = await moneyTenant(db);
  const call = () => testContext(service, merchant.test);
  const id = await create(call());
  const payment = (await pay()).body as Payment;
  await db.sql`
    update client_sessions set expires_at = now() - interval '1 hour', attempts = 1,
      open_payment_id = ${decodeId("payment", payment.id)}
    where environment_id = ${merchant.test.id} and id = ${decodeId("clientSession", id)}`;
  expect(await listClientSessions(call(), { status: "EXPIRED" })).toMatchObject({ data: [], total: 0 });
  expect((await listClientSessions(call(), { status: "OPEN" })).data).toMatchObject([
    { id, status: "OPEN", under_way: true, attempts: 1 },
  ]);
  expect(await getSessionDetail(call(), { id })).toMatchObject({
    open_payment_id: payment.id,
    session: { status: "OPEN", attempts_left: 4 },
  });
});

test("sessions of another merchant or of the other mode are never shown", async () => {
  const { call, stranger: otherMerchant, merchant } = await testTenant(db);
  const id = await create(call());
  for (const environment of [otherMerchant.test, merchant.live]) {
    expect(await listClientSessions(call({ environment }), {})).toMatchObject({ data: [], total: 0 });
    await expect(getSessionDetail(call({ environment }), { id })).rejects.toMatchObject({ code: "resource_not_found" });
  }
  await expect(getSessionDetail(call(), { id: "nonsense" })).rejects.toMatchObject({ code: "resource_not_found" });
});

test("a session's page shows who created and who cancelled it, and never its token", async () => {
  const { call, newUser } = await testUsers(db);
  const owner = await newUser("owner", { name: "Ada" });
  const id = await create(call(), { metadata: { order: "42" } });
  expect(await getSessionDetail(owner.ctx, { id })).toMatchObject({
    session: { id, status: "OPEN", client_session_token: null, iframe_url: null, metadata: { order: "42" } },
    plan: null,
    open_payment_id: null,
    attempts: [],
    cancelled: null,
    created_by: { type: "api_key", name: "An API key" },
  });
  await cancelClientSession(owner.ctx, { id });
  const closed = await getSessionDetail(owner.ctx, { id });
  expect(closed.session.status).toBe("CANCELLED");
  expect(closed.cancelled).toMatchObject({ by: { type: "user", name: "Ada" } });
});
