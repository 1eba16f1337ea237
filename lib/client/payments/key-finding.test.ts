import { expect, test } from "vitest";
import { findingOf } from "./money-attempt";

const effect = { kind: "refund", state: "open", payment_id: "pay_1", transaction_id: "txn_1", attempts: 1 };

test("a key's finding states its request's outcome, and only what is certain", () => {
  expect(findingOf(null)).toEqual({ kind: "absent" });
  expect(findingOf({ status: null, effect: null, response: null })).toEqual({ kind: "open", transactionId: null });
  expect(findingOf({ status: null, effect, response: null })).toEqual({ kind: "open", transactionId: "txn_1" });
  expect(findingOf({ status: 201, effect, response: {} })).toEqual({ kind: "done", transactionId: "txn_1" });
  const response = { code: "invalid_state", detail: "No.", param: null, errors: [], request_id: "req_1" };
  expect(findingOf({ status: 409, effect: null, response })).toEqual({
    kind: "refused",
    refusal: { status: 409, code: "invalid_state", detail: "No.", param: null, errors: [], requestId: "req_1" },
  });
});
