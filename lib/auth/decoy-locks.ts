import { sha256 } from "@/lib/secret";
import type { Audience } from "./session-cookie";

/** Failures of addresses that belong to nobody, counted as an account's would be. */
type Decoy = { failures: number; lockedUntilMs: number };

/** On globalThis, for the pages are bundled with a copy of this module. */
const holder = globalThis as { [key: symbol]: Map<string, Decoy> | undefined };
const KEY = Symbol.for("cardlane.decoy-locks");
const MAX_DECOYS = 50_000;

/** An address at one of the sign-in pages: an account is locked at its own page only, and so is what looks like one. */
export type DecoyAddress = { readonly kind: Audience; readonly email: string };

const keyOf = ({ kind, email }: DecoyAddress) => sha256(`${kind} ${email.toLowerCase()}`).toString("base64");

export type LockRule = { readonly failures: number; readonly minutes: number };

/**
 * Counts a failed sign-in of an e-mail address that nobody has, and answers until when it is locked, or null. Without it
 * the lock would tell which addresses exist: those that lock. Kept in this process, and forgotten oldest first.
 */
export function failDecoy(decoy: DecoyAddress, now: Date, rule: LockRule): string | null {
  holder[KEY] ??= new Map();
  const decoys = holder[KEY];
  const key = keyOf(decoy);
  const known = decoys.get(key);
  if (known !== undefined && known.lockedUntilMs > now.getTime()) return new Date(known.lockedUntilMs).toISOString();
  const failures = (known === undefined || known.lockedUntilMs > 0 ? 0 : known.failures) + 1;
  const lockedUntilMs = failures >= rule.failures ? now.getTime() + rule.minutes * 60_000 : 0;
  decoys.delete(key);
  decoys.set(key, { failures, lockedUntilMs });
  if (decoys.size > MAX_DECOYS) decoys.delete(decoys.keys().next().value as string);
  return lockedUntilMs > 0 ? new Date(lockedUntilMs).toISOString() : null;
}

/** Until when an address that nobody has is locked, without counting a failure. */
export function decoyLock(decoy: DecoyAddress, now: Date): string | null {
  const known = holder[KEY]?.get(keyOf(decoy));
  return known !== undefined && known.lockedUntilMs > now.getTime()
    ? new Date(known.lockedUntilMs).toISOString()
    : null;
}
