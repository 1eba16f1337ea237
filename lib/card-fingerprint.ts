import { hashRaw } from "@node-rs/argon2";
import { BoundedMap } from "@/lib/bounded-map";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";

/**
 * argon2id, about 2.5 ms of a core, off the event loop. The row also holds BIN and last 4, so only some
 * 100,000 numbers are left to try: minutes per card and environment, and only with the key.
 */
const COSTS = { algorithm: 2, memoryCost: 4_096, timeCost: 1, parallelism: 1, outputLen: 32 };
const REMEMBERED = 5_000;

const PUBLIC_NUMBERS = new Set(SANDBOX_CARDS.map((card) => card.number));

type Card = { readonly number: string };

/** Fingerprint of a card number: equal for equal numbers of one environment (UUID) under one key. */
export type Fingerprints = (key: { id: string; bytes: Buffer }, environmentId: string, card: Card) => Promise<Buffer>;

/**
 * Computes each fingerprint once: per card object of a request, and for the sandbox's published test numbers
 * per environment while the cache has room.
 */
export function createFingerprints(): Fingerprints {
  const ofCards = new WeakMap<Card, BoundedMap<string, Promise<Buffer>>>();
  const ofPublicNumbers = new BoundedMap<string, Promise<Buffer>>(REMEMBERED);

  return (key, environmentId, card) => {
    const isPublic = PUBLIC_NUMBERS.has(card.number);
    const known = isPublic
      ? ofPublicNumbers
      : (ofCards.get(card) ?? new BoundedMap<string, Promise<Buffer>>(REMEMBERED));
    if (!isPublic) ofCards.set(card, known);
    const name = `${key.id} ${environmentId}${isPublic ? ` ${card.number}` : ""}`;
    const found = known.get(name);
    if (found) return found;
    const fingerprint = hashRaw(card.number, { ...COSTS, salt: saltOf(environmentId), secret: key.bytes });
    known.set(name, fingerprint);
    fingerprint.catch(() => known.delete(name));
    return fingerprint;
  };
}

/** 16 bytes of the environment's id, so that equal cards of two environments have different fingerprints. */
function saltOf(environmentId: string): Buffer {
  const bytes = Buffer.from(environmentId.replaceAll("-", ""), "hex");
  if (bytes.length !== 16) throw new Error("an environment's id is a UUID");
  return bytes;
}
