import { hash, verify } from "@node-rs/argon2";
import type { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { Semaphore } from "@/lib/semaphore";

/** argon2id with OWASP's recommended parameters: about 20 ms and 19 MiB per hash. */
const ARGON2ID = 2;
const COSTS = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash of an unused password, so that an unknown e-mail address takes as long as a wrong password. */
let decoy: Promise<string> | null = null;

export function hashPassword(password: string): Promise<string> {
  return runPasswordWork(() => hash(password, COSTS));
}

function getDecoyHash(): Promise<string> {
  decoy ??= hashPassword("nobody's password");
  return decoy;
}

/** True if the password matches the hash. `null` (no such user) takes as long and is always false. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const comparedHash = passwordHash ?? (await getDecoyHash());
  return (await runPasswordWork(() => verify(comparedHash, password))) && passwordHash !== null;
}

/** Only the first characters are checked: the cost of a check grows faster than the length. */
const CHECKED_LENGTH = 32;
/**
 * Limits on words from the user's name and address: a deliberately long name would make the check ten times
 * slower.
 */
const MAX_WORDS = 8;
const MAX_WORD_LENGTH = 20;
/** On zxcvbn's scale of 0 to 4: at least a hundred million guesses. */
const MIN_SCORE = 3;

/** Loaded at the first new password, because the word list is large and most processes never need it. */
let checker: Promise<ZxcvbnFactory> | null = null;

async function loadChecker(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
  ]);
  // Checking more than two letter substitutions takes seconds, which an unauthenticated caller could cause.
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: 2 });
}

/**
 * True if a password is among the first guesses: common passwords, rows of keys, repetitions, blanks, and
 * facts about the user (`about`). Takes up to 30 ms.
 */
export async function isEasyPassword(password: string, about: readonly string[]): Promise<boolean> {
  checker ??= loadChecker();
  const words = about
    .flatMap((text) => [text.slice(0, MAX_WORD_LENGTH), ...text.split(/[^\p{L}\p{N}]+/u)])
    .filter((word) => word.length > 2 && word.length <= MAX_WORD_LENGTH);
  const checked = password.trim().slice(0, CHECKED_LENGTH);
  return (await checker).check(checked, [...new Set(words)].slice(0, MAX_WORDS)).score < MIN_SCORE;
}

/** Concurrent hashes. Leaves half of libuv's four threads free for file access and DNS. */
const MAX_CONCURRENT = 2;
/** Queue length, which takes about two seconds to work off. */
const MAX_QUEUED = 100;

/** On globalThis, because the pages' bundle has its own copy of this module. */
const holder = globalThis as { [key: symbol]: Semaphore | undefined };
const KEY = Symbol.for("cardlane.password-work");

function semaphore(): Semaphore {
  holder[KEY] ??= new Semaphore({ slots: MAX_CONCURRENT });
  return holder[KEY];
}

/** True when the queue is full, and unauthenticated callers must be refused. */
export const arePasswordsBusy = (): boolean => semaphore().waiting >= MAX_QUEUED;

/** Runs CPU-bound work in a slot of the password semaphore. */
export const runPasswordWork = <T>(work: () => Promise<T>): Promise<T> => semaphore().run(work);
