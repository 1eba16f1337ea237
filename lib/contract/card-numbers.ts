import { isIssued, isPossible } from "./card-networks";
import { withoutIbans } from "./iban";
import { SANDBOX_CARDS } from "./sandbox-cards";

/** Replacement for a masked card number. */
export const CARD_NUMBER_MARK = "[card number]";
/** Follows the name of the refused field. The text itself is never repeated. */
export const holdsCardNumberSentence = (last4: string): string =>
  `holds a card number ending in ${last4}. Write only its last four digits: …${last4}`;
export const HOLDS_OWN_CARD = "This contains the number of this request's card. Remove it: it must not be stored.";

/** Shortest and longest card number. */
const [MIN_LENGTH, MAX_LENGTH] = [12, 19];
/** Max digits masked beside a number: an expiry (12/2029) and a security code. */
const MAX_BESIDE = 10;

/**
 * Characters escaped for a URL, once or several times, such as "%20" or "%253A", whose hexadecimal digits aren't
 * the number's; none that escapes a digit or letter.
 */
const ESCAPED = /%(?:25)*(?:[0-289a-f][\da-f]|3[a-f]|[57][b-f]|[46]0)/gi;
/** UUIDs with a letter in their first half, or a time: no card number is written so. */
const UUIDS =
  /(?<![\da-z])(?=01[89a-f][\da-f]{5}-[\da-f]{4}-7|[\d-]{0,17}[a-f])[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?![\da-z])/gi;
/**
 * UUIDs and times, which are skipped, or 12 or more digits of any script, with at most six other characters
 * between two of them, none of which is a letter.
 */
const CANDIDATES = new RegExp(
  [
    UUIDS.source,
    String.raw`(?:19|20)\d\d-[01]\d-[0-3]\d[T ][0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?!\d)`,
    String.raw`(?<digits>\p{Nd}(?:[^\p{L}\p{N}]{0,6}\p{Nd}){11,})`,
  ].join("|"),
  "giu",
);

/**
 * Masks every card number in a text, and the few digits beside it: a card network's prefix and length with a
 * valid check digit, in any script and with common separators. Our own ids and times stay. Linear time.
 */
export function maskCardNumbers(text: string): string {
  if (!mayHoldNumber(text)) return text;
  const parts: string[] = [];
  let copied = 0;
  for (const { groups, index } of text.replace(ESCAPED, (escaped) => " ".repeat(escaped.length)).matchAll(CANDIDATES)) {
    const digits = groups?.digits === undefined ? [] : digitsOf(groups.digits, index);
    for (const [from, to] of numbersIn(digits.map(({ value }) => value))) {
      const start = (digits[from] as Digit).start;
      parts.push(text.slice(copied, start), CARD_NUMBER_MARK);
      copied = (digits[to] as Digit).end;
    }
  }
  return copied === 0 ? text : parts.join("") + text.slice(copied);
}

/** A digit of any script; `start` and `end` are positions in the text. */
type Digit = { readonly value: number; readonly start: number; readonly end: number };

function digitsOf(text: string, offset: number): Digit[] {
  return Array.from(text.matchAll(/\p{Nd}/gu), ({ 0: digit, index }) => ({
    value: digitValue(digit),
    start: offset + index,
    end: offset + index + digit.length,
  }));
}

/**
 * A script's ten digits are contiguous, and start at a multiple of ten from the first of adjacent scripts.
 */
function digitValue(digit: string): number {
  const point = digit.codePointAt(0) as number;
  if (point < 128) return point - 48;
  let first = point;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--;
  return (point - first) % 10;
}

/** First and last index of each card number with the digits beside it. Overlapping numbers are one. */
function numbersIn(values: readonly number[]): [from: number, to: number][] {
  const found: [number, number][] = [];
  for (let first = 0; first + MIN_LENGTH <= values.length; first++) {
    const longest = values.slice(first, first + MAX_LENGTH).join("");
    for (let length = longest.length; length >= MIN_LENGTH; length--) {
      const number = longest.slice(0, length);
      if (!isPossible(number) || !isValid(number)) continue;
      const to = Math.min(values.length, first + length + MAX_BESIDE) - 1;
      const previous = found.at(-1);
      if (previous && first <= previous[1]) previous[1] = Math.max(previous[1], to);
      else found.push([Math.max(0, first - MAX_BESIDE), to]);
      break;
    }
  }
  return found;
}

/**
 * The last four digits of a card number in free text, which is refused for it; null if there is none.
 * Stricter than masking, because a refusal costs a sale: the number is contiguous or in the usual groups, and
 * not part of an IBAN, a phone number, an identifier or a longer number.
 */
export function findCardNumber(text: string): string | null {
  if (!mayHoldNumber(text)) return null;
  const plain = withoutIbans(plainText(text).replace(UUIDS, " "));
  for (const { 0: numbers, index } of plain.matchAll(NUMBERS)) {
    const before = plain.slice(Math.max(0, index - MAX_LABEL), index);
    const parts = numbers.split(/([ .-]+)/);
    const found = solidNumber(parts, before) ?? groupedNumber(parts, before);
    if (found) return found.slice(-4);
  }
  return null;
}

/** Adjacent numbers, because the separators of a card's groups also separate numbers. */
const NUMBERS = /\d+(?:[ .-]{1,3}\d+)*/g;
const MAX_LABEL = 40;
/** Digits after one of these labels are another number; groups after several labels are several numbers. */
const LABEL =
  /(?<!\p{L})(?:order|invoice|ticket|booking|reservation|reference|ref|tracking|parcel|shipment|waybill|customer|user|chat|discord|imei|iccid|siret|kid|fedex|ups|usps|dhl|dpd|gls|bestellung|auftrag|rechnung|sendung|commande|facture|colis|pedido|factura|ordine|fattura)(?<many>s|en)?(?: (?:no|nr|number|id))?[ .:#]{0,3}$/iu;
/** Start of a decimal fraction, or of an identifier such as JD014600006281230701. */
const IDENTIFIER = /[A-Z]$|\d,$/;
const MAX_PHONE_DIGITS = 15;
/** Always refused, because anyone testing the guard uses one. */
const TEST_NUMBERS: ReadonlySet<string> = new Set(SANDBOX_CARDS.map(({ number }) => number));

/** `parts` alternate between digits and separators. */
function solidNumber(parts: readonly string[], before: string): string | undefined {
  const isOther = (at: number) =>
    at > 0
      ? parts[at - 1] === "."
      : IDENTIFIER.test(before) ||
        LABEL.test(before) ||
        (before.endsWith("+") && (parts[0]?.length ?? 0) <= MAX_PHONE_DIGITS);
  const isCard = (part: string, at: number) =>
    TEST_NUMBERS.has(part) || (isIssued(part) && isValid(part) && !isOther(at));
  return parts.find((part, at) => at % 2 === 0 && isCard(part, at));
}

/** Common lengths of groups. */
const USUAL = /^(?:4-6-[45]|4-4-4(?:-[1-4])?|4-4-4-4-[1-3]|1(?:-1){13,18})$/;

/** Groups with identical separators. A shorter number, such as a security code, may be at either end. */
function groupedNumber(parts: readonly string[], before: string): string | undefined {
  const rows: string[][] = [parts.slice(0, 1)];
  for (let i = 2; i < parts.length; i += 2) {
    const digits = parts[i] as string;
    if (i === 2 || parts[i - 1] === parts[i - 3]) rows.at(-1)?.push(digits);
    else rows.push([parts[i - 2] as string, digits]);
  }
  const isOther = IDENTIFIER.test(before) || before.endsWith("+") || LABEL.exec(before)?.groups?.many !== undefined;
  return (isOther ? rows.slice(1) : rows)
    .flatMap(withoutEnds)
    .find((groups) => {
      const number = groups.join("");
      return USUAL.test(groups.map(({ length }) => length).join("-")) && isPossible(number) && isValid(number);
    })
    ?.join("");
}

/** The groups, also without one or two short ones at the start or end. */
function withoutEnds(groups: string[]): string[][] {
  const isShort = (at: number) => (groups.at(at)?.length ?? 0) < 4;
  const all = [groups];
  if (isShort(0)) all.push(groups.slice(1), ...(isShort(1) ? [groups.slice(2)] : []));
  if (isShort(-1)) all.push(groups.slice(0, -1), ...(isShort(-2) ? [groups.slice(0, -2)] : []));
  return all;
}

/** Luhn check digit. */
function isValid(number: string): boolean {
  let sum = 0;
  for (let i = 0; i < number.length; i++) {
    const value = Number(number[number.length - 1 - i]) * (i % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

export const holdsCardNumber = (text: string): boolean => findCardNumber(text) !== null;

/** True if a text's digits contain this number. `number` is ASCII digits. */
export const holdsNumber = (text: string, number: string): boolean =>
  mayHoldDigits(text, number.length) && plainText(text).replace(/\D/g, "").includes(number);

/** The text with ASCII digits, spaces and dashes, and without invisible characters. */
const plainText = (text: string): string =>
  text
    .replace(ESCAPED, " ")
    .replace(/[\p{Cf}\p{M}\p{DI}]/gu, "")
    .replace(/[\p{Zs}\t]/gu, " ")
    .replace(/\p{Pd}/gu, "-")
    .replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)));

const mayHoldNumber = (text: string): boolean => mayHoldDigits(text, MIN_LENGTH);

/** False if a text has fewer than `min` digits of any script, which covers nearly all texts. */
function mayHoldDigits(text: string, min: number): boolean {
  let count = 0;
  for (let i = 0; i < text.length && count < min; i++) {
    const code = text.charCodeAt(i);
    if (code > 127 || (code >= 48 && code <= 57)) count++;
  }
  return count >= min;
}

/** Longer than any card number with its separators. */
const MAX_BEYOND = 256;

/**
 * Request text in a form that may be stored: masked, cut to `max` characters with a marker, and valid for
 * PostgreSQL.
 */
export function keepableText(text: string, max: number): string {
  if (text.length <= max && isPlain(text)) return text;
  // Cut only after masking, so that a number across the limit is recognized.
  const masked = maskCardNumbers(text.slice(0, max + MAX_BEYOND).toWellFormed()).replaceAll("\u0000", "\uFFFD");
  if (text.length <= max && masked.length <= max) return masked;
  // The end may hold a part of a number, which masks before it can move to within the limit.
  const whole = text.length > max + MAX_BEYOND ? masked.slice(0, -MAX_BEYOND) : masked;
  return `${whole.slice(0, max - 1).toWellFormed()}…`;
}

const isPlain = (text: string) => /^[ -~]*$/.test(text) && !mayHoldNumber(text);
