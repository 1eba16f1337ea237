import type { Timer } from "@/lib/clock";
import { type Random, randomOf } from "./random";

/**
 * Kinds of injected faults. `drop`: loses a database response; `network`: disturbs a call to the processor;
 * `report`: reorders, repeats and delays its reports; `replica`: pauses a read replica, or takes it away.
 */
export const FAULTS = ["drop", "kill", "freeze", "jump", "network", "report", "replica"] as const;
export type FaultKind = (typeof FAULTS)[number];

/** Determines a run: two runs of the same plan are identical, step by step. */
export type Plan = {
  readonly seed: number;
  /** Another order and other faults for the same load; shrinking tries several. */
  readonly variation: number;
  readonly faults: readonly FaultKind[];
  /** Max number of faults. */
  readonly faultBudget: number;
  /** Actors of the load that are left out. */
  readonly without: readonly string[];
};

/** One process of the service. Its pending steps die with it. */
export class Process {
  isDead = false;
  frozenUntilMs = 0;
  wasStopped = false;
  /** Called when it dies. */
  readonly onDeath = new Set<() => void>();

  constructor(
    readonly name: string,
    /** The difference between its clock and the database's. */
    readonly skewMs: number,
  ) {}
}

/** A sequential flow of work: a request inside a process, a call in transit, a client. */
export type Actor = { readonly name: string; readonly process: Process | null };

type Step = {
  readonly actor: Actor;
  readonly what: string;
  readonly dueMs: number;
  readonly isReady: (() => boolean) | null;
  readonly run: () => Promise<void> | void;
};

/** The start time of every simulated world. */
const BEGIN_MS = Date.parse("2031-03-03T09:00:00.000Z");
/** Max steps; a run that takes more is considered endless. */
const MOST_STEPS = 20_000;
const FREEZES_MS = [3_000, 9_000, 11_000, 14_000, 40_000, 180_000];
const JUMPS_MS = [
  ...[1_000, 11_000, 11_000, 14_000, 65_000, 65_000, 660_000, 1_860_000],
  ...[86_400_000, 86_400_000 - 14_000, 7 * 86_400_000 + 60_000],
];

/**
 * The only scheduler. Everything that waits for SQL, the processor or time parks a step here. One step runs
 * at a time, chosen by the plan's seed, and its actor continues until it parks the next one.
 */
export class World {
  nowMs = BEGIN_MS;
  /** False while a run is brought to its end. */
  hasFaults = true;
  readonly trace: string[] = [];
  /** Counts of the conditions that a run may or may not produce. */
  readonly seen = new Map<string, number>();
  readonly violations: string[] = [];
  readonly processes: Process[] = [];
  readonly load: Random;
  readonly schedule: Random;
  readonly chaos: Random;
  /** The kind of fault that this world favors: two rare events almost never coincide by chance. */
  readonly theme: "any" | "refusing" | "stopping";
  readonly rates: Readonly<Record<FaultKind, number>>;
  /** Called when a process is killed, after its steps are discarded, and when one is frozen. */
  onKill: (process: Process) => Promise<void> = async () => {};
  onFreeze: (process: Process) => void = () => {};
  readonly #steps: Step[] = [];
  #current: Actor | null = null;
  readonly #stickiness: number;
  #budget: number;
  #taken = 0;
  #last: Actor | null = null;

  constructor(readonly plan: Plan) {
    this.load = randomOf(plan.seed, "load");
    this.schedule = randomOf(plan.seed, `schedule ${plan.variation}`);
    this.chaos = randomOf(plan.seed, `chaos ${plan.variation}`);
    this.#budget = plan.faultBudget;
    const { chaos } = this;
    this.theme = chaos.pick(["any", "any", "refusing", "stopping"] as const);
    // Some worlds have almost no faults, so that races of a healthy service occur too.
    const rate = (usual: number) => (chaos.chance(0.35) ? 0 : usual * (0.5 + chaos.next()));
    const all = {
      drop: rate(0.05),
      kill: rate(0.02),
      freeze: rate(this.theme === "stopping" ? 0.06 : 0.025),
      jump: rate(0.012),
      network: rate(this.theme === "refusing" ? 0.5 : 0.3),
      report: rate(0.4),
      replica: 0.25,
    };
    if (this.theme === "refusing") Object.assign(all, { freeze: Math.max(all.freeze, 0.02), jump: 0, kill: 0 });
    this.rates = {
      ...all,
      ...Object.fromEntries(FAULTS.filter((kind) => !plan.faults.includes(kind)).map((k) => [k, 0])),
    };
    this.#stickiness = chaos.pick([0, 0, 0.4, 0.75]);
  }

  /** The actor of the current step, which also owns everything that runs until the next step. */
  get actor(): Actor {
    if (!this.#current) throw new Error("something waits that is not an actor of the simulation");
    return this.#current;
  }

  /** Starts work as another actor, and delivers its result to the caller in a separate step. */
  start<T>(actor: Actor, work: () => Promise<T>): Promise<T> {
    const caller = this.#current ?? NOBODY;
    return new Promise((resolve, reject) => {
      const begin = () => {
        work().then(
          (value) => void this.parkStep("hears", () => resolve(value), { actor: caller }),
          (error: unknown) => void this.parkStep("hears", () => reject(error), { actor: caller }),
        );
      };
      this.parkStep("begins", begin, { actor });
    });
  }

  note(text: string, actor: Actor = this.#current ?? NOBODY): void {
    const seconds = ((this.nowMs - BEGIN_MS) / 1_000).toFixed(3);
    this.trace.push(`${seconds.padStart(11)}  ${actor.name.padEnd(22)} ${text}`);
  }

  sometimes(condition: string): void {
    this.seen.set(condition, (this.seen.get(condition) ?? 0) + 1);
  }

  /** Records a violation: something that must never happen. */
  violate(what: string): void {
    this.violations.push(what);
    this.trace.push(`             *** ${what}`);
  }

  /** Decides if a fault occurs here; `weight` multiplies its probability. */
  fault(kind: FaultKind, weight = 1): boolean {
    if (!this.hasFaults || this.#budget <= 0 || !this.chaos.chance(this.rates[kind] * weight)) return false;
    this.#budget--;
    return true;
  }

  /** Waits to be scheduled, not before `dueMs` and only while `isReady`. */
  park(what: string, options: { dueMs?: number; isReady?: () => boolean } = {}): Promise<void> {
    return new Promise((resolve) => this.parkStep(what, resolve, options));
  }

  /**
   * Runs work as a step. Anything that takes real time must use it: the scheduler doesn't wait for work
   * outside a step.
   */
  perform<T>(what: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.parkStep(what, () => work().then(resolve, reject));
    });
  }

  /** Parks a step that runs a function when scheduled; returns a function that cancels it. */
  parkStep(
    what: string,
    run: () => Promise<void> | void,
    {
      dueMs = this.nowMs,
      isReady,
      actor = this.actor,
    }: { dueMs?: number; isReady?: () => boolean; actor?: Actor } = {},
  ): () => void {
    if (actor.process?.isDead) return () => {};
    const step: Step = { actor, what, dueMs, run, isReady: isReady ?? null };
    this.#steps.push(step);
    return () => {
      const at = this.#steps.indexOf(step);
      if (at >= 0) this.#steps.splice(at, 1);
    };
  }

  /** The clock of this world's processes. */
  get timer(): Timer {
    return {
      elapsedMs: () => this.nowMs,
      wait: (ms) => this.park("waits", { dueMs: this.nowMs + Math.ceil(ms) }),
      after: (ms, call) => this.parkStep("time is up", call, { dueMs: this.nowMs + Math.ceil(ms) }),
    };
  }

  async kill(process: Process): Promise<void> {
    if (process.isDead) return;
    process.isDead = true;
    this.note(`process ${process.name} is killed`, NOBODY);
    for (const step of this.#steps.filter(({ actor }) => actor.process === process)) {
      this.#steps.splice(this.#steps.indexOf(step), 1);
    }
    await this.onKill(process);
    for (const tell of process.onDeath) tell();
  }

  /** Freezes the process if a fault requires it. True while it is frozen, even by an earlier fault. */
  freezesHere(process: Process, weight: number): boolean {
    if (this.fault("freeze", weight)) this.#freeze(process);
    return process.frozenUntilMs > this.nowMs;
  }

  #freeze(process: Process): void {
    process.frozenUntilMs = this.nowMs + this.chaos.pick(FREEZES_MS);
    process.wasStopped = true;
    this.note(`process ${process.name} stops for ${(process.frozenUntilMs - this.nowMs) / 1_000} s`, NOBODY);
    this.onFreeze(process);
  }

  #jump(): void {
    const ms = this.chaos.pick(JUMPS_MS);
    this.nowMs += ms;
    this.note(`time goes on by ${ms / 1_000} s`, NOBODY);
  }

  /** Runs one step at a time until `isOver`. */
  async run(isOver: () => boolean): Promise<void> {
    await quiet();
    while (!isOver()) {
      if (this.#taken++ > MOST_STEPS) throw new Error(`no end after ${MOST_STEPS} steps`);
      const step = this.#choose();
      if (!step) {
        if (!this.#advance()) throw new Error("every actor waits, and nothing is scheduled");
        continue;
      }
      const { process } = step.actor;
      this.nowMs += 1 + this.schedule.int(4);
      if (this.fault("jump")) this.#jump();
      // Nothing may be lost between the processor's response and the books, so most faults are injected here.
      const weight = step.what.startsWith("T2") ? 5 : step.what === "hold again" ? 3 : 1;
      if (process && this.fault("freeze", weight)) {
        this.#freeze(process);
        continue;
      }
      if (process && this.fault("kill", weight)) {
        await this.kill(process);
        await quiet();
        continue;
      }
      this.#steps.splice(this.#steps.indexOf(step), 1);
      this.#last = step.actor;
      this.#current = step.actor;
      await step.run();
      await quiet();
      this.#current = null;
    }
  }

  #choose(): Step | null {
    const ready = this.#steps.filter(
      ({ actor, dueMs, isReady }) =>
        dueMs <= this.nowMs && (actor.process?.frozenUntilMs ?? 0) <= this.nowMs && (isReady === null || isReady()),
    );
    if (ready.length === 0) return null;
    const own = ready.filter(({ actor }) => actor === this.#last);
    return own.length > 0 && this.schedule.chance(this.#stickiness)
      ? (own[0] as Step)
      : (ready[this.schedule.int(ready.length)] as Step);
  }

  /** Advances time to the next moment at which a step can run. */
  #advance(): boolean {
    let next = Number.POSITIVE_INFINITY;
    for (const { actor, dueMs, isReady } of this.#steps) {
      const at = Math.max(dueMs, actor.process?.frozenUntilMs ?? 0);
      if (at > this.nowMs || isReady === null) next = Math.min(next, at);
    }
    if (!Number.isFinite(next)) return false;
    this.nowMs = Math.max(this.nowMs, next);
    return true;
  }

  /** Unfreezes all processes and stops injecting faults. */
  calm(): void {
    this.hasFaults = false;
    for (const process of this.processes) process.frozenUntilMs = 0;
  }
}

export const NOBODY: Actor = { name: "-", process: null };

/** Lets everything that can continue without a step do so: afterwards, all pending work is parked. */
const quiet = () => new Promise<void>((resolve) => setImmediate(resolve));
