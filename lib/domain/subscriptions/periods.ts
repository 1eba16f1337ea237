import { Temporal } from "temporal-polyfill";
import type { Period } from "@/lib/contract/plans/schedule";

/** Schedule of a subscription's periods: anchor, time zone and interval. */
export type Calendar = {
  /** ISO time. */
  readonly anchorAt: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly every: Period;
};

const UNITS = { DAYS: "days", WEEKS: "weeks", MONTHS: "months" } as const;

/**
 * The time `times` intervals after `at`, at the same wall-clock time. A day that the month lacks becomes its
 * last day; a time that a clock change skips moves past the gap; of a repeated time, the first counts.
 */
export function addInterval(at: string, timeZone: string, { value, unit }: Period, times = 1): string {
  const start = Temporal.Instant.from(at).toZonedDateTimeISO(timeZone);
  const end = start.add({ [UNITS[unit]]: value * times });
  return new Date(end.epochMilliseconds).toISOString();
}

/**
 * Start of period `number`, from 1. Always counted from the anchor, so that a shorter month changes no later
 * date.
 */
export function periodStart({ anchorAt, timeZone, every }: Calendar, number: number): string {
  return addInterval(anchorAt, timeZone, every, number - 1);
}

/** Period `number`, from 1. */
export function periodOf(calendar: Calendar, number: number): { number: number; start_at: string; end_at: string } {
  return { number, start_at: periodStart(calendar, number), end_at: periodStart(calendar, number + 1) };
}
