import fc from "fast-check";
import { expect, test } from "vitest";
import { divideHalfEven, unusedPart } from "./proration";

const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString();

test("halves are rounded to the even neighbor, on both sides of zero", () => {
  const halves = [-7, -5, -3, -1, 1, 3, 5, 7].map((n) => Number(divideHalfEven(BigInt(n), 2n)));
  expect(halves).toEqual([-4, -2, -2, -0, 0, 2, 2, 4].map((n) => n + 0));
});

test("the unused part is prorated by the second", () => {
  const period = { start_at: day(1), end_at: day(31) };
  expect(unusedPart(3_000, period, day(11))).toBe(2_000);
  expect(unusedPart(3_000, period, day(1))).toBe(3_000);
  expect(unusedPart(3_000, period, day(31))).toBe(0);
  // Half of 1 yen rounds to 0, half of 3 yen to 2.
  expect([1, 3, 5].map((amount) => unusedPart(amount, period, day(16)))).toEqual([0, 2, 2]);
  // A currency with three decimals.
  expect(unusedPart(10_001, period, day(16))).toBe(5_000);
});

test("is exact for the largest amounts", () => {
  const period = { start_at: day(1), end_at: day(4) };
  expect(unusedPart(999_999_999_999, period, day(2))).toBe(666_666_666_666);
  expect(unusedPart(9_007_199_254_740_991, period, day(2))).toBe(6_004_799_503_160_661);
});

test("the unused part is within half a unit of the exact share, and between 0 and the whole", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 999_999_999_999 }),
      fc.integer({ min: 1, max: 400 * 86_400 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (amount, seconds, share) => {
        const start = Date.UTC(2026, 0, 1);
        const iso = (s: number) => new Date(start + s * 1000).toISOString();
        const at = Math.floor(seconds * share);
        const unused = unusedPart(amount, { start_at: iso(0), end_at: iso(seconds) }, iso(at));
        expect(unused).toBeGreaterThanOrEqual(0);
        expect(unused).toBeLessThanOrEqual(amount);
        expect(Math.abs(unused - (amount * (seconds - at)) / seconds)).toBeLessThanOrEqual(0.5 + amount * 1e-15);
      },
    ),
  );
});
