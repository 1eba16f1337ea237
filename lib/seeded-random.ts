/**
 * A random generator that yields the same numbers for the same seed (mulberry32), for made-up data and
 * repeatable tests. Its numbers are 32-bit unsigned integers.
 */
export function seededUint32(seed: number | string): () => number {
  let state = typeof seed === "string" ? hash(seed) : seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** The same as numbers from 0 up to, but not including, 1. */
export function seededRandom(seed: number | string): () => number {
  const next = seededUint32(seed);
  return () => next() / 4_294_967_296;
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value | 0;
}
