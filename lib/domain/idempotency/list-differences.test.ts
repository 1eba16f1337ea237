import { expect, test } from "vitest";
import { listDifferences } from "./inspect-keys";

const side = (body: unknown, endpoint = "POST /v1/payments") => ({ endpoint, body });

test("equal requests do not differ, whatever the order of their members", () => {
  expect(listDifferences(side({ a: 1, b: { c: [1, 2] } }), side({ b: { c: [1, 2] }, a: 1 }))).toEqual([]);
  expect(listDifferences(side(null), side({}))).toEqual([]);
});

test("each member that differs is named by its path, with both sides", () => {
  expect(
    listDifferences(
      side({ amount: 1, metadata: { order: "7", kept: true }, card: { last4: "4242" } }),
      side({ amount: 2, metadata: { order: "8", kept: true }, note: "new" }),
    ),
  ).toEqual([
    { member: "amount", first: 1, other: 2 },
    { member: "metadata.order", first: "7", other: "8" },
    { member: "card", first: { last4: "4242" }, other: undefined },
    { member: "note", first: undefined, other: "new" },
  ]);
});

test("a different endpoint is listed first", () => {
  expect(listDifferences(side({ a: 1 }), side({ a: 2 }, "POST /v1/payments/pay_1/refund"))[0]).toEqual({
    member: "endpoint",
    first: "POST /v1/payments",
    other: "POST /v1/payments/pay_1/refund",
  });
});

test("null and absent are equal", () => {
  expect(listDifferences(side({ a: null }), side({}))).toEqual([]);
});
