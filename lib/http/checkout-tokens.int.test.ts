import { expect, test } from "vitest";
import { CARD, codeOf, countPayments, expectCleanBooks, openShop } from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";

const { db } = await testDatabase({ max: 20 });
/** The amount of every session here. */
const amount = 1_999;

test("a card's token pays once, and completes its session", async () => {
  const shop = await openShop(db);
  const made = await shop.pay({ mode: "tokenize", attempt: "t" });
  expect(made.state).toMatchObject({ status: "OPEN", attempts_left: 4, payment: null });
  expect((await shop.pay({ mode: "tokenize", attempt: "t" })).payment_token).toEqual(made.payment_token);
  const payment_token = made.payment_token?.id;
  const answers = await Promise.all([1, 2, 3].map(() => shop.tenant.create({ payment_token, amount })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(await shop.tenant.create({ payment_token, amount })).toMatchObject({ status: 400 });
  expect(await shop.get()).toMatchObject({ status: "COMPLETED", attempts_left: 4 });
  await expectCleanBooks(db);
});

test("two tokens of one session, used concurrently, make one payment; the other token is not used up", async () => {
  for (let round = 0; round < 10; round++) {
    const shop = await openShop(db);
    const tokens = await Promise.all([shop.pay({ mode: "tokenize" }), shop.pay({ mode: "tokenize" })]);
    const answers = await Promise.all(
      tokens.map(({ payment_token }) => shop.tenant.create({ payment_token: payment_token?.id, amount })),
    );
    // The second token's error depends on the first payment: still in progress, or completed.
    expect(answers.map(({ code }) => code).filter((code) => code === null)).toHaveLength(1);
    expect(["invalid_parameter", "outcome_pending"]).toContain(answers.find(({ code }) => code !== null)?.code);
    const [row] = await db.sql<{ used: number }[]>`
      select count(payment_id)::int as used from payment_tokens where environment_id = ${shop.tenant.environmentId}`;
    expect(row).toEqual({ used: 1 });
  }
  await expectCleanBooks(db);
});

test("a token pays no other price than its session's, and is not used up by the try", async () => {
  const shop = await openShop(db);
  const { payment_token } = await shop.pay({ mode: "tokenize" });
  const create = (over: object) => shop.tenant.create({ payment_token: payment_token?.id, amount, ...over });
  for (const [param, over] of Object.entries({ amount: { amount: 1 }, currency: { currency: "EUR" } })) {
    expect(await create(over)).toMatchObject({ status: 400, code: "invalid_parameter", body: { param } });
  }
  expect(await create({})).toMatchObject({ status: 201 });
});

test("a token and the form cannot both pay the session", async () => {
  const shop = await openShop(db);
  const { payment_token } = await shop.pay({ mode: "tokenize" });
  await shop.pay();
  expect(await shop.tenant.create({ payment_token: payment_token?.id, amount })).toMatchObject({ status: 400 });
  expect(await countPayments(db, shop.tenant)).toEqual({ all: 1, paid: 1 });
});

test("tokens count as attempts, and the sixth is refused; the fifth still pays", async () => {
  const shop = await openShop(db);
  const made = [];
  for (let i = 0; i < 5; i++) made.push(await shop.pay({ mode: "tokenize" }));
  expect(made[4]?.state).toMatchObject({ status: "EXPIRED", attempts_left: 0 });
  expect(await codeOf(shop.pay({ mode: "tokenize" }))).toBe("invalid_state");
  expect(await shop.tenant.create({ payment_token: made[4]?.payment_token?.id, amount })).toMatchObject({
    status: 201,
  });
  expect(await shop.get()).toMatchObject({ status: "COMPLETED" });
});

test("data typed beside a tokenized card is the payment's, unless the merchant's server overrides it", async () => {
  const shop = await openShop(db);
  const card = { ...CARD, name: "Jo Typed" };
  const token = async () => (await shop.pay({ mode: "tokenize", card, postal_code: "94107" })).payment_token?.id;
  const mine = { customer_name: "Jo Known", billing_address: { line1: "1 Road", postal_code: "10001" } };
  expect((await shop.tenant.create({ payment_token: await token(), amount })).body).toMatchObject({
    customer_name: "Jo Typed",
    billing_address: { line1: null, postal_code: "94107" },
    transactions: [{ avs_result: "Z" }],
  });
  const other = await openShop(db);
  const second = (await other.pay({ mode: "tokenize", card, postal_code: "94107" })).payment_token?.id;
  expect((await other.tenant.create({ payment_token: second, amount, ...mine })).body).toMatchObject(mine);
});

test.each([
  ["another amount", { amount: 2_000 }, "amount", /for 19\.99 USD: send amount 1999 and currency USD/],
  ["another currency", { amount, currency: "EUR" }, "currency", /for 19\.99 USD/],
])(
  "a token of one session is rejected for %s, unused, and pays its own session's amount",
  async (_, wrong, param, detail) => {
    const shop = await openShop(db);
    const payment_token = (await shop.pay({ mode: "tokenize" })).payment_token?.id;
    expect(await shop.tenant.create({ payment_token, ...wrong }, { key: "k" })).toMatchObject({
      status: 400,
      code: "invalid_parameter",
      text: expect.stringMatching(detail),
      body: { param },
    });
    expect(await countPayments(db, shop.tenant)).toEqual({ all: 0, paid: 0 });
    expect(await shop.tenant.create({ payment_token, amount }, { key: "k" })).toMatchObject({ status: 201 });
  },
);
