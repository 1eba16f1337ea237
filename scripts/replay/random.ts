/** Numbers in [0, 1) that follow from seed and name alone, so a run can be repeated whatever order its requests take. */
export type Random = () => number;

export function randomFor(seed: number, name: string): Random {
  // FNV-1a over the name, then mulberry32.
  let state = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < name.length; i++) state = Math.imul(state ^ name.charCodeAt(i), 0x01000193) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
