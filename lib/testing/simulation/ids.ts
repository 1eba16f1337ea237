import { V7Generator } from "uuidv7";
import type { Random } from "./random";

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
