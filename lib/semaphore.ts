/** Slot of a semaphore. */
export type Slot = {
  /** True if the caller had to wait, so that its earlier checks may be stale. */
  readonly waited: boolean;
  /** Frees the slot for the next caller. A second call does nothing. */
  release(): void;
};

export type SemaphoreOptions = {
  /** Total slots; unlimited by default. */
  readonly slots?: number;
  /** Slots that one key may hold; all of them by default. */
  readonly perKey?: number;
  /** Callers of one key that may wait; unlimited by default. */
  readonly maxWaiting?: number;
  /** Time that a caller waits; unlimited by default. */
  readonly waitMs?: number;
  /** Error for a caller that is refused: its queue is full, or it has waited for `waitMs`. */
  readonly refusal?: (reason: "full" | "late") => Error;
};

type Waiter = { begin(): void; refuse(error: unknown): void };

/** A timer that fires this late means that the process was suspended or busy. */
const LATE_MS = 100;

/**
 * Bounds concurrent work. Keys are served round-robin, callers of one key first in, first out, so a key
 * with many callers delays another key by at most one of them.
 */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  #slots: number;
  readonly #perKey: number;
  readonly #held = new Map<string, number>();
  /** Insertion order: the key that was served longest ago comes first. */
  readonly #queues = new Map<string, Waiter[]>();
  #inUse = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
    this.#slots = options.slots ?? Number.POSITIVE_INFINITY;
    this.#perKey = options.perKey ?? Number.POSITIVE_INFINITY;
  }

  get inUse(): number {
    return this.#inUse;
  }

  get waiting(): number {
    let waiting = 0;
    for (const queue of this.#queues.values()) waiting += queue.length;
    return waiting;
  }

  /** True if a caller waits only because every slot is in use, and not because its key holds all that it may. */
  get isShort(): boolean {
    return this.#inUse >= this.#slots && [...this.#queues.keys()].some((key) => this.#hasRoom(key));
  }

  /**
   * Resolves to a slot, which must be released. Throws `refusal`, or the signal's reason if it aborts first.
   */
  async acquire(key = "", signal?: AbortSignal): Promise<Slot> {
    if (this.#isFree(key)) return this.#hold(key, false);
    const { maxWaiting = Number.POSITIVE_INFINITY, waitMs, refusal } = this.#options;
    const queue = this.#queues.get(key) ?? [];
    signal?.throwIfAborted();
    if (queue.length >= maxWaiting) throw refusal?.("full") ?? new Error("the queue for a slot is full");
    this.#queues.set(key, queue);
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const stopWaiting = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const waiter: Waiter = {
        begin: () => {
          stopWaiting();
          resolve(this.#hold(key, true));
        },
        refuse: (error) => {
          stopWaiting();
          queue.splice(queue.indexOf(waiter), 1);
          if (queue.length === 0) this.#queues.delete(key);
          reject(error);
        },
      };
      const onAbort = () => waiter.refuse(signal?.reason);
      queue.push(waiter);
      signal?.addEventListener("abort", onAbort);
      if (waitMs === undefined) return;
      const wait = (ms: number, isSecond = false) => {
        const dueAt = performance.now() + ms;
        timer = setTimeout(() => {
          const lateMs = performance.now() - dueAt;
          // Nothing freed a slot during that time.
          if (lateMs > LATE_MS && !isSecond) return wait(lateMs, true);
          waiter.refuse(refusal?.("late") ?? new Error(`no slot was free within ${waitMs} ms`));
        }, ms);
      };
      wait(waitMs);
    });
  }

  /** Changes the number of slots; waiting callers get new ones immediately. */
  resize(slots: number): void {
    this.#slots = slots;
    while (this.#serveNext());
  }

  /** Refuses all that wait now, each with an error of its own. */
  refuseWaiting(makeError: () => Error): void {
    for (const waiter of [...this.#queues.values()].flat()) waiter.refuse(makeError());
  }

  /** Runs `work` in a slot. */
  async run<T>(work: () => Promise<T>, key = ""): Promise<T> {
    const slot = await this.acquire(key);
    try {
      return await work();
    } finally {
      slot.release();
    }
  }

  #isFree(key: string): boolean {
    return this.#inUse < this.#slots && this.#hasRoom(key);
  }

  #hasRoom(key: string): boolean {
    return (this.#held.get(key) ?? 0) < this.#perKey;
  }

  #hold(key: string, waited: boolean): Slot {
    this.#inUse++;
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    let isHeld = true;
    return {
      waited,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#inUse--;
        const left = (this.#held.get(key) ?? 0) - 1;
        if (left > 0) this.#held.set(key, left);
        else this.#held.delete(key);
        this.#serveNext();
      },
    };
  }

  /** Gives a free slot to the next caller; false if no slot is free or no caller is waiting. */
  #serveNext(): boolean {
    for (const [key, queue] of this.#queues) {
      if (!this.#isFree(key)) continue;
      const waiter = queue.shift();
      this.#queues.delete(key);
      if (queue.length > 0) this.#queues.set(key, queue);
      waiter?.begin();
      return true;
    }
    return false;
  }
}

/**
 * Slots of several semaphores, acquired in the given order, as one. If one is refused, the others are
 * released.
 */
export async function acquireAll(acquisitions: readonly (() => Promise<Slot>)[]): Promise<Slot> {
  const slots: Slot[] = [];
  const release = () => {
    for (const slot of slots) slot.release();
  };
  try {
    for (const acquire of acquisitions) slots.push(await acquire());
  } catch (error) {
    release();
    throw error;
  }
  return { waited: slots.some(({ waited }) => waited), release };
}
