/** What stands where a card's number stood. */
export const CARD_NUMBER_MARK = "[card number]";
/** Why a text is refused. The text itself is never repeated. */
export const HOLDS_CARD_NUMBER =
  "This holds a card number. Leave it out: card numbers belong into the card fields alone.";
export const HOLDS_OWN_CARD = "This holds the number of this request's card. Leave it out: it must not be kept.";

/** Between two digits of one number: spaces, dashes, "%20", " x ", "&nbsp;" … */
const MAX_GAP = 6;
/** With a letter among them, as in " x ". */
const MAX_LETTERED_GAP = 3;
const MIN_LENGTH = 12;
/** Digits beside a number that go with it: an expiry (12/2029) and a security code. */
const MAX_BESIDE = 10;
/** A security code written directly before or after a number. */
const MAX_ATTACHED = 4;
const FAR = MAX_GAP + 1;

/** The digits of a text in order, of any script, and how far each stands from the one before. */
type Digits = {
  readonly text: string;
  count: number;
  readonly values: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Characters in between; more than `MAX_GAP` where the two belong to different things. */
  readonly gaps: Uint8Array;
  /** 1 where a letter stands in between. */
  readonly lettered: Uint8Array;
};

/**
 * The text with every card number masked, and the few digits beside it: numbers of a card network's prefix and length with a
 * valid check digit, in any script and with any separators. Ids and times of ours stay. Takes time in proportion to the text.
 */
export function maskCardNumbers(text: string): string {
  const hidden = new Uint8Array(mayHoldNumber(text) ? text.length : 0);
  let found = false;
  for (const digits of readings(text, true)) {
    const { starts, ends } = digits;
    const joined = joins(digits);
    /** Up to there everything is hidden: of numbers that overlap, the last one alone has something to add. */
    let done = 0;
    findNumbers(digits, joined, OLD_TOO, (first, last) => {
      let [from, to] = [first, last];
      while (joined[from] && first - from < MAX_BESIDE && (from > done || done === 0)) from--;
      while (joined[to + 1] && to - last < MAX_BESIDE) to++;
      hidden.fill(1, starts[from], ends[to]);
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
 * number begins or ends with a group of digits, but for a security code beside it.
 */
export function holdsCardNumber(text: string): boolean {
  return readings(text, true).some((digits) => {
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
  return readings(text, false).some(({ values, count }) => values.subarray(0, count).join("").includes(number));
}

/** A text that may be kept of a request: masked, of at most `max` characters with a mark where it was cut, and storable. */
export function keepableText(text: string, max: number): string {
  // Cut only after masking: a number that stands across the limit is found whole.
  const masked = maskCardNumbers(text.slice(0, max + 1_024).toWellFormed()).replaceAll("\u0000", "\uFFFD");
  return text.length > max || masked.length > max ? `${masked.slice(0, max - 1).toWellFormed()}…` : masked;
}

const isDigit = (code: number) => code >= 48 && code <= 57;
const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

/** Characters that may stand for digits: nearly every text has too few of them. */
function countCandidates(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127 || isDigit(code)) count++;
  }
  return count;
}

const mayHoldNumber = (text: string) => countCandidates(text) >= MIN_LENGTH;
const ESCAPES = /[%\\&]/;

/** As it stands, and with escapes read: "%34" may be a 4, or a separator before 34. None when there are too few digits. */
function readings(text: string, skipIds: boolean): Digits[] {
  const candidates = countCandidates(text);
  if (candidates < MIN_LENGTH) return [];
  const plain = read(text, candidates, { decode: false, skipIds });
  return ESCAPES.test(text) ? [plain, read(text, candidates, { decode: true, skipIds })] : [plain];
}

function read(text: string, candidates: number, options: { decode: boolean; skipIds: boolean }): Digits {
  const { decode, skipIds } = options;
  // A character such as ⑫ stands for two.
  const size = candidates * 2;
  const [values, gaps, lettereds] = [new Uint8Array(size), new Uint8Array(size), new Uint8Array(size)];
  const [starts, ends] = [new Uint32Array(size), new Uint32Array(size)];
  let count = 0;
  let gap = FAR;
  let lettered = 0;
  /** Up to there the text is one of our ids, in which letters separate. */
  let idEnd = 0;
  let isInWord = false;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    const isOfWord = isDigit(code) || isLetter(code);
    if (isOfWord && !isInWord && skipIds) {
      const tokenEnd = endOfToken(text, at);
      if (tokenEnd > 0) {
        at = tokenEnd;
        gap = FAR;
        continue;
      }
    }
    isInWord = isOfWord;
    const escaped = decode && (code === 37 || code === 92 || code === 38) ? readEscape(text, at) : null;
    const point = escaped?.point ?? (code < 128 ? code : (text.codePointAt(at) as number));
    const end = escaped?.end ?? at + (point > 0xffff ? 2 : 1);
    const kind = point < 128 ? (ASCII_KINDS[point] as number) : kindOf(point);
    if (kind === LETTER) {
      lettered = 1;
      gap = at < idEnd ? FAR : Math.min(gap + 1, FAR);
    } else if (kind === SIGN) {
      if (skipIds && point === 95 && isTypeId(text, at)) idEnd = at + 27;
      gap = Math.min(gap + 1, FAR);
    } else if (kind !== IGNORABLE) {
      for (const value of kind < TWO_DIGITS
        ? [kind]
        : [Math.floor((kind - TWO_DIGITS) / 10), (kind - TWO_DIGITS) % 10]) {
        if (count === size) break;
        values[count] = value;
        starts[count] = at;
        ends[count] = end;
        gaps[count] = gap;
        lettereds[count] = lettered;
        count++;
        gap = 0;
        lettered = 0;
      }
    }
    at = end;
  }
  return { text, count, values, starts, ends, gaps, lettered: lettereds };
}

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

function classify(point: number): number {
  const character = String.fromCodePoint(point);
  if (/\p{Nd}/u.test(character)) {
    // Digits of a script stand in a row from 0 to 9, and rows may follow each other.
    let first = point;
    while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--;
    return (point - first) % 10;
  }
  if (/\p{N}/u.test(character)) {
    const [, digits] = /^\D?(\d{1,2})\D?$/.exec(character.normalize("NFKC")) ?? [];
    if (digits === undefined) return SIGN;
    return digits.length === 1 ? Number(digits) : TWO_DIGITS + Number(digits);
  }
  if (/[\p{Cf}\p{M}]/u.test(character)) return IGNORABLE;
  return /\p{L}/u.test(character) ? LETTER : SIGN;
}

const HEX = new Int8Array(128).fill(-1);
for (let i = 0; i < 16; i++) {
  HEX["0123456789abcdef".charCodeAt(i)] = i;
  HEX["0123456789ABCDEF".charCodeAt(i)] = i;
}
const hexAt = (text: string, at: number) => HEX[text.charCodeAt(at)] ?? -1;

function hexNumber(text: string, at: number, length: number): number {
  let value = 0;
  for (let i = at; i < at + length; i++) {
    const digit = hexAt(text, i);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

type Escape = { point: number; end: number };

/** The character that an escape of URLs, JSON or HTML stands for; null where there is none. */
function readEscape(text: string, at: number): Escape | null {
  if (text[at] === "%") return readPercent(text, at);
  return text[at] === "&" ? readEntity(text, at) : readBackslash(text, at);
}

function readPercent(text: string, at: number): Escape | null {
  const lead = readByte(text, at);
  if (lead === null || lead.point < 0xc2) return lead;
  const more = lead.point >= 0xf0 ? 3 : lead.point >= 0xe0 ? 2 : 1;
  let point = lead.point & (0x3f >> more);
  let { end } = lead;
  for (let i = 0; i < more; i++) {
    const next = readByte(text, end);
    if (next === null || next.point >> 6 !== 2) return { point: 0x20, end: lead.end };
    point = (point << 6) | (next.point & 0x3f);
    end = next.end;
  }
  return { point: point > 0x10ffff ? 0x20 : point, end };
}

/** "%34", also when its percent sign was escaped once more, or again. */
function readByte(text: string, at: number): Escape | null {
  if (text[at] !== "%") return null;
  let start = at + 1;
  while (text[start] === "2" && text[start + 1] === "5" && hexNumber(text, start + 2, 2) >= 0) start += 2;
  const point = hexNumber(text, start, 2);
  return point < 0 ? null : { point, end: start + 2 };
}

function readBackslash(text: string, at: number): Escape {
  let name = at;
  while (text[name] === "\\") name++;
  const point =
    text[name] === "u" ? hexNumber(text, name + 1, 4) : text[name] === "x" ? hexNumber(text, name + 1, 2) : -1;
  if (point < 0) return { point: 0x20, end: name + (/[nrtbf]/.test(text[name] ?? "") ? 1 : 0) };
  const end = name + (text[name] === "u" ? 5 : 3);
  if (point >= 0xd800 && point <= 0xdbff && text[end] === "\\") {
    let low = end;
    while (text[low] === "\\") low++;
    const second = text[low] === "u" ? hexNumber(text, low + 1, 4) : -1;
    if (second >= 0xdc00 && second <= 0xdfff)
      return { point: (point - 0xd800) * 0x400 + (second - 0xdc00) + 0x10000, end: low + 5 };
  }
  return { point, end };
}

const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|[a-zA-Z]{2,8});/y;

function readEntity(text: string, at: number): Escape | null {
  ENTITY.lastIndex = at;
  const found = ENTITY.exec(text);
  if (!found) return null;
  const [whole, decimal, hex] = found;
  const point = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : 0x20;
  return { point: point > 0x10ffff ? 0x20 : point, end: at + whole.length };
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?![0-9a-z])/iy;
const TIME =
  /(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?(?:\d\d)?)?(?!\d)/y;

/** Where a UUID or a time ends that begins here; 0 where none does. */
function endOfToken(text: string, at: number): number {
  if (text.charCodeAt(at + 8) === 45) {
    UUID.lastIndex = at;
    // Its first sixteen digits may be a number's in disguise; ids of ours begin with 0.
    if (UUID.test(text) && (text[at] === "0" || /[a-f]/i.test(text.slice(at, at + 18)))) return at + 36;
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
  const { text, count, starts, ends, gaps, lettered } = digits;
  const { from, to } = groupsOf(digits);
  const joined = new Uint8Array(count);
  const isShort = (i: number) => (to[i] as number) - (from[i] as number) < 2;
  /** The last places of the same letters; between short groups those are hexadecimal, unless they stand there again and again. */
  let same: number[] = [];
  let separator = "";
  for (let i = 1; i < count; i++) {
    const gap = gaps[i] as number;
    joined[i] = Number(gap <= (lettered[i] ? MAX_LETTERED_GAP : MAX_GAP));
    if (gap === 0) continue;
    const between = joined[i] && lettered[i] ? text.slice(ends[i - 1], starts[i]) : "";
    if (between !== separator) same = [];
    separator = between;
    if (between === "") continue;
    same.push(i);
    if (isShort(i) || isShort(i - 1)) joined[i] = 0;
    if (same.length === 3) for (const place of same) joined[place] = 1;
    else if (same.length > 3) joined[i] = 1;
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
