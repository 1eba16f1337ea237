/** The expiry date as typed by shoppers and filled in by browsers and password managers. */
import { CHECKOUT_LOCALES } from "@/lib/contract/checkout/checkout";
import { digitsOf, withAsciiDigits } from "@/lib/contract/payments/words";
import type { Shown } from "./typed-text";

type Expiry = { month: number; year: number };

const SEPARATOR = " / ";
/** Issuers print dates some years ahead; beyond this it is a typo. */
const MAX_VALID_YEARS = 50;
/** The month ends this much later in the westernmost time zone than in UTC. */
const LATEST_ZONE_MS = 12 * 3_600_000;

type Parts = { month: string; year: string; ended: boolean };

/**
 * The formatted text of the field. `before` is its previous text. A date inserted whole is shown month first,
 * whatever its order; typed text is formatted while it is month first, and otherwise left alone until the
 * field is left.
 */
export function formatExpiry(raw: string, before: string, caret: number): Shown {
  const text = withAsciiDigits(raw);
  const atEnd = caret >= raw.length;
  const isCut = raw.length < before.length && before.startsWith(raw.slice(0, caret));
  const asIs = { value: raw, caret };

  if (isCut || !atEnd) return isFree(before) ? asIs : editedInside(text, before, caret);
  const isTyped = raw.length - before.length === 1 && raw.startsWith(before);
  if (!isTyped) {
    const date = readDate(text);
    if (date) return atItsEnd(shown(date));
    if (digitsOf(text).length > 4) return asIs;
  }
  if (isFree(text)) return asIs;
  return atItsEnd(join(padded(splitTyped(text, before)), false));
}

const atItsEnd = (value: string): Shown => ({ value, caret: value.length });

/** Editing in the middle means that the month is unfinished: add nothing. */
function editedInside(text: string, before: string, caret: number): Shown {
  if (text.length < before.length && digitsOf(text) === digitsOf(before)) return withoutDigitAtGap(text, caret);
  const value = join(splitTyped(text, before), true);
  const digitsBefore = digitsOf(text.slice(0, caret)).length;
  const added = digitsOf(value).length - digitsOf(text).length;
  const isAtEnd = caret >= text.length;
  return { value, caret: isAtEnd ? value.length : caretAfter(value, Math.max(0, digitsBefore + added)) };
}

/** Normalizes the date on blur: month first, in two digits. */
export function settleExpiry(value: string): string {
  const date = isFree(value) ? readDate(value) : null;
  if (date) return shown(date);
  const parts = splitAtSeparator(value);
  const isLone = parts.year !== "" && /^[1-9]$/.test(parts.month) && !isFree(value);
  return isLone ? join({ ...parts, month: `0${parts.month}` }, false) : value;
}

/** The date in a field, or its problem at `nowMs`. */
export function readExpiry(
  value: string,
  nowMs: number,
): { date: Expiry } | { problem: "incomplete" | "invalid" | "past" } {
  const date = isFree(value) ? (readDate(value) ?? "invalid") : monthFirst(value);
  if (typeof date === "string") return { problem: date };
  const latest = new Date(nowMs - LATEST_ZONE_MS);
  const months = (date.year - latest.getUTCFullYear()) * 12 + date.month - (latest.getUTCMonth() + 1);
  if (date.month < 1 || date.month > 12 || months > MAX_VALID_YEARS * 12) return { problem: "invalid" };
  return months < 0 ? { problem: "past" } : { date };
}

function monthFirst(value: string): Expiry | "incomplete" | "invalid" {
  const [month, year] = value.split("/").map((part) => digitsOf(part));
  if (!month || !year || year.length < 2 || year.length === 3) {
    const impossible = month?.length === 2 && (Number(month) < 1 || Number(month) > 12);
    return impossible ? "invalid" : "incomplete";
  }
  return { month: Number(month), year: year.length === 2 ? 2000 + Number(year) : Number(year) };
}

/** True if further typing may change the date: its errors must wait until the field is left. */
export const isUnfinished = (value: string): boolean => isFree(value) || /\/ ?20$/.test(value);

const shown = ({ month, year }: Expiry) => `${String(month).padStart(2, "0")}${SEPARATOR}${String(year).slice(2)}`;

/** Text that isn't, or isn't yet, month first: formatting it as such would change the date. */
function isFree(text: string): boolean {
  const plain = plainText(text);
  if (beginsMonthName(plain)) return true;
  const [first = "", second, third] = plain.match(/\d+/g) ?? [];
  if (third !== undefined || first.length > 4 || (second !== undefined && /\D$/.test(plain))) return true;
  // 2, 3 and 4 may begin a year, a day or a month; a third digit that forms no month decides: 3 / 29.
  if (second === undefined && /^[2-4]$/.test(plain)) return true;
  const isDecided = second === undefined && /^\s*(?!20)\d\d[2-9]$/.test(plain);
  return Number(first.slice(0, 2)) > 12 && !isDecided;
}

/**
 * Parses a date in any order and notation; null if there is none, or several: 05/06/2029. Two digits are a
 * year if they can't be a month.
 */
function readDate(text: string): Expiry | null {
  const plain = plainText(text);
  const named = monthsNamed(plain);
  if (named.size > 1) return null;
  const [month] = named;
  const numbers = plain.match(/\d+/g) ?? [];
  const [only = ""] = numbers;
  const orders =
    month !== undefined ? withMonth(String(month), numbers) : numbers.length === 1 ? ofDigits(only) : inOrders(numbers);
  const found = new Map(orders.flatMap(([year, ofYear, day = "1"]) => dateOf(year, ofYear, day)));
  const [date] = found.values();
  return found.size === 1 && date ? date : null;
}

/** Year, month and perhaps day, as digits. */
type Order = [year: string, month: string, day?: string];

function dateOf(year: string, month: string, day: string): [string, Expiry][] {
  const isYear = /^(20)?\d\d$/.test(year);
  const isMonth = month.length <= 2 && Number(month) >= 1 && Number(month) <= 12;
  if (!isYear || !isMonth || day.length > 2 || Number(day) < 1 || Number(day) > 31) return [];
  const date = { month: Number(month), year: 2000 + Number(year.slice(-2)) };
  return [[shown(date), date]];
}

function withMonth(month: string, numbers: readonly string[]): Order[] {
  const [first = "", second] = numbers;
  if (numbers.length > 2) return [];
  if (second === undefined) return [[first, month]];
  return first.length === 4 ? [[first, month, second]] : [[second, month, first]];
}

const isMonthNumber = (text: string) => text.length <= 2 && Number(text) >= 1 && Number(text) <= 12;

/**
 * The first of two numbers is the month if it can be. With a day, only a four-digit year distinguishes them.
 */
function inOrders(numbers: readonly string[]): Order[] {
  const [first = "", second = "", third = ""] = numbers;
  if (numbers.length === 2) return isMonthNumber(first) ? [[second, first]] : [[first, second]];
  if (numbers.length !== 3) return [];
  if (first.length === 4) return [[first, second, third]];
  return third.length === 4
    ? [
        [third, first, second],
        [third, second, first],
      ]
    : [];
}

const ofThisCentury = (...orders: Order[]) => orders.filter(([year]) => year.startsWith("20"));

/** Digits without a separator: 329, 0329, 2903, 32029, 032029, 202903, 20290331, 31032029, 03312029. */
function ofDigits(digits: string): Order[] {
  const part = (from: number, to?: number) => digits.slice(from, to);
  const head = part(0, 2);
  switch (digits.length) {
    case 3:
      return isMonthNumber(head) ? [] : [[part(1), part(0, 1)]];
    case 4:
      return isMonthNumber(head) ? [[part(2), head]] : [[head, part(2)]];
    case 5:
      return part(1, 3) === "20" ? [[part(1), part(0, 1)]] : [[part(0, 4), part(4)]];
    case 6:
      return ofThisCentury([part(2), head], [part(0, 4), part(4)]);
    case 8:
      return ofThisCentury([part(0, 4), part(4, 6), part(6)], [part(4), part(2, 4), head], [part(4), head, part(2, 4)]);
    default:
      return [];
  }
}

/** Digits of any script and width as 0–9, letters in lower case without accents. */
const plainText = (text: string) =>
  withAsciiDigits(text.normalize("NFKD"))
    .toLowerCase()
    .replace(/[\p{M}\u200e\u200f\u061c]/gu, "");

const SHORTEST_NAME = 3;
/** Regions with other names of months: Austria, the Levant, the Maghreb. */
const REGIONS = ["de-AT", "ar-SY", "ar-DZ", "ar-MA"];
let names: Map<string, number> | null = null;

/** Every name and abbreviation of a month in the form's languages. */
function monthNames(): Map<string, number> {
  if (names) return names;
  names = new Map([["mrz", 3]]);
  for (const month of ["long", "short"] as const)
    for (const locale of [...CHECKOUT_LOCALES, ...REGIONS]) {
      const format = new Intl.DateTimeFormat(locale, { month, timeZone: "UTC", calendar: "gregory" });
      for (let at = 0; at < 12; at++)
        names.set(plainText(format.format(Date.UTC(2029, at, 15))).replace(/\P{L}/gu, ""), at + 1);
    }
  return names;
}

const wordsOf = (plain: string) => plain.match(/\p{L}+/gu) ?? [];

/** Months named in a text by one word or two (كانون الأول); an abbreviation must fit one month only. */
function monthsNamed(plain: string): Set<number> {
  const words = wordsOf(plain);
  if (words.length === 0) return new Set();
  const pairs = words.slice(1).map((word, at) => `${words[at]}${word}`);
  return new Set([...words, ...pairs].flatMap((word) => monthNames().get(word) ?? abbreviated(word)));
}

function abbreviated(word: string): number[] {
  if (word.length < SHORTEST_NAME) return [];
  const months = new Set([...monthNames()].flatMap(([name, month]) => (name.startsWith(word) ? [month] : [])));
  return months.size === 1 ? [...months] : [];
}

/** True if a word of the text may become the name of a month. */
const beginsMonthName = (plain: string): boolean =>
  wordsOf(plain).some((word) => [...monthNames().keys()].some((name) => name.startsWith(word)));

function splitAtSeparator(text: string): Parts {
  const at = text.search(/[/\-.]|\d\s/);
  if (at === -1) return { month: digitsOf(text).slice(0, 2), year: digitsOf(text).slice(2), ended: false };
  const [month, year] = [digitsOf(text.slice(0, at + 1)), digitsOf(text.slice(at + 1))];
  return { month: month.slice(0, 2), year: month.slice(2) + year, ended: true };
}

function splitTyped(text: string, before: string): Parts {
  const parts = splitAtSeparator(text);
  // An extra digit in a complete date is a typo: keep the old value.
  const whole = splitAtSeparator(before);
  const slipped = whole.month.length === 2 && whole.year.length === 2 && parts.year.length === 3;
  return slipped && !parts.year.startsWith("20") ? whole : parts;
}

/** 5 is May; 329 is month 3 and a year. */
function padded({ month, year, ended }: Parts): Parts {
  if (/^[2-9]$/.test(month) || (month === "1" && ended)) return { month: `0${month}`, year, ended };
  if (/^[2-9]\d$/.test(month) || /^1[3-9]$/.test(month))
    return { month: `0${month[0]}`, year: `${month[1]}${year}`, ended };
  return month === "00" ? { month: "0", year, ended } : { month, year, ended };
}

/** `asIs` adds no separator. */
function join({ month, year, ended }: Parts, asIs: boolean): string {
  const full = year.startsWith("20") && year.length >= 4 ? year.slice(2, 4) : year;
  const shown = full.startsWith("20") ? full.slice(0, 3) : full.slice(0, 2);
  const wide = month.length === 1 && ended && !asIs && month !== "0" ? `0${month}` : month;
  if (wide === "" && shown === "") return "";
  const separated = shown !== "" || (wide.length === 2 && (ended || !asIs));
  return separated ? `${wide}${SEPARATOR}${shown}` : wide;
}

/** Part of the separator was deleted, so delete the digit before it. */
function withoutDigitAtGap(text: string, caret: number): { value: string; caret: number } {
  const parts = splitAtSeparator(text);
  const month = digitsOf(text.slice(0, caret)).length <= parts.month.length ? parts.month.slice(0, -1) : parts.month;
  const value = join({ ...parts, month, ended: parts.year !== "" }, true);
  return { value, caret: month.length };
}

function caretAfter(value: string, digits: number): number {
  let seen = 0;
  for (let at = 0; at < value.length; at++) {
    if (seen === digits) return at;
    if (/\d/.test(value[at] ?? "")) seen++;
  }
  return value.length;
}
