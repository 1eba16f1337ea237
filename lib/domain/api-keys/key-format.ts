import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Mode } from "@/lib/contract/transactions/words";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const PATTERN = new RegExp(`^sk_(test|live)_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

export const keyPrefix = (mode: Mode) => `sk_${mode}_`;

/** A new secret: prefix, 32 random base62 characters (190 bits), and a checksum that catches a mistyped or cut-off key. */
export function newKeySecret(mode: Mode): string {
  const body = keyPrefix(mode) + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** Whether a text can be a key at all; what cannot is refused without a look-up. */
export function isWellFormedKey(text: string): boolean {
  return PATTERN.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 = 4 × 62: the bytes above it would make the first eight characters more likely than the others.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
