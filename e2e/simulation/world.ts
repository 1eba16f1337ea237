import type { Timer } from "@/lib/clock";
import { type Random, randomOf } from "./random";

/** What can go wrong on purpose. `drop`: an answer of the database; `network`: a call to the processor; `report`: its news. */
export const FAULTS = ["drop", "kill", "freeze", "jump", "network", "report"] as const;
export type FaultKind = (typeof FAULTS)[number];

/** What decides a run. Two runs of one plan are the same, step by step. */
export type Plan = {
  readonly seed: number;
  /** Another order and other faults for the same load: what shrinking looks through. */
  readonly variation: number;
  readonly faults: readonly FaultKind[];
  /** Faults in all. */
  readonly faultBudget: number;
  /** Actors of the load that take no part. */
  readonly without: readonly string[];
};

/** One process of the service. What hangs on it dies with it. */
export class Process {
  isDead = false;
  frozenUntilMs = 0;
  wasStopped = false;
  /** Told when it dies. */
  readonly onDeath = new Set<() => void>();

  constructor(
    readonly name: string,
    /** How far its clock is from the database's. */
    readonly skewMs: number,
  ) {}
}

/** Whoever does one thing after the other: a request inside a process, a call on its way, a client. */
export type Actor = { readonly name: string; readonly process: Process | null };

type Step = {
  readonly actor: Actor;
  readonly what: string;
  readonly dueMs: number;
  readonly isReady: (() => boolean) | null;
  readonly run: () => Promise<void> | void;
};

/** The moment at which every simulated world begins. */
const BEGIN_MS = Date.parse("2031-03-03T09:00:00.000Z");
/** A run that takes more steps than this never ends. */
const MOST_STEPS = 20_000;
const FREEZES_MS = [3_000, 9_000, 11_000, 14_000, 40_000, 180_000];
const JUMPS_MS = [
  ...[1_000, 11_000, 11_000, 14_000, 65_000, 65_000, 660_000, 1_860_000],
  ...[86_400_000, 86_400_000 - 14_000, 7 * 86_400_000 + 60_000],
];

/**
 * The one scheduler. Whatever waits for SQL, the processor or time parks a step here; one step runs at a time, chosen by the plan's
 * seed, and its actor goes on until it parks the next one.
 */
export class World {
  nowMs = BEGIN_MS;
  /** Off while a run is brought to its end. */
  hasFaults = true;
  readonly trace: string[] = [];
  /** How often each condition came about that a run may bring about and need not. */
  readonly seen = new Map<string, number>();
  readonly violations: string[] = [];
  readonly processes: Process[] = [];
  readonly load: Random;
  readonly schedule: Random;
  readonly chaos: Random;
  /** Of what there is most in this world: two things that seldom come about by themselves hardly ever do so together. */
  readonly theme: "any" | "refusing" | "stopping";
  readonly rates: Readonly<Record<FaultKind, number>>;
  /** Told before a process's steps are thrown away, and when one is stopped. */
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
    // Some worlds are nearly quiet, so that the races of a healthy service come about, too.
    const rate = (usual: number) => (chaos.chance(0.35) ? 0 : usual * (0.5 + chaos.next()));
    const all = {
      ...{ drop: rate(0.05), kill: rate(0.02), freeze: rate(this.theme === "stopping" ? 0.06 : 0.025) },
      ...{ jump: rate(0.012), network: rate(this.theme === "refusing" ? 0.5 : 0.3), report: rate(0.4) },
    };
    if (this.theme === "refusing") Object.assign(all, { freeze: Math.max(all.freeze, 0.02), jump: 0, kill: 0 });
    this.rates = {
      ...all,
      ...Object.fromEntries(FAULTS.filter((kind) => !plan.faults.includes(kind)).map((k) => [k, 0])),
    };
    this.#stickiness = chaos.pick([0, 0, 0.4, 0.75]);
  }

  /** Whose step this is: all that goes on until the next one does so for it. */
  get actor(): Actor {
    if (!this.#current) throw new Error("something waits that no actor of the simulation does");
    return this.#current;
  }

  /** Begins something as another actor, and tells this one, in a step of its own, how it ended. */
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

  /** Something that must never be. */
  violate(what: string): void {
    this.violations.push(what);
    this.trace.push(`             *** ${what}`);
  }

  /** Whether this is to go wrong here; `weight`: so much likelier than elsewhere. */
  fault(kind: FaultKind, weight = 1): boolean {
    if (!this.hasFaults || this.#budget <= 0 || !this.chaos.chance(this.rates[kind] * weight)) return false;
    this.#budget--;
    return true;
  }

  /** Waits for its turn, from `dueMs` on, and while it is ready. */
  park(what: string, options: { dueMs?: number; isReady?: () => boolean } = {}): Promise<void> {
    return new Promise((resolve) => this.parkStep(what, resolve, options));
  }

  /** Does something in its turn. Whatever really takes time is done so: outside of a step nobody would wait for it. */
  perform<T>(what: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.parkStep(what, () => work().then(resolve, reject));
    });
  }

  /** The same with what is to be done in its turn; answers how to call it off. */
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

  /** Time as a process of this world has it. */
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

  /** Whether a process is stopped now, or was stopped before. */
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

  /** Runs one step after the other until `isOver`. */
  async run(isOver: () => boolean): Promise<void> {
    await quiet();
    while (!isOver()) {
      if (this.#taken++ > MOST_STEPS) throw new Error(`no end after ${MOST_STEPS} steps`);
      const step = this.#choose();
      if (!step) {
        if (!this.#advance()) throw new Error("everybody waits, and nothing will happen any more");
        continue;
      }
      const { process } = step.actor;
      this.nowMs += 1 + this.schedule.int(4);
      if (this.fault("jump")) this.#jump();
      // Between the processor's answer and the books nothing must be lost: most of what can go wrong goes wrong here.
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

  /** Time goes on to when somebody can do something. */
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

  /** Nobody is stopped any more, and nothing goes wrong. */
  calm(): void {
    this.hasFaults = false;
    for (const process of this.processes) process.frozenUntilMs = 0;
  }
}

export const NOBODY: Actor = { name: "-", process: null };

/** Everything that can go on without a step has done so: all that is left to wait for is parked. */
const quiet = () => new Promise<void>((resolve) => setImmediate(resolve));
