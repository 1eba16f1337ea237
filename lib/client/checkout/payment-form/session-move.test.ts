import { expect, test } from "vitest";
import type { CheckoutState } from "@/lib/contract/checkout/checkout";
import { sessionMove } from "./watch-session";

const state = (status: CheckoutState["status"], more: Partial<CheckoutState> = {}): CheckoutState => ({
  status,
  client_session_id: "cs_1",
  attempts_left: 4,
  expires_at: "2026-11-22T00:00:00.000Z",
  payment: null,
  payment_method_id: null,
  subscription_id: null,
  trial_refused: false,
  action: null,
  failure: null,
  return_url: null,
  ...more,
});
const paid = (status: string) => state("COMPLETED", { payment: { id: "pay_1", status } });

test.each(["AUTHORIZED", "CAPTURED", "SETTLED", "PARTIALLY_REFUNDED"])(
  "a session whose payment is %s is paid",
  (status) => expect(sessionMove(paid(status), "form", "load")).toEqual({ to: "done" }),
);

test.each(["VOIDED", "REFUNDED"])("a %s payment is not shown as paid", (status) =>
  expect(sessionMove(paid(status), "form", "load")).toEqual({ to: "closed", reason: "returned" }),
);

test("a closed session reports whether its time or its attempts ran out", () => {
  expect(sessionMove(state("EXPIRED"), "form", "look")).toEqual({ to: "closed", reason: "expired" });
  const exhausted = state("EXPIRED", { attempts_left: 0, failure: "card_declined" });
  expect(sessionMove(exhausted, "form", "look")).toEqual({ to: "closed", reason: "attempts_exhausted" });
  expect(sessionMove(exhausted, "submitting", "answer")).toMatchObject({ to: "form", exhausted: true });
});

test("while an attempt is in progress, polling a session without attempts left does not close it: the response may contain a token", () => {
  expect(sessionMove(state("EXPIRED", { attempts_left: 0 }), "checking", "look")).toEqual({ to: "stay" });
});
