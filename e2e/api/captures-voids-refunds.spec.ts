import { getPayment, refundPayment } from "@/lib/contract/payments/endpoints";
import { getTransaction } from "@/lib/contract/transactions/endpoints";
import { expect, test } from "../fixtures/playwright";
import { authorized, captured, chargeOf, DOORS, settled } from "../samples";

for (const door of DOORS) {
  const kind = door.name;
  /** Behind other processors, `npm test` runs these for payments only. */
  const SMOKE = { tag: kind === "payment" ? "@processors" : [] };

  test.describe(`capture of a ${kind}`, () => {
    test("captures the full amount by default", async ({ api }) => {
      const payment = await authorized(api);
      const answer = (await api.call(door.capture, { id: door.idOf(payment) })).ok();
      expect(answer).toMatchObject({
        object: kind,
        id: door.idOf(payment),
        status: "CAPTURED",
        amount_captured: 10_000,
      });
      expect(answer).toEqual((await api.call<typeof door.get>(door.get, { id: door.idOf(payment) })).ok());
      const charge = chargeOf((await api.call(getPayment, { id: payment.id })).ok());
      expect(charge.captured_at).not.toBeNull();
    });

    test("captures a part once, and releases the rest", SMOKE, async ({ api }) => {
      const payment = await authorized(api);
      const answer = (await api.call(door.capture, { id: door.idOf(payment), body: { amount: 4_000 } })).ok();
      expect(answer).toMatchObject({
        status: "CAPTURED",
        amount: 10_000,
        amount_captured: 4_000,
        amount_refundable: 4_000,
        available_actions: ["refund"],
      });
      (await api.call(door.capture, { id: door.idOf(payment), body: { amount: 6_000 } })).problem("invalid_state");
      expect((await api.call(getPayment, { id: payment.id })).ok().amount_capturable).toBe(0);
    });

    test("never captures more than was authorized", async ({ api }) => {
      const payment = await authorized(api);
      const refusal = (await api.call(door.capture, { id: door.idOf(payment), body: { amount: 10_001 } })).problem(
        "amount_exceeds_capturable",
      );
      expect(refusal).toMatchObject({ param: "amount", remaining: 10_000 });
      for (const amount of [0, -1, 1.5, "1", null]) {
        (await api.call(door.capture, { id: door.idOf(payment), body: { amount } })).problem("invalid_parameter");
      }
      expect((await api.call(getPayment, { id: payment.id })).ok().status).toBe("AUTHORIZED");
    });

    test("happens once, however many requests are concurrent", async ({ api }) => {
      const payment = await authorized(api);
      const capture = () => api.call(door.capture, { id: door.idOf(payment), body: { amount: 1_000 } });
      const statuses = (await Promise.all(Array.from({ length: 8 }, capture))).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 409)).toHaveLength(7);
      expect((await api.call(getPayment, { id: payment.id })).ok().amount_captured).toBe(1_000);
    });
  });

  test.describe(`void of a ${kind}`, () => {
    test("releases the hold and keeps the reason", SMOKE, async ({ api }) => {
      const payment = await authorized(api);
      const answer = (await api.call(door.void, { id: door.idOf(payment), body: { reason: "out of stock" } })).ok();
      expect(answer).toMatchObject({ object: kind, status: "VOIDED", available_actions: [], amount_captured: 0 });
      const after = (await api.call(getPayment, { id: payment.id })).ok();
      expect(after.amount_capturable).toBe(0);
      const charge = chargeOf(after);
      expect(charge.void_reason).toBe("out of stock");
      expect(charge.voided_at).not.toBeNull();
    });

    test("needs no body and no reason", async ({ api }) => {
      const payment = await authorized(api);
      (await api.call(door.void, { id: door.idOf(payment) })).ok();
      const charge = (await api.call(getTransaction, { id: chargeOf(payment).id })).ok();
      expect(charge).toMatchObject({ status: "VOIDED", void_reason: null });
    });

    test("accepts a reason of 255 characters, and no amount", async ({ api }) => {
      const payment = await authorized(api);
      const id = door.idOf(payment);
      (await api.call(door.void, { id, body: { reason: "x".repeat(256) } })).problem("invalid_parameter");
      (await api.call(door.void, { id, body: { amount: 1 } })).problem("unknown_parameter");
      (await api.call(door.void, { id, body: { reason: "x".repeat(255) } })).ok();
    });
  });

  test.describe(`refund of a ${kind}`, () => {
    test("refunds everything that is left by default", SMOKE, async ({ api }) => {
      const payment = await captured(api);
      await api.call(refundPayment, { id: payment.id, body: { amount: 2_500 } });
      const answer = (await api.call(door.refund, { id: door.idOf(payment) })).ok();
      const after = (await api.call(getPayment, { id: payment.id })).ok();
      expect(after).toMatchObject({
        status: "REFUNDED",
        amount_refunded: 10_000,
        amount_refundable: 0,
        available_actions: [],
      });
      expect(after.transactions.map(({ type, amount }) => [type, amount])).toEqual([
        ["CHARGE", 10_000],
        ["REFUND", 2_500],
        ["REFUND", 7_500],
      ]);
      expect(answer).toEqual(kind === "payment" ? after : after.transactions[2]);
    });

    test("is a separate transaction, with the customer and card of its charge", async ({ api }) => {
      const payment = await captured(api, {
        customer_id: "c-1",
        customer_email: "a@b.example",
        metadata: { order: 1 },
      });
      const body = { amount: 1_000, reason: "CUSTOMER_REQUEST", comment: "too small" };
      (await api.call(door.refund, { id: door.idOf(payment), body })).ok();
      const [charge, refund] = (await api.call(getPayment, { id: payment.id })).ok().transactions;
      expect(refund).toMatchObject({
        type: "REFUND",
        status: "CAPTURED",
        amount: 1_000,
        currency: "USD",
        refund_of: charge?.id,
        payment_id: payment.id,
        refund_reason: "CUSTOMER_REQUEST",
        customer_id: "c-1",
        customer_email: "a@b.example",
        card_last4: "4242",
        available_actions: [],
        amount_refundable: 0,
      });
      expect(charge).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refunded: 1_000, amount_refundable: 9_000 });
      expect(charge?.refunded_at).not.toBeNull();
      expect((await api.call(getTransaction, { id: refund?.id ?? "" })).ok()).toEqual(refund);
    });

    test("never refunds more than is left", async ({ api }) => {
      const payment = await captured(api);
      const id = door.idOf(payment);
      const refusal = (await api.call(door.refund, { id, body: { amount: 10_001 } })).problem(
        "amount_exceeds_refundable",
      );
      expect(refusal).toMatchObject({ param: "amount", remaining: 10_000 });
      for (const body of [{ amount: 0 }, { amount: -5 }, { amount: 0.5 }, { amount: "" }, { reason: "BORED" }]) {
        (await api.call(door.refund, { id, body })).problem("invalid_parameter");
      }
      const refunds = Array.from({ length: 12 }, () => api.call(door.refund, { id, body: { amount: 1_000 } }));
      const statuses = (await Promise.all(refunds)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 201)).toHaveLength(10);
      expect((await api.call(getPayment, { id: payment.id })).ok()).toMatchObject({
        status: "REFUNDED",
        amount_refunded: 10_000,
      });
    });

    test("also works after settlement, and then settles itself", async ({ tenant, api }) => {
      const payment = await settled(tenant);
      (await api.call(door.refund, { id: door.idOf(payment), body: { amount: 1 } })).ok();
      const after = (await api.call(getPayment, { id: payment.id })).ok();
      expect(after.transactions.map(({ status }) => status)).toEqual(["PARTIALLY_REFUNDED", "CAPTURED"]);
    });
  });
}

test("accepts every refund reason", async ({ api }) => {
  const { id } = await captured(api);
  for (const reason of ["DUPLICATE", "FRAUDULENT", "CUSTOMER_REQUEST", "RETURN", "OTHER"]) {
    (await api.call(refundPayment, { id, body: { amount: 1, reason } })).ok();
  }
});

test("a refund's own id can't be captured, voided or refunded", async ({ api }) => {
  const { id } = await captured(api);
  const refund = (await api.call(refundPayment, { id, body: { amount: 1 } })).ok().transactions[1];
  const [, transaction] = DOORS;
  for (const verb of ["capture", "void", "refund"] as const) {
    (await api.call(transaction[verb], { id: refund?.id ?? "" })).problem("invalid_state");
  }
});
