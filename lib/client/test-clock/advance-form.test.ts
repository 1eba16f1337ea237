import { expect, test } from "vitest";
import { advanceValues, readAdvance } from "./advance-form";
import { clockMs } from "./clock";

const at = (text: string) => Date.parse(text);

test("a step keeps the time of day in the business's zone, even across a clock change", () => {
  const now = at("2026-10-24T12:00:00Z");
  const read = (step: "day" | "week" | "month", from = now) => readAdvance({ step, at: "" }, from, "Europe/Berlin").to;
  expect(read("day")).toBe("2026-10-25T13:00:00.000Z");
  expect(read("week")).toBe("2026-10-31T13:00:00.000Z");
  expect(read("month")).toBe("2026-11-24T13:00:00.000Z");
  expect(read("month", at("2027-01-31T12:00:00Z"))).toBe("2027-02-28T12:00:00.000Z");
});

test("a date is read in the business's zone, and must be later than the clock", () => {
  const now = at("2026-11-27T20:00:00Z");
  expect(advanceValues(now, "America/New_York")).toEqual({ step: "day", at: "2026-12-27T15:00" });
  const read = (text: string) => readAdvance({ step: "date", at: text }, now, "America/New_York");
  expect(read("2026-12-01T09:00")).toEqual({ to: "2026-12-01T14:00:00.000Z", errors: {} });
  expect(read("2026-11-27T15:00").errors.at).toMatch(/later time/);
  expect(read("").errors.at).toMatch(/Enter a date/);
});

test("a preset is an instant of the environment's own, and nothing while it isn't known", () => {
  const presets = { renewal: "2026-12-11T22:46:02.583Z", trial: null };
  const read = (step: "renewal" | "trial") => readAdvance({ step, at: "" }, 0, "Europe/Berlin", presets);
  expect(read("renewal")).toEqual({ to: presets.renewal, errors: {} });
  expect(read("trial")).toEqual({ to: null, errors: {} });
});

test("a clock is ahead of real time, or frozen", () => {
  expect(clockMs(null, 5)).toBe(5);
  expect(clockMs({ offsetMs: 10, frozenAt: null }, 5)).toBe(15);
  expect(clockMs({ offsetMs: 10, frozenAt: "1970-01-01T00:00:01.000Z" }, 5)).toBe(1_000);
});
