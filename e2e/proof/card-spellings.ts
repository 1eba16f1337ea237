/** Returns a whole number below the limit; the sequence depends only on the seed. */
export type Random = (limit: number) => number;

/** Mulberry32: small, and the same on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** A written number and the text around it. `front` and `back` may be masked with it; the rest must be. */
export type Written = {
  readonly front: string;
  readonly number: string;
  readonly back: string;
  /** The number before each level of escaping, visible to anyone who unescapes it. */
  readonly inner: readonly string[];
  /** True if the security code follows the number. */
  readonly hasCode: boolean;
};

/** One way to write a number, with the security code where the spelling includes it. */
export type Spelling = {
  readonly name: string;
  readonly write: (number: string, code?: string) => Written;
  /** True if people write cards this way: free text with the number is then refused. */
  readonly isUsual?: boolean;
};

/** Placeholder for the security code in a spelling. */
const CODE = "123";

const grouped = (number: string, separator: string) => number.replace(/(.{4})(?=.)/g, `$1${separator}`);
const inScript = (number: string, zero: number) =>
  number.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
const known = (name: string, number: (number: string) => string, back = ""): Spelling => ({
  name,
  write: (digits, code = CODE) => ({
    front: "",
    number: number(digits),
    back: back.replace(CODE, code),
    inner: [],
    hasCode: back.includes(CODE),
  }),
});

/** Spellings that were once let through. */
export const KNOWN_SPELLINGS: readonly Spelling[] = [
  known("plain", (number) => number),
  known("with its code behind", (number) => number, "123"),
  known("with date and code", (number) => number, " 12/29 123"),
  known("dots", (number) => grouped(number, ".")),
  known("%20", (number) => grouped(number, "%20")),
  known("x", (number) => grouped(number, "x")),
  known("slashes", (number) => grouped(number, "/")),
  known("full width", (number) => inScript(number, 0xff10)),
  known("&nbsp; in a URL", (number) => grouped(number, "%26nbsp%3B")),
  known("\\t in a URL", (number) => grouped(number, "%5Ct")),
  known("escaped for JSON, in a URL", (number) => number.replace(/\d/g, "%5Cu003$&")),
];

const SIGNS = [
  ...[
    "",
    "",
    " ",
    "-",
    ".",
    "/",
    ":",
    "_",
    "|",
    ",",
    ";",
    "+",
    "*",
    "~",
    "#",
    "@",
    "=",
    "'",
    '"',
    "<",
    "(",
    "\t",
    "\n",
  ],
  ...[
    " - ",
    " / ",
    ", ",
    "::",
    "--",
    "..........",
    "          ",
    "\u00a0",
    "\u2009",
    "\u2013",
    "\u00b7",
    "\u3000",
    "\ud83d\udcb3",
  ],
];
/** Lookalikes of escapes; a spelling has at most one real kind of escape, otherwise it would be ambiguous. */
const LITERAL_ESCAPES = ["%", "\\", "&", "%20", "%2D", "&nbsp;", "&#32;", "\\t", "\\u0020", "\\n", "\\/"];
const LETTERED = ["x", " x ", "X", "a", "\u0445", "\u3164"];
/** Only used as a repeated separator: unrelated numbers don't have the same text between them three times. */
const WORDS = [" and ", "-and-then-", "</b> <b>", '"},{"n":"', " dash "];

type Style = (digits: string, random: Random) => string[];
const script =
  (zero: number): Style =>
  (digits) =>
    Array.from(digits, (digit) => String.fromCodePoint(zero + Number(digit)));
const from =
  (style: string): Style =>
  (digits) =>
    Array.from(digits, (digit) => Array.from(style)[Number(digit)] as string);
/** ASCII three times as often as Arabic, Persian, Devanagari, Thai, full-width, bold and double-struck digits. */
const STYLES: readonly Style[] = [
  ...[0x30, 0x30, 0x30, 0x660, 0x6f0, 0x966, 0xe50, 0xff10, 0x1d7ce, 0x1d7d8, 0xe0030].map(script),
  ...["⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉", "⓪①②③④⑤⑥⑦⑧⑨", "⓿❶❷❸❹❺❻❼❽❾", "0⑴⑵⑶⑷⑸⑹⑺⑻⑼", "⓿⓵⓶⓷⓸⓹⓺⓻⓼⓽"].map(from),
  (digits) => Array.from(digits, (digit) => `${digit}\ufe0f\u20e3`),
  (digits, random) => Array.from(digits, (digit) => (random(2) ? digit : String.fromCodePoint(0xff10 + Number(digit)))),
  (digits) => digits.match(/[1-3]\d|4\d|./g)?.map(pair) ?? [],
];

/** ⑩ to ㊿ represent two digits. */
function pair(digits: string): string {
  const value = Number(digits);
  if (digits.length < 2) return digits;
  return String.fromCodePoint(
    value <= 20 ? 0x2460 - 1 + value : value <= 35 ? 0x3251 - 21 + value : 0x32b1 - 36 + value,
  );
}

/** The value of each digit that isn't ASCII, such as two for ⑫. */
export const STYLED_DIGITS: ReadonlyMap<string, string> = new Map(
  ["0123456789", ...Array.from({ length: 41 }, (_, over) => String(10 + over))].flatMap((digits) =>
    STYLES.flatMap((style) => {
      const characters = style(digits, (limit) => limit - 1).map((one) => one.replace("\ufe0f\u20e3", ""));
      const each = characters.length === 1 ? [digits] : Array.from(digits);
      return characters.map((one, at): [string, string] => [one, each[at] ?? ""]);
    }).filter(([one]) => (one.codePointAt(0) as number) > 127),
  ),
);

/** Joiners, direction marks, isolates, a soft hyphen, a BOM, accents, variation selectors, script-specific ones. */
const INVISIBLE = Array.from(
  "\u200b\u200c\u200d\u200e\u200f\u202a\u202d\u202e\u202c\u2066\u2069\u2060\u00ad\ufeff\u0301\u034f\ufe0e\u180b\u061c",
);
const FRONTS = ["", "", "", "pan=", "card:", "Visa ", "#", "12/29 ", "123 ", '{"n":"'];
const BACKS = ["", "", "", "123", " 123", "/123", " 12/29", " 1229 123", " exp 12/29", ".", '"}'];
const USUAL_SIGNS = [" ", "-", ".", " - ", "\u00a0", "\u2009", "\u2013", "\u3000"];
/** With other digits at both ends, or directly attached, it may be part of a longer number. */
const isAlone = (front: string, back: string) =>
  !back.startsWith("1") && !back.startsWith(" 1229") && !(/\d/.test(front) && /^ ?\d/.test(back));

type Escaper = { readonly name: string; readonly must: RegExp; readonly write: (character: string) => string };
const units = (character: string) => Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
const hex = (value: number, length: number) => value.toString(16).padStart(length, "0");
const percent = (character: string) => [...Buffer.from(character)].map((byte) => `%${hex(byte, 2)}`).join("");
const latin1 = (character: string) => Buffer.from(character).toString("latin1");
const SHORT: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", '"': '\\"', "/": "\\/", "\\": "\\\\" };
const ENTITIES: Readonly<Record<string, string>> = {
  " ": "&nbsp;",
  "&": "&amp;",
  "%": "&percnt;",
  "#": "&num;",
  "\\": "&bsol;",
};
const json = (character: string) =>
  units(character)
    .map((unit) => `\\u${hex(unit, 4)}`)
    .join("");

const ESCAPERS: readonly Escaper[] = [
  { name: "URL", must: /[^\w.~-]/u, write: percent },
  { name: "URL in capitals", must: /[^\w.~-]/u, write: (character) => percent(character).toUpperCase() },
  {
    name: "%u",
    must: /[%\u0080-\u{10ffff}]/u,
    write: (character) =>
      units(character)
        .map((unit) => `%u${hex(unit, 4)}`)
        .join(""),
  },
  { name: "JSON", must: /[\\"\t\n]/u, write: (character) => SHORT[character] ?? json(character) },
  { name: "JSON in ASCII", must: /[\\"\u0080-\u{10ffff}]/u, write: json },
  { name: "\\u{}", must: /\\/u, write: (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}` },
  { name: "HTML", must: /[&<>"]/u, write: (character) => `&#${character.codePointAt(0)};` },
  { name: "HTML, hex", must: /[&<>"]/u, write: (character) => `&#x${hex(character.codePointAt(0) as number, 6)};` },
  {
    name: "HTML, names",
    must: /&/u,
    write: (character) => ENTITIES[character] ?? `&#0000000${character.codePointAt(0)};`,
  },
  { name: "Latin-1", must: /./su, write: latin1 },
];

type Escaping = {
  readonly escaper: Escaper;
  /** Share, in tenths, of optional characters that are escaped. */
  readonly tenths: number;
};
const MAX_NESTING = 4;
/** Longer spellings wouldn't be stored anywhere. */
const MAX_LENGTH = 800;

function escaped(text: string, { escaper, tenths }: Escaping, random: Random): string {
  return Array.from(text, (one) => (escaper.must.test(one) || random(10) < tenths ? escaper.write(one) : one)).join("");
}

/** Generates a spelling with random separators, groups, scripts, invisible characters and nested escapes. */
export function madeSpelling(random: Random): Spelling {
  const one = <T>(among: readonly T[]) => among[random(among.length)] as T;
  const kind = random(10);
  const separators = kind < 6 ? [one(SIGNS)] : kind < 7 ? SIGNS : [one(one([LITERAL_ESCAPES, LETTERED, WORDS]))];
  const size = WORDS.includes(separators[0] as string) ? one([2, 4]) : one([4, 4, 4, 1, 2, 3, 5, 6, 8]);
  const style = one(STYLES);
  const invisible = random(4) === 0 ? one([[one(INVISIBLE)], INVISIBLE]) : [];
  const [front, back] = [one(FRONTS), one(BACKS)];
  const mostNesting = LITERAL_ESCAPES.includes(separators[0] as string) ? 1 : MAX_NESTING;
  const nesting = Math.min(mostNesting, Math.max(0, random(MAX_NESTING + 4) - 3));
  const escapings = Array.from(
    { length: nesting },
    (_, level): Escaping => ({
      escaper: one(ESCAPERS),
      tenths: level < 2 ? one([0, 0, 3, 10]) : 0,
    }),
  );
  const seed = random(2 ** 31);

  function write(number: string, code = CODE): Written {
    const own = seededRandom(seed);
    const among = <T>(list: readonly T[]) => list[own(list.length)] as T;
    const groups = number.match(new RegExp(`.{1,${size}}`, "g")) ?? [];
    let text = "";
    for (const [at, group] of groups.entries()) {
      if (at > 0) text += among(separators);
      const characters = style(group, own);
      for (const [place, character] of characters.entries()) {
        text += character;
        const isLast = at === groups.length - 1 && place === characters.length - 1;
        if (invisible.length > 0 && !isLast && own(3) === 0) text += among(invisible).repeat(1 + own(3));
      }
    }
    let parts = [front.replace(CODE, code), text, back.replace(CODE, code)];
    const inner: string[] = [];
    for (const escaping of escapings) {
      const next = parts.map((part) => escaped(part, escaping, own));
      if (next.join("").length > MAX_LENGTH) continue;
      inner.push(parts[1] as string);
      parts = next;
    }
    return {
      front: parts[0] as string,
      number: parts[1] as string,
      back: parts[2] as string,
      inner,
      hasCode: back.includes(CODE),
    };
  }
  const kinds = escapings.map(({ escaper }) => escaper.name);
  return {
    isUsual:
      size === 4 && separators.length === 1 && USUAL_SIGNS.includes(separators[0] as string) && isAlone(front, back),
    name: `${JSON.stringify([separators.length > 1 ? "any" : separators[0], front, back, ...kinds])} #${seed}`,
    write,
  };
}

/** Lengths and prefixes of the networks' numbers. */
const NETWORKS: readonly (readonly [length: number, prefix: string])[] = [
  ...([
    [16, "4"],
    [16, "4"],
    [19, "4"],
    [16, "51"],
    [16, "55"],
    [16, "2223"],
    [16, "2720"],
    [15, "34"],
    [15, "37"],
  ] as const),
  ...([
    [14, "36"],
    [14, "305"],
    [16, "3530"],
    [16, "6011"],
    [16, "65"],
    [16, "62"],
    [19, "62"],
    [16, "2200"],
    [12, "6759"],
  ] as const),
];

/** Length and prefix of a random network's numbers. */
export const someNetwork = (random: Random) => NETWORKS[random(NETWORKS.length)] as readonly [number, string];
