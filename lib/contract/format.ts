/** Money, times, numbers and cards as English text: the same on the server and in the browser. */
import { CURRENCY_DIGITS, currencyDigits } from "./currencies";
import { BRAND_NAMES, type CardBrand } from "./transactions/words";

const moneyFormats = new Map<string, Intl.NumberFormat>();

function moneyFormat(currency: string): Intl.NumberFormat {
  let format = moneyFormats.get(currency);
  if (!format) {
    const digits = currencyDigits(currency);
    format = new Intl.NumberFormat("en-US", {
      style: "currency",
      currency,
      currencyDisplay: "narrowSymbol",
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    moneyFormats.set(currency, format);
  }
  return format;
}

/** Minor units → "$1,234.50", "−$9.95". The text is exact: Intl gets a decimal string, not a float. */
export function moneyText(amount: number, currency: string): string {
  const digits = currencyDigits(currency);
  const sign = amount < 0 ? "-" : "";
  const minor = String(Math.abs(amount)).padStart(digits + 1, "0");
  const decimal = digits === 0 ? minor : `${minor.slice(0, -digits)}.${minor.slice(-digits)}`;
  // The minus sign is as wide as a digit; a hyphen isn't.
  return moneyFormat(currency)
    .format(`${sign}${decimal}` as `${number}`)
    .replace("-", "\u2212");
}

/** Minor units → "$1,234.50 USD"; "CHF 12.00" if the text already has the code. */
export function moneyTextWithCode(amount: number, currency: string): string {
  const text = moneyText(amount, currency);
  return text.includes(currency) ? text : `${text} ${currency}`;
}

/**
 * Times as text. `zone` is an IANA name. English and a 24-hour clock everywhere, so server and browser agree.
 */

const timeFormats = new Map<string, Intl.DateTimeFormat>();

function timeFormat(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`;
  let format = timeFormats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", { timeZone: zone, ...options });
    timeFormats.set(key, format);
  }
  return format;
}

const yearIn = (date: Date, zone: string) => timeFormat(zone, { year: "numeric" }).format(date);

/** `2026-11-21` → "Nov 21, 2026". */
export const dayText = (day: string): string => dateText(new Date(`${day}T12:00:00Z`), "UTC");

/** `2026-11-21` → "Sat, Nov 21". */
export const weekdayText = (day: string): string =>
  timeFormat("UTC", { weekday: "short", month: "short", day: "numeric" }).format(new Date(`${day}T12:00:00Z`));

/** "Nov 21, 2026"; without the year in the current year when `short`. */
export function dateText(at: Date, zone: string, { short = false, now = new Date() } = {}): string {
  const year = short && yearIn(at, zone) === yearIn(now, zone) ? {} : { year: "numeric" as const };
  return timeFormat(zone, { month: "short", day: "numeric", ...year }).format(at);
}

/** "Nov 21, 14:05"; with the year if it isn't the current one. */
export function timeText(at: Date, zone: string, now = new Date()): string {
  const clock = timeFormat(zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at);
  return `${dateText(at, zone, { short: true, now })}, ${clock}`;
}

/** "Sat, Nov 21, 2026, 14:05:09 GMT+1". */
export function fullTimeText(at: Date, zone: string): string {
  return timeFormat(zone, {
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

type Range = { page: number; perPage: number; count: number; total: number; capped: boolean };

const number = new Intl.NumberFormat("en-US");

/** Displayed range and total: "21–40 of 240", "1–20 of 10,000+", "0 of 0". */
export function rangeText({ page, perPage, count, total, capped }: Range): string {
  const first = (page - 1) * perPage + 1;
  const last = first + count - 1;
  // A row that no longer matches stays visible until the next refresh but isn't counted.
  const all = `${number.format(count > 0 ? Math.max(total, last) : total)}${capped ? "+" : ""}`;
  return count === 0 ? `0 of ${all}` : `${number.format(first)}–${number.format(last)} of ${all}`;
}

/**
 * "PARTIALLY_REFUNDED" → "Partially refunded", "insufficient_funds" → "Insufficient funds", "visa" → "Visa";
 * currencies stay.
 */
export function wordLabel(word: string): string {
  if (/^[A-Z]{3}$/.test(word)) return word;
  const words = word.replaceAll("_", " ").toLowerCase().replace("cvv", "CVV");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `Visa •••• 4242`, for sentences and buttons. */
export function cardText(brand: CardBrand | null, last4: string | null): string {
  const name = brand === null ? "card" : BRAND_NAMES[brand];
  return last4 === null ? name : `${name} •••• ${last4}`;
}

/** 4242 4242 4242 4242; American Express 3782 822463 10005: grouped as on the card. */
export function groupedNumber(number: string): string {
  return number.length === 15
    ? number.replace(/^(\d{4})(\d{6})(\d{5})$/, "$1 $2 $3")
    : (number.match(/\d{1,4}/g) ?? []).join(" ");
}

const HEAD = 4;
const TAIL = 6;

/** "pay_01kb2x…f9q3c7": long enough to tell two ids apart. */
export function shortId(id: string): string {
  const head = id.indexOf("_") + 1 + HEAD;
  return id.length <= head + TAIL + 1 ? id : `${id.slice(0, head)}…${id.slice(-TAIL)}`;
}

/** A path with shortened ids, so that the action stays visible: `/v1/payments/pay_01m8…g0tgpz/refund`. */
export const shortPath = (path: string): string => path.replace(/\b[a-z]{2,6}_[0-9a-z]{26}\b/g, shortId);

/** `pay_…dbm`: long enough to tell titles apart. */
export const titleId = (id: string): string => `${id.slice(0, id.indexOf("_") + 1)}…${id.slice(-3)}`;

/** Code and English name. */
export type CurrencyOption = { code: string; name: string };

const FIRST = ["USD", "EUR", "GBP"];

/** Every supported currency with its English name, the most used first. */
export function currencyOptions(): CurrencyOption[] {
  const names = new Intl.DisplayNames("en", { type: "currency" });
  const others = [...CURRENCY_DIGITS.keys()].filter((code) => !FIRST.includes(code)).toSorted();
  return [...FIRST, ...others].map((code) => ({ code, name: names.of(code) ?? code }));
}
