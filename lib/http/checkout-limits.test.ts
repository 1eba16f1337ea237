import { expect, test } from "vitest";
import type { AppError } from "@/lib/contract/errors";
import { createCheckoutLimits } from "./checkout-limits";

const visa = { environmentId: "a", number: "4000001234567899" };

function limits(perMinute: number) {
  let now = 0;
  const created = createCheckoutLimits(perMinute, () => now);
  const attempt = (address: string, bin = visa) => {
    try {
      created.takeAttempt(address, bin);
      return 0;
    } catch (error) {
      return Number((error as AppError).headers["Retry-After"]);
    }
  };
  return { attempt, decline: created.noteDecline, pass: (ms: number) => (now += ms) };
}

test("an address may try so many times a minute, with whatever cards", () => {
  const { attempt, pass } = limits(2);
  expect([attempt("1.1.1.1"), attempt("1.1.1.1", { ...visa, environmentId: "b" }), attempt("1.1.1.1")]).toEqual([
    0, 0, 30,
  ]);
  expect(attempt("2.2.2.2")).toBe(0);
  pass(30_000);
  expect([attempt("1.1.1.1"), attempt("1.1.1.1")]).toEqual([0, 30]);
});

test("declines of one BIN slow down its cards, from every address, with that merchant alone", () => {
  const { attempt, decline, pass } = limits(2);
  decline(visa);
  expect(attempt("1.1.1.1")).toBe(0);
  decline({ ...visa, number: "4000009999999999" });
  expect(attempt("2.2.2.2")).toBe(30);
  expect(attempt("3.3.3.3", { ...visa, number: "5555555555554444" })).toBe(0);
  expect(attempt("4.4.4.4", { ...visa, environmentId: "b" })).toBe(0);
  pass(30_000);
  expect(attempt("2.2.2.2")).toBe(0);
});

test("cards that are approved count for nothing", () => {
  const { attempt } = limits(3);
  for (let i = 0; i < 50; i++) expect(attempt(`1.1.1.${i}`)).toBe(0);
});
