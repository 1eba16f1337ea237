import { expect, test, vi } from "vitest";
import {
  CARD,
  CHALLENGED,
  codeOf,
  countPayments,
  DECLINED,
  expectCleanBooks,
  expireSessions,
  openShop,
} from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import type { MoneyTenant } from "@/e2e/fixtures/money";
import { holds, losesAnswer, says } from "@/e2e/fixtures/scripted-processor";
import type { CheckoutState } from "@/lib/contract/checkout/checkout";
import { encodeId } from "@/lib/contract/ids";
import { createPlanBody } from "@/lib/contract/plans/plan";
import { checkoutState, findCheckout } from "@/lib/domain/checkout/pay-session";
import { findChallenge } from "@/lib/domain/payments/challenges";
import { expirePayments } from "@/lib/domain/payments/expire-payments";
import { activatePlan, createPlan, deactivatePlan } from "@/lib/domain/plans/plans";

const { db } = await testDatabase({ max: 20 });

/** An active plan: the body of its sessions, and a function that deactivates it. */
async function sellPlan({ service, merchant }: MoneyTenant) {
  const ctx = () => testContext(service, merchant.test);
  const body = createPlanBody.parse({ type: "ONE_TIME", name: "Poster", currency: "USD", full_price_amount: 5 });
  const plan = JSON.parse((await createPlan(ctx(), body)).body);
  await activatePlan(ctx(), { id: plan.id });
  const session = { plan_id: plan.id, amount: undefined, currency: undefined };
  return { session, stop: () => deactivatePlan(ctx(), { id: plan.id }) };
}

test("a card pays the session's amount, and completes it", async () => {
  const shop = await openShop(db, {
    customer_id: "ann",
    metadata: { order: "7" },
    return_url: "https://shop.example/x?o=7",
  });
  expect(await shop.state()).toMatchObject({ status: "OPEN", attempts_left: 5, payment: null, failure: null });
  const { state, payment_token } = await shop.pay({ postal_code: "94107" });
  const session = await shop.get();
  expect(payment_token).toBeNull();
  expect(state).toMatchObject({ status: "COMPLETED", attempts_left: 4, action: null, failure: null });
  expect(session).toMatchObject({ status: "COMPLETED", payment_id: state.payment?.id, attempts_left: 4 });
  expect(state.return_url).toBe(
    `https://shop.example/x?o=7&client_session_id=${shop.id}&payment_id=${state.payment?.id}`,
  );
  const payment = await shop.tenant.get(session.payment_id ?? "");
  expect(payment).toMatchObject({
    status: "CAPTURED",
    amount: 1_999,
    currency: "USD",
    customer_id: "ann",
    metadata: { order: "7" },
    client_session_id: shop.id,
    billing_address: { postal_code: "94107" },
  });
  expect(payment.transactions[0]).toMatchObject({ avs_result: "Z", client_session_id: shop.id });
  await expectCleanBooks(db);
});

test("a session with manual capture completes with an authorization", async () => {
  const shop = await openShop(db, { capture_method: "manual" });
  expect((await shop.pay()).state).toMatchObject({ status: "COMPLETED", payment: { status: "AUTHORIZED" } });
});

test("an attempt that is resent is the same payment, however often and concurrently", async () => {
  const shop = await openShop(db);
  const answers = await Promise.all(Array.from({ length: 10 }, () => shop.pay({ attempt: "a" })));
  for (const { state } of answers) expect(state.status).toBe("COMPLETED");
  expect((await shop.pay({ attempt: "a" })).state.status).toBe("COMPLETED");
  expect(await countPayments(db, shop.tenant)).toEqual({ all: 1, paid: 1 });
  expect(shop.tenant.script.count("authorize")).toBe(1);
});

test("an attempt cannot be sent again with another card", async () => {
  const shop = await openShop(db);
  await shop.pay({ attempt: "a", card: DECLINED });
  expect(await codeOf(shop.pay({ attempt: "a" }))).toBe("idempotency_key_reused");
  expect(await countPayments(db, shop.tenant)).toEqual({ all: 1, paid: 0 });
});

test("many concurrent tabs that pay one session make one payment", async () => {
  const shop = await openShop(db);
  const codes = await Promise.all(Array.from({ length: 12 }, () => codeOf(shop.pay())));
  expect(codes.filter((code) => code === "ok")).toHaveLength(1);
  expect(new Set(codes)).toEqual(new Set(["ok", "invalid_state"]));
  expect(await countPayments(db, shop.tenant)).toEqual({ all: 1, paid: 1 });
  expect(await codeOf(shop.pay())).toBe("invalid_state");
  await expectCleanBooks(db);
});

test("while a payment is in progress a second tab shows it, and its outcome", async () => {
  const shop = await openShop(db);
  const hold = holds();
  shop.tenant.script.next(hold.step);
  const first = shop.pay();
  await hold.reached;
  expect(await shop.state()).toMatchObject({ status: "PROCESSING", attempts_left: 4, payment: { status: "PENDING" } });
  expect(await codeOf(shop.pay())).toBe("invalid_state");
  expect(await codeOf(shop.cancel())).toBe("outcome_pending");
  hold.release();
  expect((await first).state.status).toBe("COMPLETED");
  expect((await shop.state()).status).toBe("COMPLETED");
});

test("a declined card leaves the session open, and another one pays it", async () => {
  const shop = await openShop(db);
  expect((await shop.pay({ card: DECLINED })).state).toMatchObject({
    status: "OPEN",
    attempts_left: 4,
    failure: "card_declined",
    payment: null,
  });
  expect(await shop.state()).toMatchObject({ status: "OPEN", failure: "card_declined" });
  expect((await shop.pay()).state).toMatchObject({ status: "COMPLETED", attempts_left: 3, failure: null });
  expect(await countPayments(db, shop.tenant)).toEqual({ all: 2, paid: 1 });
});

for (const [number, failure] of [
  ["4000000000009987", "card_declined"],
  ["4000000000009979", "card_declined"],
  ["4000000000004954", "card_declined"],
  ["4000000000009995", "insufficient_funds"],
  ["4000000000000069", "expired_card"],
  ["4000000000000127", "incorrect_cvv"],
  ["4000000000003063", "authentication_failed"],
] as const) {
  test(`the shopper sees the outcome of card …${number.slice(-4)}: ${failure}`, async () => {
    const shop = await openShop(db);
    expect((await shop.pay({ card: { ...CARD, number } })).state.failure).toBe(failure);
  });
}

test("five attempts, then the session is closed for good", async () => {
  const shop = await openShop(db);
  const states: CheckoutState[] = [];
  for (let i = 0; i < 5; i++) states.push((await shop.pay({ card: DECLINED })).state);
  expect(states.map(({ status, attempts_left }) => [status, attempts_left])).toEqual([
    ...[4, 3, 2, 1].map((left) => ["OPEN", left]),
    ["EXPIRED", 0],
  ]);
  expect(await codeOf(shop.pay())).toBe("invalid_state");
  expect(await shop.get()).toMatchObject({ status: "EXPIRED", attempts_left: 0, payment_id: null });
  expect(await countPayments(db, shop.tenant)).toEqual({ all: 5, paid: 0 });
});

test("an attempt whose response was lost is resolved, and pays the session", async () => {
  const shop = await openShop(db);
  shop.tenant.script.next(losesAnswer);
  expect((await shop.pay()).state).toMatchObject({ status: "PROCESSING" });
  expect(await codeOf(shop.pay())).toBe("invalid_state");
  await shop.tenant.endLeases();
  await shop.tenant.complete();
  expect(await shop.state()).toMatchObject({ status: "COMPLETED", payment: { status: "CAPTURED" } });
  await expectCleanBooks(db);
});

test("an attempt that provably never reached the bank frees the session for another", async () => {
  const shop = await openShop(db);
  const notSent = says({ kind: "not_sent", reason: "refused" });
  shop.tenant.script.next(notSent, notSent, notSent);
  expect((await shop.pay()).state).toMatchObject({ status: "OPEN", failure: "processing_error", attempts_left: 4 });
  expect((await shop.pay()).state.status).toBe("COMPLETED");
});

test("a session that expired or was cancelled accepts no attempt", async () => {
  const shop = await openShop(db);
  const cancelled = await shop.open();
  await cancelled.cancel();
  expect(await codeOf(cancelled.pay())).toBe("invalid_state");
  expect(await cancelled.state()).toMatchObject({ status: "CANCELLED" });
  await expireSessions(db, shop.tenant);
  expect(await codeOf(shop.pay())).toBe("invalid_state");
  expect(await shop.state()).toMatchObject({ status: "EXPIRED", attempts_left: 5 });
  expect(await countPayments(db, shop.tenant)).toEqual({ all: 0, paid: 0 });
});

test("a challenge keeps the session busy; cancelling the session ends it as abandoned", async () => {
  const shop = await openShop(db);
  const { state } = await shop.pay({ card: CHALLENGED });
  expect(state).toMatchObject({ status: "REQUIRES_ACTION", payment: { status: "REQUIRES_ACTION" } });
  expect(state.action?.url).toMatch(/^\/challenge\/env_/);
  expect(await codeOf(shop.pay())).toBe("invalid_state");
  expect(await shop.cancel()).toMatchObject({ status: "CANCELLED" });
  expect(await countPayments(db, shop.tenant)).toEqual({ all: 1, paid: 0 });
  expect(await shop.state()).toMatchObject({ status: "CANCELLED" });
  await expectCleanBooks(db);
});

test("a challenge can be completed after the service's address changed, and the form still frames it", async () => {
  const shop = await openShop(db);
  await shop.pay({ card: CHALLENGED });
  const service = { ...shop.tenant.service, baseUrl: "https://pay.example" };
  const checkout = await findCheckout(service, shop.token);
  const url = checkout && checkoutState(service, checkout.row).action?.url;
  expect(url).toMatch(/^\/challenge\/env_/);
  const challenge = await findChallenge(service, url?.split("/").at(-1) ?? "");
  expect(challenge).toMatchObject({ status: "REQUIRES_ACTION", processorUrl: null });
});

test("an abandoned challenge ends, and leaves the session open for another attempt", async () => {
  const shop = await openShop(db);
  await shop.pay({ card: CHALLENGED });
  await db.sql`update payments set updated_at = now() - interval '31 minutes',
      next_action = jsonb_set(next_action, '{expires_at}', to_jsonb('2020-01-01T00:00:00.000Z'::text))
    where environment_id = ${shop.tenant.environmentId}`;
  await expirePayments(shop.tenant.service);
  expect(await shop.state()).toMatchObject({ status: "OPEN", failure: "authentication_failed", attempts_left: 4 });
});

test("an attempt that was refused during another pays nothing when it is resent", async () => {
  const shop = await openShop(db);
  await shop.pay({ card: CHALLENGED });
  expect(await codeOf(shop.pay({ attempt: "late" }))).toBe("invalid_state");
  expect(await codeOf(shop.pay({ attempt: "late-token", mode: "tokenize" }))).toBe("invalid_state");
  await db.sql`update payments set updated_at = now() - interval '31 minutes' where environment_id = ${shop.tenant.environmentId}`;
  await expirePayments(shop.tenant.service);
  expect(await shop.state()).toMatchObject({ status: "OPEN" });
  expect(await codeOf(shop.pay({ attempt: "late" }))).toBe("invalid_state");
  expect(await codeOf(shop.pay({ attempt: "late-token", mode: "tokenize" }))).toBe("invalid_state");
  expect(await countPayments(db, shop.tenant)).toEqual({ all: 1, paid: 0 });
  expect((await shop.pay()).state).toMatchObject({ status: "COMPLETED", attempts_left: 3 });
  await expectCleanBooks(db);
});

test("a suspended merchant's session accepts no attempt, and shows the outcome of an earlier one", async () => {
  const shop = await openShop(db);
  const other = await shop.open();
  await shop.pay({ attempt: "a" });
  await db.sql`update merchants set suspended_at = now() where id = ${shop.tenant.merchant.id}`;
  expect(await codeOf(other.pay())).toBe("merchant_suspended");
  expect((await shop.pay({ attempt: "a" })).state.status).toBe("COMPLETED");
  expect(await countPayments(db, shop.tenant)).toEqual({ all: 1, paid: 1 });
});

test("a plan that is no longer sold is not paid, and its paid session still shows so", async () => {
  const shop = await openShop(db);
  const plan = await sellPlan(shop.tenant);
  const [paid, other] = [await shop.open(plan.session), await shop.open(plan.session)];
  await paid.pay({ attempt: "a" });
  await plan.stop();
  expect(await codeOf(other.pay())).toBe("plan_not_active");
  expect((await paid.pay({ attempt: "a" })).state.status).toBe("COMPLETED");
});

test("a session that is over gives no card to the processor", async () => {
  const shop = await openShop(db);
  await shop.pay();
  const tokenize = vi.spyOn(shop.tenant.script.processor, "tokenize");
  expect(await codeOf(shop.pay())).toBe("invalid_state");
  expect(await codeOf(shop.pay({ mode: "tokenize" }))).toBe("invalid_state");
  expect(tokenize).not.toHaveBeenCalled();
  expect((await (await shop.open()).pay()).state.status).toBe("COMPLETED");
  expect(tokenize).toHaveBeenCalledOnce();
});

test("a session that expires while its payment is in progress is open until that ends, and then paid", async () => {
  const shop = await openShop(db);
  const hold = holds();
  shop.tenant.script.next(hold.step);
  const first = shop.pay();
  await hold.reached;
  await expireSessions(db, shop.tenant);
  expect(await shop.get()).toMatchObject({ status: "OPEN" });
  expect(await shop.state()).toMatchObject({ status: "PROCESSING" });
  hold.release();
  expect((await first).state.status).toBe("COMPLETED");
});

test("cancelling a session that expired during its challenge closes it as cancelled", async () => {
  const shop = await openShop(db);
  await shop.pay({ card: CHALLENGED });
  await expireSessions(db, shop.tenant);
  expect(await shop.cancel()).toMatchObject({ status: "CANCELLED" });
});

test("a merchant's own key cannot be used up by a shopper", async () => {
  const shop = await openShop(db);
  await shop.pay({ mode: "tokenize", attempt: "charge" });
  expect(await shop.tenant.create({}, { key: `${shop.id}:charge` })).toMatchObject({ status: 201 });
});

test("neither the token nor the card is stored with the attempt's key", async () => {
  const shop = await openShop(db);
  await shop.pay({ attempt: "a" });
  const [key] = await db.sql`
    select key, path, operation_name as endpoint, actor, request_body from idempotency_keys
    where environment_id = ${shop.tenant.environmentId}`;
  expect(key).toMatchObject({
    key: ` ${shop.id}:a`,
    path: `/pay/${shop.id}/attempts`,
    endpoint: "payClientSession",
    actor: { type: "shopper" },
    request_body: { card: { brand: "visa", last4: "4242" } },
  });
  expect(JSON.stringify(key)).not.toMatch(/cst_|424242424242|"cvv"/);
  expect(encodeId("clientSession", key?.actor.id)).toBe(shop.id);
});
