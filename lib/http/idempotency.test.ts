import { describe, expect, test } from "vitest";
import { createPayment, listPayments } from "@/lib/contract/operations/payments";
import { createPlan } from "@/lib/contract/operations/plans";
import { createSecret } from "@/lib/secret";
import { idempotencyOf, readIdempotencyKey } from "./idempotency";

const secret = createSecret("a secret of thirty-two characters");
const digest = (path: string, body: unknown, method = "POST") =>
  idempotencyOf(secret, "k", { method, path, body }).digest.toString("hex");
const withKey = (key: string | null) =>
  new Request("http://localhost/", { headers: key === null ? {} : { "X-Idempotency-Key": key } });

describe("the same parameters", () => {
  test("have the same digest whatever the order of their members, at every level", () => {
    expect(digest("/v1/payments", { amount: 1, metadata: { a: 1, b: { c: 2, d: 3 } } })).toBe(
      digest("/v1/payments", { metadata: { b: { d: 3, c: 2 }, a: 1 }, amount: 1 }),
    );
  });

  test("on another path, by another method or with another value have another", () => {
    const digests = [
      digest("/v1/payments", { amount: 1 }),
      digest("/v1/payments", { amount: 2 }),
      digest("/v1/payments", { amount: "1" }),
      digest("/v1/payments/x/refund", { amount: 1 }),
      digest("/v1/payments", { amount: 1 }, "PATCH"),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });

  test("have a digest that another secret would not give", () => {
    const other = createSecret("another secret of thirty-two chars");
    expect(digest("/v1/payments", { amount: 1 })).not.toBe(
      idempotencyOf(other, "k", { method: "POST", path: "/v1/payments", body: { amount: 1 } }).digest.toString("hex"),
    );
  });
});

test("a CVV is no part of the digest, since nothing made of it may be kept; the card number is", () => {
  const card = (number: string, cvv: string) => digest("/v1/payments", { amount: 1, card: { number, cvv } });
  expect(card("4242424242424242", "123")).toBe(card("4242424242424242", "999"));
  expect(card("4242424242424242", "123")).not.toBe(card("4111111111111111", "123"));
});

describe("the header", () => {
  test("is required where money moves, optional where things are made, and not read elsewhere", () => {
    expect(() => readIdempotencyKey(withKey(null), createPayment)).toThrow(
      expect.objectContaining({ code: "idempotency_key_missing" }),
    );
    expect(readIdempotencyKey(withKey(null), createPlan)).toBeNull();
    expect(readIdempotencyKey(withKey("x".repeat(300)), listPayments)).toBeNull();
  });

  test.each([createPayment, createPlan])("of $name has 1 to 255 characters", (operation) => {
    expect(readIdempotencyKey(withKey("x".repeat(255)), operation)).toHaveLength(255);
    for (const key of ["", "x".repeat(256)]) {
      expect(() => readIdempotencyKey(withKey(key), operation)).toThrow(
        expect.objectContaining({ code: "idempotency_key_invalid" }),
      );
    }
  });
});
