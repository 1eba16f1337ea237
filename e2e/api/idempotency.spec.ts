import { randomUUID } from "node:crypto";
import { createClientSession } from "@/lib/contract/checkout/endpoints";
import type { Endpoint } from "@/lib/contract/endpoint";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import {
  capturePayment,
  createPayment,
  getPayment,
  listPayments,
  refundPayment,
  voidPayment,
} from "@/lib/contract/payments/endpoints";
import { createPlan, deactivatePlan, listPlans } from "@/lib/contract/plans/endpoints";
import { refundTransaction, searchTransactions } from "@/lib/contract/transactions/endpoints";
import type { Answer, Api, CallOptions } from "../client";
import { ageKey } from "../fixtures/factories";
import { expect, type Tenant, test } from "../fixtures/playwright";
import { aCard, aPayment, aPlan, aSession, authorized, CARDS, captured, chargeOf, newPlan } from "../samples";

const REQUIRED = ENDPOINTS.filter(({ idempotency }) => idempotency === "required");

/** Sends the same request twice and checks that both responses are identical, byte for byte. */
async function expectReplay(api: Api, endpoint: Endpoint, options: CallOptions, again: CallOptions = {}) {
  const key = randomUUID();
  const first = await api.call(endpoint, { ...options, key });
  expect(first.replayed).toBe(false);
  const second = await api.call(endpoint, { ...options, key, ...again });
  expect(second.replayed, second.text).toBe(true);
  expect(second.status).toBe(first.status);
  expect(second.text).toBe(first.text);
  expect(second.headers.get("content-type")).toBe(first.headers.get("content-type"));
  return first;
}

test("every operation that moves money needs the header", async ({ api }) => {
  expect(REQUIRED).toHaveLength(15);
  const REFUSED = REQUIRED.filter((endpoint: Endpoint) => !endpoint.keyMayBeAbsent);
  expect(REFUSED).toHaveLength(13);
  for (const endpoint of REFUSED) {
    (await api.call(endpoint, { id: "some-id", key: null, body: {} })).problem("idempotency_key_missing");
  }
});

test("a key has 1 to 255 characters", async ({ api }) => {
  for (const key of ["", " ", "k".repeat(256)]) {
    (await api.call(createPayment, { key, body: aPayment() })).problem("idempotency_key_invalid");
  }
  (await api.call(createPlan, { key: "k".repeat(256), body: aPlan() })).problem("idempotency_key_invalid");
  for (const key of ["k", "k".repeat(255), "order 1/2 (first try)"]) {
    (await api.call(createPayment, { key, body: aPayment() })).ok();
  }
});

test("a significant header that is sent twice is rejected, equal or not, and nothing is done", {
  tag: "@next",
}, async ({ api }) => {
  const body = JSON.stringify(aPayment());
  const sent = { method: "POST", path: "/v1/payments", body };
  const headers = { "Content-Type": "application/json", "X-Idempotency-Key": "order-7" };
  for (const name of ["X-Idempotency-Key", "Idempotency-Key"]) {
    for (const keys of [
      ["order-7", "order-7"],
      ["order-7", "order-8"],
    ]) {
      const twice = await api.raw({ ...sent, headers: { "Content-Type": "application/json", [name]: keys } });
      expect(twice.problem("idempotency_key_invalid").param).toBe(name);
    }
  }
  for (const [name, value] of [
    ["X-Api-Key", api.apiKey ?? ""],
    ["Content-Type", "application/json"],
  ] as const) {
    const twice = await api.raw({ ...sent, headers: { ...headers, [name]: [value, value] } });
    expect(twice.problem("invalid_parameter").param).toBe(name);
  }
  expect((await api.call(listPayments)).ok().total).toBe(0);
  expect((await api.raw({ ...sent, headers })).status).toBe(201);
  expect((await api.call(listPayments)).ok().total).toBe(1);
});

test("Idempotency-Key is the same header, and both with different values are refused", async ({ api }) => {
  const standard = { key: null, headers: { "Idempotency-Key": "order-9" } };
  const first = (await api.call(createPayment, { ...standard, body: aPayment() })).ok();
  const again = await api.call(createPayment, { key: "order-9", body: aPayment() });
  expect([again.replayed, again.ok().id]).toEqual([true, first.id]);
  const both = { key: "order-10", headers: { "Idempotency-Key": "order-11" } };
  (await api.call(createPayment, { ...both, body: aPayment() })).problem("idempotency_key_invalid");
  const session = { ...standard, headers: { "Idempotency-Key": "session-1" }, body: aSession() };
  const sessions = [await api.call(createClientSession, session), await api.call(createClientSession, session)];
  expect(sessions[1]?.ok().id).toBe(sessions[0]?.ok().id);
});

test("a key with a template that was not filled in is refused", async ({ api }) => {
  for (const key of ["{{$guid}}", "order-{{id}}"])
    (await api.call(createPayment, { key, body: aPayment() })).problem("idempotency_key_invalid");
});

test("a JSON member given twice is refused before anything is done", { tag: "@next" }, async ({ api }) => {
  const payment = await captured(api, { amount: 500 });
  for (const body of ['{"amount":50,"amount":150}', String.raw`{"amount":50,"\u0061mount":150}`]) {
    const headers = { "Content-Type": "application/json", "X-Idempotency-Key": randomUUID() };
    const refused = await api.raw({ method: "POST", path: `/v1/payments/${payment.id}/refund`, headers, body });
    expect(refused.problem("malformed_json").param).toBe("amount");
  }
  expect((await api.call(getPayment, { id: payment.id })).ok().amount_refunded).toBe(0);
});

test("keys are compared exactly", async ({ api }) => {
  const ids = new Set<string>();
  for (const key of ["order-1", "Order-1", "order-1.", "order -1"]) {
    ids.add((await api.call(createPayment, { key, body: aPayment() })).ok().id);
  }
  expect(ids.size).toBe(4);
});

test("the same request under the same key happens once", async ({ api }) => {
  await expectReplay(api, createPayment, { body: aPayment() });
  expect((await api.call(listPayments)).ok().total).toBe(1);
});

test("member order, white space, and absent or default values do not change a request", async ({ api }) => {
  const { amount, currency, card } = aPayment();
  const key = randomUUID();
  const first = await api.call(createPayment, { key, body: { amount, currency, card } });
  const variants = [
    { card, currency, amount },
    {
      amount,
      currency,
      card: Object.fromEntries(Object.entries(card).reverse()),
      capture_method: "automatic",
      metadata: {},
      description: null,
    },
  ];
  for (const body of variants) expect((await api.call(createPayment, { key, body })).text).toBe(first.text);
  const spaced = await api.raw({
    method: "POST",
    path: "/v1/payments",
    headers: { "X-Idempotency-Key": key, "Content-Type": "application/json" },
    body: `  ${JSON.stringify(variants[0], null, 4)}\n`,
  });
  expect(spaced.text).toBe(first.text);
});

test("an empty body equals no body", async ({ api }) => {
  const { id } = await authorized(api);
  await expectReplay(api, capturePayment, { id }, { body: {} });
});

test("other parameters under the same key are 409", async ({ api }) => {
  const key = randomUUID();
  (await api.call(createPayment, { key, body: aPayment() })).ok();
  for (const change of [
    { amount: 10_001 },
    { currency: "EUR" },
    { metadata: { a: 1 } },
    { card: aCard("4111111111111111") },
  ]) {
    (await api.call(createPayment, { key, body: aPayment(change) })).problem("idempotency_key_reused");
  }
  expect((await api.call(listPayments)).ok().total).toBe(1);
});

test("the same key on another path is 409", async ({ api }) => {
  const key = randomUUID();
  const [one, two] = [await captured(api), await captured(api)];
  (await api.call(refundPayment, { id: one.id, key })).ok();
  (await api.call(refundPayment, { id: two.id, key })).problem("idempotency_key_reused");
  (await api.call(voidPayment, { id: one.id, key })).problem("idempotency_key_reused");
  (await api.call(refundTransaction, { id: chargeOf(one).id, key })).problem("idempotency_key_reused");
  (await api.call(createPlan, { key, body: aPlan() })).problem("idempotency_key_reused");
});

test("a key belongs to its environment", async ({ tenant, stranger }) => {
  const key = randomUUID();
  const mine = (await tenant.api.call(createPayment, { key, body: aPayment() })).ok();
  const theirs = (await stranger.api.call(createPayment, { key, body: aPayment({ amount: 1 }) })).ok();
  expect(theirs.id).not.toBe(mine.id);
  (await tenant.live.call(createPlan, { key, body: aPlan() })).ok();
});

test("a key belongs to the environment and not to the API key", async ({ tenant }) => {
  const other = await tenant.newKey();
  const key = randomUUID();
  const first = await tenant.api.call(createPayment, { key, body: aPayment() });
  const second = await other.api.call(createPayment, { key, body: aPayment() });
  expect([second.replayed, second.text]).toEqual([true, first.text]);
});

test.describe("stored responses", () => {
  test("201 and 200", async ({ api }) => {
    const { id } = await authorized(api);
    await expectReplay(api, capturePayment, { id, body: { amount: 500 } });
    await expectReplay(api, refundPayment, { id, body: { amount: 100 } });
    expect((await api.call(getPayment, { id })).ok().amount_refunded).toBe(100);
  });

  test("402", async ({ api }) => {
    const declined = await expectReplay(api, createPayment, { body: aPayment({ card: aCard(CARDS.declined) }) });
    expect(declined.status).toBe(402);
    const { id } = await authorized(api, { card: aCard(CARDS.captureFails) });
    expect((await expectReplay(api, capturePayment, { id })).status).toBe(402);
    expect((await api.call(listPayments)).ok().total).toBe(2);
  });

  test("409 invalid_state, also when the state would allow it later", async ({ api }) => {
    const { id } = await authorized(api);
    const key = randomUUID();
    const refused = await api.call(refundPayment, { id, key });
    refused.problem("invalid_state");
    (await api.call(capturePayment, { id })).ok();
    const again = await api.call(refundPayment, { id, key });
    expect([again.replayed, again.text]).toEqual([true, refused.text]);
  });

  test("422", async ({ api }) => {
    const { id } = await captured(api);
    await expectReplay(api, refundPayment, { id, body: { amount: 10_001 } });
    await expectReplay(api, createPayment, { body: aPayment({ currency: "ZZZ" }) });
    const { id: plan_id } = await newPlan(api);
    await expectReplay(api, createPayment, { body: aPayment({ plan_id }) });
    await expectReplay(api, createClientSession, { body: { plan_id } });
  });

  test("a request that was allowed is replayed even if the rules have changed since", async ({ api }) => {
    const plan = await newPlan(api, { status: "ACTIVE" });
    const key = randomUUID();
    const body = aPayment({ plan_id: plan.id, amount: 1_999 });
    const first = await api.call(createPayment, { key, body });
    first.ok();
    (await api.call(deactivatePlan, { id: plan.id })).ok();
    expect((await api.call(createPayment, { key, body })).text).toBe(first.text);
  });
});

test("responses that are not stored leave the key free: 400, 401, 403, 404, 413, 415", async ({ tenant, api }) => {
  const key = randomUUID();
  const reader = await tenant.newKey({ permissions: ["payment.read"] });
  const headers = { "X-Idempotency-Key": key };
  (await api.call(createPayment, { key, body: aPayment({ amount: 0 }) })).problem("invalid_parameter");
  (await reader.api.call(createPayment, { key, body: aPayment() })).problem("permission_denied");
  (await api.call(createPayment, { key, body: aPayment(), headers: { "X-Api-Key": "wrong" } })).problem(
    "api_key_invalid",
  );
  (await api.call(createPayment, { key, body: aPayment({ plan_id: "plan_unknown" }) })).problem("resource_not_found");
  (await api.call(refundPayment, { key, id: "pay_unknown" })).problem("resource_not_found");
  const raw = { method: "POST", path: "/v1/payments", headers };
  (await api.raw({ ...raw, body: "x".repeat(70_000) })).problem("body_too_large");
  (await api.raw({ ...raw, body: "x" })).problem("unsupported_media_type");
  const answer = await api.call(createPayment, { key, body: aPayment() });
  expect([answer.status, answer.replayed]).toEqual([201, false]);
});

test("a replay needs the permission, too", async ({ tenant, api }) => {
  const key = randomUUID();
  (await api.call(createPayment, { key, body: aPayment() })).ok();
  const reader = await tenant.newKey({ permissions: ["payment.read", "transaction.refund"] });
  (await reader.api.call(createPayment, { key, body: aPayment() })).problem("permission_denied");
});

test.describe("the header on other operations", () => {
  test("is accepted where something is created, and the secret is the same in a replay", async ({ api }) => {
    await expectReplay(api, createPlan, { body: aPlan() });
    expect((await api.call(listPlans)).ok().total).toBe(1);
    const session = await expectReplay(api, createClientSession, { body: aSession() });
    expect(session.text).toContain('"client_session_token":"');
    const key = randomUUID();
    (await api.call(createClientSession, { key, body: aSession() })).ok();
    (await api.call(createClientSession, { key, body: aSession({ amount: 1 }) })).problem("idempotency_key_reused");
  });

  test("has no effect where nothing is created", async ({ api }) => {
    const key = randomUUID();
    expect((await api.call(searchTransactions, { key, body: {} })).ok().total).toBe(0);
    await captured(api);
    expect((await api.call(searchTransactions, { key, body: {} })).ok().total).toBe(1);
  });
});

/** Backdates a key by the interval, on the database's clock. */
const age = ({ context, merchant }: Tenant, key: string, interval: string) =>
  ageKey(context().service.db, merchant.test.id, key, interval);

test("a key is replayed for 24 hours, and is new after that", async ({ tenant, api }) => {
  const key = randomUUID();
  const first = await api.call(createPayment, { key, body: aPayment() });
  await age(tenant, key, "23 hours 59 minutes 30 seconds");
  expect((await api.call(createPayment, { key, body: aPayment() })).text).toBe(first.text);
  (await api.call(createPayment, { key, body: aPayment({ amount: 1 }) })).problem("idempotency_key_reused");

  await age(tenant, key, "24 hours");
  const next = await api.call(createPayment, { key, body: aPayment({ amount: 1 }) });
  expect([next.status, next.replayed]).toEqual([201, false]);
  expect((await api.call(createPayment, { key, body: aPayment({ amount: 1 }) })).text).toBe(next.text);
  expect((await api.call(listPayments)).ok().total).toBe(2);
});

test("24 hours are 24 hours for follow-ups and plans, too", async ({ tenant, api }) => {
  const { id } = await captured(api);
  const refundKey = randomUUID();
  (await api.call(refundPayment, { id, key: refundKey, body: { amount: 100 } })).ok();
  await age(tenant, refundKey, "24 hours");
  const again = (await api.call(refundPayment, { id, key: refundKey, body: { amount: 100 } })).ok();
  expect(again.amount_refunded).toBe(200);

  const planKey = randomUUID();
  const plan = (await api.call(createPlan, { key: planKey, body: aPlan() })).ok();
  await age(tenant, planKey, "24 hours");
  const other = (await api.call(createPlan, { key: planKey, body: aPlan() })).ok();
  expect(other.id).not.toBe(plan.id);
});

/** Repeats a request that has waited 2 s in vain for the first one of its key, which a busy machine can delay. */
async function untilFirstEnds(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const begun = Date.now();
    const answer = await call();
    if (!answer.text.includes('"idempotency_request_in_progress"')) return answer;
    expect(Date.now() - begun).toBeGreaterThan(1_900);
  }
}

test("concurrent requests with one key are one operation with one response", { tag: "@next" }, async ({ api }) => {
  const key = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => untilFirstEnds(() => api.call(createPayment, { key, body: aPayment() }))),
  );
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
  expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
  expect((await api.call(listPayments)).ok().total).toBe(1);
});

test("concurrent refunds with one key are one refund", async ({ api }) => {
  const { id } = await captured(api);
  const key = randomUUID();
  const refund = () => api.call(refundPayment, { id, key, body: { amount: 1_000 } });
  const answers = await Promise.all(Array.from({ length: 12 }, () => untilFirstEnds(refund)));
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
  expect((await refund()).ok().amount_refunded).toBe(1_000);
});

test("while the first request runs: waits 2 s for it, then 409; afterwards its result", async ({ api }) => {
  const key = randomUUID();
  const body = aPayment({ card: aCard(CARDS.slow) });
  const slow = api.call(createPayment, { key, body });
  // Only the second request of a key can be refused because another is in progress.
  await expect.poll(async () => (await api.call(listPayments)).ok().total, { intervals: [20], timeout: 4_000 }).toBe(1);
  const started = Date.now();
  const impatient = await api.call(createPayment, { key, body });
  impatient.problem("idempotency_request_in_progress");
  expect(impatient.headers.get("retry-after")).toBe("1");
  expect(Date.now() - started).toBeGreaterThan(1_500);
  (await api.call(createPayment, { key, body: aPayment() })).problem("idempotency_key_reused");

  const first = await slow;
  expect(first.status).toBe(201);
  const replay = await api.call(createPayment, { key, body });
  expect([replay.replayed, replay.text]).toEqual([true, first.text]);
});
