import { sha256 } from "@/lib/secret";

/** Failures of addresses that belong to nobody, counted as an account's would be. */
type Decoy = { failures: number; lockedUntilMs: number };

/** On globalThis, for the pages are bundled with a copy of this module. */
const holder = globalThis as { [key: symbol]: Map<string, Decoy> | undefined };
const KEY = Symbol.for("cardlane.decoy-locks");
const MAX_DECOYS = 50_000;

export type LockRule = { readonly failures: number; readonly minutes: number };

/**
 * Counts a failed sign-in of an e-mail address that nobody has, and answers until when it is locked, or null. Without it
 * the lock would tell which addresses exist: those that lock. Kept in this process, and forgotten oldest first.
 */
export function failDecoy(email: string, now: Date, rule: LockRule): string | null {
  holder[KEY] ??= new Map();
  const decoys = holder[KEY];
  const key = sha256(email.toLowerCase()).toString("base64");
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
export function decoyLock(email: string, now: Date): string | null {
  const known = holder[KEY]?.get(sha256(email.toLowerCase()).toString("base64"));
  return known !== undefined && known.lockedUntilMs > now.getTime()
    ? new Date(known.lockedUntilMs).toISOString()
    : null;
}
