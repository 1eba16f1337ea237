import {
  capturePayment,
  createPayment,
  getPayment,
  refundPayment,
  voidPayment,
} from "@/lib/contract/payments/endpoints";
import type { Payment } from "@/lib/contract/payments/payment";
import { expect, test } from "../fixtures";
import { aCard, aPayment, authorized, CARDS, captured, chargeOf } from "../samples";

const challenged = { card: aCard(CARDS.challenge) };
const challengeUrl = (payment: Payment) => payment.next_action?.redirect_to_url.url ?? "";

/** What the challenge page's buttons send. */
const answer = (payment: Payment, result: string) =>
  fetch(`${challengeUrl(payment)}/result`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ result }),
  });

test("the card asks for 3-D Secure: 201 REQUIRES_ACTION with the address of the challenge", async ({
  api,
  baseUrl,
}) => {
  const payment = await captured(api, challenged);
  expect(payment).toMatchObject({
    status: "REQUIRES_ACTION",
    amount_captured: 0,
    amount_capturable: 0,
    amount_refundable: 0,
    available_actions: [],
    next_action: { type: "redirect_to_url" },
  });
  expect(challengeUrl(payment)).toContain(baseUrl);
  expect(Date.parse(payment.next_action?.expires_at ?? "")).toBeGreaterThan(Date.now());
  expect(chargeOf(payment)).toMatchObject({ status: "PENDING", authorized_at: null });
});

test("nothing else can be done with it meanwhile", async ({ api }) => {
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
  test(`a passed challenge goes on to ${status}, once`, async ({ api }) => {
    const payment = await make(api, { ...challenged, return_url: "https://shop.example/thanks?order=1" });
    const sentBack = await answer(payment, "passed");
    expect(sentBack.status).toBe(303);
    expect(sentBack.headers.get("location")).toBe(`https://shop.example/thanks?order=1&payment_id=${payment.id}`);
    const after = (await api.call(getPayment, { id: payment.id })).ok();
    expect(after).toMatchObject({ status, next_action: null });
    expect(chargeOf(after).status).toBe(status);
    await answer(payment, "failed");
    await answer(payment, "passed");
    expect((await api.call(getPayment, { id: payment.id })).ok()).toEqual(after);
  });
}

test("a failed challenge is DECLINED: authentication_failed", async ({ api }) => {
  const payment = await captured(api, challenged);
  await answer(payment, "failed");
  const after = (await api.call(getPayment, { id: payment.id })).ok();
  expect(after).toMatchObject({ status: "DECLINED", amount_captured: 0, next_action: null });
  expect(chargeOf(after).decline_code).toBe("authentication_failed");
  await answer(payment, "passed");
  expect((await api.call(getPayment, { id: payment.id })).ok().status).toBe("DECLINED");
});

test("the payment's key still replays its first answer", async ({ api }) => {
  const first = await api.call(createPayment, { key: "3ds", body: aPayment(challenged) });
  await answer(first.ok(), "passed");
  const replay = await api.call(createPayment, { key: "3ds", body: aPayment(challenged) });
  expect([replay.replayed, replay.text]).toEqual([true, first.text]);
});

test("a challenge cannot be answered by guessing its address", async ({ api, newTenant }) => {
  const payment = await captured(api, challenged);
  const url = challengeUrl(payment);
  const other = challengeUrl(await captured((await newTenant()).api, challenged));
  const mixed = `${url.split(".").slice(0, -1).join(".")}.${other.split(".").at(-1)}`;
  for (const forged of [mixed, url.slice(0, -1), `${url}x`, url.replace(/challenge\/.*/, "challenge/x")]) {
    const sent = await fetch(`${forged}/result`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ result: "passed" }),
    });
    expect(sent.status).toBe(404);
    expect((await fetch(forged)).status).toBe(404);
  }
  expect((await api.call(getPayment, { id: payment.id })).ok().status).toBe("REQUIRES_ACTION");
});
