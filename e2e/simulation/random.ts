import { V7Generator } from "uuidv7";
import { seededUint32 } from "@/lib/seeded-random";

/** A seeded random generator: the same seed yields the same numbers. */
export type Random = {
  /** 0 or more, and less than 1. */
  next(): number;
  /** 0 or more, and less than `n`. */
  int(n: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  shuffle<T>(list: readonly T[]): T[];
  uint32(): number;
};

/** `purpose` separates independent streams of one seed, so that more draws from one don't change another. */
export function randomOf(seed: number, purpose: string): Random {
  const uint32 = seededUint32(`${purpose} ${seed}`);
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

/**
 * Source of ids in a simulated world; a proof replaces `newId` with it by `vi.mock`. Their times are the
 * world's, and their order is the same in every run. Their random part differs per run, because the processor
 * stores the references of all worlds together.
 */
const source = { next: null as (() => string) | null };

export function useIds(random: Random, now: () => number): void {
  const generator = new V7Generator({ nextUint32: random.uint32 });
  source.next = () => generator.generateOrResetCore(now(), 0).toString();
}

/** The world's ids, or real ones outside a world. */
export const simulatedIds = (outside: () => string) => () => (source.next ?? outside)();

export function useRealIds(): void {
  source.next = null;
}
