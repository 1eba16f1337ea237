import { randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { sha256 } from "@/lib/secret";

const PERIOD_S = 30;
const ISSUER = "Cardlane";

const totp = (secretBase32: string, label = "") =>
  new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secretBase32), digits: 6, period: PERIOD_S });

/** A new secret: 160 bits in base32, as RFC 4226 requires. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

/** The content of the QR code, for an authenticator app. */
export const totpUri = (secretBase32: string, email: string): string => totp(secretBase32, email).toString();

/**
 * The time step (30 s each, since 1970) of a code that is at most one step early or late; null when the code
 * is not valid.
 */
export function totpStep(secretBase32: string, code: string, now: Date): number | null {
  const delta = totp(secretBase32).validate({ token: code, timestamp: now.getTime(), window: 1 });
  return delta === null ? null : Math.floor(now.getTime() / 1000 / PERIOD_S) + delta;
}

/**
 * Tolerance for a phone's clock: an hour behind, but 5 minutes ahead, because a match of a future code would
 * help guessing.
 */
const BEHIND_STEPS = 120;
const AHEAD_STEPS = 10;

/** True if the code is valid at another time, which means that the phone's clock is wrong. */
export function isMistimedTotp(secretBase32: string, code: string, now: Date): boolean {
  const delta = totp(secretBase32).validate({ token: code, timestamp: now.getTime(), window: BEHIND_STEPS });
  return delta !== null && Math.abs(delta) > 1 && delta <= AHEAD_STEPS;
}

/** Excludes i, l, o and 1, which are easily confused. */
const ALPHABET = "023456789abcdefghjkmnpqrstuvwxyz";
const LENGTH = 16;

/** 80 random bits as `xxxx-xxxx-xxxx-xxxx`: too many to be guessed from a stolen digest. */
export function newRecoveryCode(): string {
  const digits = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte & 31]).join("");
  return (digits.match(/.{4}/g) as string[]).join("-");
}

/** The digest to store; spaces, dashes and case are ignored. Null when the text cannot be a recovery code. */
export function recoveryCodeDigest(code: string): Buffer | null {
  const digits = code.toLowerCase().replace(/[\s-]/g, "");
  return digits.length === LENGTH && /^[0-9a-z]+$/.test(digits) ? sha256(digits) : null;
}
