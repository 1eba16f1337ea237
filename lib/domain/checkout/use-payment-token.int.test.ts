import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext, testIdempotency, testPaymentToken } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { decodeId } from "@/lib/contract/ids";
import { cardInput, createPaymentBody } from "@/lib/contract/payments/payment";
import { createPayment } from "@/lib/domain/payments/create-payment";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { createSecret, UnknownKeyError } from "@/lib/secret";
import { forgetOldCards } from "./payment-tokens";

const { db } = await testDatabase();
const card = cardInput.parse({ number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" });
const newToken = async (tenant: MoneyTenant) =>
  (await testPaymentToken(testContext(tenant.service, tenant.merchant.test), { card })).id;

test("a payment token pays once, despite concurrent requests", async () => {
  const tenant = await moneyTenant(db);
  const payment_token = await newToken(tenant);
  const answers = await Promise.all(Array.from({ length: 10 }, () => tenant.create({ payment_token })));
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
  for (const answer of answers.filter((one) => one.status !== 201)) {
    expect(answer).toMatchObject({ status: 400, code: "invalid_parameter", body: { param: "payment_token" } });
  }
  expect(tenant.script.count("authorize")).toBe(1);
  expect((await verifyBooks(db)).balanced).toBe(true);
});

test("its payment is replayed under its key, although the token is used up", async () => {
  const tenant = await moneyTenant(db);
  const payment_token = await newToken(tenant);
  const first = await tenant.create({ payment_token }, { key: "k" });
  expect(first).toMatchObject({ status: 201, body: { card: { last4: "4242" } } });
  expect(await tenant.create({ payment_token }, { key: "k" })).toMatchObject({ text: first.text, replayed: true });
});

test("it is good for 15 minutes, to the moment, and a refusal leaves the key free", async () => {
  const tenant = await moneyTenant(db);
  const payment_token = await newToken(tenant);
  await db.sql`update payment_tokens set expires_at = now() - interval '1 ms' where id = ${decodeId("paymentToken", payment_token)}`;
  expect(await tenant.create({ payment_token }, { key: "k" })).toMatchObject({
    status: 400,
    code: "invalid_parameter",
  });
  expect(await tenant.key("k")).toBeNull();
  expect(await tenant.create({ payment_token: await newToken(tenant) }, { key: "k" })).toMatchObject({ status: 201 });
});

test("another merchant's token does not exist, and is not used up", async () => {
  const tenant = await moneyTenant(db);
  const otherMerchant = await moneyTenant(db);
  const payment_token = await newToken(tenant);
  expect(await otherMerchant.create({ payment_token })).toMatchObject({ status: 404, code: "resource_not_found" });
  expect(await tenant.create({ payment_token })).toMatchObject({ status: 201 });
});

test("the processor's token is deleted when the payment token is used, and when it expires", async () => {
  const tenant = await moneyTenant(db);
  const [used, old, fresh] = [await newToken(tenant), await newToken(tenant), await newToken(tenant)];
  const held = async (token: string) => {
    const [row] = await db.sql`select processor_token <> '' as held from payment_tokens
      where id = ${decodeId("paymentToken", token)}`;
    return row?.held;
  };
  expect(await tenant.create({ payment_token: used })).toMatchObject({ status: 201 });
  await db.sql`update payment_tokens set expires_at = now() - interval '1 ms' where id = ${decodeId("paymentToken", old)}`;
  await forgetOldCards(tenant.service);
  expect([await held(used), await held(old), await held(fresh)]).toEqual([false, false, true]);
  expect(await tenant.create({ payment_token: fresh })).toMatchObject({ status: 201 });
});

test("an instance without the secret that sealed a token does not use it up", async () => {
  const tenant = await moneyTenant(db);
  const payment_token = await newToken(tenant);
  const behind = await moneyTenant(db, { secret: createSecret("a secret from before the last change, 32 characters") });
  const body = { amount: 10_000, currency: "USD", payment_token };
  const refused = createPayment(
    testContext(behind.service, tenant.merchant.test, {
      idempotency: testIdempotency("k", Buffer.alloc(32), null),
    }),
    createPaymentBody.parse(body),
  );
  await expect(refused).rejects.toThrow(UnknownKeyError);
  expect(await tenant.key("k")).toBeNull();
  expect(await tenant.create({ payment_token }, { key: "k" })).toMatchObject({ status: 201 });
});
