/** Times as text. `zone` is an IANA name. English and a 24-hour clock everywhere, so server and browser agree. */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", { timeZone: zone, ...options });
    formats.set(key, format);
  }
  return format;
}

const yearIn = (date: Date, zone: string) => formatOf(zone, { year: "numeric" }).format(date);

/** "Nov 21, 2026"; this year's without the year when `short`. */
export function dateText(at: Date, zone: string, { short = false, now = new Date() } = {}): string {
  const year = short && yearIn(at, zone) === yearIn(now, zone) ? {} : { year: "numeric" as const };
  return formatOf(zone, { month: "short", day: "numeric", ...year }).format(at);
}

/** "Nov 21, 14:05"; another year's with the year. */
export function timeText(at: Date, zone: string, now = new Date()): string {
  const clock = formatOf(zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at);
  return `${dateText(at, zone, { short: true, now })}, ${clock}`;
}

/** "Sat, Nov 21, 2026, 14:05:09 GMT+1": everything. */
export function fullTimeText(at: Date, zone: string): string {
  return formatOf(zone, {
    weekday: "short",
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  }).format(at);
}

const STEPS = [
  { unit: "year", seconds: 31_536_000 },
  { unit: "month", seconds: 2_592_000 },
  { unit: "week", seconds: 604_800 },
  { unit: "day", seconds: 86_400 },
  { unit: "hour", seconds: 3_600 },
  { unit: "minute", seconds: 60 },
] as const;

const relative = new Intl.RelativeTimeFormat("en-US", { numeric: "always" });

/** "3 minutes ago", "in 2 days", "just now". */
export function relativeTimeText(at: Date, now = new Date()): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000;
  for (const step of STEPS) {
    if (Math.abs(seconds) >= step.seconds) return relative.format(Math.trunc(seconds / step.seconds), step.unit);
  }
  return seconds > 0 ? "in less than a minute" : "just now";
}
