import { readingsOf } from "./escapes";

/** What stands where a card's number stood. */
export const CARD_NUMBER_MARK = "[card number]";
/** Why a text is refused. The text itself is never repeated. */
export const HOLDS_CARD_NUMBER = "This contains a card number. Remove it: card numbers belong in the card fields only.";
export const HOLDS_OWN_CARD = "This contains the number of this request's card. Remove it: it must not be stored.";

/** Between two digits of one number: spaces, dashes, " / " …, where a sign that is repeated counts once. */
const MAX_GAP = 6;
/** With a letter among them, as in " x ". */
const MAX_LETTERED_GAP = 3;
/** Characters of what is no such gap, but stands between three groups and the next: " and ", "</b> <b>". */
const MAX_REPEATED_GAP = 24;
const MIN_LENGTH = 12;
/** Digits beside a number that go with it: an expiry (12/2029) and a security code. */
const MAX_BESIDE = 10;
/** A security code written directly before or after a number. */
const MAX_ATTACHED = 4;
const FAR = MAX_REPEATED_GAP + 1;
/** An id or a time of ours stands in between. */
const NEVER = 255;

/** The digits of a text in order, of any script, and how far each stands from the one before. */
type Digits = {
  /** Where each place that `starts` and `ends` name stood in the text as it was written. */
  readonly from: Uint32Array | null;
  readonly count: number;
  readonly values: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Characters in between, up to `FAR`. */
  readonly gaps: Uint8Array;
  /** What stands in between, as a number that is the same for the same text, and whether a letter is in it: 1. */
  readonly between: Int32Array;
  readonly lettered: Uint8Array;
};

/**
 * The text with every card number masked, and the few digits beside it: numbers of a card network's prefix and length with a
 * valid check digit, in any script and with any separators. Ids and times of ours stay. Takes time in proportion to the text.
 */
export function maskCardNumbers(text: string): string {
  if (!mayHoldNumber(text)) return text;
  const hidden = new Uint8Array(text.length);
  let found = false;
  for (const digits of readings(text, "ids")) {
    const { starts, ends, from: written } = digits;
    const joined = joins(digits);
    const inText = (place: number) => (written ? (written[place] as number) : place);
    /** Up to there everything is hidden: of numbers that overlap, the last one alone has something to add. */
    let done = 0;
    findNumbers(digits, joined, OLD_TOO, (first, last) => {
      let [from, to] = [first, last];
      while (joined[from] && first - from < MAX_BESIDE && (from > done || done === 0)) from--;
      while (joined[to + 1] && to - last < MAX_BESIDE) to++;
      hidden.fill(1, inText(starts[from] as number), inText(ends[to] as number));
      done = Math.max(done, to);
      found = true;
      return false;
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
 * Whether a person's text holds a card number, to refuse it. Stricter than masking, because a refusal costs a sale: the
 * number begins or ends with a group of digits, but for a security code beside it, and is not part of a hash.
 */
export function holdsCardNumber(text: string): boolean {
  return readings(text, "ids and hashes").some((digits) => {
    const { from, to } = groupsOf(digits);
    return findNumbers(digits, joins(digits), 0, (first, last) => {
      const before = first - (from[first] as number);
      const after = (to[last] as number) - last;
      return (before === 0 && after <= MAX_ATTACHED) || (after === 0 && before <= MAX_ATTACHED);
    });
  });
}

/** Whether a text holds exactly this number, in whatever spelling. `number` is ASCII digits. */
export function holdsNumber(text: string, number: string): boolean {
  const plain = plainDigits(text);
  if (plain !== null) return plain.includes(number);
  return readings(text, "nothing").some(({ values, count }) => values.subarray(0, count).join("").includes(number));
}

/** The digits of a text in ASCII without escapes, which stand for themselves; null of any other text. */
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

/** Ten times what a number takes that is escaped twice. */
const MAX_BEYOND = 4_096;

/** A text that may be kept of a request: masked, of at most `max` characters with a mark where it was cut, and storable. */
export function keepableText(text: string, max: number): string {
  if (text.length <= max && isPlain(text)) return text;
  // Cut only after masking: a number that stands across the limit is found whole.
  const masked = maskCardNumbers(text.slice(0, max + MAX_BEYOND).toWellFormed()).replaceAll("\u0000", "\uFFFD");
  return text.length > max || masked.length > max ? `${masked.slice(0, max - 1).toWellFormed()}…` : masked;
}

const isDigit = (code: number) => code >= 48 && code <= 57;
const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

/** How many digits a text may hold: nearly every text has too few. A character such as ⑫ stands for two. */
function countCandidates(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) count += 2;
    else if (isDigit(code)) count++;
  }
  return count;
}

/** Printable ASCII with too few digits for a number, as nearly every text is that we keep. */
function isPlain(text: string): boolean {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 || code > 126) return false;
    if (isDigit(code)) count++;
  }
  return count < MIN_LENGTH;
}

const mayHoldNumber = (text: string) => countCandidates(text) >= MIN_LENGTH;

/** What is passed over as no card number of anybody's: ids and times of ours, and ids that are hashes. */
type Skipped = "nothing" | "ids" | "ids and hashes";

/** As it stands, and with escapes read: "%34" may be a 4, or a separator before 34. None when there are too few digits. */
function readings(text: string, skip: Skipped): Digits[] {
  // An escaped digit has a digit in its escape.
  return mayHoldNumber(text) ? readingsOf(text).map(({ text: one, from }) => read(one, from, skip)) : [];
}

function read(text: string, from: Uint32Array | null, skip: Skipped): Digits {
  const size = countCandidates(text);
  const [values, gaps, lettereds] = [new Uint8Array(size), new Uint8Array(size), new Uint8Array(size)];
  const [starts, ends, between] = [new Uint32Array(size), new Uint32Array(size), new Int32Array(size)];
  let count = 0;
  let gap = FAR;
  let lettered = 0;
  let since = 0;
  let lastSign = 0;
  /** Up to there the text is one of our ids, in which letters separate. */
  let idEnd = 0;
  let isInWord = false;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    const isOfWord = isDigit(code) || isLetter(code);
    if (isOfWord && !isInWord && skip !== "nothing") {
      const tokenEnd = endOfToken(text, at) || (skip === "ids and hashes" ? endOfHash(text, at) : 0);
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
      if (skip !== "nothing" && point === 95 && isTypeId(text, at)) idEnd = at + 27;
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

/** Of FNV-1a. */
const HASH = 0x01000193;

const farther = (gap: number) => (gap < FAR ? gap + 1 : gap);

/** What a character is: 0–9 a digit, from `TWO_DIGITS` on a number of two, else one of these. */
const LETTER = 10;
const SIGN = 11;
/** Takes no room: a joiner, an accent. */
const IGNORABLE = 12;
const TWO_DIGITS = 20;
const UNKNOWN = 255;

const ASCII_KINDS = Uint8Array.from({ length: 128 }, (_, code) =>
  isDigit(code) ? code - 48 : isLetter(code) ? LETTER : SIGN,
);
/** Filled as characters come by: asking for a character's properties is slow. */
let kinds = new Uint8Array(0);

function kindOf(point: number): number {
  if (kinds.length === 0) kinds = new Uint8Array(0x110000).fill(UNKNOWN);
  const known = kinds[point] as number;
  if (known !== UNKNOWN) return known;
  const kind = classify(point);
  kinds[point] = kind;
  return kind;
}

/** First and last ones, with the value of the first, of digits that Unicode knows as such, but gives no plain form: ❹, ⓸, ፬. */
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
  // Tags: digits that nobody sees.
  [0xe0030, 0xe0039, 0],
];

/**
 * Digits are what Unicode calls digits, in whatever style. Numerals that are letters or words (Ⅳ, 四, "four") are none: nobody
 * writes a card's number in them, and no software reads one back.
 */
function classify(point: number): number {
  const character = String.fromCodePoint(point);
  if (/\p{Nd}/u.test(character)) {
    // Digits of a script stand in a row from 0 to 9, and rows may follow each other.
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

/** Where a UUID or a time ends that begins here; 0 where none does. */
function endOfToken(text: string, at: number): number {
  if (text.charCodeAt(at + 8) === 45) {
    UUID.lastIndex = at;
    // Its first sixteen digits may be a number's in disguise; ids of ours are of version 7 and this age.
    if (UUID.test(text) && (OWN_UUID.test(text.slice(at, at + 18)) || /[a-f]/i.test(text.slice(at, at + 18))))
      return at + 36;
  }
  if (text.charCodeAt(at + 4) !== 45 || text.charCodeAt(at + 13) !== 58) return 0;
  TIME.lastIndex = at;
  return TIME.test(text) ? TIME.lastIndex : 0;
}

/** Sixty-four at most: a longer word is no id, and searching stays in proportion to the text. */
const HASH_ID = /[\da-f]{20,64}(?![\da-z])/iy;
/** One letter may be what somebody puts between the digits of a number. */
const LETTERS_OF_HASH = 2;
/** A hash seldom begins or ends with so many digits; a number with a month behind it does: 4242424242424242dec27. */
const MAY_BE_NUMBER = /^\d{14}|\d{14}$/;

/** Where a hash ends that begins here, as many shops have them for orders: one in seventy holds a number with a valid check digit. */
function endOfHash(text: string, at: number): number {
  HASH_ID.lastIndex = at;
  if (!HASH_ID.test(text)) return 0;
  const word = text.slice(at, HASH_ID.lastIndex);
  const letters = new Set(word.toLowerCase().replace(/\d/g, ""));
  return letters.size < LETTERS_OF_HASH || MAY_BE_NUMBER.test(word) ? 0 : HASH_ID.lastIndex;
}

const TYPE_ID = /_0[1-3][0-9a-hjkmnp-tv-z]{24}(?![0-9a-zA-Z_])/y;

function isTypeId(text: string, at: number): boolean {
  if (text.charCodeAt(at + 1) !== 48) return false;
  TYPE_ID.lastIndex = at;
  return TYPE_ID.test(text);
}

/**
 * Visits every number there may be, which may overlap, by the index of its first and of its last digit, until `visit` has seen
 * enough; says whether it has.
 */
function findNumbers(
  { values, count }: Digits,
  joined: Uint8Array,
  oldLengths: number,
  visit: (first: number, last: number) => boolean,
): boolean {
  for (let first = 0; first + MIN_LENGTH <= count; first++) {
    const wanted = lengthsAt(values, first, oldLengths);
    if (wanted === 0) continue;
    // Whether every other digit counts double from the first or from the second depends on the length.
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
      if (visit(first, last)) return true;
    }
  }
  return false;
}

/** For each digit the first and the last one of its group: what nothing stands between. */
type Groups = { readonly from: Uint32Array; readonly to: Uint32Array };

function groupsOf({ count, gaps }: Digits): Groups {
  const from = new Uint32Array(count);
  const to = new Uint32Array(count);
  for (let i = 1; i < count; i++) from[i] = gaps[i] === 0 ? (from[i - 1] as number) : i;
  for (let i = count - 1; i >= 0; i--) to[i] = i + 1 < count && gaps[i + 1] === 0 ? (to[i + 1] as number) : i;
  return { from, to };
}

/** Whether each digit may go on the number of the one before. */
function joins(digits: Digits): Uint8Array {
  const { count, gaps, between, lettered } = digits;
  const { from, to } = groupsOf(digits);
  const joined = new Uint8Array(count);
  const isShort = (i: number) => (to[i] as number) - (from[i] as number) < 2;
  /** The last places of the same text in between: what stands there again and again separates, and is not hexadecimal. */
  let same: number[] = [];
  /** Whether the first of them stands between groups that are no single digits: then twice is enough. */
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

const lengths = (from: number, to = from) => (1 << (to + 1)) - (1 << from);
const L16 = lengths(16);
const L16_TO_19 = lengths(16, 19);
const VISA = lengths(16) | lengths(18, 19);
/** Issued until the nineties: masked, but many product codes look the same. */
const OLD_TOO = lengths(13);
const MAESTRO = new Set([5018, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763]);

/** Bit n is set when a card network's numbers that begin like this have n digits. */
function lengthsAt(values: Uint8Array, at: number, oldLengths: number): number {
  const one = values[at] as number;
  if (one === 4) return VISA | oldLengths;
  if (one < 2 || one === 7) return 0;
  const two = one * 10 + (values[at + 1] as number);
  const three = two * 10 + (values[at + 2] as number);
  const four = three * 10 + (values[at + 3] as number);
  switch (one) {
    case 2: // Mastercard, Mir
      return four >= 2221 && four <= 2720 ? L16 : four >= 2200 && four <= 2204 ? L16_TO_19 : 0;
    case 3: // American Express, JCB, Diners Club
      if (two === 34 || two === 37) return lengths(15);
      if (four >= 3528 && four <= 3589) return L16_TO_19;
      return three <= 305 || four === 3095 || two === 36 || two >= 38 ? lengths(14, 19) : 0;
    case 5: // Mastercard, Maestro, Dankort, Verve, Elo
      if (two >= 51 && two <= 55) return L16;
      if (MAESTRO.has(four)) return lengths(12, 19);
      return four === 5019 || (three >= 506 && three <= 509) ? L16 | lengths(18, 19) : 0;
    case 6: // Discover, UnionPay, RuPay, Maestro
      if (MAESTRO.has(four)) return lengths(12, 19);
      return two === 60 || two === 62 || two === 65 || (three >= 644 && three <= 649) || three === 636 || three === 637
        ? L16_TO_19
        : 0;
    case 8: // UnionPay, RuPay
      return two === 81 || two === 82 ? L16_TO_19 : 0;
    default: // Troy
      return four === 9792 ? L16 : 0;
  }
}
