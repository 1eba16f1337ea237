import { randomUUID } from "node:crypto";
import { createClientSession } from "@/lib/contract/checkout/endpoints";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { capturePayment, createPayment, getPayment, refundPayment } from "@/lib/contract/payments/endpoints";
import { listTransactions } from "@/lib/contract/transactions/endpoints";
import { Api } from "../client";
import { expect, test } from "../fixtures/playwright";
import { aCard, aPayment, authorized, CARDS, captured, newPlan } from "../samples";

test.describe("the order of checks", () => {
  const unknownRefund = { method: "POST", path: "/v1/payments/pay_unknown/refund", body: "not json" };

  test("a missing key is reported first: 401", async ({ api }) => {
    (await new Api(api.baseUrl, null).raw(unknownRefund)).problem("api_key_missing");
    (await new Api(api.baseUrl, "sk_test_nobody").raw(unknownRefund)).problem("api_key_invalid");
  });

  test("then the permission: 403", async ({ tenant }) => {
    const { api } = await tenant.newKey({ permissions: ["payment.read"] });
    const refusal = (await api.raw(unknownRefund)).problem("permission_denied");
    expect(refusal.detail).toContain("transaction.refund");
  });

  test("then the idempotency header: 400", async ({ api }) => {
    (await api.raw(unknownRefund)).problem("idempotency_key_missing");
  });

  test("then the size, the type and the schema of the body: 413, 415, 400", async ({ api }) => {
    const headers = { "X-Idempotency-Key": randomUUID(), "Content-Type": "text/plain" };
    (await api.raw({ ...unknownRefund, headers, body: "x".repeat(70_000) })).problem("body_too_large");
    (await api.raw({ ...unknownRefund, headers })).problem("unsupported_media_type");
    const json = { ...headers, "Content-Type": "application/json" };
    (await api.raw({ ...unknownRefund, headers: json })).problem("malformed_json");
    (await api.raw({ ...unknownRefund, headers: json, body: '{"amount":0}' })).problem("invalid_parameter");
  });

  test("then the resource: 404, even for a key that was used elsewhere", async ({ api }) => {
    const key = randomUUID();
    const payment = (await api.call(createPayment, { key, body: aPayment() })).ok();
    (await api.call(refundPayment, { key, id: "pay_unknown" })).problem("resource_not_found");
    (await api.call(refundPayment, { key, id: payment.id })).problem("idempotency_key_reused");
  });

  test("then the idempotency key, and only then the business rules", async ({ api }) => {
    const { id } = await captured(api);
    const key = randomUUID();
    (await api.call(capturePayment, { id, key })).problem("invalid_state");
    (await api.call(capturePayment, { id, key, body: { amount: 1 } })).problem("idempotency_key_reused");
  });
});

test("a decline names its reason, its payment and its transaction, which can be read", async ({ api }) => {
  const refusal = (await api.call(createPayment, { body: aPayment({ card: aCard(CARDS.declined) }) })).problem(
    "card_declined",
  );
  expect(refusal).toMatchObject({ status: 402, decline_code: "generic_decline", instance: "/v1/payments" });
  const payment = (await api.call(getPayment, { id: refusal.payment_id as string })).ok();
  expect(payment).toMatchObject({ status: "DECLINED", amount_captured: 0, available_actions: [] });
  expect(payment.transactions).toMatchObject([{ id: refusal.transaction_id, decline_code: "generic_decline" }]);
});

test("a capture refused by the processor is 402 payment_failed and moves nothing", async ({ api }) => {
  const { id } = await authorized(api, { card: aCard(CARDS.captureFails) });
  (await api.call(capturePayment, { id })).problem("payment_failed");
  const payment = (await api.call(getPayment, { id })).ok();
  expect(payment).toMatchObject({ status: "AUTHORIZED", amount_captured: 0, available_actions: ["capture", "void"] });
});

test("an amount above the remaining amount is 422 and names what is left", async ({ api }) => {
  const payment = await captured(api, { amount: 1_000 });
  await api.call(refundPayment, { id: payment.id, body: { amount: 400 } });
  const refusal = (await api.call(refundPayment, { id: payment.id, body: { amount: 601 } })).problem(
    "amount_exceeds_refundable",
  );
  expect(refusal).toMatchObject({ status: 422, remaining: 600 });
  const held = await authorized(api, { amount: 1_000 });
  const tooMuch = (await api.call(capturePayment, { id: held.id, body: { amount: 1_001 } })).problem(
    "amount_exceeds_capturable",
  );
  expect(tooMuch).toMatchObject({ status: 422, remaining: 1_000 });
});

test("an operation that the status forbids is 409 and names what is allowed", async ({ api }) => {
  const payment = await captured(api);
  const refusal = (await api.call(capturePayment, { id: payment.id })).problem("invalid_state");
  expect(refusal).toMatchObject({ status: 409, current_status: "CAPTURED", allowed_actions: ["refund"] });
});

test("a plan that is not active is 422, in payments and in client sessions", async ({ api }) => {
  const draft = await newPlan(api);
  (await api.call(createPayment, { body: aPayment({ plan_id: draft.id }) })).problem("plan_not_active");
  (await api.call(createClientSession, { body: { plan_id: draft.id } })).problem("plan_not_active");
});

test("a live payment is 422 while no live processor is configured", async ({ tenant }) => {
  (await tenant.live.call(createPayment, { body: aPayment() })).problem("processor_not_configured");
  expect((await tenant.live.call(listTransactions)).ok().total).toBe(0);
});

test("the type of an error is a page that explains it", async ({ api }) => {
  const refusal = (await api.call(getPayment, { id: "pay_unknown" })).problem("resource_not_found");
  const page = await fetch(api.baseUrl + new URL(refusal.type).pathname);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("resource_not_found");
});

test("every operation requires a key", { tag: "@next" }, async ({ api }) => {
  const nobody = new Api(api.baseUrl, null);
  for (const endpoint of ENDPOINTS.filter(({ permissions }) => permissions.length > 0)) {
    (await nobody.call(endpoint, { id: "some-id" })).problem("api_key_missing");
  }
});
