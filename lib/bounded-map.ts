/**
 * Map of at most `max` entries, for what a process remembers about callers. Setting a key makes it the newest
 * entry; beyond `max` the oldest entry is dropped.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#max) {
      for (const oldest of this.keys()) {
        this.delete(oldest);
        break;
      }
    }
    return this;
  }

  /** The value of a key, created if it is missing. */
  getOrCreate(key: K, create: () => V): V {
    if (this.has(key)) return this.get(key) as V;
    const value = create();
    this.set(key, value);
    return value;
  }
}
