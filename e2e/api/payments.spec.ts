import { createPayment, getPayment, listPayments } from "@/lib/contract/payments/endpoints";
import { testPaymentToken } from "../fixtures/factories";
import { expect, test } from "../fixtures/playwright";
import { aCard, aPayment, authorized, CARDS, captured, chargeOf, newPlan } from "../samples";

const DAY_MS = 86_400_000;
const ADDRESS = {
  line1: "1 Main St",
  line2: null,
  city: "Springfield",
  state: "IL",
  postal_code: "62701",
  country: "US",
};

test("a payment is captured immediately unless requested otherwise", async ({ api }) => {
  const payment = await captured(api);
  expect(payment).toMatchObject({
    status: "CAPTURED",
    amount: 10_000,
    currency: "USD",
    capture_method: "automatic",
    amount_captured: 10_000,
    amount_capturable: 0,
    amount_refunded: 0,
    amount_refundable: 10_000,
    available_actions: ["refund"],
    next_action: null,
    environment: "sandbox",
  });
  const charge = chargeOf(payment);
  expect(charge).toMatchObject({ type: "CHARGE", status: "CAPTURED", payment_id: payment.id, refund_of: null });
  expect(charge.authorized_at).not.toBeNull();
  expect(charge.captured_at).not.toBeNull();
  expect([charge.settled_at, charge.voided_at, charge.refunded_at, charge.capture_before]).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

test("with manual capture it is held for seven days", async ({ api }) => {
  const payment = await authorized(api);
  expect(payment).toMatchObject({
    status: "AUTHORIZED",
    amount_captured: 0,
    amount_capturable: 10_000,
    amount_refundable: 0,
    available_actions: ["capture", "void"],
  });
  const charge = chargeOf(payment);
  expect(charge.captured_at).toBeNull();
  const heldMs = Date.parse(charge.capture_before ?? "") - Date.parse(charge.authorized_at ?? "");
  expect(heldMs).toBe(7 * DAY_MS);
});

test("the payment and its transaction have the values that were sent", async ({ api }) => {
  const plan = await newPlan(api, { status: "ACTIVE", currency: "USD", full_price_amount: 100 });
  const said = {
    customer_id: "customer 1",
    customer_email: "Jane.Doe@Example.com",
    customer_name: "Jane Döe 😀",
    billing_address: ADDRESS,
    plan_id: plan.id,
    description: "Two tickets",
    metadata: { order: "A-1", count: 2, gift: true, empty: "" },
  };
  const payment = await captured(api, { ...said, return_url: "https://shop.example/thanks" });
  expect(payment).toMatchObject(said);
  expect(chargeOf(payment)).toMatchObject(said);
  expect(payment.metadata).toEqual(said.metadata);
  expect((await api.call(getPayment, { id: payment.id })).ok()).toEqual(payment);
});

test("a card is shown only by brand, BIN, last four digits and expiry", async ({ api }) => {
  const { text } = await api.call(createPayment, { body: aPayment({ card: aCard(CARDS.amex, { name: "J Doe" }) }) });
  const payment = JSON.parse(text);
  const exp_year = new Date().getUTCFullYear() + 3;
  expect(payment.card).toEqual({ brand: "amex", last4: "0005", exp_month: 12, exp_year, bin: "378282" });
  expect(chargeOf(payment)).toMatchObject({
    card_brand: "amex",
    card_last4: "0005",
    card_bin: "378282",
    card_exp_year: exp_year,
  });
  expect(text).not.toContain(CARDS.amex);
  expect(text).not.toMatch(/\b1234\b/);
});

test("spaces and dashes in a card number do not matter", async ({ api }) => {
  for (const number of ["4242 4242 4242 4242", "4242-4242-4242-4242"]) {
    expect((await captured(api, { card: aCard(number) })).card?.last4).toBe("4242");
  }
});

for (const [what, change, param] of [
  ["a number that fails the Luhn check", { number: "4242424242424241" }, "card.number"],
  ["a number with letters", { number: "4242abcd42424242" }, "card.number"],
  ["a number that is too short", { number: "42424242" }, "card.number"],
  ["month 13", { exp_month: 13 }, "card.exp_month"],
  ["month 0", { exp_month: 0 }, "card.exp_month"],
  ["a year of two digits", { exp_year: 30 }, "card.exp_year"],
  ["a CVV of two digits", { cvv: "12" }, "card.cvv"],
  ["a CVV of four digits on a card with three", { cvv: "1234" }, "card.cvv"],
  ["a CVV that is a number", { cvv: 123 }, "card.cvv"],
] as const) {
  test(`card data is validated: ${what}`, async ({ api }) => {
    const refusal = (
      await api.call(createPayment, { body: aPayment({ card: aCard(CARDS.approved, change) }) })
    ).problem("invalid_parameter");
    expect(refusal.param).toBe(param);
    expect(JSON.stringify(refusal)).not.toMatch(/4242\d{4}/);
  });
}

for (const [param, value] of [
  ["customer_id", "x".repeat(256)],
  ["customer_email", "x".repeat(501)],
  ["customer_name", 7],
  ["billing_address", "1 Main St"],
  ["billing_address.country", { country: "usa" }],
  ["billing_address.country", { country: "ZZ" }],
  ["billing_address.line1", { line1: "x".repeat(201) }],
  ["capture_method", "later"],
  ["description", "x".repeat(1_001)],
  ["metadata", Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`key ${i}`, i]))],
  ["metadata", ["a"]],
  ["return_url", "javascript:alert(1)"],
  ["return_url", "/relative"],
] as const) {
  test(`${param} is checked: ${JSON.stringify(value).slice(0, 40)}`, async ({ api }) => {
    const [member = ""] = param.split(".");
    const refusal = (await api.call(createPayment, { body: aPayment({ [member]: value }) })).problem(
      "invalid_parameter",
    );
    expect(refusal.param).toBe(param);
  });
}

test("metadata holds 50 keys", async ({ api }) => {
  const metadata = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`key ${i}`.padEnd(40, "."), "v".repeat(270)]),
  );
  expect((await captured(api, { metadata })).metadata).toEqual(metadata);
});

test("fields that forms leave empty count as absent, and no address is a reason to reject a payment", async ({
  api,
}) => {
  const address = {
    line1: " 1 Harbour Road ",
    line2: "",
    city: "Wan Chai",
    state: "\u3164",
    postal_code: "",
    country: "hk",
  };
  const empty = { customer_name: "", metadata: null, billing_address: address };
  const payment = await captured(api, { ...empty, customer_email: "\tfoo..@müller.example " });
  expect(payment).toMatchObject({
    customer_name: null,
    metadata: {},
    customer_email: "foo..@müller.example",
    billing_address: { line1: "1 Harbour Road", line2: null, city: "Wan Chai", state: null, country: "HK" },
  });
});

test("null is the same as an omitted field", async ({ api }) => {
  const payment = await captured(api, { customer_id: null, description: null, billing_address: null, plan_id: null });
  expect(payment).toMatchObject({ customer_id: null, description: null, billing_address: null, plan_id: null });
});

test("exactly one of card and token is required", async ({ api }) => {
  const both = await api.call(createPayment, { body: aPayment({ payment_token: "tok_x" }) });
  expect(both.problem("invalid_parameter").param).toBe("card");
  const { card: _, ...neither } = aPayment();
  (await api.call(createPayment, { body: neither })).problem("missing_parameter");
});

test.describe("a payment token", () => {
  const paid = (id: string) => ({ amount: 500, currency: "USD", payment_token: id });

  test("pays once, and its replay has the same response", async ({ tenant, api }) => {
    const token = await testPaymentToken(tenant.context(), { card: aCard() });
    const first = await api.call(createPayment, { key: "token", body: paid(token.id) });
    expect(first.ok()).toMatchObject({ status: "CAPTURED", card: { last4: "4242" } });
    (await api.call(createPayment, { body: paid(token.id) })).problem("invalid_parameter");
    expect((await api.call(createPayment, { key: "token", body: paid(token.id) })).text).toBe(first.text);
    expect((await api.call(listPayments)).ok().total).toBe(1);
  });

  test("pays once, however many requests are concurrent", async ({ tenant, api }) => {
    const token = await testPaymentToken(tenant.context(), { card: aCard() });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.call(createPayment, { body: paid(token.id) })),
    );
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toEqual([201, ...Array(7).fill(400)]);
  });

  test("is good for 15 minutes", async ({ tenant, api, db }) => {
    const token = await testPaymentToken(tenant.context(), { card: aCard() });
    expect(Date.parse(token.expires_at) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
    await db.sql`update payment_tokens set expires_at = now() - interval '1 ms' where environment_id = ${tenant.merchant.test.id}`;
    (await api.call(createPayment, { body: paid(token.id) })).problem("invalid_parameter");
  });

  test("of another merchant does not exist", async ({ stranger, api }) => {
    const token = await testPaymentToken(stranger.context(), { card: aCard() });
    expect((await api.call(createPayment, { body: paid(token.id) })).problem("resource_not_found").param).toBe(
      "payment_token",
    );
    (await stranger.api.call(createPayment, { body: paid(token.id) })).ok();
  });
});

test("payments are listed newest first, with filters and pages", async ({ api }) => {
  const one = await captured(api, { customer_id: "a" });
  const two = await authorized(api, { customer_id: "b" });
  const three = await captured(api, { customer_id: "b" });
  const ids = async (query: Record<string, unknown>) =>
    (await api.call(listPayments, { query })).ok().data.map((payment) => payment.id);

  expect((await api.call(listPayments)).ok()).toEqual({
    object: "list",
    data: [three, two, one],
    limit: 20,
    offset: 0,
    has_more: false,
    total: 3,
    total_capped: false,
  });
  expect(await ids({ status: "AUTHORIZED" })).toEqual([two.id]);
  expect(await ids({ customer_id: "b" })).toEqual([three.id, two.id]);
  expect(await ids({ created_after: two.created_at })).toEqual([three.id]);
  expect(await ids({ created_before: two.created_at })).toEqual([one.id]);
  expect(await ids({ limit: 1, offset: 1 })).toEqual([two.id]);
  expect(await ids({ starting_after: two.id })).toEqual([one.id]);
  (await api.call(listPayments, { query: { status: "PAID" } })).problem("invalid_parameter");
});
