import { randomBytes } from "node:crypto";
import { sha256 } from "@/lib/secret";

/** Neither i, l, o nor 1: nothing that looks like something else. */
const ALPHABET = "023456789abcdefghjkmnpqrstuvwxyz";
const LENGTH = 16;

/** 80 random bits as `xxxx-xxxx-xxxx-xxxx`: too many to be guessed from a stolen digest. */
export function newRecoveryCode(): string {
  const digits = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte & 31]).join("");
  return (digits.match(/.{4}/g) as string[]).join("-");
}

/** Digest that is stored; blanks, dashes and case do not count. Null when the text cannot be a recovery code. */
export function recoveryCodeDigest(code: string): Buffer | null {
  const digits = code.toLowerCase().replace(/[\s-]/g, "");
  return digits.length === LENGTH && /^[0-9a-z]+$/.test(digits) ? sha256(digits) : null;
}
