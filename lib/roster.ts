/**
 * Who is there at the moment, in order of arrival, where some come and go with each request. Takes time in proportion to how
 * many are there.
 *
 * An array and no Set. V8 gives a Set a new table after every few additions, and the old one points to it: as soon as one of
 * those tables has grown old, all later ones are kept, with whoever was in them and all that they hold, until a full collection.
 */
export class Roster<T> {
  readonly #present: T[] = [];

  get size(): number {
    return this.#present.length;
  }

  /** Who came before all others. */
  get first(): T | undefined {
    return this.#present[0];
  }

  add(one: T): void {
    this.#present.push(one);
  }

  /** Whether it was there. */
  delete(one: T): boolean {
    const at = this.#present.indexOf(one);
    if (at >= 0) this.#present.splice(at, 1);
    return at >= 0;
  }

  /** Those who are there now, whoever comes or goes meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#present].values();
  }
}
