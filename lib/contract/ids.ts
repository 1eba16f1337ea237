import { z } from "zod";

/**
 * Every public id is a TypeID: one of these prefixes, `_`, and a UUIDv7 in 26 Crockford base32 characters.
 */
export const ID_PREFIX = {
  payment: "pay",
  transaction: "txn",
  // Not cus, a common prefix of merchants' own ids, nor cst, which client session tokens have.
  customer: "cust",
  paymentMethod: "pm",
  plan: "plan",
  subscription: "sub",
  invoice: "inv",
  clientSession: "cs",
  paymentLink: "plink",
  paymentToken: "tok",
  apiKey: "key",
  environment: "env",
  merchant: "mer",
  user: "usr",
  session: "ses",
  event: "evt",
  webhookEndpoint: "we",
  webhookDelivery: "whd",
  request: "req",
  settlementBatch: "batch",
  payout: "po",
  dispute: "dp",
  file: "file",
  report: "rep",
  reconciliation: "rec",
  balanceMovement: "mov",
  audit: "aud",
  savedView: "view",
  note: "note",
  approval: "apr",
  connection: "con",
} as const;
export type IdKind = keyof typeof ID_PREFIX;

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/** Encodes two digits per step, which halves steps and garbage. */
const PAIRS = Array.from({ length: 1024 }, (_, value) => `${ALPHABET[value >> 5]}${ALPHABET[value & 31]}`);
const DIGIT = new Int8Array(128).fill(-1);
for (let i = 0; i < 32; i++) DIGIT[ALPHABET.charCodeAt(i)] = i;
const NIBBLE = new Int8Array(128).fill(-1);
for (let i = 0; i < 16; i++) NIBBLE["0123456789abcdef".charCodeAt(i)] = i;

/**
 * A stored UUID (36 characters, lower case) as its public id. The library for this (typeid-js) costs about
 * ten times as much, and a page of 100 transactions encodes some 300 ids.
 */
export function encodeId(kind: IdKind, uuid: string): string {
  let out = "";
  // 128 bits in 26 digits of 5 bits: the first digit carries only 3 bits, hence the two leading zero bits.
  let bits = 2;
  let value = 0;
  for (let i = 0; i < uuid.length; i++) {
    const nibble = NIBBLE[uuid.charCodeAt(i)] as number;
    if (nibble < 0) continue;
    value = (value << 4) | nibble;
    bits += 4;
    if (bits >= 10) {
      bits -= 10;
      out += PAIRS[value >> bits];
      value &= (1 << bits) - 1;
    }
  }
  return `${ID_PREFIX[kind]}_${out}`;
}

export function encodeIdOrNull(kind: IdKind, uuid: string | null): string | null {
  return uuid === null ? null : encodeId(kind, uuid);
}

/** The UUID behind a public id, or null if the text isn't an id of that kind. */
export function decodeId(kind: IdKind, id: string): string | null {
  const prefix = ID_PREFIX[kind];
  if (id.length !== prefix.length + 27 || !id.startsWith(prefix) || id[prefix.length] !== "_") return null;
  let hex = "";
  let value = 0;
  let bits = -2;
  for (let i = prefix.length + 1; i < id.length; i++) {
    const digit = DIGIT[id.charCodeAt(i)] ?? -1;
    if (digit < 0 || (i === prefix.length + 1 && digit > 7)) return null;
    value = (value << 5) | digit;
    bits += 5;
    while (bits >= 4) {
      bits -= 4;
      hex += ((value >> bits) & 15).toString(16);
      value &= (1 << bits) - 1;
    }
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The UUID behind a public id of any kind, or null. */
export function decodeAnyId(id: string): string | null {
  for (const kind of Object.keys(ID_PREFIX)) {
    const uuid = decodeId(kind as IdKind, id);
    if (uuid !== null) return uuid;
  }
  return null;
}

/** Schema of an id in a response. */
export const idOf = (kind: IdKind) => z.string().regex(new RegExp(`^${ID_PREFIX[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));

/**
 * Schema of an id in a path or body. Deliberately loose: a malformed id is an unknown id (404), never a 400,
 * so that the response doesn't distinguish a foreign id from a made-up one.
 */
export const idInput = z.string().min(1).max(255);
