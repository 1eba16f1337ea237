import { listEvents } from "@/lib/contract/events/endpoints";
import {
  createPaymentMethod,
  getPaymentMethod,
  listPaymentMethods,
  removePaymentMethod,
} from "@/lib/contract/payment-methods/endpoints";
import { createPayment, getPayment } from "@/lib/contract/payments/endpoints";
import { expect, test } from "../fixtures/playwright";
import { aCard, aPayment, aStoredCard, CARDS, newPaymentMethod } from "../samples";

test("a card is stored, read, listed and removed", async ({ api }) => {
  const consent = { text: "Keep my card for later orders.", ip: "2001:db8::7", at: "2026-11-20T10:00:00+01:00" };
  const made = await newPaymentMethod(api, { consent, metadata: { seat: 4 } });
  expect(made).toMatchObject({
    object: "payment_method",
    customer_id: "cus_1042",
    status: "ACTIVE",
    environment: "sandbox",
    card: { brand: "visa", last4: "4242", bin: "424242" },
    consent: { ...consent, at: "2026-11-20T09:00:00.000Z" },
    metadata: { seat: 4 },
  });
  expect((await api.call(getPaymentMethod, { id: made.id })).ok()).toEqual(made);
  const listed = async (query: Record<string, string>) => (await api.call(listPaymentMethods, { query })).ok().data;
  expect(await listed({ customer_id: "cus_1042", status: "ACTIVE" })).toEqual([made]);
  const removed = (await api.call(removePaymentMethod, { id: made.id })).ok();
  expect(removed).toMatchObject({ id: made.id, status: "REMOVED" });
  expect((await api.call(removePaymentMethod, { id: made.id })).ok()).toEqual(removed);
  expect(await listed({ status: "ACTIVE" })).toEqual([]);
  expect(await listed({ status: "REMOVED" })).toEqual([removed]);
  const events = (await api.call(listEvents, { query: { object_id: made.id } })).ok().data;
  expect(events.map(({ type }) => type)).toEqual(["payment_method.removed", "payment_method.created"]);
});

test("a declined check stores nothing", async ({ api }) => {
  const body = aStoredCard({ card: aCard(CARDS.declined) });
  const refusal = (await api.call(createPaymentMethod, { body })).problem("card_declined");
  expect(refusal).toMatchObject({ status: 402, decline_code: "generic_decline" });
  expect((await api.call(listPaymentMethods)).ok().total).toBe(0);
});

test("a card whose issuer requires a challenge is not stored by a server's request", async ({ api }) => {
  const body = aStoredCard({ card: aCard(CARDS.challenge) });
  const refusal = (await api.call(createPaymentMethod, { body })).problem("card_declined");
  expect(refusal.decline_code).toBe("authentication_failed");
});

for (const [param, body, code] of [
  ["customer_id", { customer_id: undefined }, "missing_parameter"],
  ["payment_token", { card: undefined }, "missing_parameter"],
  ["card", { payment_token: "tok_1" }, "invalid_parameter"],
  ["consent.text", { consent: {} }, "missing_parameter"],
  ["consent.ip", { consent: { text: "Yes", ip: "somewhere" } }, "invalid_parameter"],
  ["consent.at", { consent: { text: "Yes", at: "yesterday" } }, "invalid_parameter"],
  ["card.number", { card: aCard("4242424242424241") }, "invalid_parameter"],
  ["amount", { amount: 100 }, "unknown_parameter"],
] as const) {
  test(`${code}: ${param}`, async ({ api }) => {
    const refusal = (await api.call(createPaymentMethod, { body: aStoredCard(body) })).problem(code);
    expect(refusal.param).toBe(param);
  });
}

test("live mode refuses card numbers", async ({ tenant }) => {
  const refusal = (await tenant.live.call(createPaymentMethod, { body: aStoredCard() })).problem("invalid_parameter");
  expect(refusal.param).toBe("card");
});

const charging = (id: string, overrides: object = {}) => ({
  amount: 500,
  currency: "USD",
  payment_method_id: id,
  ...overrides,
});

test("a stored card is charged for its customer until it is removed", async ({ api }) => {
  const { id } = await newPaymentMethod(api);
  const payment = (await api.call(createPayment, { body: charging(id) })).ok();
  expect(payment).toMatchObject({
    status: "CAPTURED",
    payment_method_id: id,
    initiator: "merchant",
    customer_id: "cus_1042",
    card: { last4: "4242" },
  });
  expect((await api.call(getPayment, { id: payment.id })).ok()).toEqual(payment);
  const present = charging(id, { initiator: "customer", customer_id: "cus_1042" });
  expect((await api.call(createPayment, { body: present })).ok()).toMatchObject({ initiator: "customer" });
  const another = charging(id, { customer_id: "cus_7" });
  expect((await api.call(createPayment, { body: another })).problem("resource_not_found").param).toBe(
    "payment_method_id",
  );
  (await api.call(removePaymentMethod, { id })).ok();
  const refusal = (await api.call(createPayment, { body: charging(id) })).problem("invalid_state");
  expect(refusal).toMatchObject({ current_status: "REMOVED", allowed_actions: [] });
});

test("initiator and save_payment_method make the same request omitted or set to their defaults", async ({ api }) => {
  const { id } = await newPaymentMethod(api);
  const first = await api.call(createPayment, { body: charging(id), key: "k" });
  const again = charging(id, { initiator: "merchant", save_payment_method: false });
  expect((await api.call(createPayment, { body: again, key: "k" })).text).toBe(first.text);
});

test("a payment stores its card", async ({ api }) => {
  const body = aPayment({ customer_id: "cus_1042", save_payment_method: true });
  const payment = (await api.call(createPayment, { body })).ok();
  expect(payment).toMatchObject({ status: "CAPTURED", initiator: null });
  const stored = (await api.call(listPaymentMethods)).ok().data;
  expect(stored).toMatchObject([{ id: payment.payment_method_id, card: payment.card, status: "ACTIVE" }]);
});

test("a merchant's charge that needs the customer is declined as authentication_failed", async ({ api }) => {
  const { id } = await newPaymentMethod(api, { card: aCard("4000000000007403") });
  const refusal = (await api.call(createPayment, { body: charging(id) })).problem("card_declined");
  expect(refusal).toMatchObject({ decline_code: "authentication_failed", next_action: null });
  expect(refusal.detail).toContain("initiator");
});

for (const [param, body] of [
  ["card", { ...aPayment(), payment_method_id: "pm_1" }],
  ["payment_method_id", { amount: 1, currency: "USD", payment_token: "tok_1", payment_method_id: "pm_1" }],
  ["initiator", aPayment({ initiator: "merchant" })],
  ["initiator", charging("pm_1", { initiator: "nobody" })],
  ["customer_id", aPayment({ save_payment_method: true })],
  ["save_payment_method", charging("pm_1", { save_payment_method: true, customer_id: "cus_1042" })],
] as const) {
  test(`a payment with a wrong ${param} is refused: ${Object.keys(body).join(", ")}`, async ({ api }) => {
    const code = param === "customer_id" ? "missing_parameter" : "invalid_parameter";
    expect((await api.call(createPayment, { body })).problem(code).param).toBe(param);
  });
}
