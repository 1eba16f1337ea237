import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DATE_PRESETS, type DatePreset, dayIn, parseTimes, presetDays, resolveTimes, startOfDay } from "./time-range";

/** Days skipped by a time zone that moved across the date line. */
const LEFT_OUT = [
  ["Pacific/Apia", "2011-12-30"],
  ["Pacific/Kiritimati", "1994-12-31"],
] as const;

// Clock changes at midnight (Beirut, Santiago, Havana), skipped days, and odd offsets.
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Beirut",
  "America/Santiago",
  "America/Havana",
  "Asia/Kathmandu",
  "Pacific/Kiritimati",
  "Pacific/Apia",
];
const zone = fc.constantFrom(...ZONES);
const day = fc
  .date({ min: new Date("1975-01-01"), max: new Date("2037-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
  .filter((text) => !LEFT_OUT.some(([, leftOut]) => leftOut === text));

describe("a day in a time zone", () => {
  test("begins at its first instant, even on clock changes", () => {
    fc.assert(
      fc.property(zone, day, (timeZone, text) => {
        const start = startOfDay(timeZone, text);
        expect(dayIn(timeZone, start)).toBe(text);
        expect(dayIn(timeZone, start - 1) < text).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test.each(LEFT_OUT)("skipped in %s begins and ends with the next: %s", (timeZone, text) => {
    const start = startOfDay(timeZone, text);
    expect(dayIn(timeZone, start - 1) < text && dayIn(timeZone, start) > text).toBe(true);
    expect(() => resolveTimes({ from: text, to: text }, timeZone, start)).not.toThrow();
  });

  test("matches Intl", () => {
    const time = fc.date({ min: new Date("1975-01-01"), max: new Date("2037-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(zone, time, (timeZone, date) => {
        expect(dayIn(timeZone, date.getTime())).toBe(new Intl.DateTimeFormat("en-CA", { timeZone }).format(date));
      }),
    );
  });
});

/** A Friday, 01:30 in Berlin and still Thursday in New York. */
const NOW = Date.parse("2026-11-20T00:30:00Z");

test.each<[DatePreset, from: string, to: string]>([
  ["today", "2026-11-20", "2026-11-20"],
  ["yesterday", "2026-11-19", "2026-11-19"],
  ["last-7-days", "2026-11-14", "2026-11-20"],
  ["last-30-days", "2026-10-22", "2026-11-20"],
  ["last-90-days", "2026-08-23", "2026-11-20"],
  ["this-week", "2026-11-16", "2026-11-20"],
  ["last-week", "2026-11-09", "2026-11-15"],
  ["this-month", "2026-11-01", "2026-11-20"],
  ["last-month", "2026-10-01", "2026-10-31"],
  ["this-year", "2026-01-01", "2026-11-20"],
])("%s in Berlin on Friday, November 20, is %s to %s", (preset, from, to) => {
  expect(presetDays(preset, "Europe/Berlin", NOW)).toEqual({ from, to });
});

test("every preset ends today or earlier", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...(Object.keys(DATE_PRESETS) as DatePreset[])),
      zone,
      day,
      (preset, timeZone, text) => {
        const now = startOfDay(timeZone, text);
        const { from, to } = presetDays(preset, timeZone, now);
        expect(from <= to && to <= text).toBe(true);
      },
    ),
  );
});

test.each([
  ["today", "Europe/Berlin", { gte: "2026-11-19T23:00:00.000Z", lte: "2026-11-20T22:59:59.999Z" }],
  ["today", "America/New_York", { gte: "2026-11-19T05:00:00.000Z", lte: "2026-11-20T04:59:59.999Z" }],
  ["2026-10-25", "Europe/Berlin", { gte: "2026-10-24T22:00:00.000Z", lte: "2026-10-25T22:59:59.999Z" }],
  ["2026-11-01..", "UTC", { gte: "2026-11-01T00:00:00.000Z" }],
  ["..2026-11-01", "UTC", { lte: "2026-11-01T23:59:59.999Z" }],
  [
    "2026-11-01T09:00:00Z..2026-11-01T10:30+01:00",
    "UTC",
    { gte: "2026-11-01T09:00:00.000Z", lte: "2026-11-01T09:30:00.000Z" },
  ],
])("%s in %s", (text, timeZone, expected) => {
  const created = parseTimes(text);
  expect(created && resolveTimes(created, timeZone, NOW)).toEqual(expected);
});

test("no day or instant leads to a year before 1970 or after 9999, in any time zone", () => {
  const ends = ["1970-01-02", "9999-12-30", "1970-01-02..9999-12-30", "1970-01-02T00:00:00Z..9999-12-30T23:59:59.999Z"];
  for (const timeZone of [...ZONES, "Etc/GMT-14", "Etc/GMT+12"]) {
    for (const text of ends) {
      const created = parseTimes(text);
      const { gte = "", lte = "" } = created ? resolveTimes(created, timeZone, NOW) : {};
      for (const time of [gte, lte]) expect(time).toMatch(/^(19(69-12-31|70)|9999)/);
    }
  }
  const beyond = ["9999-12-31", "9999-12-30T23:00:00-02:00", "9999-12-31T23:59:59-14:00", "1970-01-01T00:00:00+01:00"];
  for (const text of beyond) {
    for (const range of [`${text}..`, `..${text}`, `${text}..${text}`]) expect(parseTimes(range)).toBeNull();
  }
});
