import { BoundedMap } from "@/lib/bounded-map";
import type { Audience } from "@/lib/contract/accounts/sessions";
import { env } from "@/lib/env";
import { networkOf, siteOf } from "@/lib/network";
import { createBuckets } from "@/lib/rate-limits";
import { sha256 } from "@/lib/secret";
import { secondsToWait, type TokenBuckets } from "@/lib/token-buckets";
import { arePasswordsBusy } from "./password";

/** Attempts without a session; each kind has its own limit per network. */
type Attempt = "sign-in" | "sign-up" | "forgot-password" | "reset-password";

type Limits = { readonly attempts: TokenBuckets; readonly accounts: TokenBuckets | null; readonly mails: TokenBuckets };

/** On globalThis, because the pages' bundle has its own copy of this module and must share the counts. */
const holder = globalThis as { [key: symbol]: Limits | undefined };
const KEY = Symbol.for("cardlane.sign-in-limits");

function limits(): Limits {
  holder[KEY] ??= {
    attempts: createBuckets("signInAttempts"),
    accounts: env.signUpsPerDay === 0 ? null : createBuckets("accounts"),
    mails: createBuckets("mails"),
  };
  return holder[KEY];
}

/** Retry-After while the queue of passwords to hash is full. */
const BUSY_SECONDS = 2;

/** Counts an attempt. Returns 0, or the wait in whole seconds until the next one is allowed. */
export function takeAttempt(attempt: Attempt, address: string): number {
  if (arePasswordsBusy()) return BUSY_SECONDS;
  return secondsToWait(limits().attempts.take(`${attempt} ${networkOf(address)}`));
}

/**
 * Counts a sign-up of the caller's site. Returns 0, or the wait in whole seconds until the next one is
 * allowed.
 */
export function takeAccount(address: string): number {
  return secondsToWait(limits().accounts?.take(siteOf(address)) ?? { waitMs: 0 });
}

/** Like {@link takeAccount}, without counting a sign-up. */
export function waitForAccount(address: string): number {
  return secondsToWait({ waitMs: limits().accounts?.waitMs(siteOf(address)) ?? 0 });
}

/** Counts a mail to an unverified mailbox. False when the limit is reached. */
export function takeMail(by: "sign-up" | "resend", address: string, mailbox: string): boolean {
  return limits().mails.take(`${by} ${siteOf(address)} ${mailbox.toLowerCase()}`).waitMs === 0;
}

/** Failed sign-ins of an unknown e-mail address, counted like those of an account. */
type Decoy = { failures: number; lockedUntilMs: number };

/** On globalThis, because the pages' bundle has its own copy of this module. */
const decoyHolder = globalThis as { [key: symbol]: BoundedMap<string, Decoy> | undefined };
const DECOYS_KEY = Symbol.for("cardlane.decoy-locks");
const MAX_DECOYS = 50_000;

/** An e-mail address on one of the sign-in pages. Like accounts, decoys are locked on their own page only. */
type DecoyAddress = { readonly kind: Audience; readonly email: string };

const decoyKey = ({ kind, email }: DecoyAddress) => sha256(`${kind} ${email.toLowerCase()}`).toString("base64");

type LockRule = { readonly failures: number; readonly minutes: number };

/**
 * Counts a failed sign-in of an unknown e-mail address. Returns the end of its lock, or null. Without it,
 * only existing addresses would lock, which would reveal them. Kept in this process's memory; the oldest are
 * dropped first.
 */
export function countDecoyFailure(decoy: DecoyAddress, now: Date, rule: LockRule): string | null {
  decoyHolder[DECOYS_KEY] ??= new BoundedMap(MAX_DECOYS);
  const decoys = decoyHolder[DECOYS_KEY];
  const key = decoyKey(decoy);
  const known = decoys.get(key);
  if (known !== undefined && known.lockedUntilMs > now.getTime()) return new Date(known.lockedUntilMs).toISOString();
  const failures = (known === undefined || known.lockedUntilMs > 0 ? 0 : known.failures) + 1;
  const lockedUntilMs = failures >= rule.failures ? now.getTime() + rule.minutes * 60_000 : 0;
  decoys.set(key, { failures, lockedUntilMs });
  return lockedUntilMs > 0 ? new Date(lockedUntilMs).toISOString() : null;
}

/** The end of an unknown address's lock, or null. Counts no failure. */
export function findDecoyLock(decoy: DecoyAddress, now: Date): string | null {
  const known = decoyHolder[DECOYS_KEY]?.get(decoyKey(decoy));
  return known !== undefined && known.lockedUntilMs > now.getTime()
    ? new Date(known.lockedUntilMs).toISOString()
    : null;
}
