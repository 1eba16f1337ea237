/** The kind of a request, for choosing faults. */
export type Operation =
  | "tokenize"
  | "customer"
  | "setup"
  | "detach"
  | "create"
  | "confirm"
  | "update"
  | "capture"
  | "cancel"
  | "refund"
  | "file"
  | "evidence"
  | "close"
  | "read"
  | "list"
  | "account";

/** Faults of a request, by what is executed and what the response is. */
export const FAULTS = [
  /** The connection breaks; nothing is executed. */
  "lost before",
  /** Executed, but the connection breaks. */
  "lost after",
  /** The connection breaks, and `releaseLate` executes the request. */
  "late",
  /** A 500 is stored under the key; nothing is executed. */
  "stored 500",
  /** Executed, but a 500 is stored under the key. */
  "stored 500 after",
  /** Refused before the idempotency key is looked up. */
  "429",
  "403",
  /** A 503 that is not stored; nothing is executed. */
  "503",
  /** Another request with the key is in progress. */
  "in use",
  /** Nothing is executed, and no response is sent. */
  "silence",
  /** Executed, but no response is sent. */
  "silence after",
  /** Executed, but the response isn't JSON. */
  "garbage",
] as const;
/** `slow`: executed immediately; the response comes seconds later. */
export type Fault = (typeof FAULTS)[number] | "slow";

type Planned = { operation: Operation; fault: Fault; times: number };

/** Faults of the next requests. Faults caused by a card are part of its behavior. */
export class Faults {
  readonly #planned: Planned[] = [];
  readonly #late: (() => unknown)[] = [];
  /** For fault storms: picks the fault of a request, or null. */
  choose: (operation: Operation) => Fault | null = () => null;

  /**
   * Applies a fault to the next `times` requests of a kind. Stripe's library retries once after a broken
   * connection, so a response is lost permanently only if it is lost twice.
   */
  next(operation: Operation, fault: Fault, times = fault.startsWith("lost") || fault === "late" ? 2 : 1): void {
    this.#planned.push({ operation, fault, times });
  }

  take(operation: Operation): Fault | null {
    const planned = this.#planned.find((one) => one.operation === operation && one.times > 0);
    if (!planned) return this.choose(operation);
    planned.times--;
    return planned.fault;
  }

  /** The number of planned faults that no request has met. */
  get left(): number {
    return this.#planned.reduce((sum, { times }) => sum + times, 0);
  }

  clear(): void {
    this.#planned.length = 0;
    this.choose = () => null;
  }

  later(execute: () => unknown): void {
    this.#late.push(execute);
  }

  /** Executes the delayed requests. */
  releaseLate(): void {
    for (const execute of this.#late.splice(0)) execute();
  }
}
