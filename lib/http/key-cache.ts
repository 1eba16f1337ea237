import type { Sql } from "@/db/client";
import { findUsableKey, type UsableKey } from "@/lib/domain/api-keys/find-usable-key";

/** A key stopped in the database works no longer than this, on any process; half of the second that is promised. */
const TTL_MS = 500;
const MAX_ENTRIES = 10_000;

type Kept<T> = { readonly value: T; readonly validUntil: number };
type Lookup<T> = { readonly value: Promise<T | null>; readonly startedAt: number };

/**
 * Usable keys by the digest of their secret, each remembered as what `make` makes of it. Age counts from before the
 * database was read, on the monotonic clock. What is not usable is not remembered.
 */
export function createKeyCache<T>(service: { readonly db: { readonly sql: Sql } }, make: (key: UsableKey) => T) {
  const kept = new Map<string, Kept<T>>();
  const lookups = new Map<string, Lookup<T>>();

  async function load(digest: string, startedAt: number): Promise<T | null> {
    const key = await findUsableKey(service, Buffer.from(digest, "base64"));
    if (key === null) return null;
    const value = make(key);
    // Entries live for half a second and go to the end when renewed, so the first one is the least recently used.
    kept.delete(digest);
    kept.set(digest, { value, validUntil: startedAt + TTL_MS });
    if (kept.size > MAX_ENTRIES) kept.delete(kept.keys().next().value as string);
    return value;
  }

  return {
    /** What is remembered and still good; undefined when it has to be looked up. */
    peek(digest: string): T | undefined {
      const entry = kept.get(digest);
      return entry !== undefined && performance.now() < entry.validUntil ? entry.value : undefined;
    },
    /** Joins a look-up of the same key, unless that one may have read the database too long ago. */
    lookUp(digest: string): Promise<T | null> {
      const now = performance.now();
      const running = lookups.get(digest);
      if (running !== undefined && now - running.startedAt < TTL_MS) return running.value;
      const lookup = { value: load(digest, now), startedAt: now };
      lookups.set(digest, lookup);
      const forget = () => {
        if (lookups.get(digest) === lookup) lookups.delete(digest);
      };
      lookup.value.then(forget, forget);
      return lookup.value;
    },
  };
}
