import { expect, test } from "vitest";
import type { CheckoutState } from "@/lib/contract/checkout/checkout";
import { sessionMove } from "./watch-session";

const state = (status: CheckoutState["status"], more: Partial<CheckoutState> = {}): CheckoutState => ({
  ...{ status, client_session_id: "cs_1", attempts_left: 4, expires_at: "2026-11-22T00:00:00.000Z" },
  ...{ payment: null, action: null, failure: null, return_url: null },
  ...more,
});
const paid = (status: string) => state("COMPLETED", { payment: { id: "pay_1", status } });

test.each(["AUTHORIZED", "CAPTURED", "SETTLED", "PARTIALLY_REFUNDED"])(
  "a session whose payment is %s is paid",
  (status) => expect(sessionMove(paid(status), "form", "load")).toEqual({ to: "done" }),
);

test.each(["VOIDED", "REFUNDED"])("nobody reads “paid” of a payment that is %s", (status) =>
  expect(sessionMove(paid(status), "form", "load")).toEqual({ to: "closed", reason: "returned" }),
);

test("a session that is over says whether its time or its attempts were", () => {
  expect(sessionMove(state("EXPIRED"), "form", "look")).toEqual({ to: "closed", reason: "expired" });
  const exhausted = state("EXPIRED", { attempts_left: 0, failure: "card_declined" });
  expect(sessionMove(exhausted, "form", "look")).toEqual({ to: "closed", reason: "attempts_exhausted" });
  expect(sessionMove(exhausted, "submitting", "answer")).toMatchObject({ to: "form", exhausted: true });
});

test("while an attempt's answer is out, a look at a session without attempts does not close it: the answer may hold a token", () => {
  expect(sessionMove(state("EXPIRED", { attempts_left: 0 }), "checking", "look")).toEqual({ to: "stay" });
});
