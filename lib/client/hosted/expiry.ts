import { digitsOf, withAsciiDigits } from "./ascii-digits";

export type Expiry = { month: number; year: number };

const SEPARATOR = " / ";
/** Issuers print dates some years ahead; further than this is a typing error. */
const LONGEST_VALID_YEARS = 50;
/** Somewhere on earth a month lasts this much longer than in UTC. */
const LATEST_ZONE_MS = 12 * 3_600_000;

type Parts = { month: string; year: string; ended: boolean };

/**
 * What the field shows for what is in it now. `before`: what it showed until then. Takes 1225, 12/25, 1/29, 12-2029,
 * 2029-12 and digits of any script.
 */
export function formatExpiry(raw: string, before: string, caret: number): { value: string; caret: number } {
  const text = withAsciiDigits(raw);
  const deleting = text.length < before.length;
  const atEnd = caret >= raw.length;
  const digitsBefore = digitsOf(text.slice(0, caret)).length;

  if (deleting && digitsOf(text) === digitsOf(before)) return withoutDigitAtGap(text, caret);

  // Who mends a date in its middle has not finished its month yet.
  const asIs = deleting || !atEnd;
  const parts = asIs ? splitTyped(text, before) : (wholeDate(text) ?? padded(splitTyped(text, before)));
  const value = join(parts, asIs);
  const added = digitsOf(value).length - digitsOf(text).length;
  return { value, caret: atEnd ? value.length : caretAfter(value, Math.max(0, digitsBefore + added)) };
}

/** A field that is left has its month in two digits. */
export function settleExpiry(value: string): string {
  const parts = splitAtSeparator(value);
  return parts.year !== "" && /^[1-9]$/.test(parts.month) ? join({ ...parts, month: `0${parts.month}` }, false) : value;
}

/** The date of a field, and what is wrong with it at this time (milliseconds since 1970). */
export function readExpiry(
  value: string,
  nowMs: number,
): { date: Expiry } | { problem: "incomplete" | "invalid" | "past" } {
  const [month, year] = value.split("/").map((part) => digitsOf(part));
  if (!month || !year || year.length < 2 || year.length === 3) {
    const impossible = month?.length === 2 && (Number(month) < 1 || Number(month) > 12);
    return { problem: impossible ? "invalid" : "incomplete" };
  }
  const date = { month: Number(month), year: year.length === 2 ? 2000 + Number(year) : Number(year) };
  const latest = new Date(nowMs - LATEST_ZONE_MS);
  const months = (date.year - latest.getUTCFullYear()) * 12 + date.month - (latest.getUTCMonth() + 1);
  if (date.month < 1 || date.month > 12 || months > LONGEST_VALID_YEARS * 12) return { problem: "invalid" };
  return months < 0 ? { problem: "past" } : { date };
}

/** A date that came whole: from the browser's memory of cards, or pasted. */
function wholeDate(text: string): Parts | null {
  const monthFirst = /^\D*(\d{1,2})[/\-.\s]{1,5}(\d{4}|\d{2})\D*$/.exec(text);
  if (monthFirst) return { month: monthFirst[1] ?? "", year: monthFirst[2] ?? "", ended: true };
  const yearFirst = /^\D*(20\d\d)\s*[/\-.]\s*(\d{1,2})(\D.*)?$/.exec(text);
  if (yearFirst) return { month: yearFirst[2] ?? "", year: yearFirst[1] ?? "", ended: true };
  const shortMonth = /^([1-9])(20\d\d)$/.exec(text);
  return shortMonth ? { month: shortMonth[1] ?? "", year: shortMonth[2] ?? "", ended: true } : null;
}

function splitAtSeparator(text: string): Parts {
  const at = text.search(/[/\-.]/);
  if (at === -1) return { month: digitsOf(text).slice(0, 2), year: digitsOf(text).slice(2), ended: false };
  const [month, year] = [digitsOf(text.slice(0, at)), digitsOf(text.slice(at))];
  return { month: month.slice(0, 2), year: month.slice(2) + year, ended: true };
}

function splitTyped(text: string, before: string): Parts {
  const parts = splitAtSeparator(text);
  // One digit too many in a date that was whole is a slip of the hand: what was there stays.
  const whole = splitAtSeparator(before);
  const slipped = whole.month.length === 2 && whole.year.length === 2 && parts.year.length === 3;
  return slipped && !parts.year.startsWith("20") ? whole : parts;
}

/** 5 is May, and 13 is January and the 3 of a year. */
function padded({ month, year, ended }: Parts): Parts {
  if (/^[2-9]$/.test(month) || (month === "1" && ended)) return { month: `0${month}`, year, ended };
  if (/^[2-9]\d$/.test(month) || /^1[3-9]$/.test(month))
    return { month: `0${month[0]}`, year: `${month[1]}${year}`, ended };
  return month === "00" ? { month: "0", year, ended } : { month, year, ended };
}

/** `asIs`: adds nothing that is not there. */
function join({ month, year, ended }: Parts, asIs: boolean): string {
  const full = year.startsWith("20") && year.length >= 4 ? year.slice(2, 4) : year;
  const shown = full.startsWith("20") ? full.slice(0, 3) : full.slice(0, 2);
  const wide = month.length === 1 && ended && !asIs && month !== "0" ? `0${month}` : month;
  if (wide === "" && shown === "") return "";
  const separated = shown !== "" || (wide.length === 2 && (ended || !asIs));
  return separated ? `${wide}${SEPARATOR}${shown}` : wide;
}

/** Only a part of the separator was deleted: what was meant is the digit in front of it. */
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
