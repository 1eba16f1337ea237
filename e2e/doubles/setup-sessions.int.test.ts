import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { createClientSessionBody } from "@/lib/contract/checkout/client-session";
import { checkoutAttemptBody } from "@/lib/contract/checkout/endpoints";
import { createPaymentBody } from "@/lib/contract/payments/payment";
import { createClientSession, getClientSession } from "@/lib/domain/checkout/client-sessions";
import { offerOf } from "@/lib/domain/checkout/offer";
import { checkoutTime, findCheckout } from "@/lib/domain/checkout/pay-session";
import { listPaymentMethods } from "@/lib/domain/payment-methods/payment-methods";
import { createPayment } from "@/lib/domain/payments/create-payment";
import { changeConnection } from "@/lib/domain/processors/connections";
import { attempt } from "@/lib/http/checkout";
import { newId } from "@/lib/ids";
import { CARD, DECLINED } from "../fixtures/checkout";
import { testDatabase } from "../fixtures/database";
import { testContext, testIdempotency } from "../fixtures/factories";
import type { MoneyTenant } from "../fixtures/money";
import { adyenTenant } from "./adyen/tenant";
import { stripeTenants } from "./stripe/tenant";

const { db } = await testDatabase();

type Shop = Pick<MoneyTenant, "service" | "merchant">;

const SHOPS: Readonly<Record<string, () => Promise<Shop>>> = {
  Stripe: async () => (await stripeTenants(db, (stop) => onTestFinished(async () => void (await stop())))).newTenant(),
  Adyen: async () => {
    const tenant = await adyenTenant(db, onTestFinished);
    await changeConnection(tenant.owner(), { id: tenant.connection, raw_cards: true });
    return tenant;
  },
};

/** A form that stores a card, and what its shopper does. */
async function openSetup({ service, merchant }: Shop) {
  const ctx = (key?: string) =>
    testContext(service, merchant.test, key ? { idempotency: testIdempotency(key, Buffer.alloc(32), null) } : {});
  const body = createClientSessionBody.parse({ mode: "setup", customer_id: "ann" });
  const session = JSON.parse((await createClientSession(ctx(), body)).body);
  const token = session.client_session_token as string;
  const request = { id: newId(), path: "/pay/{token}/attempts" };
  const call = { service, params: { token }, request, address: randomUUID(), cookies: null };
  const checkout = await findCheckout(service, token);
  const consent = checkout && offerOf(checkout.row, checkoutTime(service, checkout.row)).consent?.en;
  const pay = async (card: object) =>
    (await attempt(call, checkoutAttemptBody.parse({ attempt: randomUUID(), card, consent }))).state;
  const cards = async () => (await listPaymentMethods(ctx(), { customer_id: "ann" })).data;
  const get = () => getClientSession(ctx(), { id: session.id });
  return { ctx, pay, cards, get, consent };
}

describe.each(Object.keys(SHOPS))("a form that stores a card at %s", (name) => {
  test("stores none that is declined, then one with the agreement, which the merchant can charge", async () => {
    const shop = await SHOPS[name]?.();
    if (!shop) throw new Error("there is a shop");
    const setup = await openSetup(shop);
    expect(await setup.pay(DECLINED)).toMatchObject({ status: "OPEN", failure: "card_declined" });
    expect(await setup.cards()).toEqual([]);
    expect(await setup.pay(CARD)).toMatchObject({ status: "COMPLETED", payment: null });
    const [card, ...others] = await setup.cards();
    expect(others).toEqual([]);
    expect(card).toMatchObject({ status: "ACTIVE", card: { last4: "4242" }, consent: { text: setup.consent } });
    expect(await setup.get()).toMatchObject({ status: "COMPLETED", payment_id: null, payment_method_id: card?.id });
    const [made] =
      await db.sql`select count(*)::int as payments from payments where environment_id = ${shop.merchant.test.id}`;
    expect(made).toEqual({ payments: 0 });
    const body = { amount: 500, currency: "USD", customer_id: "ann", payment_method_id: card?.id };
    const charged = await createPayment(setup.ctx(randomUUID()), createPaymentBody.parse(body));
    expect([charged.status, JSON.parse(charged.body).status]).toEqual([201, "CAPTURED"]);
  });
});
