/**
 * A queue of waiters: one from each line in turn, and within a line in order of arrival. However many one merchant has in its
 * line, the next waiter of another merchant waits for only one of them.
 */
export class FairQueue<Waiter> {
  readonly #lines = new Map<string, Waiter[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(line: string, waiter: Waiter): void {
    const own = this.#lines.get(line);
    if (own) own.push(waiter);
    else this.#lines.set(line, [waiter]);
    this.#length++;
  }

  /** `mayBegin`: whether the first waiter of a line may; other lines pass it. */
  shift(mayBegin: (waiter: Waiter) => boolean = () => true): Waiter | undefined {
    for (const [line, own] of this.#lines) {
      if (!mayBegin(own[0] as Waiter)) continue;
      const waiter = own.shift();
      // From now on its line is the last one.
      this.#lines.delete(line);
      if (own.length > 0) this.#lines.set(line, own);
      this.#length--;
      return waiter;
    }
    return undefined;
  }

  /** Removes those at the heads of lines, who came first, for as long as `isOver` holds. */
  takeOver(isOver: (waiter: Waiter) => boolean): Waiter[] {
    const taken: Waiter[] = [];
    for (const [line, own] of this.#lines) {
      const kept = own.findIndex((waiter) => !isOver(waiter));
      taken.push(...own.splice(0, kept < 0 ? own.length : kept));
      if (own.length === 0) this.#lines.delete(line);
    }
    this.#length -= taken.length;
    return taken;
  }

  takeAll(): Waiter[] {
    return this.takeOver(() => true);
  }

  *[Symbol.iterator](): Generator<Waiter> {
    for (const own of this.#lines.values()) yield* own;
  }
}
