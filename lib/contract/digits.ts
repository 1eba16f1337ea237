import { readingsOf } from "./escapes";

/** Max text repeated between three groups of digits, such as " and " and "</b> <b>". */
const MAX_REPEATED_GAP = 24;
export const FAR = MAX_REPEATED_GAP + 1;
/** Gap with one of our ids or times in it. */
const NEVER = 255;

/** The digits of a text in order, of any script, with the gap before each. */
export type Digits = {
  /** Original position of each index in `starts` and `ends`. */
  readonly from: Uint32Array | null;
  readonly count: number;
  readonly values: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Characters before each digit, up to `FAR`. */
  readonly gaps: Uint8Array;
  /** Hash of the text before each digit; `lettered` is 1 if a letter is in it. */
  readonly between: Int32Array;
  readonly lettered: Uint8Array;
};

/** The shortest card number. */
export const MIN_LENGTH = 12;

export const isDigit = (code: number) => code >= 48 && code <= 57;
const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

/** Upper bound of the digits in a text, which is too low for a number in nearly all. A character such as ⑫ counts twice. */
function countCandidates(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) count += 2;
    else if (isDigit(code)) count++;
  }
  return count;
}

const mayHoldNumber = (text: string) => countCandidates(text) >= MIN_LENGTH;

/** The text as written and unescaped: "%34" may be a 4, or a separator before 34. Empty if there are too few digits. */
const readingsWithDigits = (text: string) => (mayHoldNumber(text) ? readingsOf(text) : []);

/** Digits of each reading; `skipsIds` skips our own ids and times. */
export const digitsOf = (text: string, skipsIds: boolean): Digits[] =>
  readingsWithDigits(text).map((reading) => read(reading.text, reading.from, skipsIds));

/** Each reading with ASCII digits, blanks and dashes as " " and "-", and no invisible characters. */
export const plainReadingsOf = (text: string): string[] =>
  readingsWithDigits(text).map((reading) => Array.from(reading.text, plainOf).join(""));

function plainOf(character: string): string {
  const point = character.codePointAt(0) as number;
  if (point < 128) return character === "\t" ? " " : character;
  const kind = kindOf(point);
  if (kind >= TWO_DIGITS) return String(kind - TWO_DIGITS);
  if (kind < LETTER) return String(kind);
  if (kind === IGNORABLE) return "";
  return /\p{Zs}/u.test(character) ? " " : /\p{Pd}/u.test(character) ? "-" : character;
}

function read(text: string, from: Uint32Array | null, skipsIds: boolean): Digits {
  const size = countCandidates(text);
  const [values, gaps, lettereds] = [new Uint8Array(size), new Uint8Array(size), new Uint8Array(size)];
  const [starts, ends, between] = [new Uint32Array(size), new Uint32Array(size), new Int32Array(size)];
  let count = 0;
  let gap = FAR;
  let lettered = 0;
  let since = 0;
  let lastSign = 0;
  /** End of the current id of ours, in which letters separate. */
  let idEnd = 0;
  let isInWord = false;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    const isOfWord = isDigit(code) || isLetter(code);
    if (isOfWord && !isInWord && skipsIds) {
      const tokenEnd = endOfToken(text, at);
      if (tokenEnd > 0) {
        at = tokenEnd;
        gap = NEVER;
        continue;
      }
    }
    isInWord = isOfWord;
    const point = code < 128 ? code : (text.codePointAt(at) as number);
    const end = at + (point > 0xffff ? 2 : 1);
    const kind = point < 128 ? (ASCII_KINDS[point] as number) : kindOf(point);
    if (kind === LETTER) {
      lettered = 1;
      gap = at < idEnd ? NEVER : farther(gap);
      since = Math.imul(since ^ point, HASH);
      lastSign = 0;
    } else if (kind === SIGN) {
      if (skipsIds && point === 95 && isTypeId(text, at)) idEnd = at + 27;
      if (point !== lastSign) {
        gap = farther(gap);
        since = Math.imul(since ^ point, HASH);
      }
      lastSign = point;
    } else if (kind === IGNORABLE) {
      if (count > 0 && gap === 0) ends[count - 1] = end;
    } else {
      for (const value of kind < TWO_DIGITS
        ? [kind]
        : [Math.floor((kind - TWO_DIGITS) / 10), (kind - TWO_DIGITS) % 10]) {
        values[count] = value;
        starts[count] = at;
        ends[count] = end;
        gaps[count] = gap;
        between[count] = since;
        lettereds[count] = lettered;
        count++;
        gap = 0;
        since = 0;
        lettered = 0;
        lastSign = 0;
      }
    }
    at = end;
  }
  return { from, count, values, starts, ends, gaps, between, lettered: lettereds };
}

/** The FNV-1a prime. */
const HASH = 0x01000193;

const farther = (gap: number) => (gap < FAR ? gap + 1 : gap);

/** Kind of a character: 0–9 a digit, from `TWO_DIGITS` on a number of two, or one of these. */
const LETTER = 10;
const SIGN = 11;
/** Zero-width: a joiner, an accent. */
const IGNORABLE = 12;
const TWO_DIGITS = 20;
const UNKNOWN = 255;

const ASCII_KINDS = Uint8Array.from({ length: 128 }, (_, code) =>
  isDigit(code) ? code - 48 : isLetter(code) ? LETTER : SIGN,
);
/** Cache by code point, because Unicode property checks are slow. */
let kinds = new Uint8Array(0);

function kindOf(point: number): number {
  if (kinds.length === 0) kinds = new Uint8Array(0x110000).fill(UNKNOWN);
  const known = kinds[point] as number;
  if (known !== UNKNOWN) return known;
  const kind = classify(point);
  kinds[point] = kind;
  return kind;
}

/** First, last and value of the first: digits that Unicode classifies as such but doesn't normalize: ❹, ⓸, ፬. */
const MORE_DIGITS: readonly (readonly [first: number, last: number, value: number])[] = [
  [0x1369, 0x1371, 1],
  [0x19da, 0x19da, 1],
  [0x24f5, 0x24fd, 1],
  [0x24ff, 0x24ff, 0],
  [0x2776, 0x277e, 1],
  [0x2780, 0x2788, 1],
  [0x278a, 0x2792, 1],
  [0x10a40, 0x10a43, 1],
  [0x10e60, 0x10e68, 1],
  [0x11052, 0x1105a, 1],
  [0x1f10b, 0x1f10c, 0],
  // Tag characters: invisible digits.
  [0xe0030, 0xe0039, 0],
];

/**
 * Digits are characters that Unicode calls digits, in any style. Numerals that are letters or words (Ⅳ, 四, "four") are
 * not: card numbers aren't written in them, and no software parses them back.
 */
function classify(point: number): number {
  const character = String.fromCodePoint(point);
  if (/\p{Nd}/u.test(character)) {
    // A script's digits are contiguous from 0 to 9, and several runs may be adjacent.
    let first = point;
    while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--;
    return (point - first) % 10;
  }
  const [first, , value] = MORE_DIGITS.find(([from, to]) => from <= point && point <= to) ?? [];
  if (first !== undefined && value !== undefined) return first === 0x1f10b ? value : value + point - first;
  if (/\p{N}/u.test(character)) {
    const [, digits] = /^\D?(\d{1,2})\D?$/.exec(character.normalize("NFKC")) ?? [];
    if (digits === undefined) return SIGN;
    return digits.length === 1 ? Number(digits) : TWO_DIGITS + Number(digits);
  }
  if (/[\p{Cf}\p{M}\p{DI}]/u.test(character)) return IGNORABLE;
  return /\p{L}/u.test(character) ? LETTER : SIGN;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?![0-9a-z])/iy;
const OWN_UUID = /^01[89a-f][0-9a-f]{5}-[0-9a-f]{4}-7[0-9a-f]{3}$/;
const TIME =
  /(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?(?:\d\d)?)?(?!\d)/y;

/** End of a UUID or time that starts here, or 0. */
function endOfToken(text: string, at: number): number {
  if (text.charCodeAt(at + 8) === 45) {
    UUID.lastIndex = at;
    // The first sixteen digits could disguise a card number; our own ids are version 7 and recent.
    if (UUID.test(text) && (OWN_UUID.test(text.slice(at, at + 18)) || /[a-f]/i.test(text.slice(at, at + 18))))
      return at + 36;
  }
  if (text.charCodeAt(at + 4) !== 45 || text.charCodeAt(at + 13) !== 58) return 0;
  TIME.lastIndex = at;
  return TIME.test(text) ? TIME.lastIndex : 0;
}

const TYPE_ID = /_0[1-3][0-9a-hjkmnp-tv-z]{24}(?![0-9a-zA-Z_])/y;

function isTypeId(text: string, at: number): boolean {
  if (text.charCodeAt(at + 1) !== 48) return false;
  TYPE_ID.lastIndex = at;
  return TYPE_ID.test(text);
}
