import { hash, verify } from "@node-rs/argon2";
import type { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { Semaphore } from "@/lib/semaphore";

/** argon2id with OWASP's first choice of costs: about 20 ms and 19 MiB for each try. */
const ARGON2ID = 2;
const COSTS = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash of an unused password, so that an unknown e-mail address costs as long as a wrong password. */
let decoy: Promise<string> | null = null;

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, COSTS));
}

function nobodysHash(): Promise<string> {
  decoy ??= hashPassword("nobody's password");
  return decoy;
}

/** Whether the password matches the hash. `null` (no such user) takes as long and is always false. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const kept = passwordHash ?? (await nobodysHash());
  return (await inTurn(() => verify(kept, password))) && passwordHash !== null;
}

/** Only the beginning is judged: guessing starts there, and the cost grows faster than the length. */
const JUDGED_LENGTH = 32;
/** Applies to what is known about the user: a name chosen to be long would make the check ten times slower. */
const MOST_WORDS = 8;
const LONGEST_WORD = 20;
/** Of zxcvbn's 0 to 4: at least a hundred million guesses. */
const MIN_SCORE = 3;

/** Loaded at the first new password: the list is large, and most processes never need it. */
let judge: Promise<ZxcvbnFactory> | null = null;

async function loadJudge(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
  ]);
  // More substitutions of letters than two take seconds, and a stranger could cause them.
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: 2 });
}

/**
 * Whether a password is among the first guesses: common ones, rows of keys, repetitions, blanks, and what is
 * known of the user (`about`). Takes up to 30 ms.
 */
export async function isEasyPassword(password: string, about: readonly string[]): Promise<boolean> {
  judge ??= loadJudge();
  const words = about
    .flatMap((text) => [text.slice(0, LONGEST_WORD), ...text.split(/[^\p{L}\p{N}]+/u)])
    .filter((word) => word.length > 2 && word.length <= LONGEST_WORD);
  const judged = password.trim().slice(0, JUDGED_LENGTH);
  return (await judge).check(judged, [...new Set(words)].slice(0, MOST_WORDS)).score < MIN_SCORE;
}

/** One core's work at a time, and what else needs Node's threads, files and names for one, finds some free. */
const AT_ONCE = 2;
/** About two seconds of work. */
const MOST_WAITING = 100;

/** On globalThis, for the pages are bundled with a copy of this module. */
const holder = globalThis as { [key: symbol]: Semaphore | undefined };
const KEY = Symbol.for("cardlane.password-work");

function semaphore(): Semaphore {
  holder[KEY] ??= new Semaphore({ slots: AT_ONCE });
  return holder[KEY];
}

/** Whether so many passwords wait that an unauthenticated caller's is refused. */
export const arePasswordsBusy = (): boolean => semaphore().waiting >= MOST_WAITING;

/** Does work that takes a core, in a slot. */
export const inTurn = <T>(work: () => Promise<T>): Promise<T> => semaphore().run(work);
