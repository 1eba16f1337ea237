/**
 * Who is there at the moment, in order of arrival. For what comes and goes with each request: of a Set, much that was in it would stay
 * until a full collection (docs/speed.md, "Garbage"). Takes time in proportion to how many are there.
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

  /** Of those for whom it holds, who came first. */
  find(isIt: (one: T) => boolean): T | undefined {
    return this.#present.find(isIt);
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
