/** What the card fields show while the shopper types, and what is wrong with them. */
import valid from "card-validator";
import { digitsOf, passesLuhn, withAsciiDigits } from "@/lib/contract/payments/words";
import type { CardBrandName, FieldName, FieldProblem, FormFields } from "./checkout-view";

export type Edit = {
  /** What the input holds now. */
  value: string;
  /** What it showed before. */
  before: string;
  caret: number;
  /** Which way the key deletes. */
  direction: "backward" | "forward";
};
export type Shown = { value: string; caret: number };

const NAME_LENGTH = 255;
const POSTAL_CODE_LENGTH = 20;
/** With this many digits it is a card number in the wrong field; it must go nowhere. */
const NUMBER_IN_NAME = 8;
const NUMBER_IN_POSTAL_CODE = 12;

/** What a field shows for an edit, and where its caret goes. Values are left-to-right in every language. */
export function formatField(field: FieldName, edit: Edit, fields: FormFields): Shown {
  switch (field) {
    case "number":
      return formatNumber(edit);
    case "expiry":
      return formatExpiry(edit.value, edit.before, edit.caret);
    case "cvv":
      return formatCvv(edit, cvvLength(digitsOf(fields.number)) ?? 4);
    case "name":
      return cut(withoutMarks(edit), NAME_LENGTH);
    case "postal_code":
      return formatPostalCode(edit);
    default:
      return field satisfies never;
  }
}

/** What is wrong with a field; null when nothing is. The server's time in milliseconds since 1970. */
export function problemOf(field: FieldName, fields: FormFields, nowMs: number): FieldProblem | null {
  const value = fields[field].trim();
  if (value === "") return `${field}_missing`;
  switch (field) {
    case "number": {
      const verdict = numberVerdict(digitsOf(value));
      return verdict === "valid" ? null : `number_${verdict}`;
    }
    case "expiry": {
      const read = readExpiry(value, nowMs);
      return "problem" in read ? `expiry_${read.problem}` : null;
    }
    case "cvv":
      return cvvProblem(value, cvvLength(digitsOf(fields.number)));
    case "name":
      return digitsOf(value).length >= NUMBER_IN_NAME || !/\p{L}/u.test(value) ? "name_invalid" : null;
    case "postal_code":
      if (digitsOf(value).length >= NUMBER_IN_POSTAL_CODE) return "postal_code_invalid";
      return /^[\p{L}\p{N}][\p{L}\p{N} -]*$/u.test(value) && value.length >= 2 ? null : "postal_code_invalid";
    default:
      return field satisfies never;
  }
}

/** No further typing can make this field right: its error may be shown before the field is left. */
export function isPlainlyWrong(problem: FieldProblem | null): boolean {
  return problem === "number_invalid" || problem === "expiry_invalid" || problem === "expiry_past";
}

function cvvProblem(value: string, length: 3 | 4 | null): FieldProblem | null {
  if (length === 4) return value.length === 4 ? null : "cvv_four_digits";
  const fits = value.length === 3 || (length === null && value.length === 4);
  return fits ? null : "cvv_three_digits";
}

function formatNumber({ value, before, caret, direction }: Edit): Shown {
  let digits = digitsOf(value);
  let at = digitsOf(value.slice(0, caret)).length;
  const old = digitsOf(before);
  if (digits === old && value.length === before.length - 1) {
    // Only a gap was deleted: what was meant is the digit next to it.
    const gone = direction === "backward" ? at - 1 : at;
    digits = digits.slice(0, Math.max(0, gone)) + digits.slice(gone + 1);
    at = Math.max(0, direction === "backward" ? at - 1 : at);
  }
  const { lengths, gaps } = numberShape(digits);
  const most = Math.max(...lengths);
  // One digit too many in a full number is a slip of the hand: what was there stays.
  if (digits.length === most + 1 && old.length === most) return { value: before, caret: Math.max(0, caret - 1) };
  digits = digits.slice(0, most);
  at = Math.min(at, digits.length);
  const grew = digits.length > old.length;
  const spaces = gaps.filter((gap) => gap < at || (gap === at && grew && gap < digits.length)).length;
  return { value: grouped(digits, gaps), caret: at + spaces };
}

function grouped(digits: string, gaps: readonly number[]): string {
  return Array.from(digits, (digit, at) => (gaps.includes(at) ? ` ${digit}` : digit)).join("");
}

function formatCvv({ value, caret }: Edit, length: number): Shown {
  return cut({ value: digitsOf(value), caret: digitsOf(value.slice(0, caret)).length }, length);
}

function formatPostalCode({ value, caret }: Edit): Shown {
  const tidy = (text: string) => withAsciiDigits(text).replace(/[a-z]/g, (letter) => letter.toUpperCase());
  return cut(withoutMarks({ value: tidy(value), caret }), POSTAL_CODE_LENGTH);
}

/** Without control characters, marks of direction and halves of surrogate pairs, which come with pasted text. */
function withoutMarks({ value, caret }: Shown): Shown {
  const clean = (text: string) =>
    text.replace(/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, "");
  return { value: clean(value), caret: clean(value.slice(0, caret)).length };
}

function cut({ value, caret }: Shown, length: number): Shown {
  // Not through the middle of a character.
  const short = value.length <= length ? value : value.slice(0, length).replace(/[\ud800-\udbff]$/, "");
  return { value: short, caret: Math.min(caret, short.length) };
}

const BRAND_NAMES: Record<string, CardBrandName> = { "american-express": "amex", "diners-club": "diners" };

/** How numbers that begin like this one are written. */
type NumberShape = {
  brand: CardBrandName | null;
  lengths: readonly number[];
  /** Counts of digits that a space follows. */
  gaps: readonly number[];
};

const UNKNOWN_LENGTHS = [12, 13, 14, 15, 16, 17, 18, 19];
const FOURS = [4, 8, 12, 16];

/** What the first digits of a card number reveal. */
export function numberShape(digits: string): NumberShape {
  const kinds = digits === "" ? [] : valid.creditCardType.default(digits);
  const certain = kinds.filter((kind) => kind.matchStrength);
  const strongest = certain.sort((a, b) => Number(b.matchStrength) - Number(a.matchStrength))[0];
  // Maestro owns every number that begins with 6 and belongs to no other brand, which takes some digits to know.
  const known = strongest?.type === "maestro" && kinds.length > 1 ? undefined : strongest;
  if (!known) {
    const lengths = [...new Set(kinds.flatMap((kind) => kind.lengths))];
    return { brand: null, lengths: lengths.length ? lengths : UNKNOWN_LENGTHS, gaps: FOURS };
  }
  return {
    brand: BRAND_NAMES[known.type] ?? (known.type as CardBrandName),
    lengths: known.lengths,
    gaps: known.gaps.length === 3 ? FOURS : known.gaps,
  };
}

/** How the digits stand with a number's check digit and its brand's lengths. */
export function numberVerdict(digits: string): "incomplete" | "invalid" | "valid" {
  const { lengths } = numberShape(digits);
  const usual = lengths.includes(16) ? 16 : Math.max(...lengths);
  if (lengths.includes(digits.length) && passesLuhn(digits)) return "valid";
  return digits.length < usual ? "incomplete" : "invalid";
}

/** Digits of the security code, as the server requires; null while the number does not decide. */
export function cvvLength(digits: string): 3 | 4 | null {
  if (digits.length < 2) return null;
  return /^3[47]/.test(digits) ? 4 : 3;
}

type Expiry = { month: number; year: number };

const SEPARATOR = " / ";
/** Issuers print dates some years ahead; further than this is a typing error. */
const LONGEST_VALID_YEARS = 50;
/** Somewhere on earth a month lasts this much longer than in UTC. */
const LATEST_ZONE_MS = 12 * 3_600_000;

type Parts = { month: string; year: string; ended: boolean };

/**
 * What the field shows for its current text. `before`: what it showed until now. Accepts 1225, 12/25, 1/29, 12-2029, 2029-12
 * and digits of any script.
 */
export function formatExpiry(raw: string, before: string, caret: number): { value: string; caret: number } {
  const text = withAsciiDigits(raw);
  const deleting = text.length < before.length;
  const atEnd = caret >= raw.length;
  const digitsBefore = digitsOf(text.slice(0, caret)).length;

  if (deleting && digitsOf(text) === digitsOf(before)) return withoutDigitAtGap(text, caret);

  // A shopper who corrects the middle of a date has not finished the month yet.
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

/** The date in a field, or what is wrong with it at this time (milliseconds since 1970). */
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
