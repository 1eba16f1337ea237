import type { Audience } from "@/lib/contract/accounts/proof";
import { env } from "@/lib/env";
import { sha256 } from "@/lib/secret";
import { createTokenBuckets, secondsToWait, type TokenBuckets } from "@/lib/token-buckets";
import { arePasswordsBusy } from "./password";

/** What can be tried without signing in; each action has its own limit per address. */
type Attempt = "sign-in" | "sign-up" | "forgot-password" | "reset-password";

type Limits = Record<Attempt | "mail", TokenBuckets> & { accounts: TokenBuckets | null };

/** Mails that one network may cause to one mailbox within an hour by signing up, and as many by requesting the link again. */
const MAILS_PER_HOUR = 3;

/** On globalThis: the pages are bundled with a copy of this module, and must count together with the rest. */
const holder = globalThis as { [key: symbol]: Limits | undefined };
const KEY = Symbol.for("cardlane.attempt-limits");

function limits(): Limits {
  const [perMinute, perDay] = [env.signInLimitPerMinute, env.signUpsPerDay];
  const buckets = () => createTokenBuckets({ perSecond: perMinute / 60, burst: perMinute });
  holder[KEY] ??= {
    "sign-in": buckets(),
    "sign-up": buckets(),
    "forgot-password": buckets(),
    "reset-password": buckets(),
    accounts: perDay === 0 ? null : createTokenBuckets({ perSecond: perDay / 86_400, burst: perDay }),
    mail: createTokenBuckets({ perSecond: MAILS_PER_HOUR / 3_600, burst: MAILS_PER_HOUR }),
  };
  return holder[KEY];
}

/** Until passwords are looked at again, when too many wait for that. */
const BUSY_SECONDS = 2;

/** Counts an attempt from an address. Answers 0, or in how many whole seconds the next one may be made. */
export function takeAttempt(attempt: Attempt, address: string): number {
  if (arePasswordsBusy()) return BUSY_SECONDS;
  return secondsToWait(limits()[attempt].take(networkOf(address)));
}

/** Counts an account that is about to be opened. Answers 0, or in how many whole seconds the network may open the next one. */
export function takeAccount(address: string): number {
  return secondsToWait(limits().accounts?.take(siteOf(address)) ?? { waitMs: 0 });
}

/** The same without counting one. */
export function waitForAccount(address: string): number {
  return secondsToWait({ waitMs: limits().accounts?.waitMs(siteOf(address)) ?? 0 });
}

/** What one customer of a provider holds: an IPv4 address, or the /48 of an IPv6 address, which has 65,536 of the networks below. */
export const siteOf = (address: string) => {
  const network = networkOf(address);
  return network.includes(":") ? network.split(":").slice(0, 3).join(":") : network;
};

/** Counts a mail to a mailbox that its user has not verified, requested from an IP address. False when there were too many. */
export function takeMail(by: "sign-up" | "resend", address: string, mailbox: string): boolean {
  return limits().mail.take(`${by} ${siteOf(address)} ${mailbox.toLowerCase()}`).waitMs === 0;
}

/** What one caller controls: an IPv4 address, or the /64 of an IPv6 address, all of which belongs to one customer. */
export function networkOf(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address;
  const [head = "", tail] = address.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...new Array<string>(zeros).fill("0"), ...after];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}

/** Failures of unknown addresses, counted as an account's would be. */
type Decoy = { failures: number; lockedUntilMs: number };

/** On globalThis, for the pages are bundled with a copy of this module. */
const decoyHolder = globalThis as { [key: symbol]: Map<string, Decoy> | undefined };
const DECOYS_KEY = Symbol.for("cardlane.decoy-locks");
const MAX_DECOYS = 50_000;

/**
 * An address on one of the sign-in pages. An account is locked on its own page only, and so is an address that merely looks
 * like one.
 */
type DecoyAddress = { readonly kind: Audience; readonly email: string };

const keyOf = ({ kind, email }: DecoyAddress) => sha256(`${kind} ${email.toLowerCase()}`).toString("base64");

type LockRule = { readonly failures: number; readonly minutes: number };

/**
 * Counts a failed sign-in of an unknown e-mail address, and returns until when it is locked, or null. Without it
 * the lock would reveal which addresses exist: those that lock. Kept in this process, and forgotten oldest first.
 */
export function failDecoy(decoy: DecoyAddress, now: Date, rule: LockRule): string | null {
  decoyHolder[DECOYS_KEY] ??= new Map();
  const decoys = decoyHolder[DECOYS_KEY];
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

/** Until when an unknown address is locked, without counting a failure. */
export function decoyLock(decoy: DecoyAddress, now: Date): string | null {
  const known = decoyHolder[DECOYS_KEY]?.get(keyOf(decoy));
  return known !== undefined && known.lockedUntilMs > now.getTime()
    ? new Date(known.lockedUntilMs).toISOString()
    : null;
}
