import { describe, expect, test } from "vitest";
import { bucketsOf, unitOf } from "@/lib/domain/reporting/overview";
import { addDays, addMonths, parsePeriod, resolvePeriod } from "./period";

const TODAY = "2026-06-15";

describe("a period of the overview", () => {
  test.each([
    ["9999-12-01", "9999-12-31"],
    ["2099-12-01", "2100-01-01"],
    ["1970-12-31", "2026-01-01"],
    ["0000-01-01", "0000-01-02"],
    ["2026-02-30", "2026-03-01"],
    ["2026-03-02", "2026-03-01"],
    ["+010000-01", "+010000-02"],
  ])("is rejected from %s to %s", (from, to) => {
    expect(parsePeriod({ from, to })).toBeNull();
  });

  test("has a bounded number of bars at most, with as many days before it", () => {
    const period = parsePeriod({ from: "1971-01-01", to: "2099-12-31" });
    const { from, to, previous } = resolvePeriod(period as never, TODAY) as never as Record<"from" | "to", string> & {
      previous: { from: string; to: string };
    };
    expect(previous).toEqual({ from: "1841-12-31", to: "1970-12-31" });
    for (const range of [{ from, to }, previous]) {
      const buckets = bucketsOf(range, unitOf(range), []);
      expect(buckets.length).toBeLessThan(1600);
      expect([buckets[0]?.from, buckets.at(-1)?.to]).toEqual([range.from, range.to]);
    }
  });

  test("days that can't be compared as text are rejected", () => {
    expect(() => addDays("9999-12-31", 1)).toThrow(RangeError);
    expect(() => addDays("0000-01-01", -1)).toThrow(RangeError);
    expect(() => addMonths("9999-12-31", 1)).toThrow(RangeError);
  });
});
