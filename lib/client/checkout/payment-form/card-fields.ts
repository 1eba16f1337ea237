/** Formatting and validation of the card fields. */
import valid from "card-validator";
import type { PostalCodeRule } from "@/lib/contract/checkout/checkout";
import { digitsOf, passesLuhn, withAsciiDigits } from "@/lib/contract/payments/words";
import type { CardBrandName, FieldName, FieldProblem, FormFields } from "./checkout-view";
import { formatExpiry, isUnfinished, readExpiry } from "./expiry";
import { cut, type Edit, type Shown, withoutMarks } from "./typed-text";

const EMAIL_LENGTH = 254;
const NAME_LENGTH = 255;
const POSTAL_CODE_LENGTH = 20;
/** This many digits in the name are a misplaced card number, which must not be sent. */
const NUMBER_IN_NAME = 8;
const NUMBER_IN_POSTAL_CODE = 12;

/** The formatted value and caret after an edit. Values are left-to-right in every language. */
export function formatField(field: FieldName, edit: Edit, fields: FormFields): Shown {
  switch (field) {
    case "number":
      return formatNumber(edit);
    case "expiry":
      return formatExpiry(edit.value, edit.before, edit.caret);
    case "cvv":
      return formatCvv(edit, cvvLength(digitsOf(fields.number)) ?? 4);
    case "email":
      return cut(withoutMarks(edit), EMAIL_LENGTH);
    case "name":
      return cut(withoutMarks(edit), NAME_LENGTH);
    case "postal_code":
      return formatPostalCode(edit);
    case "consent":
      return { value: edit.value, caret: edit.caret };
    default:
      return field satisfies never;
  }
}

/** The problem of a field, or null. `nowMs` is the server's time. */
export function problemOf(
  field: FieldName,
  fields: FormFields,
  nowMs: number,
  postalCode: PostalCodeRule = "required",
): FieldProblem | null {
  const value = fields[field].trim();
  if (field === "postal_code" && postalCode !== "required") {
    if (value === "" && postalCode === "or_none") return "postal_code_or_none";
    if (value === "" || isNoPostalCode(value)) return null;
  }
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
    case "consent":
      return null;
    case "email":
      // Lenient on purpose: an unmailable address is no reason to refuse the payment.
      return /^[^\s@]+@[^\s@]+$/.test(value) ? null : "email_invalid";
    case "name":
      return digitsOf(value).length >= NUMBER_IN_NAME || !/\p{L}/u.test(value) ? "name_invalid" : null;
    case "postal_code":
      if (digitsOf(value).length >= NUMBER_IN_POSTAL_CODE) return "postal_code_invalid";
      return /^[\p{L}\p{N}][\p{L}\p{N} -]*$/u.test(value) && value.length >= 2 ? null : "postal_code_invalid";
    default:
      return field satisfies never;
  }
}

/** Common entries for "no postal code". */
const NO_POSTAL_CODE = new Set("na none no non nil null keine kein aucun aucune ninguno nenhum لايوجد".split(" "));

/** True for a postal code that says there is none: "N/A", "-", "0", "00000", "none". */
export function isNoPostalCode(value: string): boolean {
  const signs = withAsciiDigits(value)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
  return /^0*$/.test(signs) || NO_POSTAL_CODE.has(signs);
}

/** True if no further typing can fix the field, so its error may show before blur. */
export function isPlainlyWrong(problem: FieldProblem | null, { expiry }: Pick<FormFields, "expiry">): boolean {
  if (problem === "expiry_invalid" || problem === "expiry_past") return !isUnfinished(expiry);
  return problem === "number_invalid";
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
    // Only a gap was deleted, so delete the adjacent digit.
    const gone = direction === "backward" ? at - 1 : at;
    digits = digits.slice(0, Math.max(0, gone)) + digits.slice(gone + 1);
    at = Math.max(0, direction === "backward" ? at - 1 : at);
  }
  const { lengths, gaps } = numberShape(digits);
  const maxLength = Math.max(...lengths);
  // An extra digit in a full number is a typo: keep the old value.
  if (digits.length === maxLength + 1 && old.length === maxLength)
    return { value: before, caret: Math.max(0, caret - 1) };
  digits = digits.slice(0, maxLength);
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

const BRAND_NAMES: Record<string, CardBrandName> = { "american-express": "amex", "diners-club": "diners" };

/** Format of numbers with this beginning. */
type NumberShape = {
  brand: CardBrandName | null;
  lengths: readonly number[];
  /** Digit counts that are followed by a space. */
  gaps: readonly number[];
};

const UNKNOWN_LENGTHS = [12, 13, 14, 15, 16, 17, 18, 19];
const FOURS = [4, 8, 12, 16];

/** Format and brand as far as the first digits determine them. */
export function numberShape(digits: string): NumberShape {
  const kinds = digits === "" ? [] : valid.creditCardType.default(digits);
  const certain = kinds.filter((kind) => kind.matchStrength);
  const strongest = certain.sort((a, b) => Number(b.matchStrength) - Number(a.matchStrength))[0];
  // Maestro includes every 6… number of no other brand, which takes some digits to know.
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

/** Checks the digits against the check digit and the brand's lengths. */
export function numberVerdict(digits: string): "incomplete" | "invalid" | "valid" {
  const { lengths } = numberShape(digits);
  const usual = lengths.includes(16) ? 16 : Math.max(...lengths);
  if (lengths.includes(digits.length) && passesLuhn(digits)) return "valid";
  return digits.length < usual ? "incomplete" : "invalid";
}

/** Length of the security code that the server requires; null while the number doesn't determine it. */
export function cvvLength(digits: string): 3 | 4 | null {
  if (digits.length < 2) return null;
  return /^3[47]/.test(digits) ? 4 : 3;
}
