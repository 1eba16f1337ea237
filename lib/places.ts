/** Work that is done so many at a time, the rest in the order in which it came. */
export type Places = {
  readonly waiting: number;
  inTurn<T>(work: () => Promise<T>): Promise<T>;
};

export function createPlaces(atOnce: number): Places {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    get waiting() {
      return waiting.length;
    },
    async inTurn(work) {
      if (taken >= atOnce) await new Promise<void>((resolve) => void waiting.push(resolve));
      else taken++;
      try {
        return await work();
      } finally {
        // The place is handed on, so that no newcomer is before those who wait.
        const next = waiting.shift();
        if (next) next();
        else taken--;
      }
    },
  };
}
