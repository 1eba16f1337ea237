import { digitsOf, withAsciiDigits } from "./ascii-digits";
import { cvvLength, numberShape, numberVerdict } from "./card-number";
import type { FieldName, FieldProblem, FormFields } from "./checkout-view";
import { formatExpiry, readExpiry } from "./expiry";

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

/** What is wrong with a field; null for nothing. Server's time in milliseconds since 1970. */
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

/** A field that cannot become right by typing on: it may be said before the field is left. */
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
