import { expect, test } from "vitest";
import type { AppError } from "@/lib/contract/errors";
import { type AttemptSource, createCheckoutLimits } from "@/lib/domain/checkout/card-testing";
import { createOpeningLimits } from "./payment-link";

const visa = { environmentId: "a", number: "4000001234567899" };
const from = (address: string, more: Partial<AttemptSource> = {}) => ({ address, bin: visa, isFirst: true, ...more });

function limits(perMinute: number) {
  let now = 0;
  const created = createCheckoutLimits({ setting: perMinute, now: () => now });
  /** Seconds to wait; 0 if the attempt was allowed. */
  const attempt = (source: AttemptSource) => {
    try {
      created.takeAttempt(source);
      return 0;
    } catch (error) {
      return Number((error as AppError).headers["Retry-After"]);
    }
  };
  return { attempt, decline: created.noteDecline, pass: (ms: number) => (now += ms) };
}

test("declines per minute are limited by address, whatever the cards and merchants", () => {
  const { attempt, decline, pass } = limits(2);
  decline(from("1.1.1.1"));
  expect(attempt(from("1.1.1.1"))).toBe(0);
  decline(from("1.1.1.1", { bin: { environmentId: "b", number: "5555555555554444" } }));
  expect(attempt(from("1.1.1.1"))).toBe(30);
  expect(attempt(from("2.2.2.2"))).toBe(0);
  pass(30_000);
  expect(attempt(from("1.1.1.1"))).toBe(0);
});

test("shoppers behind one address may make ten times as many attempts as declines", () => {
  const { attempt } = limits(3);
  const waits = Array.from({ length: 31 }, () => attempt(from("1.1.1.1")));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(30);
  expect(waits[30]).toBe(2);
});

test("while a BIN is under attack, its cards get no second attempt in a session or from an address with a decline", () => {
  const { attempt, decline, pass } = limits(2);
  for (const address of ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"]) decline(from(address));
  expect(attempt(from("1.1.1.1"))).toBeGreaterThan(0);
  expect(attempt(from("9.9.9.9", { isFirst: false }))).toBeGreaterThan(0);
  expect(attempt(from("9.9.9.9"))).toBe(0);
  const others = { bin: { ...visa, number: "5555555555554444" }, isFirst: false };
  expect(attempt(from("9.9.9.9", others))).toBe(0);
  expect(attempt(from("9.9.9.9", { bin: { ...visa, environmentId: "b" }, isFirst: false }))).toBe(0);
  pass(15_000);
  expect(attempt(from("9.9.9.9", { isFirst: false }))).toBe(0);
});

test("openings of a link are limited by address and in total, and refused ones do not count in total", () => {
  let now = 0;
  const limits = createOpeningLimits({ setting: 1, now: () => now });
  const open = (network: string, link = "spring") => {
    try {
      limits.take(network, link);
      return "opened";
    } catch (error) {
      return (error as AppError).code;
    }
  };
  expect(Array.from({ length: 12 }, () => open("a"))).toEqual([
    ...new Array(10).fill("opened"),
    ...["rate_limited", "rate_limited"],
  ]);
  expect(Array.from({ length: 51 }, (_, i) => open(`b${i}`)).filter((one) => one === "opened")).toHaveLength(50);
  expect(open("c", "autumn")).toBe("opened");
  now += 6_001;
  expect([open("a"), open("a")]).toEqual(["opened", "rate_limited"]);
});
