import { isIssued, isPossible, possibleLengths } from "./card-networks";
import { type Digits, digitsOf, FAR, isDigit, MIN_LENGTH, plainReadingsOf } from "./digits";
import { withoutIbans } from "./iban";
import { SANDBOX_CARDS } from "./sandbox-cards";

/** Replacement for a masked card number. */
export const CARD_NUMBER_MARK = "[card number]";
/** Follows the name of the refused field. The text itself is never repeated. */
export const holdsCardNumberSentence = (last4: string): string =>
  `holds a card number ending in ${last4}. Write only its last four digits: …${last4}`;
export const HOLDS_OWN_CARD = "This contains the number of this request's card. Remove it: it must not be stored.";

/** Max characters between two digits of a number: spaces, dashes, " / " …, where repeated characters count once. */
const MAX_GAP = 6;
/** Max if there is a letter among them, as in " x ". */
const MAX_LETTERED_GAP = 3;
/** Max digits masked beside a number: an expiry (12/2029) and a security code. */
const MAX_BESIDE = 10;

/**
 * Masks every card number in a text, and the few digits beside it: a card network's prefix and length with a valid check
 * digit, in any script and with any separators. Our own ids and times stay. Linear time.
 */
export function maskCardNumbers(text: string): string {
  const readings = digitsOf(text, true);
  if (readings.length === 0) return text;
  const hidden = new Uint8Array(text.length);
  let found = false;
  for (const digits of readings) {
    const { starts, ends, from: written } = digits;
    const joined = joins(digits);
    const inText = (place: number) => (written ? (written[place] as number) : place);
    /** End of the masked part so far: overlapping numbers extend it. */
    let done = 0;
    findNumbers(digits, joined, (first, last) => {
      let [from, to] = [first, last];
      while (joined[from] && first - from < MAX_BESIDE && (from > done || done === 0)) from--;
      while (joined[to + 1] && to - last < MAX_BESIDE) to++;
      hidden.fill(1, inText(starts[from] as number), inText(ends[to] as number));
      done = Math.max(done, to);
      found = true;
    });
  }
  if (!found) return text;
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const other = hidden.indexOf(hidden[at] ? 0 : 1, at);
    const end = other < 0 ? text.length : other;
    parts.push(hidden[at] ? CARD_NUMBER_MARK : text.slice(at, end));
    at = end;
  }
  return parts.join("");
}

/**
 * The last four digits of a card number in free text, which is refused for it; null if there is none. Stricter than
 * masking, because a refusal costs a sale: the number is contiguous or in the usual groups, and not part of an IBAN,
 * a phone number, an identifier or a longer number.
 */
export function findCardNumber(text: string): string | null {
  for (const reading of plainReadingsOf(text)) {
    const plain = withoutIbans(reading);
    for (const { 0: numbers, index } of plain.matchAll(NUMBERS)) {
      const before = plain.slice(Math.max(0, index - MAX_LABEL), index);
      const parts = numbers.split(/([ .-]+)/);
      const found = solidNumber(parts, before) ?? groupedNumber(parts, before);
      if (found) return found.slice(-4);
    }
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
/** Always refused: no order has such a number, but anyone testing the guard uses one. */
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

/** True if a text holds exactly this number, in any spelling. `number` is ASCII digits. */
export function holdsNumber(text: string, number: string): boolean {
  const plain = plainDigits(text);
  if (plain !== null) return plain.includes(number);
  return digitsOf(text, false).some(({ values, count }) => values.subarray(0, count).join("").includes(number));
}

/** The digits of an ASCII text without escapes; null for any other text. */
function plainDigits(text: string): string | null {
  let digits = "";
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127 || code === AMPERSAND || code === PERCENT || code === BACKSLASH) return null;
    if (isDigit(code)) digits += text[i];
  }
  return digits;
}

const [AMPERSAND, PERCENT, BACKSLASH] = [38, 37, 92];

/** Margin for escapes: ten times a double-escaped number. */
const MAX_BEYOND = 4_096;

/** Request text in a form that may be stored: masked, cut to `max` characters with a marker, and valid for PostgreSQL. */
export function keepableText(text: string, max: number): string {
  if (text.length <= max && isPlain(text)) return text;
  // Cut only after masking, so that a number across the limit is recognized.
  const masked = maskCardNumbers(text.slice(0, max + MAX_BEYOND).toWellFormed()).replaceAll("\u0000", "\uFFFD");
  return text.length > max || masked.length > max ? `${masked.slice(0, max - 1).toWellFormed()}…` : masked;
}

/** True for printable ASCII with too few digits for a number, which covers nearly all stored texts. */
function isPlain(text: string): boolean {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 || code > 126) return false;
    if (isDigit(code)) count++;
  }
  return count < MIN_LENGTH;
}

/** Visits every candidate number, including overlapping ones, by the index of its first and last digit. */
function findNumbers(
  { values, count }: Digits,
  joined: Uint8Array,
  visit: (first: number, last: number) => void,
): void {
  for (let first = 0; first + MIN_LENGTH <= count; first++) {
    const wanted = possibleLengths(firstFour(values, first));
    if (wanted === 0) continue;
    // The length determines if odd or even digits count double, so keep both sums.
    let even = 0;
    let odd = 0;
    for (let last = first; last < count && wanted >> (last - first + 1) !== 0; last++) {
      if (last > first && !joined[last]) break;
      const value = values[last] as number;
      const doubled = value > 4 ? value * 2 - 9 : value * 2;
      even += (last - first) % 2 === 0 ? doubled : value;
      odd += (last - first) % 2 === 0 ? value : doubled;
      const length = last - first + 1;
      if (!(wanted & (1 << length)) || (length % 2 === 0 ? even : odd) % 10 !== 0) continue;
      visit(first, last);
    }
  }
}

/** First and last digit of each digit's group, where a group has no separators inside. */
type Groups = { readonly from: Uint32Array; readonly to: Uint32Array };

function groupsOf({ count, gaps }: Digits): Groups {
  const from = new Uint32Array(count);
  const to = new Uint32Array(count);
  for (let i = 1; i < count; i++) from[i] = gaps[i] === 0 ? (from[i - 1] as number) : i;
  for (let i = count - 1; i >= 0; i--) to[i] = i + 1 < count && gaps[i + 1] === 0 ? (to[i + 1] as number) : i;
  return { from, to };
}

/** For each digit: 1 if it may continue the previous digit's number. */
function joins(digits: Digits): Uint8Array {
  const { count, gaps, between, lettered } = digits;
  const { from, to } = groupsOf(digits);
  const joined = new Uint8Array(count);
  const isShort = (i: number) => (to[i] as number) - (from[i] as number) < 2;
  /** Recent positions of the same separator: repeated text separates groups and isn't hexadecimal. */
  let same: number[] = [];
  /** True if the first of them is between groups of several digits; then two are enough. */
  let isLong = false;
  let separator = 0;
  for (let i = 1; i < count; i++) {
    const gap = gaps[i] as number;
    if (gap === 0) {
      joined[i] = 1;
      continue;
    }
    const isNear = gap <= (lettered[i] ? MAX_LETTERED_GAP : MAX_GAP);
    const besideShort = isShort(i) || isShort(i - 1);
    joined[i] = Number(isNear && !(lettered[i] && besideShort));
    const given = gap < FAR ? (between[i] as number) : 0;
    if (given !== separator) [same, isLong] = [[], !besideShort];
    separator = given;
    if (given === 0) continue;
    same.push(i);
    if (same.length > 3) joined[i] = 1;
    else if (same.length === 3 || (same.length === 2 && isLong)) for (const place of same) joined[place] = 1;
  }
  return joined;
}

function firstFour(values: Uint8Array, at: number): number {
  let four = 0;
  for (let i = at; i < at + 4; i++) four = four * 10 + (values[i] as number);
  return four;
}
