import { addDays } from "@/lib/contract/reporting/period";

/** Days are in the business's time zone, which every control names. */
export const DATE_PRESETS = {
  today: "Today",
  yesterday: "Yesterday",
  "this-week": "This week",
  "last-week": "Last week",
  "this-month": "This month",
  "last-month": "Last month",
  "last-7-days": "Last 7 days",
  "last-30-days": "Last 30 days",
  "last-90-days": "Last 90 days",
  "this-year": "This year",
} as const;
export type DatePreset = keyof typeof DATE_PRESETS;

/** A preset, or a range whose ends are days (`2026-11-20`) or instants (ISO 8601, UTC); both inclusive. */
export type TimeRange = { preset: DatePreset } | { from: string | null; to: string | null };

function isDatePreset(text: string): text is DatePreset {
  return Object.hasOwn(DATE_PRESETS, text);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/i;

/** Limits that keep adjacent days in any time zone within four-digit years after 1969. */
const [FIRST_DAY, LAST_DAY] = ["1970-01-02", "9999-12-30"];

export function isDay(text: string): boolean {
  if (!DAY.test(text) || text < FIRST_DAY || text > LAST_DAY) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** A day, or an instant in canonical form; null for anything else. */
export function parseMoment(text: string): string | null {
  if (isDay(text)) return text;
  if (!INSTANT.test(text) || !isDay(text.slice(0, 10))) return null;
  const date = new Date(text);
  if (Number.isNaN(date.getTime()) || date.getTime() < 0) return null;
  const instant = date.toISOString();
  return instant.slice(0, 10) <= LAST_DAY && !instant.startsWith("+") ? instant : null;
}

/**
 * `last-week`, `2026-11-20`, `2026-11-01..2026-11-20`, `2026-11-01..` or `..2026-11-20`; null for anything
 * else.
 */
export function parseTimes(text: string): TimeRange | null {
  if (isDatePreset(text)) return { preset: text };
  const [first = "", second, ...rest] = text.split("..");
  if (rest.length > 0) return null;
  const from = first === "" ? null : parseMoment(first);
  const to = second === undefined ? from : second === "" ? null : parseMoment(second);
  if ((first !== "" && from === null) || (second && to === null)) return null;
  if (second === undefined && (from === null || !isDay(from))) return null;
  if (from === null && to === null) return null;
  return from !== null && to !== null && isBackwards(from, to) ? null : { from, to };
}

/** The inverse of {@link parseTimes}. */
export function formatTimes(created: TimeRange): string {
  if ("preset" in created) return created.preset;
  const { from, to } = created;
  return from !== null && from === to && isDay(from) ? from : `${from ?? ""}..${to ?? ""}`;
}

/** True if a range ends before it begins in any time zone. */
function isBackwards(from: string, to: string): boolean {
  if (isDay(from) === isDay(to)) return from > to;
  // A day against an instant: a time zone may move the day by 14 hours, within which both orders are valid.
  return from.slice(0, 10) > addDays(to.slice(0, 10), 1);
}

const DAY_MS = 86_400_000;
/** Creating a formatter takes a hundred times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Local time minus UTC, in milliseconds. */
export function offsetAt(timeZone: string, time: number): number {
  // Swedish formats a time in digits only, on a 24-hour clock.
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" });
  formats.set(timeZone, format);
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1_000) * 1_000;
}

/** The current day in a time zone. */
export function dayIn(timeZone: string, time: number): string {
  return new Date(time + offsetAt(timeZone, time)).toISOString().slice(0, 10);
}

/** A day as it is, or the day of an instant in a time zone. */
export const dayOfMoment = (moment: string, timeZone: string): string =>
  isDay(moment) ? moment : dayIn(timeZone, Date.parse(moment));

/**
 * The first instant of a day in a time zone, in milliseconds: not always midnight, where clocks change then.
 * For a day that the zone skipped by moving across the date line, that of the next.
 */
export function startOfDay(timeZone: string, day: string): number {
  const midnight = new Date(`${day}T00:00:00Z`).getTime();
  const starts = [midnight - DAY_MS, midnight + DAY_MS].map((time) => midnight - offsetAt(timeZone, time));
  const own = starts.filter((start) => dayIn(timeZone, start) === day);
  return own.length > 0 ? Math.min(...own) : startOfDay(timeZone, addDays(day, 1));
}

/** Whole days, both inclusive, as the first instant and the first one after them. */
export const dayInstants = ({ from, to }: { from: string; to: string }, timeZone: string) => ({
  from: new Date(startOfDay(timeZone, from)),
  before: new Date(startOfDay(timeZone, addDays(to, 1))),
});

/** First and last day of a preset. */
export function presetDays(preset: DatePreset, timeZone: string, now: number): { from: string; to: string } {
  const today = dayIn(timeZone, now);
  const monday = addDays(today, -((new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7));
  const first = `${today.slice(0, 8)}01`;
  switch (preset) {
    case "today":
      return { from: today, to: today };
    case "yesterday":
      return { from: addDays(today, -1), to: addDays(today, -1) };
    case "last-7-days":
      return { from: addDays(today, -6), to: today };
    case "last-30-days":
      return { from: addDays(today, -29), to: today };
    case "last-90-days":
      return { from: addDays(today, -89), to: today };
    case "this-week":
      return { from: monday, to: today };
    case "last-week":
      return { from: addDays(monday, -7), to: addDays(monday, -1) };
    case "this-month":
      return { from: first, to: today };
    case "last-month":
      return { from: `${addDays(first, -1).slice(0, 8)}01`, to: addDays(first, -1) };
    case "this-year":
      return { from: `${today.slice(0, 4)}-01-01`, to: today };
    default:
      return preset satisfies never;
  }
}

/** The range in the API's format: both ends inclusive, UTC. */
export function resolveTimes(created: TimeRange, timeZone: string, now: number): { gte?: string; lte?: string } {
  const { from, to } = "preset" in created ? presetDays(created.preset, timeZone, now) : created;
  const iso = (time: number) => new Date(time).toISOString();
  return {
    ...(from !== null && { gte: isDay(from) ? iso(startOfDay(timeZone, from)) : from }),
    ...(to !== null && { lte: isDay(to) ? iso(startOfDay(timeZone, addDays(to, 1)) - 1) : to }),
  };
}
