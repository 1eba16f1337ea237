import fc from "fast-check";
import { DateTime } from "luxon";
import { expect, test } from "vitest";
import { addPeriods, dateIn } from "@/lib/contract/plans/schedule";
import { addInterval, periodOf, periodStart } from "./periods";

const monthly = { value: 1, unit: "MONTHS" } as const;
const starts = (
  anchorAt: string,
  timeZone: string,
  every: { value: number; unit: "DAYS" | "WEEKS" | "MONTHS" },
  n: number,
) => Array.from({ length: n }, (_, i) => periodStart({ anchorAt, timeZone, every }, i + 1));
const days = (...of: Parameters<typeof starts>) => starts(...of).map((at) => at.slice(0, 10));

test("the 31st falls back to the last day of a shorter month, and returns", () => {
  expect(days("2026-12-31T09:00:00.000Z", "UTC", monthly, 4)).toEqual([
    ...["2026-12-31", "2027-01-31", "2027-02-28", "2027-03-31"],
  ]);
  expect(days("2027-11-30T09:00:00.000Z", "UTC", monthly, 5)).toEqual([
    ...["2027-11-30", "2027-12-30", "2028-01-30", "2028-02-29", "2028-03-30"],
  ]);
});

test("February 29 returns in leap years", () => {
  expect(days("2028-02-29T09:00:00.000Z", "UTC", { value: 12, unit: "MONTHS" }, 5)).toEqual([
    ...["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"],
  ]);
});

test("quarters from a month's end are contiguous, without a one-day sliver", () => {
  const quarterly = {
    anchorAt: "2026-11-30T00:00:00.000Z",
    timeZone: "UTC",
    every: { value: 3, unit: "MONTHS" },
  } as const;
  for (let n = 1; n < 40; n++) {
    const { start_at, end_at } = periodOf(quarterly, n);
    expect(end_at).toBe(periodOf(quarterly, n + 1).start_at);
    expect(Date.parse(end_at) - Date.parse(start_at)).toBeGreaterThan(85 * 86_400_000);
  }
});

test("clock changes keep the time of day; a skipped one moves past the gap, of a repeated one the first counts", () => {
  const daily = { value: 1, unit: "DAYS" } as const;
  // Berlin skips 02:00–03:00 on 2026-03-29, and repeats it on 2026-10-25.
  expect(starts("2026-03-28T01:30:00.000Z", "Europe/Berlin", daily, 3)).toEqual([
    ...["2026-03-28T01:30:00.000Z", "2026-03-29T01:30:00.000Z", "2026-03-30T00:30:00.000Z"],
  ]);
  expect(starts("2026-10-24T00:30:00.000Z", "Europe/Berlin", daily, 3)).toEqual([
    ...["2026-10-24T00:30:00.000Z", "2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"],
  ]);
});

test("an anchor in the second of two equal hours is the start of its first period", () => {
  expect(periodStart({ anchorAt: "2026-10-25T01:30:00.000Z", timeZone: "Europe/Berlin", every: monthly }, 1)).toBe(
    "2026-10-25T01:30:00.000Z",
  );
});

test("zones at +14 and −11 count their own days", () => {
  expect(days("2026-01-30T12:00:00.000Z", "Pacific/Kiritimati", monthly, 3)).toEqual([
    ...["2026-01-30", "2026-02-27", "2026-03-30"],
  ]);
  expect(days("2026-02-01T05:00:00.000Z", "Pacific/Pago_Pago", monthly, 3)).toEqual([
    ...["2026-02-01", "2026-03-01", "2026-04-01"],
  ]);
});

const zone = fc.constantFrom(
  ...["UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kathmandu"],
  ...["Pacific/Kiritimati", "Pacific/Pago_Pago", "Pacific/Apia", "Africa/Casablanca", "Asia/Tehran", "Europe/London"],
);
const unit = fc.constantFrom("DAYS", "WEEKS", "MONTHS");
const instant = fc
  .date({ min: new Date("2020-01-01T00:00:00Z"), max: new Date("2036-12-31T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString());
const LUXON = { DAYS: "days", WEEKS: "weeks", MONTHS: "months" } as const;

test("match another library's dates, in every zone", () => {
  fc.assert(
    fc.property(
      instant,
      zone,
      unit,
      fc.integer({ min: 1, max: 24 }),
      fc.integer({ min: 1, max: 60 }),
      (at, tz, of, value, n) => {
        const expected = DateTime.fromISO(at, { zone: tz }).plus({ [LUXON[of]]: value * n });
        const actual = addInterval(at, tz, { value, unit: of }, n);
        const local = DateTime.fromISO(actual, { zone: tz });
        // The libraries differ in which of two equal hours they take; the rule takes the first.
        const earlier = local.minus({ hours: 1 });
        const isRepeated = earlier.toFormat("HH:mm:ss") === local.toFormat("HH:mm:ss");
        expect(isRepeated).toBe(false);
        const twin = Math.abs(expected.toMillis() - local.toMillis());
        expect(twin === 0 || expected.toFormat("yyyy-MM-dd HH:mm:ss") === local.toFormat("yyyy-MM-dd HH:mm:ss")).toBe(
          true,
        );
      },
    ),
    { numRuns: 2_000 },
  );
});

test("periods follow one another without gaps, on the days of the plan's schedule", () => {
  fc.assert(
    fc.property(instant, zone, unit, fc.integer({ min: 1, max: 12 }), (anchorAt, timeZone, of, value) => {
      const every = { value, unit: of };
      for (let n = 1; n <= 24; n++) {
        const { start_at, end_at } = periodOf({ anchorAt, timeZone, every }, n);
        expect(end_at > start_at).toBe(true);
        expect(end_at).toBe(periodStart({ anchorAt, timeZone, every }, n + 1));
      }
    }),
  );
});

test("a plan's page shows the dates of its periods", () => {
  fc.assert(
    fc.property(
      instant,
      fc.constantFrom("UTC", "Europe/Berlin", "America/New_York"),
      unit,
      fc.integer({ min: 1, max: 12 }),
      (at, tz, of, value) => {
        const day = dateIn(tz, new Date(at));
        const noon = DateTime.fromISO(`${day}T12:00`, { zone: tz }).toUTC().toISO({ precision: "milliseconds" }) ?? "";
        for (let n = 0; n < 15; n++) {
          const every = { value, unit: of };
          const start = periodStart({ anchorAt: noon, timeZone: tz, every }, n + 1);
          expect(dateIn(tz, new Date(start))).toBe(addPeriods(day, every, n));
        }
      },
    ),
    { numRuns: 50 },
  );
});
