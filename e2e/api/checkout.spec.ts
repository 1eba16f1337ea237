import { cancelClientSession, getClientSession } from "@/lib/contract/checkout/endpoints";
import { decodeId } from "@/lib/contract/ids";
import { createPayment, getPayment, listPayments } from "@/lib/contract/payments/endpoints";
import { expirePayments } from "@/lib/domain/payments/expire-payments";
import type { Api } from "../client";
import { expect } from "../fixtures/playwright";
import { type OpenedSession, PaymentForm, formTest as test } from "../payment-form";
import { aCard, CARDS, chargeOf, newPlan } from "../samples";

const paymentsOf = async (api: Api) => (await api.call(listPayments)).ok().data;
const sessionOf = async (api: Api, { id }: OpenedSession) => (await api.call(getClientSession, { id })).ok();

test("a card pays the session, and the merchant's server reads the payment with the session's data", async ({
  api,
  open,
}) => {
  const plan = await newPlan(api, { status: "ACTIVE", full_price_amount: 19.99 });
  const shopper = { customer_id: "c-1", customer_email: "jane@shop.example", metadata: { order: "7" } };
  const opened = await open({ amount: undefined, currency: undefined, plan_id: plan.id, ...shopper });
  expect(await opened.form.state()).toMatchObject({ status: "OPEN", attempts_left: 5, payment: null, failure: null });
  const { state } = (
    await opened.form.attempt({ card: aCard(CARDS.approved, { name: "Jane Doe" }), postal_code: "94110" })
  ).taken();
  expect(state).toMatchObject({ status: "COMPLETED", payment: { status: "CAPTURED" }, failure: null, action: null });
  const session = await sessionOf(api, opened);
  expect(session).toMatchObject({ status: "COMPLETED", payment_id: state.payment?.id });
  const payment = (await api.call(getPayment, { id: state.payment?.id ?? "" })).ok();
  expect(payment).toMatchObject({
    ...shopper,
    status: "CAPTURED",
    amount: 1_999,
    currency: "USD",
    customer_name: "Jane Doe",
    plan_id: plan.id,
    client_session_id: opened.id,
    description: plan.name,
    billing_address: { postal_code: "94110" },
  });
  expect(await opened.form.state()).toEqual(state);
});

test("a session that captures by hand is paid with an authorization", async ({ api, open }) => {
  const opened = await open({ capture_method: "manual" });
  const { state } = (await opened.form.attempt()).taken();
  expect(state).toMatchObject({ status: "COMPLETED", payment: { status: "AUTHORIZED" } });
  expect(await paymentsOf(api)).toMatchObject([{ status: "AUTHORIZED", amount_captured: 0 }]);
});

for (const [number, failure] of [
  ["4000000000000002", "card_declined"],
  ["4000000000009995", "insufficient_funds"],
  ["4000000000009987", "card_declined"],
  ["4000000000009979", "card_declined"],
  ["4000000000004954", "card_declined"],
  ["4000000000000069", "expired_card"],
  ["4000000000000127", "incorrect_cvv"],
  ["4000000000003063", "authentication_failed"],
] as const) {
  test(`${number} is a decline rather than an error, and the shopper sees: ${failure}`, async ({ api, open }) => {
    const opened = await open();
    const { state } = (await opened.form.attempt(number)).taken();
    expect(state).toMatchObject({ status: "OPEN", attempts_left: 4, failure, payment: null });
    expect(await sessionOf(api, opened)).toMatchObject({ status: "OPEN", attempts_left: 4, payment_id: null });
    expect(JSON.stringify(state)).not.toMatch(/lost|stolen|fraud/);
  });
}

test("five declines close the session; invalid input doesn't count", async ({ api, open }) => {
  const opened = await open();
  for (let left = 4; left >= 0; left--) {
    const mistyped = await opened.form.attempt({ card: aCard("4242424242424241") });
    expect(mistyped.refused("invalid_parameter").param).toBe("card.number");
    expect((await opened.form.attempt(CARDS.declined)).taken().state.attempts_left).toBe(left);
  }
  expect(await opened.form.state()).toMatchObject({ status: "EXPIRED", attempts_left: 0, failure: "card_declined" });
  expect(await sessionOf(api, opened)).toMatchObject({ status: "EXPIRED", attempts_left: 0, payment_id: null });
  (await opened.form.attempt()).refused("invalid_state");
  (await opened.form.attempt({ mode: "tokenize" })).refused("invalid_state");
  expect(await paymentsOf(api)).toHaveLength(5);
});

test("repeating an attempt returns the same payment; with another card it is rejected", async ({ api, open }) => {
  const { form } = await open();
  const first = (await form.attempt({}, { attempt: "a" })).taken();
  for (const again of await Promise.all([1, 2, 3].map(() => form.attempt({}, { attempt: "a" })))) {
    expect(again.taken()).toEqual(first);
  }
  (await form.attempt("4111111111111111", { attempt: "a" })).refused("idempotency_key_reused");
  expect(await paymentsOf(api)).toHaveLength(1);
  const other = await open();
  expect((await other.form.attempt({}, { attempt: "a" })).taken().state.status).toBe("COMPLETED");
});

test("two concurrent tabs and repeated submits make one payment", async ({ api, open }) => {
  const opened = await open();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => opened.form.attempt({}, { attempt: `tab-${index % 4}` })),
  );
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    expect(["invalid_state", "idempotency_request_in_progress"]).toContain(JSON.parse(answer.text).code);
  }
  expect((await opened.form.state()).status).toBe("COMPLETED");
  const payments = await paymentsOf(api);
  expect(payments.map(({ status }) => status)).toEqual(["CAPTURED"]);
});

test("a lost response: the session has a payment in progress, accepts no other, can't be cancelled, and ends paid", async ({
  api,
  open,
}) => {
  const opened = await open();
  const { state } = (await opened.form.attempt(CARDS.lostAnswer, { attempt: "a" })).taken();
  expect(state).toMatchObject({ status: "PROCESSING", payment: { status: "PENDING" }, failure: null });
  (await opened.form.attempt()).refused("invalid_state");
  const cancelled = await api.call(cancelClientSession, { id: opened.id });
  // If the processor reports the outcome itself, or the machine is busy, the payment may already be known as
  // paid.
  const isPaid = (await opened.form.state()).status === "COMPLETED";
  if (!isPaid || cancelled.text.includes("outcome_pending")) cancelled.problem("outcome_pending");
  else cancelled.problem("invalid_state");
  await expect.poll(async () => (await opened.form.state()).status, { timeout: 60_000 }).toBe("COMPLETED");
  const again = (await opened.form.attempt(CARDS.lostAnswer, { attempt: "a" })).taken();
  expect(again.state).toMatchObject({ status: "COMPLETED", payment: { id: state.payment?.id, status: "CAPTURED" } });
  expect(await paymentsOf(api)).toHaveLength(1);
});

test("a payment that was never executed leaves the session open and is reported", async ({ open }) => {
  const { form } = await open();
  expect((await form.attempt(CARDS.garbage)).taken().state.status).toBe("PROCESSING");
  await expect.poll(async () => (await form.state()).status, { timeout: 60_000 }).toBe("OPEN");
  expect(await form.state()).toMatchObject({ failure: "processing_error", attempts_left: 4, payment: null });
  expect((await form.attempt()).taken().state.status).toBe("COMPLETED");
});

test("a challenge: the state has its URL, and the shopper's choice decides", async ({
  api,
  open,
  baseUrl,
  shopper,
}) => {
  const opened = await open({ return_url: "https://shop.example/thanks?order=1" });
  for (const [result, left] of [
    ["failed", 4],
    ["abandoned", 3],
  ] as const) {
    const { state } = (await opened.form.attempt(CARDS.challenge)).taken();
    expect(state).toMatchObject({ status: "REQUIRES_ACTION", payment: { status: "REQUIRES_ACTION" } });
    if (shopper.asksAt === baseUrl) expect(state.action?.url).toMatch(/^\/challenge\/[^/]+$/);
    else expect(state.action?.url).toContain(`${shopper.asksAt}/`);
    (await opened.form.attempt()).refused("invalid_state");
    await opened.form.answerChallenge(shopper, result);
    expect(await opened.form.state()).toMatchObject({ status: "OPEN", attempts_left: left, action: null });
    expect((await opened.form.state()).failure).toBe("authentication_failed");
  }
  await opened.form.attempt(CARDS.challenge);
  await opened.form.answerChallenge(shopper, "passed");
  const paid = await opened.form.state();
  expect(paid).toMatchObject({ status: "COMPLETED", payment: { status: "CAPTURED" } });
  expect(paid.return_url).toBe(
    `https://shop.example/thanks?order=1&client_session_id=${opened.id}&payment_id=${paid.payment?.id}`,
  );
  expect((await paymentsOf(api)).map(({ status }) => status)).toEqual(["CAPTURED", "DECLINED", "DECLINED"]);
});

test("cancelling during a challenge abandons the payment and closes the session", async ({ api, open }) => {
  const opened = await open();
  const { state } = (await opened.form.attempt(CARDS.challenge)).taken();
  expect((await api.call(cancelClientSession, { id: opened.id })).ok().status).toBe("CANCELLED");
  expect((await opened.form.state()).status).toBe("CANCELLED");
  const payment = (await api.call(getPayment, { id: state.payment?.id ?? "" })).ok();
  expect(payment).toMatchObject({ status: "DECLINED", amount_captured: 0 });
  (await opened.form.attempt()).refused("invalid_state");
});

test("a token is for the merchant's server: it pays this session once, and not after it is paid", async ({
  api,
  open,
}) => {
  const opened = await open();
  const first = (await opened.form.attempt({ mode: "tokenize" }, { attempt: "t" })).taken();
  expect(first).toMatchObject({
    state: { status: "OPEN", attempts_left: 4 },
    payment_token: { id: expect.stringMatching(/^tok_/) },
  });
  expect((await opened.form.attempt({ mode: "tokenize" }, { attempt: "t" })).taken()).toEqual(first);
  const second = (await opened.form.attempt({ mode: "tokenize" })).taken();
  const pay = (token: typeof first, key?: string) =>
    api.call(createPayment, {
      ...(key && { key }),
      body: { amount: 2_500, currency: "EUR", payment_token: token.payment_token?.id },
    });
  const payment = (await pay(first, "k")).ok();
  expect(payment).toMatchObject({ status: "CAPTURED", client_session_id: opened.id });
  expect(await sessionOf(api, opened)).toMatchObject({ status: "COMPLETED", payment_id: payment.id, attempts_left: 3 });
  expect((await opened.form.state()).status).toBe("COMPLETED");
  expect((await pay(first, "k")).replayed).toBe(true);
  expect((await pay(first)).problem("invalid_parameter").param).toBe("payment_token");
  expect((await pay(second)).problem("invalid_parameter").param).toBe("payment_token");
  (await opened.form.attempt({ mode: "tokenize" })).refused("invalid_state");
});

test("the session's customer data takes precedence over typed data, by form and by token", async ({ api, open }) => {
  const address = { line1: "1 Main St", line2: null, city: null, state: null, postal_code: "62701", country: "US" };
  const known = { customer_name: "Jane Doe", billing_address: address };
  const typed = { card: aCard(CARDS.approved, { name: "J Doe" }), postal_code: "94110" };
  const paid = { customer_name: "Jane Doe", billing_address: { ...address, postal_code: "94110" } };

  const byForm = await open(known);
  const { state } = (await byForm.form.attempt(typed)).taken();
  expect((await api.call(getPayment, { id: state.payment?.id ?? "" })).ok()).toMatchObject(paid);

  const byToken = await open(known);
  const { payment_token } = (await byToken.form.attempt({ ...typed, mode: "tokenize" })).taken();
  const body = { amount: 2_500, currency: "EUR", payment_token: payment_token?.id };
  const alone = (await api.call(createPayment, { body })).ok();
  expect(alone).toMatchObject({ customer_name: "Jane Doe", billing_address: { postal_code: "94110" } });
});

test("a cancelled or expired session accepts nothing and reports which it is", async ({ api, db, open }) => {
  const cancelled = await open();
  await api.call(cancelClientSession, { id: cancelled.id });
  const expired = await open();
  const id = decodeId("clientSession", expired.id);
  await db.sql`update client_sessions set expires_at = now() - interval '1 ms' where id = ${id}`;
  for (const [{ form }, status] of [
    [cancelled, "CANCELLED"],
    [expired, "EXPIRED"],
  ] as const) {
    (await form.attempt()).refused("invalid_state");
    (await form.attempt({ mode: "tokenize" })).refused("invalid_state");
    expect(await form.state()).toMatchObject({ status, attempts_left: 5, payment: null });
    expect((await form.page()).status).toBe(200);
  }
  expect(await paymentsOf(api)).toEqual([]);
});

test("live mode without a processor accepts nothing and counts no attempt", async ({ tenant, open }) => {
  const { form } = await open({}, tenant.live);
  (await form.attempt()).refused("processor_not_configured");
  (await form.attempt({ mode: "tokenize" })).refused("processor_not_configured");
  expect(await form.state()).toMatchObject({ status: "OPEN", attempts_left: 5 });
});

test("a suspended merchant accepts no cards, and its form says so", async ({ tenant, db, open }) => {
  const { form } = await open();
  await db.sql`update merchants set suspended_at = now() where id = ${tenant.merchant.id}`;
  (await form.attempt()).refused("merchant_suspended");
  const page = await form.page();
  expect([page.status, await page.text()]).toEqual([403, expect.stringContaining("Payments are paused")]);
});

test("a challenge that expires ends without a payment", async ({ db, service, open }) => {
  const { form } = await open();
  const { state } = (await form.attempt(CARDS.challenge)).taken();
  const payment = decodeId("payment", state.payment?.id ?? "");
  await db.sql`update payments set updated_at = now() - interval '31 minutes' where id = ${payment}`;
  await expirePayments(service);
  await expect.poll(async () => (await form.state()).status, { timeout: 60_000 }).toBe("OPEN");
  expect(await form.state()).toMatchObject({ failure: "authentication_failed", attempts_left: 4, action: null });
});

test("the charge knows its session, and another merchant cannot see either", async ({ api, stranger, open }) => {
  const opened = await open();
  await opened.form.attempt();
  const [payment] = await paymentsOf(api);
  if (!payment) throw new Error("there is a payment");
  expect(chargeOf(payment).client_session_id).toBe(opened.id);
  (await stranger.api.call(getClientSession, { id: opened.id })).problem("resource_not_found");
  (await stranger.api.call(cancelClientSession, { id: opened.id })).problem("resource_not_found");
});

const UNKNOWN = ["x", "cst_", `cst_${"a".repeat(43)}`, `cst_${"a".repeat(44)}`, "cst_%00", "4242424242424242"];
for (const token of UNKNOWN) {
  test(`the unknown session '${token.slice(0, 8)}' of ${token.length} characters is 404 for every request`, async ({
    baseUrl,
  }) => {
    const form = new PaymentForm(baseUrl, token);
    expect([400, 404]).toContain((await form.page()).status);
    // Text sent as a token could be a real one, so `instance` omits it.
    expect((await form.call("/state")).refused("resource_not_found").instance).toBe("/pay/{token}/state");
    (await form.attempt()).refused("resource_not_found");
  });
}

for (const [what, headers] of [
  ["has no origin", {}],
  ["comes from another site", { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" }],
  ["comes from the same site", { "Sec-Fetch-Site": "same-site" }],
  ["was typed into the address bar", { "Sec-Fetch-Site": "none" }],
  ["has the merchant's origin", { Origin: "https://shop.example" }],
  ["has an opaque origin", { Origin: "null" }],
] as const) {
  const tag = what === "comes from another site" ? "@next" : [];
  test(`an attempt that ${what} is rejected with 403 and not counted`, { tag }, async ({ open }) => {
    const { form } = await open({ allowed_origins: ["https://shop.example"] });
    (await form.attempt({}, { headers })).refused("origin_not_allowed");
    expect(await form.state()).toMatchObject({ status: "OPEN", attempts_left: 5 });
  });
}

test("an older browser, which sends only its origin, can pay", async ({ baseUrl, open }) => {
  const { form } = await open();
  expect((await form.attempt({}, { headers: { Origin: baseUrl } })).taken().state.status).toBe("COMPLETED");
});

const wrongCard = (overrides: object) => ({ card: aCard(CARDS.approved, overrides) });
for (const [what, body, code, param] of [
  ["no card", { card: undefined }, "missing_parameter", "card"],
  ["a number that fails Luhn", wrongCard({ number: "4242424242424241" }), "invalid_parameter", "card.number"],
  ["a short number", wrongCard({ number: "4242" }), "invalid_parameter", "card.number"],
  ["a 13th month", wrongCard({ exp_month: 13 }), "invalid_parameter", "card.exp_month"],
  ["a year of two digits", wrongCard({ exp_year: 30 }), "invalid_parameter", "card.exp_year"],
  ["a code of two digits", wrongCard({ cvv: "12" }), "invalid_parameter", "card.cvv"],
  ["a code of four digits for a Visa", wrongCard({ cvv: "1234" }), "invalid_parameter", "card.cvv"],
  ["a number as the name", wrongCard({ name: "4242 4242 4242 4242" }), "invalid_parameter", "card.name"],
  ["a number as the postal code", { postal_code: "4242424242424242" }, "invalid_parameter", "postal_code"],
  ["an unknown mode", { mode: "free" }, "invalid_parameter", "mode"],
  ["an attempt of nothing", { attempt: "" }, "missing_parameter", "attempt"],
  ["an attempt with a space", { attempt: "a b" }, "invalid_parameter", "attempt"],
  ["an attempt too long", { attempt: "a".repeat(65) }, "invalid_parameter", "attempt"],
  ["an amount", { amount: 1 }, "unknown_parameter", "amount"],
  ["a currency", { currency: "XTS" }, "unknown_parameter", "currency"],
  ["an unknown member of the card", wrongCard({ pin: "1234" }), "unknown_parameter", "card.pin"],
] as const) {
  test(`an attempt is rejected and not counted: ${what}`, async ({ open }) => {
    const { form } = await open();
    const answer = await form.attempt(body);
    expect(answer.refused(code).errors.map((error) => error.param)).toContain(param);
    expect(answer.text).not.toMatch(/4242 ?4242/);
    expect(await form.state()).toMatchObject({ status: "OPEN", attempts_left: 5, failure: null });
  });
}

test("only JSON of a sensible size is read, and only by POST", async ({ open }) => {
  const { form } = await open();
  const plain = { "Sec-Fetch-Site": "same-origin", "Content-Type": "text/plain" };
  (await form.attempt({}, { headers: plain })).refused("unsupported_media_type");
  (await form.attempt({}, { raw: '{"card":{"number":"4242424242424242"' })).refused("malformed_json");
  (await form.attempt({}, { raw: JSON.stringify({ x: "x".repeat(70_000) }) })).refused("body_too_large");
  const read = await form.call("/attempts");
  read.refused("method_not_allowed");
  expect(read.headers.get("allow")).toBe("POST");
  const written = await form.call("/state", { method: "POST", body: "{}" });
  expect([written.status, written.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});
