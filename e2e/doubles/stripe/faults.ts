/** What a request is, for whoever breaks it. */
export type Operation =
  | "tokenize"
  | "create"
  | "confirm"
  | "update"
  | "capture"
  | "cancel"
  | "refund"
  | "read"
  | "list"
  | "account";

/** How one goes wrong, by what is executed and what is answered. */
export const FAULTS = [
  /** The connection breaks; nothing is executed. */
  "lost before",
  /** It is executed, and the connection breaks. */
  "lost after",
  /** The connection breaks, and it is executed when `releaseLate` says so. */
  "late",
  /** A 500 is stored under the key; nothing is executed. */
  "stored 500",
  /** It is executed, and a 500 is stored under the key. */
  "stored 500 after",
  /** Refused before any key is looked at. */
  "429",
  "403",
  /** A 503 that is not stored; nothing is executed. */
  "503",
  /** Another request with the key is under way. */
  "in use",
  /** Nothing is executed, and nothing is answered for as long as the connection lasts. */
  "silence",
  /** It is executed, and nothing is answered. */
  "silence after",
  /** It is executed; what is answered is no JSON. */
  "garbage",
] as const;
/** `slow`: it is executed at once, and answered seconds later. */
export type Fault = (typeof FAULTS)[number] | "slow";

type Planned = { operation: Operation; fault: Fault; times: number };

/** Faults of the next requests. Those that a card brings are with its behaviour. */
export class Faults {
  readonly #planned: Planned[] = [];
  readonly #late: (() => unknown)[] = [];
  /** For storms: what a request of a kind meets, or null. */
  choose: (operation: Operation) => Fault | null = () => null;

  /**
   * So many of the next requests of a kind. The library repeats one whose connection broke once, so a lost answer is lost for
   * good only twice.
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

  /** How many of the planned have not been met. */
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

  /** What was sent long ago is executed now. */
  releaseLate(): void {
    for (const execute of this.#late.splice(0)) execute();
  }
}
