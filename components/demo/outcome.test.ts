import { expect, test } from "vitest";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import { PAYMENT_STATUSES, type Payment } from "@/lib/contract/payments/payment";
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

test("without a payment nothing is ever called paid", () => {
  expect(outcomeOf(session("OPEN"), null).kind).toBe("unpaid");
  expect(outcomeOf(session("COMPLETED"), null).kind).toBe("unpaid");
  expect(outcomeOf(session("EXPIRED"), null).kind).toBe("closed");
  expect(outcomeOf(session("CANCELLED"), null).kind).toBe("closed");
});
