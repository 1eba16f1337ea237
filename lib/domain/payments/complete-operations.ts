import { type TakenOperation, takeDueOperations } from "@/db/queries/operations";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { BEFORE_ALL } from "@/lib/ids";
import type { Service } from "../context";
import { leaseOf } from "./operation";
import { resolveOperation } from "./resolve-operation";

/** Operations that a process works on at once. */
const PLACES = 32;
/** An environment has so many of the places while others wait. */
const SHARE = 4;
/** It has more while nobody else waits, but never these: who comes then need not wait until one of its operations ends. */
const LEFT_FOR_OTHERS = 12;
/** How often it is looked for what has become due while none ends. */
const LOOK_MS = 1_000;

/**
 * The completer: takes over operations that nobody works on any more and brings each to its end. Every instance runs it
 * every second; it goes on until nothing is due, or until it is to stop, and then waits for what it has begun. Answers how
 * many it took. One that cannot be resolved now stays open and does not stop the others.
 */
export async function completeOperations(service: Service, stopping?: AbortSignal): Promise<number> {
  const places = new Places(service, stopping);
  for (;;) {
    try {
      await places.fill();
    } catch (error) {
      // What is under way may well come to its end when the database is back.
      if (places.isEmpty || !isDatabaseUnavailable(error)) {
        await places.allEnded();
        throw error;
      }
      service.log.warn("the database is unavailable, nothing new is completed meanwhile");
    }
    if (places.isEmpty && (stopping?.aborted || !places.hasChanged)) return places.begun;
    await places.change();
  }
}

/** What a process works on. An operation is taken when there is a place for it, and is begun at once: its lease runs. */
class Places {
  begun = 0;
  /** Whether one has ended since it was last filled. */
  hasChanged = false;
  readonly #service: Service;
  readonly #stopping: AbortSignal | undefined;
  readonly #running = new Map<TakenOperation, Promise<void>>();
  /** The environment that had the last turn. */
  #last = BEFORE_ALL;
  #wake = () => {};

  constructor(service: Service, stopping: AbortSignal | undefined) {
    this.#service = service;
    this.#stopping = stopping;
  }

  get isEmpty(): boolean {
    return this.#running.size === 0;
  }

  /** Gives places to whoever has none, then to all up to their share, and then some of those that are left. */
  async fill(): Promise<void> {
    this.hasChanged = false;
    for (const share of [1, SHARE]) if (!(await this.#giveTurns(PLACES, share))) return;
    await this.#giveTurns(PLACES - LEFT_FOR_OTHERS, PLACES);
  }

  /** When one has ended, or after a while. */
  change(): Promise<void> {
    if (this.hasChanged) return Promise.resolve();
    return new Promise((resolve) => {
      const endTimer = this.#service.timer.after(LOOK_MS, resolve);
      this.#wake = () => {
        endTimer();
        resolve();
      };
    });
  }

  async allEnded(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** One operation to each environment in turn, until nothing is due for those below `share`. False: nor for anybody else. */
  async #giveTurns(most: number, share: number): Promise<boolean> {
    while (!this.#stopping?.aborted) {
      const free = most - this.#running.size;
      if (free <= 0) break;
      const passedOver = this.#environmentsWith(share);
      const fromTheFirst = this.#last === BEFORE_ALL;
      const taken = await takeDueOperations(
        this.#service.db.sql,
        { after: this.#last, most: free, passedOver, busyPayments: this.#busyPayments() },
        leaseOf(this.#service.processorTimeoutMs),
      );
      for (const operation of taken) this.#begin(operation);
      const last = taken
        .map((operation) => operation.environment_id)
        .sort()
        .at(-1);
      this.#last = taken.length === free && last ? last : BEFORE_ALL;
      if (taken.length === 0 && fromTheFirst) return passedOver.length > 0;
    }
    return true;
  }

  #begin(operation: TakenOperation): void {
    this.begun++;
    const ended = resolveOperation(this.#service, operation)
      .then(
        () => {},
        (error) =>
          this.#service.log.error(
            { err: error, operation: operation.id },
            "an operation could not be resolved and stays open",
          ),
      )
      .then(() => {
        this.#running.delete(operation);
        this.hasChanged = true;
        this.#wake();
      });
    this.#running.set(operation, ended);
  }

  #environmentsWith(count: number): string[] {
    const counts = new Map<string, number>();
    for (const { environment_id: id } of this.#running.keys()) counts.set(id, (counts.get(id) ?? 0) + 1);
    return [...counts].filter(([, running]) => running >= count).map(([id]) => id);
  }

  /** Each writes the whole payment anew: beside each other they would only hold each other up. */
  #busyPayments(): string[] {
    return [...this.#running.keys()].map((operation) => operation.payment_id);
  }
}
