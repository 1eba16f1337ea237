import { createHash } from "node:crypto";
import { CARD_NUMBER_MARK } from "@/lib/contract/card-numbers";
import type { Written } from "./card-spellings";

/** A secret that was sent to the service, and the kind that decides its searched forms. */
export type Secret = {
  readonly name: string;
  readonly text: string;
  readonly kind: "number" | "text" | "code";
  /** The number's spelling and surrounding text, unless it was sent plainly. */
  readonly written?: Written;
};
type Found = { readonly name: string; readonly form: string; readonly offset: number };

/** Finds every form of every secret in any bytes. */
export type Search = (bytes: Buffer) => Found[];

type Needle = { readonly name: string; readonly form: string; readonly bytes: Buffer };

/**
 * The searched forms of a secret: text, common text encodings, the numeric types of databases, and digests
 * that anyone can reverse by trying all card numbers.
 */
export function formsOf({ text, kind, written }: Secret): [form: string, bytes: Buffer][] {
  switch (kind) {
    case "number": {
      const forms = [...textForms(text), ...numberForms(text), ...digests(text)];
      return [...forms, ...(written ? spelledForms(written) : groupings(text))];
    }
    case "text":
      return textForms(text);
    case "code":
      return codeContexts(text);
    default:
      return kind satisfies never;
  }
}

const bytes = (text: string) => Buffer.from(text, "latin1");
const each = (text: string, form: (code: number) => string) => [...bytes(text)].map(form).join("");
const hex = (value: number, digits = 2) => value.toString(16).padStart(digits, "0");

function textForms(text: string): [string, Buffer][] {
  return [
    ["as it is", bytes(text)],
    ["reversed", Buffer.from(bytes(text)).reverse()],
    ["hex", bytes(each(text, (code) => hex(code)))],
    ["escaped for JSON", bytes(each(text, (code) => `\\u${hex(code, 4)}`))],
    ["escaped twice for JSON", bytes(each(text, (code) => `\\\\u${hex(code, 4)}`))],
    ["escaped for URLs", bytes(each(text, (code) => `%${hex(code)}`))],
    ["escaped for HTML", bytes(each(text, (code) => `&#${code};`))],
    ["escaped for HTML, hex", bytes(each(text, (code) => `&#x${hex(code)};`))],
    ["UTF-16LE", Buffer.from(text, "utf16le")],
    ["UTF-16BE", Buffer.from(text, "utf16le").swap16()],
    ...base64Forms(text),
  ];
}

/** Base64 at each of the three alignments, without the characters that depend on neighboring bytes. */
function base64Forms(text: string): [string, Buffer][] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes(text)])
      .toString("base64")
      .replaceAll("=", "");
    const whole = Math.floor(((before + text.length) * 8) / 6);
    return [`base64 at ${before}`, bytes(encoded.slice(Math.ceil((before * 8) / 6), whole))];
  });
}

/**
 * Minimum of distinct bytes. A number such as 4000000000000002 leaves mostly zeros, which occur everywhere.
 */
const MIN_DIFFERENT = 5;

function groupings(number: string): [string, Buffer][] {
  const groups = number.length === 15 ? [4, 10, 15] : [4, 8, 12, 16, 19];
  const parts = groups.map((end, index) => number.slice(groups[index - 1] ?? 0, end)).filter(Boolean);
  const separators = {
    spaces: " ",
    dashes: "-",
    dots: ".",
    "a plus for each space": "+",
    "%20": "%20",
    "no-break spaces": "\u00a0",
  };
  // A receipt may show the first six and the last four; one end plus the middle reveals the number.
  const most: [string, Buffer][] = [
    ["all but its last four", bytes(number.slice(0, -4))],
    ["all but its first six", bytes(number.slice(6))],
  ];
  return [
    ...Object.entries(separators).map(([name, one]): [string, Buffer] => [name, Buffer.from(parts.join(one))]),
    ...most.filter(([, digits]) => new Set(digits).size >= MIN_DIFFERENT),
  ];
}

/** Share of a spelling, from either end, that counts as a find: twelve of sixteen digits. */
const SHARE_THAT_COUNTS = 0.75;

/** The number as sent, or most of it; and a code that outlived its number. */
function spelledForms({ number, back, hasCode }: NonNullable<Secret["written"]>): [string, Buffer][] {
  const characters = Array.from(number);
  const length = Math.ceil(characters.length * SHARE_THAT_COUNTS);
  const parts = [characters.slice(0, length).join(""), characters.slice(-length).join("")];
  const texts = [...parts, ...(hasCode ? [CARD_NUMBER_MARK + back] : [])];
  return [...new Set(texts.flatMap(asKept))].map((text) => ["as it was sent", Buffer.from(text)]);
}

/** The text itself, as a string of JSON within JSON, in lower case, and URL-encoded. */
function asKept(text: string): string[] {
  const inJson = (one: string) => JSON.stringify(one).slice(1, -1);
  const inUrl = text.isWellFormed() ? [encodeURIComponent(text)] : [];
  return [text, inJson(text), inJson(inJson(text)), text.toLowerCase(), ...inUrl];
}

function numberForms(number: string): [string, Buffer][] {
  const integer = Buffer.alloc(8);
  integer.writeBigInt64LE(BigInt(number));
  const forms: [string, Buffer][] = [
    ["int8", integer],
    ["int8, network order", Buffer.from(integer).reverse()],
    ["packed digits", Buffer.from(number.padStart(number.length + (number.length % 2), "0"), "hex")],
    ["numeric", numericDigits(number)],
  ];
  return forms.filter(([, form]) => new Set(form).size >= MIN_DIFFERENT);
}

/** PostgreSQL's storage of a numeric, also within jsonb: base 10,000, two bytes per digit. */
function numericDigits(number: string): Buffer {
  const padded = number.padStart(Math.ceil(number.length / 4) * 4, "0");
  const digits = Uint16Array.from(padded.match(/.{4}/g) ?? [], Number);
  return Buffer.from(digits.buffer);
}

function digests(number: string): [string, Buffer][] {
  return ["md5", "sha1", "sha256", "sha512"].flatMap((algorithm): [string, Buffer][] => {
    const digest = createHash(algorithm).update(number).digest();
    return [
      [algorithm, digest],
      [`${algorithm}, hex`, bytes(digest.toString("hex"))],
      [`${algorithm}, base64`, bytes(digest.toString("base64").replaceAll("=", ""))],
      [`${algorithm}, base64url`, bytes(digest.toString("base64url"))],
    ];
  });
}

const WITHIN_CARD = "within card";
/**
 * Names in jsonb follow their lengths; after a letter or digit a name is part of an id, as in
 * `req_…fcvv516r…`.
 */
const isOfWord = (byte = 0): boolean => /[\da-z]/i.test(String.fromCharCode(byte));

/** Three digits alone prove nothing, so a security code is searched for next to its name. */
function codeContexts(code: string): [string, Buffer][] {
  return ["cvv", "cvc", "security_code", "csc", "cvv2"].flatMap((name) =>
    [
      `"${name}":"`,
      `"${name}": "`,
      `"${name}":`,
      `"${name}": `,
      `\\"${name}\\":\\"`,
      `${name}=`,
      `%22${name}%22%3A%22`,
      `${name}: '`,
    ]
      .map((context): [string, Buffer] => [`after ${context}`, bytes(context + code)])
      // jsonb stores names and values separately, the names first.
      .concat([[`${WITHIN_CARD}, after ${name}`, bytes(`${name}${code}`)]]),
  );
}

const SLOT_BITS = 23;
const slotOf = (word: number) => Math.imul(word, 0x9e3779b1) >>> (32 - SLOT_BITS);

/**
 * Searches the bytes for all needles in one pass: a table of first four bytes rules out nearly every offset.
 * Hexadecimal forms match in either case.
 */
export function createSearch(secrets: readonly Secret[]): Search {
  const needles = secrets.flatMap((secret) =>
    formsOf(secret).flatMap(([form, found]): Needle[] => {
      const upper = bytes(found.toString("latin1").toUpperCase());
      const cases = /hex|escaped/.test(form) && !upper.equals(found) ? [found, upper] : [found];
      return cases.map((one) => ({ name: secret.name, form, bytes: one }));
    }),
  );
  const table = new Map<number, Needle[]>();
  const slots = new Uint8Array(1 << SLOT_BITS);
  for (const needle of needles) {
    const word = needle.bytes.readUInt32BE(0);
    slots[slotOf(word)] = 1;
    const known = table.get(word);
    if (known) known.push(needle);
    else table.set(word, [needle]);
  }
  return (haystack) => {
    const found: Found[] = [];
    let word = 0;
    for (let end = 0; end < haystack.length; end++) {
      word = ((word << 8) | (haystack[end] as number)) >>> 0;
      if (slots[slotOf(word)] === 0 || end < 3) continue;
      for (const { name, form, bytes: needle } of table.get(word) ?? []) {
        const offset = end - 3;
        if (offset + needle.length > haystack.length) continue;
        if (form.startsWith(WITHIN_CARD) && isOfWord(haystack[offset - 1])) continue;
        if (haystack.compare(needle, 0, needle.length, offset, offset + needle.length) === 0)
          found.push({ name, form, offset });
      }
    }
    return found;
  };
}

/** An unused number that passes the Luhn check and has the prefix of a known network. */
export function canaryNumber(random: (limit: number) => number, length = 16, prefix = "4"): string {
  let digits = prefix;
  while (digits.length < length - 1) digits += String(random(10));
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]) * (i % 2 === 0 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return digits + String((10 - (sum % 10)) % 10);
}
