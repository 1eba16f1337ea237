import { describe, expect, test } from "vitest";
import { bankDayAfter, isBankDay } from "./bank-days";

/** Weekdays of a year on which no payout in this currency arrives. */
function closedWeekdays(year: number, currency: string): string[] {
  const days: string[] = [];
  for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10);
    const isWeekend = [0, 6].includes(new Date(at).getUTCDay());
    if (isWeekend) expect(isBankDay(day, currency), day).toBe(false);
    else if (!isBankDay(day, currency)) days.push(day.slice(5));
  }
  return days;
}

/** Closing days published by the ECB, without those on weekends. */
test.each([
  [2024, ["01-01", "03-29", "04-01", "05-01", "12-25", "12-26"]],
  [2025, ["01-01", "04-18", "04-21", "05-01", "12-25", "12-26"]],
  [2026, ["01-01", "04-03", "04-06", "05-01", "12-25"]],
  [2027, ["01-01", "03-26", "03-29"]],
  [2028, ["04-14", "04-17", "05-01", "12-25", "12-26"]],
  [2029, ["01-01", "03-30", "04-02", "05-01", "12-25", "12-26"]],
  [2030, ["01-01", "04-19", "04-22", "05-01", "12-25", "12-26"]],
  [2038, ["01-01", "04-23", "04-26"]],
])("euros arrive on every day that TARGET is open in %d", (year, closed) => {
  expect(closedWeekdays(year, "EUR")).toEqual(closed);
});

/**
 * Holidays published by the Federal Reserve. One on a Saturday, such as July 4, 2026 or January 1, 2028, closes no
 * weekday; one on a Sunday, such as July 4, 2027 or November 11, 2029, closes the Monday.
 */
test.each([
  [2020, ["01-01", "01-20", "02-17", "05-25", "09-07", "10-12", "11-11", "11-26", "12-25"]],
  [2022, ["01-17", "02-21", "05-30", "06-20", "07-04", "09-05", "10-10", "11-11", "11-24", "12-26"]],
  [2023, ["01-02", "01-16", "02-20", "05-29", "06-19", "07-04", "09-04", "10-09", "11-23", "12-25"]],
  [2026, ["01-01", "01-19", "02-16", "05-25", "06-19", "09-07", "10-12", "11-11", "11-26", "12-25"]],
  [2027, ["01-01", "01-18", "02-15", "05-31", "07-05", "09-06", "10-11", "11-11", "11-25"]],
  [2028, ["01-17", "02-21", "05-29", "06-19", "07-04", "09-04", "10-09", "11-23", "12-25"]],
  [2029, ["01-01", "01-15", "02-19", "05-28", "06-19", "07-04", "09-03", "10-08", "11-12", "11-22", "12-25"]],
  [2030, ["01-01", "01-21", "02-18", "05-27", "06-19", "07-04", "09-02", "10-14", "11-11", "11-28", "12-25"]],
])("dollars arrive on every day that Fedwire is open in %d", (year, closed) => {
  expect(closedWeekdays(year, "USD")).toEqual(closed);
});

test("other currencies arrive on weekdays", () => expect(closedWeekdays(2026, "JPY")).toEqual([]));

describe("the next bank day", () => {
  test.each([
    ["2026-11-23", "USD", "2026-11-24"],
    ["2026-11-25", "USD", "2026-11-27"],
    ["2026-11-25", "EUR", "2026-11-26"],
    ["2026-04-02", "EUR", "2026-04-07"],
    ["2026-04-02", "USD", "2026-04-03"],
    ["2026-11-27", "JPY", "2026-11-30"],
    ["2025-12-31", "EUR", "2026-01-02"],
    ["2025-12-31", "USD", "2026-01-02"],
    ["2026-07-02", "USD", "2026-07-03"],
    ["2026-12-31", "EUR", "2027-01-04"],
    ["2026-12-31", "USD", "2027-01-04"],
    ["2026-12-31", "JPY", "2027-01-01"],
    ["2027-07-02", "USD", "2027-07-06"],
    ["2027-12-30", "USD", "2027-12-31"],
    ["2027-12-31", "EUR", "2028-01-03"],
    ["2027-12-31", "USD", "2028-01-03"],
    ["2028-12-29", "USD", "2029-01-02"],
    ["2029-12-31", "EUR", "2030-01-02"],
    ["2029-12-24", "EUR", "2029-12-27"],
    ["2029-12-24", "USD", "2029-12-26"],
  ])("after %s is, for %s, %s", (day, currency, next) => expect(bankDayAfter(day, currency)).toBe(next));
});
