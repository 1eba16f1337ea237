import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createPageLimit, isPaymentForm } from "./page-limits";

const FORM = `/pay/cst_${"a".repeat(43)}`;
const CHALLENGE = `/challenge/env_1.pay_1.${"a".repeat(30)}`;
const CARD_CHALLENGE = `/challenge/env_1.cs_1.${"a".repeat(30)}`;
const LINK = `/link/${"a".repeat(22)}`;
const ask = (url = "/sign-in", address = "203.0.113.7") =>
  ({ url, method: "GET", headers: { "x-forwarded-for": address } }) as unknown as IncomingMessage;

/** A limit, called with a response that has not started. */
function limitOf(perMinute: number) {
  const limit = createPageLimit(perMinute);
  return (request: IncomingMessage) => limit(request, answer());
}
const answer = () => Object.assign(new EventEmitter(), { statusCode: 200 }) as unknown as ServerResponse;

// Freeze the clock: a form is refilled every 17 ms, and forty requests take longer on a busy machine.
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

describe("pages of one address", () => {
  test("are refused beyond the limit, and other addresses' are not", () => {
    const refusalFor = limitOf(40);
    const statuses = (address: string, count: number) =>
      Array.from({ length: count }, () => refusalFor(ask("/docs", address))?.status ?? 200);
    expect(statuses("203.0.113.7", 12)).toEqual([...new Array(10).fill(200), 429, 429]);
    expect(statuses("203.0.113.8", 1)).toEqual([200]);
    // The holder of an IPv6 address controls its whole /64.
    expect(Array.from({ length: 12 }, (_, i) => statuses(`2001:db8::${i + 1}`, 1)[0])).toEqual([
      ...new Array(10).fill(200),
      ...[429, 429],
    ]);
    expect(refusalFor(ask("/docs"))?.headers).toEqual({ "Retry-After": "2" });
  });

  test("of the payment form are counted separately, with a higher limit", () => {
    const refusalFor = limitOf(40);
    const ask40 = (path: string) =>
      Array.from({ length: 40 }, () => refusalFor(ask(path))?.status ?? 200).filter((status) => status === 200).length;
    expect([ask40(FORM), ask40("/docs"), ask40(`${FORM}/state`)]).toEqual([30, 10, 0]);
  });

  test.each([
    "/pay/cst_1",
    "/pay/preview",
    `${FORM}/result`,
    `${FORM}/x`,
    "/challenge/x",
    `${CHALLENGE}/attempts`,
    "/link/x",
  ])("%s is no payment form, but a page like any other", (path) => {
    const refusalFor = limitOf(4);
    refusalFor(ask("/docs"));
    expect(refusalFor(ask(path))?.status).toBe(429);
    for (const form of [FORM, `${FORM}/attempts`, CHALLENGE]) expect(refusalFor(ask(form)), form).toBeNull();
  });

  test("of payment links count as payment forms", () => {
    for (const path of [LINK, `${LINK}/open`]) expect(isPaymentForm(ask(path)), path).toBe(true);
    for (const path of [`${LINK}/x`, `${LINK}a`]) expect(isPaymentForm(ask(path)), path).toBe(false);
  });

  test("of challenges of a payment and of a card's check count as payment forms", () => {
    for (const path of [CHALLENGE, `${CHALLENGE}/result`, CARD_CHALLENGE, `${CARD_CHALLENGE}/result?framed`])
      expect(isPaymentForm(ask(path)), path).toBe(true);
  });

  test("of invoices and the customer portal count as payment forms", () => {
    const invoice = `/invoice/env_${"0".repeat(26)}.inv_${"0".repeat(26)}.${"a".repeat(30)}`;
    const portal = `/portal/prt_${"a".repeat(43)}`;
    for (const path of [invoice, `${invoice}/pay`, portal, `${portal}?done=busy`, `${portal}/cancel`, "/portal/back"])
      expect(isPaymentForm(ask(path)), path).toBe(true);
    for (const path of ["/invoice/x", `${invoice}/x`, `${portal}a`, `${portal}/x`, "/portal/x"])
      expect(isPaymentForm(ask(path)), path).toBe(false);
  });

  test("with guessed form tokens are refused after a few, and valid forms still open", () => {
    const limit = createPageLimit(1_200);
    const look = (address: string, status: number) => {
      const response = answer();
      const refused = limit(ask(FORM, address), response)?.status;
      response.statusCode = status;
      if (refused === undefined) response.emit("finish");
      return refused ?? status;
    };
    const guesses = Array.from({ length: 40 }, () => look("203.0.113.7", 404));
    expect(guesses.filter((status) => status === 404)).toHaveLength(30);
    expect(guesses.at(-1)).toBe(429);
    expect(Array.from({ length: 400 }, () => look("203.0.113.8", 200))).not.toContain(429);
    // Other pages are counted separately.
    expect(limit(ask("/docs"), answer())).toBeNull();
  });

  test("of a processor are counted per connection, and per address without a known connection", () => {
    const limit = createPageLimit(1_200);
    const write = (connection: string, status: number) => {
      const response = answer();
      const refused = limit(ask(`/webhooks/stripe/con_${connection.repeat(26)}`), response)?.status;
      response.statusCode = refused ?? status;
      response.emit("finish");
      return refused ?? status;
    };
    const busy = Array.from({ length: 1_000 }, () => write("1", 200));
    expect(busy.filter((status) => status === 200)).toHaveLength(900);
    expect(Array.from({ length: 1_000 }, () => write("a", 400)).filter((status) => status === 400)).toHaveLength(900);
    expect(write("2", 200)).toBe(200);
    const madeUp = Array.from({ length: 1_000 }, (_, index) => write(String(3 + (index % 7)), 404));
    expect(madeUp.filter((status) => status === 404)).toHaveLength(900);
    expect(write("2", 200)).toBe(429);
  });

  test("of a processor to a deleted connection do not use up the limits of its other connections", () => {
    const limit = createPageLimit(1_200);
    const write = (status: number) => {
      const response = answer();
      const refused = limit(ask(`/webhooks/stripe/con_${"0".repeat(26)}`), response)?.status;
      response.statusCode = status;
      if (refused === undefined) response.emit("finish");
      return refused ?? status;
    };
    expect(Array.from({ length: 400 }, () => write(404))).not.toContain(429);
    expect(write(200)).toBe(200);
  });
});
