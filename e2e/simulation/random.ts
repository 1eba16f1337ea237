import { V7Generator } from "uuidv7";

/** Chance that comes from a seed: the same seed, the same numbers. */
export type Random = {
  /** At least 0 and below 1. */
  next(): number;
  /** At least 0 and below `n`. */
  int(n: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  shuffle<T>(list: readonly T[]): T[];
  uint32(): number;
};

/** `purpose`: streams of one seed that know nothing of each other, so that more of one changes no other. */
export function randomOf(seed: number, purpose: string): Random {
  let state = hash(`${purpose} ${seed}`);
  const uint32 = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
  const next = () => uint32() / 4_294_967_296;
  const int = (n: number) => Math.floor(next() * n);
  return {
    next,
    int,
    uint32,
    chance: (probability) => next() < probability,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error("nothing to pick from");
      return list[int(list.length)] as T;
    },
    shuffle<T>(list: readonly T[]): T[] {
      const shuffled = [...list];
      for (let i = shuffled.length - 1; i > 0; i--) {
        const j = int(i + 1);
        [shuffled[i], shuffled[j]] = [shuffled[j] as T, shuffled[i] as T];
      }
      return shuffled;
    },
  };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value | 0;
}

/**
 * Ids of a simulated world, which take the place of `newId` (a proof says so with `vi.mock`): of its time, and in the same order in
 * every run. Their random part is the run's own, as the processor keeps the references of all worlds together.
 */
const source = { next: null as (() => string) | null };

export function useIds(random: Random, now: () => number): void {
  const generator = new V7Generator({ nextUint32: random.uint32 });
  source.next = () => generator.generateOrResetCore(now(), 0).toString();
}

/** Of this world, or of any process outside. */
export const simulatedIds = (outside: () => string) => () => (source.next ?? outside)();

export function useRealIds(): void {
  source.next = null;
}
