/** A text after unescaping, with the original position of each UTF-16 unit and of the end; null if nothing was escaped. */
type Reading = { readonly text: string; readonly from: Uint32Array | null };

/** Bit per character, or range of characters, that begins an escape. */
const ENTITIES = 1;
const BYTES = 2;
const BACKSLASHES = 4;
const PERCENTS = 8;
const ALL = ENTITIES | BYTES | BACKSLASHES | PERCENTS;
/** Percent signs last: in "4242%4242" one may be literal, in a text whose other escapes hide the digits. */
const IN_TURN = [ENTITIES, BYTES, BACKSLASHES, PERCENTS];
const BEGINNINGS: Readonly<Record<number, RegExp>> = {
  [ENTITIES]: /&/,
  [BYTES]: /[\u00c2-\u00f4]/,
  [BACKSLASHES]: /\\/,
  [PERCENTS]: /%/,
  [ALL]: /[&\u00c2-\u00f4\\%]/,
};

/** Max depth of nested escapes: all kinds at once, and one kind after another. */
const MAX_AT_ONCE = 5;
const MAX_IN_TURN = 8;

/**
 * The text as written, and after each pass of unescaping URLs, JSON and HTML in any nesting: `%5Cu0034`, `&amp;#52;`, and
 * UTF-8 misread as Latin-1. At most fourteen readings, each in linear time.
 */
export function readingsOf(text: string): Reading[] {
  const asWritten = { text, from: null };
  if (!BEGINNINGS[ALL]?.test(text)) return [asWritten];
  const readings = new Map<string, Reading>([[text, asWritten]]);
  const add = (reading: Reading) => void readings.set(reading.text, readings.get(reading.text) ?? reading);
  let all: Reading | null = asWritten;
  for (let step = 0; step < MAX_AT_ONCE && all; step++) {
    all = readOnce(all, ALL);
    if (all) add(all);
  }
  let inTurn: Reading | null = asWritten;
  for (let step = 0; step < MAX_IN_TURN && inTurn; step++) {
    let next: Reading | null = null;
    for (const kind of IN_TURN) next ??= readOnce(inTurn, kind);
    inTurn = next;
    if (inTurn) add(inTurn);
  }
  return [...readings.values()];
}

/** Unescapes these kinds once; null if there is none. */
function readOnce({ text, from }: Reading, kinds: number): Reading | null {
  if (!BEGINNINGS[kinds]?.test(text)) return null;
  const starts = new Uint32Array(text.length + 1);
  const parts: string[] = [];
  let length = 0;
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const start = from ? (from[at] as number) : at;
    const found = readEscape(text, at, kinds);
    if (found === null) {
      starts[length++] = start;
      at++;
      continue;
    }
    const character = String.fromCodePoint(found.point);
    parts.push(text.slice(copied, at), character);
    for (let i = 0; i < character.length; i++) starts[length++] = start;
    at = found.end;
    copied = at;
  }
  if (parts.length === 0) return null;
  parts.push(text.slice(copied));
  starts[length] = from ? (from[text.length] as number) : text.length;
  return { text: parts.join(""), from: starts.subarray(0, length + 1) };
}

/** The unescaped character, never longer than its escape, and the escape's end. */
type Escape = { point: number; end: number };
const SPACE = 0x20;

function readEscape(text: string, at: number, kinds: number): Escape | null {
  const code = text.charCodeAt(at);
  if (code === 38) return kinds & ENTITIES ? readEntity(text, at) : null;
  if (code === 92) return kinds & BACKSLASHES ? readBackslash(text, at) : null;
  if (code === 37) return kinds & PERCENTS ? readPercent(text, at) : null;
  return code >= 0xc2 && code <= 0xf4 && kinds & BYTES ? readUtf8(text, at, latin1Byte) : null;
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

/** "%34", "%EF%BC%94", and the legacy "%u0034". */
function readPercent(text: string, at: number): Escape | null {
  if (text[at + 1] === "u") {
    const point = hexNumber(text, at + 2, 4);
    return point < 0 ? null : { point, end: at + 6 };
  }
  // A byte that isn't UTF-8, or whose sequence is escaped again, is a Latin-1 character.
  return readUtf8(text, at, percentByte) ?? percentByte(text, at);
}

function percentByte(text: string, at: number): Escape | null {
  if (text.charCodeAt(at) !== 37) return null;
  const point = hexNumber(text, at + 1, 2);
  return point < 0 ? null : { point, end: at + 3 };
}

function latin1Byte(text: string, at: number): Escape | null {
  const point = text.charCodeAt(at);
  return point < 0x100 ? { point, end: at + 1 } : null;
}

/** A UTF-8 character of two to four bytes; null if invalid. */
function readUtf8(text: string, at: number, readByte: typeof percentByte): Escape | null {
  const lead = readByte(text, at);
  if (lead === null || lead.point < 0xc2 || lead.point > 0xf4) return null;
  const more = lead.point >= 0xf0 ? 3 : lead.point >= 0xe0 ? 2 : 1;
  let point = lead.point & (0x3f >> more);
  let { end } = lead;
  for (let i = 0; i < more; i++) {
    const next = readByte(text, end);
    if (next === null || next.point >> 6 !== 2) return null;
    point = (point << 6) | (next.point & 0x3f);
    end = next.end;
  }
  return point > 0x10ffff ? null : { point, end };
}

const NAMES_ITSELF = new Set(["\\", "/", '"', "'"]);

/** JSON and JavaScript escapes. Surrogate halves combine in the text. A missing part may itself be escaped. */
function readBackslash(text: string, at: number): Escape | null {
  const kind = text[at + 1];
  if (kind === undefined) return null;
  if (kind === "u" && text[at + 2] === "{") return readBraces(text, at + 3);
  const digits = kind === "u" ? 4 : kind === "x" ? 2 : 0;
  if (digits > 0) {
    const point = hexNumber(text, at + 2, digits);
    return point < 0 ? null : { point, end: at + 2 + digits };
  }
  if (NAMES_ITSELF.has(kind)) return { point: kind.charCodeAt(0), end: at + 2 };
  return "nrtbfv".includes(kind) ? { point: SPACE, end: at + 2 } : null;
}

/** The rest of "\u{34}". */
function readBraces(text: string, first: number): Escape | null {
  let end = first;
  while (end - first < 8 && hexAt(text, end) >= 0) end++;
  const point = hexNumber(text, first, end - first);
  return text[end] === "}" && end > first && point <= 0x10ffff ? { point, end: end + 1 } : null;
}

/** Browsers accept the second alternative without a semicolon as well. */
const NAMED = /&(?:([a-zA-Z][a-zA-Z0-9]{1,31});|(amp|nbsp|shy|middot))/y;
/** Entities that begin further escapes; all others count as separators. */
const SIGNS: Readonly<Record<string, string>> = { amp: "&", AMP: "&", num: "#", semi: ";", percnt: "%", bsol: "\\" };

function readEntity(text: string, at: number): Escape | null {
  if (text[at + 1] === "#") return readNumericEntity(text, at);
  NAMED.lastIndex = at;
  const [whole, name, bare] = NAMED.exec(text) ?? [];
  if (whole === undefined || (bare !== undefined && isEscapeAt(text, at + whole.length))) return null;
  return { point: (SIGNS[name ?? bare ?? ""] ?? " ").charCodeAt(0), end: at + whole.length };
}

/** "&#52;" and "&#x34;", with leading zeros and without a semicolon, as in browsers. */
function readNumericEntity(text: string, at: number): Escape | null {
  const isHex = text[at + 2] === "x" || text[at + 2] === "X";
  const [base, highest] = isHex ? [16, 15] : [10, 9];
  const first = at + (isHex ? 3 : 2);
  let end = first;
  let point = 0;
  for (; point <= 0x10ffff; end++) {
    const digit = hexAt(text, end);
    if (digit < 0 || digit > highest) break;
    point = point * base + digit;
  }
  if (end === first || point > 0x10ffff) return null;
  if (text[end] === ";") return { point, end: end + 1 };
  return isEscapeAt(text, end) ? null : { point, end };
}

/** True if the missing semicolon of an entity may itself be escaped here. */
const isEscapeAt = (text: string, at: number) => text[at] === "\\" || text[at] === "%";
