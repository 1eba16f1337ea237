import { expect, test } from "vitest";
import { keepableBody } from "./keepable-body";

const NUMBER = "4242424242424242";

test("only a card's brand, last 4, expiry and name are stored", () => {
  const kept = keepableBody({
    amount: 1,
    card: { number: NUMBER, exp_month: 12, exp_year: 2040, cvv: "987", name: "Ada", track_data: NUMBER },
  });
  expect(kept).not.toContain(NUMBER);
  expect(kept).not.toContain("987");
  expect(JSON.parse(kept ?? "")).toEqual({
    amount: 1,
    card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2040, name: "Ada" },
  });
});

test("a payment token is truncated beyond use", () => {
  const token = "tok_01kab2cdefghjkmnpqrstvwxyz";
  expect(keepableBody({ payment_token: token })).toBe('{"payment_token":"tok_01kab2cdef…"}');
});

test("a card number in place of a token is not stored, not even its beginning", () => {
  for (const token of [NUMBER, "4242-4242-4242-4242", `tok_${NUMBER}`, "6205500000000000004"])
    expect(keepableBody({ payment_token: token })?.replace(/\D/g, "")).toBe("");
});

test("the body itself stays as it is", () => {
  const body = { card: { number: NUMBER, cvv: "123" }, payment_token: "tok_01kab2cdefghjkmnpqrstvwxyz" };
  keepableBody(body);
  expect(body).toEqual({ card: { number: NUMBER, cvv: "123" }, payment_token: "tok_01kab2cdefghjkmnpqrstvwxyz" });
});

test("what jsonb cannot store is replaced, and text that only looks like it is not", () => {
  expect(JSON.parse(keepableBody({ a: "x\u0000y", "k\ud800": ["\udc00"] }) ?? "")).toEqual({
    a: "x\uFFFDy",
    "k\uFFFD": ["\uFFFD"],
  });
  expect(JSON.parse(keepableBody({ a: "\\u0000 😀" }) ?? "")).toEqual({ a: "\\u0000 😀" });
  // The token is cut in the middle of a character.
  expect(JSON.parse(keepableBody({ payment_token: `tok_${"a".repeat(9)}😀` }) ?? "")).toEqual({
    payment_token: `tok_${"a".repeat(9)}\uFFFD…`,
  });
});

test("no body is null, an empty one is empty", () => {
  expect([keepableBody(undefined), keepableBody(null), keepableBody({})]).toEqual([null, null, "{}"]);
});
