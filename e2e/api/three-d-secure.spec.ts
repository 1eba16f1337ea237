import { decodeId } from "@/lib/contract/ids";
import {
  capturePayment,
  createPayment,
  getPayment,
  refundPayment,
  voidPayment,
} from "@/lib/contract/payments/endpoints";
import type { Payment } from "@/lib/contract/payments/payment";
import { challengeUrl } from "@/lib/domain/payments/processor-calls";
import type { Api } from "../client";
import { expect, test } from "../fixtures/playwright";
import { aCard, aPayment, authorized, CARDS, captured, chargeOf } from "../samples";

const challenged = { card: aCard(CARDS.challenge) };
const processorUrl = (payment: Payment) => payment.next_action?.redirect_to_url.url ?? "";

/**
 * The payment once it has continued: a processor's webhook may arrive before the shopper, who doesn't wait.
 */
async function ended(api: Api, { id }: Payment): Promise<Payment> {
  const now = async () => (await api.call(getPayment, { id })).ok();
  await expect.poll(async () => (await now()).status).not.toBe("PENDING");
  return now();
}

test("the card requires 3-D Secure: 201 REQUIRES_ACTION with the challenge's URL", async ({ api, shopper }) => {
  const payment = await captured(api, challenged);
  expect(payment).toMatchObject({
    status: "REQUIRES_ACTION",
    amount_captured: 0,
    amount_capturable: 0,
    amount_refundable: 0,
    available_actions: [],
    next_action: { type: "redirect_to_url" },
  });
  expect(new URL(processorUrl(payment)).origin).toBe(shopper.asksAt);
  expect(Date.parse(payment.next_action?.expires_at ?? "")).toBeGreaterThan(Date.now());
  expect(chargeOf(payment)).toMatchObject({ status: "PENDING", authorized_at: null });
});

test("no other operation is possible until then", async ({ api }) => {
  const { id } = await captured(api, challenged);
  for (const endpoint of [capturePayment, voidPayment, refundPayment] as const) {
    const refusal = (await api.call<typeof capturePayment>(endpoint as typeof capturePayment, { id })).problem(
      "invalid_state",
    );
    expect(refusal).toMatchObject({ current_status: "REQUIRES_ACTION", allowed_actions: [] });
  }
});

for (const [make, status] of [
  [captured, "CAPTURED"],
  [authorized, "AUTHORIZED"],
] as const) {
  test(`a passed challenge leads to ${status}, once`, { tag: status === "CAPTURED" ? "@processors" : [] }, async ({
    api,
    shopper,
  }) => {
    const payment = await make(api, { ...challenged, return_url: "https://shop.example/thanks?order=1" });
    const sentBack = await shopper.answer(processorUrl(payment), "passed");
    expect(sentBack?.status).toBe(303);
    expect(sentBack?.headers.get("location")).toBe(`https://shop.example/thanks?order=1&payment_id=${payment.id}`);
    const after = await ended(api, payment);
    expect(after).toMatchObject({ status, next_action: null });
    expect(chargeOf(after).status).toBe(status);
    await shopper.answer(processorUrl(payment), "failed");
    await shopper.answer(processorUrl(payment), "passed");
    expect((await api.call(getPayment, { id: payment.id })).ok()).toEqual(after);
  });
}

test("a failed challenge is DECLINED: authentication_failed", async ({ api, shopper }) => {
  const payment = await captured(api, challenged);
  await shopper.answer(processorUrl(payment), "failed");
  const after = await ended(api, payment);
  expect(after).toMatchObject({ status: "DECLINED", amount_captured: 0, next_action: null });
  expect(chargeOf(after).decline_code).toBe("authentication_failed");
  await shopper.answer(processorUrl(payment), "passed");
  expect((await api.call(getPayment, { id: payment.id })).ok().status).toBe("DECLINED");
});

test("the payment's key still replays its first response", async ({ api, shopper }) => {
  const first = await api.call(createPayment, { key: "3ds", body: aPayment(challenged) });
  await shopper.answer(processorUrl(first.ok()), "passed");
  const replay = await api.call(createPayment, { key: "3ds", body: aPayment(challenged) });
  expect([replay.replayed, replay.text]).toEqual([true, first.text]);
});

test("a challenge's URL can't be guessed", async ({ newTenant, service, shopper, baseUrl }) => {
  const challengedAt = async () => {
    const { api, merchant } = await newTenant();
    const payment = await captured(api, challenged);
    const ids = { environmentId: merchant.test.id, paymentId: decodeId("payment", payment.id) ?? "" };
    return { api, payment, url: challengeUrl({ ...service, baseUrl }, ids) };
  };
  const { api, payment, url } = await challengedAt();
  const other = await challengedAt();
  const mixed = `${url.split(".").slice(0, -1).join(".")}.${other.url.split(".").at(-1)}`;
  const answer = (at: string) =>
    fetch(`${at}/result`, { method: "POST", redirect: "manual", body: new URLSearchParams({ result: "passed" }) });
  for (const forged of [mixed, url.slice(0, -1), `${url}x`, url.replace(/challenge\/.*/, "challenge/x")]) {
    expect((await answer(forged)).status).toBe(404);
    expect((await fetch(forged)).status).toBe(404);
  }
  // The correct address doesn't accept it either if the challenge is on the processor's own page.
  if (shopper.asksAt !== baseUrl) {
    expect((await answer(url)).status).toBe(404);
    expect((await fetch(`${url}?passed=true&redirect_status=succeeded`)).status).toBe(200);
  }
  expect((await api.call(getPayment, { id: payment.id })).ok().status).toBe("REQUIRES_ACTION");
  // A forged result doesn't pay it; the processor may treat it as a failed challenge.
  await fetch(`${url}?redirectResult=madeup&payment_intent=pi_madeup`);
  const after = (await api.call(getPayment, { id: payment.id })).ok();
  expect(["REQUIRES_ACTION", "DECLINED"]).toContain(after.status);
  expect([after.amount_captured, after.amount_capturable]).toEqual([0, 0]);
});
