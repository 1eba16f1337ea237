import { createPayment, getPayment, listPayments } from "@/lib/contract/payments/endpoints";
import type { Payment } from "@/lib/contract/payments/payment";
import { getTransaction } from "@/lib/contract/transactions/endpoints";
import type { Api, CallOptions } from "../client";
import { expect, test } from "../fixtures/playwright";
import { aCard, aPayment, authorized, CARDS, captured, chargeOf } from "../samples";

/**
 * Address, score and capture results are the sandbox's own: Stripe and Adyen authorize and capture in one
 * step.
 */
const SANDBOX = { tag: "@sandbox" };

const pay = (api: Api, number: string, options: CallOptions = {}, overrides: object = {}) =>
  api.call(createPayment, { body: aPayment({ card: aCard(number), ...overrides }), ...options });

/** The payment behind a decline. */
async function declined(
  api: Api,
  number: string,
  overrides: object = {},
): Promise<{ payment: Payment; code: string | undefined }> {
  const refusal = (await pay(api, number, {}, overrides)).problem("card_declined");
  const payment = (await api.call(getPayment, { id: refusal.payment_id ?? "" })).ok();
  return { payment, code: refusal.decline_code };
}

for (const [number, card] of [
  ["4111111111111111", { brand: "visa", bin: "411111", last4: "1111" }],
  ["4242424242424242", { brand: "visa", bin: "424242", last4: "4242" }],
  ["5555555555554444", { brand: "mastercard", bin: "555555", last4: "4444" }],
  ["378282246310005", { brand: "amex", bin: "378282", last4: "0005" }],
  ["6011111111111117", { brand: "discover", bin: "601111", last4: "1117" }],
] as const) {
  test(`${number} is approved`, async ({ api }) => {
    const payment = (await pay(api, number)).ok();
    expect(payment).toMatchObject({ status: "CAPTURED", card });
    expect(chargeOf(payment)).toMatchObject({ card_brand: card.brand, cvv_result: "M", decline_code: null });
  });
}

for (const [number, code] of [
  ["4000000000000002", "generic_decline"],
  ["4000000000009995", "insufficient_funds"],
  ["4000000000009987", "lost_card"],
  ["4000000000009979", "stolen_card"],
  ["4000000000000069", "expired_card"],
  ["4000000000000127", "incorrect_cvv"],
  ["4000000000003063", "authentication_failed"],
  ["4000000000004954", "fraud_suspected"],
] as const) {
  test(`${number} is declined: ${code}`, async ({ api }) => {
    for (const capture_method of ["automatic", "manual"]) {
      const decline = await declined(api, number, { capture_method });
      expect(decline.code).toBe(code);
      expect(decline.payment).toMatchObject({ status: "DECLINED", amount_captured: 0, available_actions: [] });
      expect(chargeOf(decline.payment)).toMatchObject({ status: "DECLINED", decline_code: code, authorized_at: null });
    }
  });
}

test("the card used for fraud has a score of 95", async ({ api }) => {
  const { payment } = await declined(api, "4000000000004954");
  expect(chargeOf(payment).fraud_score).toBe(95);
});

test("a card past its expiry is declined: expired_card", async ({ api }) => {
  const card = aCard(CARDS.approved, { exp_year: new Date().getUTCFullYear() - 1 });
  const refusal = (await api.call(createPayment, { body: aPayment({ card }) })).problem("card_declined");
  expect(refusal.decline_code).toBe("expired_card");
});

test("an unknown number that passes Luhn is declined, and is not stored", async ({ api, db, tenant }) => {
  const number = "4539578763621486";
  const { payment, code } = await declined(api, number);
  expect(code).toBe("generic_decline");
  expect(payment.card?.last4).toBe("1486");
  const rows =
    await db.sql`select t::text as row from transactions t where environment_id = ${tenant.merchant.test.id}`;
  expect(JSON.stringify(rows)).not.toContain(number);
});

const US = { line1: "1 Main St", postal_code: "62701", country: "US" };
for (const [what, number, billing_address, avs_result, cvv_result] of [
  ["the whole address", CARDS.approved, US, "Y", "M"],
  ["the postal code alone", CARDS.approved, { ...US, line1: null }, "Z", "M"],
  ["the street alone", CARDS.approved, { ...US, postal_code: null }, "A", "M"],
  ["no address", CARDS.approved, null, "U", "M"],
  ["an address elsewhere", CARDS.approved, { ...US, country: "FR" }, "G", "M"],
  ["a card whose address does not match", "4000000000000044", US, "N", "M"],
  ["a card whose code does not match", "4000000000000101", US, "Y", "N"],
] as const) {
  test(`AVS and CVV follow the request: ${what}`, SANDBOX, async ({ api }) => {
    const payment = (await pay(api, number, {}, { billing_address })).ok();
    expect(chargeOf(payment)).toMatchObject({ status: "CAPTURED", avs_result, cvv_result });
  });
}

test("the fraud score is from 0 to 100 and grows with suspicious signals", SANDBOX, async ({ api }) => {
  const plain = chargeOf(await captured(api)).fraud_score ?? -1;
  const odd = chargeOf((await pay(api, "4000000000000101")).ok()).fraud_score ?? -1;
  expect(plain).toBeGreaterThanOrEqual(0);
  expect(odd).toBeGreaterThan(plain);
  expect(odd).toBeLessThanOrEqual(100);
});

test(
  "…0341 is authorized and its capture fails; with immediate capture it is declined or fails, and nothing is captured",
  SANDBOX,
  async ({ api }) => {
    expect((await authorized(api, { card: aCard(CARDS.captureFails) })).status).toBe("AUTHORIZED");
    expect((await pay(api, CARDS.captureFails)).status).toBe(402);
    const { data } = (await api.call(listPayments)).ok();
    expect(data.map(({ amount_captured }) => amount_captured)).toEqual([0, 0]);
  },
);

test("…1984 is refused once without being executed, and then works", async ({ api }) => {
  const payment = (await pay(api, CARDS.refusesOnce)).ok();
  expect(payment.status).toBe("CAPTURED");
  expect((await api.call(listPayments)).ok().total).toBe(1);
});

for (const [what, number, end, status, code] of [
  ["…1976: the response is lost, the money is not", CARDS.lostAnswer, "CAPTURED", 201, null],
  ["…1968: garbage, and nothing was executed", CARDS.garbage, "FAILED", 402, "payment_failed"],
] as const) {
  test(`${what}: 202 PENDING, then ${end}, and the same key then responds ${status}`, async ({ api }) => {
    const key = `fault ${number.slice(-4)}`;
    const first = await pay(api, number, { key });
    const pending = first.ok(202);
    expect(pending).toMatchObject({ status: "PENDING", amount_captured: 0, available_actions: [] });
    const read = async () => (await api.call(getPayment, { id: pending.id })).ok();
    await expect.poll(async () => (await read()).status, { timeout: 60_000 }).toBe(end);
    const last = await pay(api, number, { key });
    expect(last.status, last.text).toBe(status);
    if (code) expect(last.problem(code)).toMatchObject({ payment_id: pending.id });
    else expect(last.ok()).toEqual(await read());
    expect((await pay(api, number, { key })).text).toBe(last.text);
    expect((await api.call(listPayments)).ok().total).toBe(1);
    expect((await api.call(getTransaction, { id: chargeOf(pending).id })).ok().status).toBe(end);
  });
}

test("…1992 is approved after five seconds", async ({ api }) => {
  const started = Date.now();
  expect((await pay(api, CARDS.slow)).ok().status).toBe("CAPTURED");
  expect(Date.now() - started).toBeGreaterThanOrEqual(4_900);
});
