import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { createPaymentBody } from "@/lib/contract/payments/payment";
import { listPaymentMethods } from "@/lib/domain/payment-methods/payment-methods";
import { createPayment } from "@/lib/domain/payments/create-payment";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { newId } from "@/lib/ids";
import { testDatabase } from "../../fixtures/database";
import { eventsAsTold } from "../../fixtures/events";
import { testContext, testIdempotency } from "../../fixtures/factories";
import { type AdyenTenant, adyenTenant } from "./tenant";

const { db } = await testDatabase();

const SAVING = { customer_id: "ann", save_payment_method: true };

const cardsOf = async ({ owner }: AdyenTenant) => (await listPaymentMethods(owner(), { customer_id: "ann" })).data;
const createdIn = async ({ environmentId }: AdyenTenant) =>
  (await eventsAsTold(db, environmentId)).filter(({ event: { type } }) => type === "payment_method.created").length;

function charge(tenant: AdyenTenant, payment_method_id: string) {
  const request = { id: newId(), endpoint: "createPayment", path: "/v1/payments" };
  const idempotency = testIdempotency(randomUUID(), Buffer.alloc(32), null);
  const ctx = testContext(tenant.service, tenant.merchant.test, { idempotency, request });
  const body = { amount: 500, currency: "USD", customer_id: "ann", payment_method_id };
  return createPayment(ctx, createPaymentBody.parse(body));
}

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

describe("a card whose token only the webhook contains", () => {
  test("is stored once by the payment, however often the webhook arrives, and can be charged", async () => {
    const tenant = await adyenTenant(db, onTestFinished, { tokens: "told" });
    const { body: payment } = await tenant.pay(SAVING);
    expect(payment).toMatchObject({ status: "CAPTURED", payment_method_id: null });
    const [message, ...others] = tenant.double.tokenMessages();
    expect(others).toEqual([]);
    if (!message) throw new Error("Adyen reports the token");
    await Promise.allSettled([1, 2, 3].map(() => tenant.post(message)));
    expect(await tenant.post(message)).toBe(true);
    const [card, ...more] = await cardsOf(tenant);
    expect(more).toEqual([]);
    expect(card).toMatchObject({ customer_id: "ann", status: "ACTIVE", card: { last4: "4242" } });
    expect(await tenant.get(payment.id)).toMatchObject({ payment_method_id: card?.id });
    expect(await createdIn(tenant)).toBe(1);
    const again = await charge(tenant, card?.id ?? "");
    expect(again).toMatchObject({ status: 201 });
    await expectClean();
  });

  test("is stored by the payment's outcome if that was unknown when the webhook arrived", async () => {
    const tenant = await adyenTenant(db, onTestFinished, { tokens: "told" });
    tenant.double.fault(/payments$/, "lost after");
    const { body: payment } = await tenant.pay(SAVING);
    const tokens = tenant.double.tokenMessages();
    for (const message of tokens) await tenant.post(message);
    expect(await cardsOf(tenant)).toEqual([]);
    await tenant.endLeases();
    for (const body of tenant.double.messages()) expect(await tenant.post(body)).toBe(true);
    for (const message of tokens) expect(await tenant.post(message)).toBe(true);
    const cards = await cardsOf(tenant);
    expect(cards).toHaveLength(1);
    expect(await tenant.get(payment.id)).toMatchObject({ status: "CAPTURED", payment_method_id: cards[0]?.id });
    expect(await createdIn(tenant)).toBe(1);
    await expectClean();
  });

  test("isn't stored by a payment that was not asked to", async () => {
    const tenant = await adyenTenant(db, onTestFinished, { tokens: "told" });
    await tenant.pay({ customer_id: "ann" });
    for (const message of tenant.double.tokenMessages()) expect(await tenant.post(message)).toBe(true);
    expect(await cardsOf(tenant)).toEqual([]);
  });
});
