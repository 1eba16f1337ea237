import { afterEach, expect, test, vi } from "vitest";
import { notifyPage, type PageEvent } from "./frame";

afterEach(() => vi.unstubAllGlobals());

const EVENTS: [PageEvent, string, object | undefined][] = [
  [{ type: "ready" }, "onReady", undefined],
  [
    { type: "change", complete: true, empty: false, processing: false },
    "onChange",
    { complete: true, empty: false, processing: false },
  ],
  [{ type: "action_required", kind: "three_d_secure" }, "onActionRequired", { kind: "three_d_secure" }],
  [
    {
      type: "success",
      client_session_id: "cs_1",
      payment_id: "pay_1",
      status: "CAPTURED",
      payment_token: null,
      return_url: "https://shop.example/thanks",
    },
    "onSuccess",
    {
      clientSessionId: "cs_1",
      paymentId: "pay_1",
      paymentMethodId: null,
      subscriptionId: null,
      status: "CAPTURED",
      paymentToken: null,
      returnUrl: "https://shop.example/thanks",
    },
  ],
  [
    { type: "error", code: "card_declined", message: "Declined.", attempts_left: 4 },
    "onError",
    { code: "card_declined", message: "Declined.", attemptsLeft: 4 },
  ],
  [{ type: "expired" }, "onExpired", undefined],
];

test.each(EVENTS)("%o calls %s", (event, name, payload) => {
  const callback = vi.fn();
  notifyPage({ [name]: callback }, event);
  expect(callback.mock.calls).toEqual([payload === undefined ? [] : [payload]]);
});

test.each(EVENTS)("%o is dropped when the page does not listen", (event) => {
  notifyPage({}, event);
});

test("an error in a callback is reported as the page's own and doesn't propagate", () => {
  const report = vi.fn();
  vi.stubGlobal("reportError", report);
  const error = new Error("the page's own");
  notifyPage(
    {
      onReady() {
        throw error;
      },
    },
    { type: "ready" },
  );
  expect(report).toHaveBeenCalledExactlyOnceWith(error);
});
