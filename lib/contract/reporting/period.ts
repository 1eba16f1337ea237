import type { DayRange } from "./overview";

/** Periods of the overview. All end today, in the merchant's time zone. */
export const PERIODS = {
  "7-days": "7 days",
  "30-days": "30 days",
  "90-days": "90 days",
  "this-month": "This month",
  "12-months": "12 months",
  all: "All time",
} as const;
export type PeriodName = keyof typeof PERIODS;
export const DEFAULT_PERIOD: PeriodName = "30-days";

export type Period = PeriodName | DayRange;

/** Days to count and to compare with; `from: null` is the merchant's first day, which nothing precedes. */
export type ResolvedPeriod = { from: string | null; to: string; previous: DayRange | null };

const DAY = /^\d{4}-\d{2}-\d{2}$/;
/**
 * Earliest day of a period. It leaves space for the previous period, and limits charts to some 1,600 bars.
 */
const EARLIEST = "1971-01-01";
const LATEST = "2099-12-31";

/** Days are compared as texts, which requires four-digit years: throws a RangeError beyond. */
function textOf(day: Date): string {
  const text = day.toISOString();
  if (text.length !== 24) throw new RangeError(`${text} is beyond the days that can be counted`);
  return text.slice(0, 10);
}

/** Pure calendar arithmetic, independent of time zones. */
export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return textOf(date);
}

/** The same day of another month, or that month's last day. */
export function addMonths(day: string, months: number): string {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month + months, 0));
  last.setUTCDate(Math.min(date, last.getUTCDate()));
  return textOf(last);
}

/** Number of days, both ends included. */
export function daysIn({ from, to }: DayRange): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000) + 1;
}

function isDay(text: string | undefined): text is string {
  if (text === undefined || !DAY.test(text) || text < EARLIEST || text > LATEST) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Reads `period=7-days`, or `from` and `to`; null if invalid. Without any it is the default. */
export function parsePeriod(params: {
  period?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}): Period | null {
  const { period, from, to } = params;
  if (period !== undefined) return Object.hasOwn(PERIODS, period) ? (period as PeriodName) : null;
  if (from === undefined && to === undefined) return DEFAULT_PERIOD;
  return isDay(from) && isDay(to) && from <= to ? { from, to } : null;
}

/** Parameters for {@link parsePeriod}; none for the default. */
export function periodParams(period: Period): Record<string, string> {
  if (typeof period !== "string") return period;
  return period === DEFAULT_PERIOD ? {} : { period };
}

/** Days of a period and of the previous one, which is as long, or as far into the month before. */
export function resolvePeriod(period: Period, today: string): ResolvedPeriod {
  if (typeof period !== "string") return withDaysBefore(period);
  switch (period) {
    case "7-days":
      return withDaysBefore({ from: addDays(today, -6), to: today });
    case "30-days":
      return withDaysBefore({ from: addDays(today, -29), to: today });
    case "90-days":
      return withDaysBefore({ from: addDays(today, -89), to: today });
    case "this-month":
      return withMonthsBefore({ from: `${today.slice(0, 8)}01`, to: today }, 1);
    case "12-months":
      return withMonthsBefore({ from: `${addMonths(today, -11).slice(0, 8)}01`, to: today }, 12);
    case "all":
      return { from: null, to: today, previous: null };
    default:
      return period satisfies never;
  }
}

function withDaysBefore(range: DayRange): ResolvedPeriod {
  const days = daysIn(range);
  return { ...range, previous: { from: addDays(range.from, -days), to: addDays(range.to, -days) } };
}

function withMonthsBefore(range: DayRange, months: number): ResolvedPeriod {
  return { ...range, previous: { from: addMonths(range.from, -months), to: addMonths(range.to, -months) } };
}
