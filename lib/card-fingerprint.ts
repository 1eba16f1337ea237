import { hashRaw } from "@node-rs/argon2";
import { BoundedMap } from "@/lib/bounded-map";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";

/**
 * argon2id, about 2.5 ms of a core beside the event loop. BIN and last 4 stand in the same row, which leaves some 100,000
 * numbers: trying them takes minutes for each card and each environment, and only with the key.
 */
const COSTS = { algorithm: 2, memoryCost: 4_096, timeCost: 1, parallelism: 1, outputLen: 32 };
const REMEMBERED = 5_000;

const PUBLIC_NUMBERS = new Set(SANDBOX_CARDS.map((card) => card.number));

type Card = { readonly number: string };

/** Fingerprint of a card's number: equal for equal numbers of one environment (UUID) under one key. */
export type Fingerprints = (key: { id: string; bytes: Buffer }, environmentId: string, card: Card) => Promise<Buffer>;

/**
 * Works each out once: for a request's card as long as that object lives, for the sandbox's published test numbers, which are
 * nobody's, as long as there is room. A shop that tests, and the benchmark, so pay for it once per environment.
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
    const made = hashRaw(card.number, { ...COSTS, salt: saltOf(environmentId), secret: key.bytes });
    known.set(name, made);
    made.catch(() => known.delete(name));
    return made;
  };
}

/** The environment's own 16 bytes: equal cards of two environments have nothing in common. */
function saltOf(environmentId: string): Buffer {
  const bytes = Buffer.from(environmentId.replaceAll("-", ""), "hex");
  if (bytes.length !== 16) throw new Error("an environment's id is a UUID");
  return bytes;
}
