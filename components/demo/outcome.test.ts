import { expect, test } from "vitest";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import { PAYMENT_STATUSES, type Payment } from "@/lib/contract/payments/payment";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { DEMO_PLANS } from "@/lib/server/demo/shop";
import { MONTHLY } from "./order";
import { outcomeOf } from "./outcome";

const payment = (status: Payment["status"]) => ({ status }) as Payment;
const session = (status: ClientSession["status"]) => ({ status }) as ClientSession;

test("only money that is captured or settled counts as paid, and only a hold as reserved", () => {
  const kinds = Object.fromEntries(
    PAYMENT_STATUSES.map((status) => [status, outcomeOf(session("COMPLETED"), payment(status)).kind]),
  );
  expect(kinds).toEqual({
    PENDING: "waiting",
    AUTHORIZED: "reserved",
    CAPTURED: "paid",
    SETTLED: "paid",
    VOIDED: "returned",
    REFUNDED: "returned",
    PARTIALLY_REFUNDED: "returned",
    DECLINED: "unpaid",
    FAILED: "unpaid",
    REQUIRES_ACTION: "action",
  });
});

test("a subscription shows what is charged next, and when", () => {
  const of = (status: Subscription["status"]) =>
    outcomeOf(session("COMPLETED"), null, {
      status,
      next_invoice_at: "2026-12-11T22:46:02.583Z",
      next_invoice_amount: 1_900,
      currency: "USD",
    } as Subscription);
  expect(of("TRIALING")).toEqual({
    kind: "paid",
    title: "Your trial has begun",
    text: "Nothing was charged today. The first payment is $19.00 on Dec 11, 2026, then every month until you cancel.",
  });
  expect(of("ACTIVE").text).toBe("The next payment is $19.00 on Dec 11, 2026, then every month until you cancel.");
  expect(of("CANCELLED").kind).toBe("closed");
  expect(of("INCOMPLETE").kind).toBe("unpaid");
});

test("the shop's monthly print is the demo merchant's plan", () => {
  const plan = DEMO_PLANS.find(({ name }) => name === MONTHLY.plan);
  expect(plan).toMatchObject({ type: "SUBSCRIPTION_FREE_TRIAL", price: MONTHLY.price, trialDays: MONTHLY.trialDays });
});

test("nothing is called paid without a payment", () => {
  expect(outcomeOf(session("OPEN"), null).kind).toBe("unpaid");
  expect(outcomeOf(session("COMPLETED"), null).kind).toBe("unpaid");
  expect(outcomeOf(session("EXPIRED"), null).kind).toBe("closed");
  expect(outcomeOf(session("CANCELLED"), null).kind).toBe("closed");
});
