import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { PgBouncer } from "../fixtures/pgbouncer";
import { Client } from "./client";
import { signal } from "./embedded";
import type { StormLog, StormService } from "./storm-parts";
import type { StepClock, StormServer } from "./storm-server";

export type Stage = {
  readonly server: StormServer;
  readonly pooler: PgBouncer | null;
  /** The first connects to the database directly, the second through the pooler, if there is one. */
  readonly services: readonly [StormService, StormService];
  /** Clock of the second service only. */
  readonly serviceClock: StepClock | null;
  readonly settle: () => Promise<unknown>;
  /** A table of the processor, or of its connector. */
  readonly locked: string;
  readonly log: StormLog;
  readonly random: () => number;
  /** Key of an otherwise unused environment, to probe if a service works. */
  readonly probeKey: string;
};

type Act = {
  readonly name: string;
  /** The part it breaks; concurrent acts never break the same part. */
  readonly part: "service" | "database" | "pooler" | "clock" | "none";
  readonly weight: number;
  readonly run: () => Promise<unknown>;
};

/** Maximum time for a service to work again after any act. */
const RECOVERY_LIMIT_MS = 60_000;
const STEPS_S = [-7_200, -3_600, -90, -30, -6, 30, 90, 3_600, 7_200];
const LOCKED = ["idempotency_keys", "operations", "payments", "ledger_entries"];

/** Breaks one thing after another, sometimes two together, and lets the services recover in between. */
export class Director {
  readonly counts = new Map<string, number>();
  /** Recovery times of the services, by act. */
  readonly recoveriesMs = new Map<string, number[]>();
  readonly #acts: readonly Act[];

  constructor(readonly stage: Stage) {
    this.#acts = actsOf(stage).filter(({ weight }) => weight > 0);
  }

  #pick(than: (act: Act) => boolean): Act {
    const acts = this.#acts.filter(than);
    let at = this.stage.random() * acts.reduce((sum, { weight }) => sum + weight, 0);
    for (const act of acts) {
      at -= act.weight;
      if (at <= 0) return act;
    }
    return acts.at(-1) as Act;
  }

  async rage(ms: number, hasFailed: () => boolean): Promise<void> {
    const { random, log } = this.stage;
    const end = performance.now() + ms;
    while (performance.now() < end && !hasFailed()) {
      const first = this.#pick(() => true);
      const acts = random() < 0.4 ? [first, this.#pick(({ part }) => part !== first.part)] : [first];
      await Promise.all(acts.map((act) => this.#run(act, random() * 500)));
      await this.#untilRecovered(acts.map(({ name }) => name).join(" + "));
      await wait(random() * 1_500);
    }
    log.act("the storm is over");
  }

  async #run(act: Act, delayMs: number): Promise<void> {
    const { log } = this.stage;
    await wait(delayMs);
    log.act(`${act.name} …`);
    try {
      await act.run();
      this.counts.set(act.name, (this.counts.get(act.name) ?? 0) + 1);
      log.act(`${act.name} ✓`);
    } catch (error) {
      // The other act had already broken it.
      log.act(`${act.name} could not be done: ${String(error).slice(0, 300)}`);
    }
  }

  /**
   * Each service accepts a write, whatever the clocks; half the time the next act waits for only one of them.
   */
  async #untilRecovered(after: string): Promise<void> {
    const { services, random } = this.stage;
    const waitsForBoth = random() < 0.5;
    const recovered = services.map((service) => this.#recovery(service, after, waitsForBoth));
    await (waitsForBoth ? Promise.all(recovered) : Promise.race(recovered));
  }

  async #recovery(service: StormService, after: string, isUndisturbed: boolean): Promise<void> {
    const { log, probeKey } = this.stage;
    const begun = performance.now();
    const client = new Client(probeKey, () => service.baseUrl);
    const works = () =>
      client
        .post({ key: randomUUID(), path: "/v1/client-sessions", body: { amount: 100, currency: "USD" } })
        .then(({ status }) => status === 201)
        .catch(() => false);
    while (!(await works())) {
      if (performance.now() - begun > RECOVERY_LIMIT_MS) {
        const what = `${service.name} did not work within ${RECOVERY_LIMIT_MS / 1_000} s after ${after}`;
        // Otherwise later acts may be the cause.
        if (isUndisturbed) log.note(what);
        return log.act(what);
      }
      await wait(50);
    }
    const ms = Math.round(performance.now() - begun);
    log.act(`${service.name} works after ${ms} ms`);
    if (!isUndisturbed) return;
    const key = `${after}, ${service.name}`;
    this.recoveriesMs.set(key, [...(this.recoveriesMs.get(key) ?? []), ms]);
  }

  /** Restores everything: clocks agree, writes work, nothing is paused. */
  calm(): void {
    this.stage.server.clock?.set(0);
    this.stage.serviceClock?.set(0);
    this.stage.server.set("default_transaction_read_only", "off");
  }
}

function actsOf({ server, pooler, services, serviceClock, settle, locked, log, random }: Stage): Act[] {
  const between = (low: number, high: number) => low + random() * (high - low);
  const one = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const step = (clock: StepClock | null, name: string) => async () => {
    // Half the time back to the right time; sometimes there and back within a few seconds.
    const offsetS = clock?.offsetS !== 0 && random() < 0.5 ? 0 : one(STEPS_S);
    log.act(`${name}: ${clock?.offsetS} s → ${offsetS} s`);
    clock?.set(offsetS);
    await wait(between(300, 5_000));
    if (random() < 0.6) {
      log.act(`${name}: ${offsetS} s → 0 s`);
      clock?.set(0);
    }
  };
  const restartPooler = (how: "SIGKILL" | "SIGTERM") => async () => {
    await pooler?.kill(how);
    await wait(between(0, 2_000));
    await pooler?.start();
  };
  const pausePooler = async () => {
    const pid = pooler?.pid ?? 0;
    signal(pid, "SIGSTOP");
    await wait(between(1_000, 12_000));
    signal(pid, "SIGCONT");
  };
  const terminate = async () => {
    const service = one(services);
    const how = await service.kill("SIGTERM");
    if (how !== null && how !== 0) log.note(`${service.name} ended with ${String(how)} after SIGTERM`);
  };
  return [
    { name: "kill -9 of a service", part: "service", weight: 5, run: () => one(services).kill("SIGKILL") },
    { name: "SIGTERM of a service", part: "service", weight: 2, run: terminate },
    // Mostly short pauses, which most leases outlive; 20 s at most.
    {
      name: "SIGSTOP of a service",
      part: "service",
      weight: 3,
      run: () => one(services).pause(1_000 + 19_000 * random() ** 3),
    },
    {
      name: "kill -9 of all of PostgreSQL",
      part: "database",
      weight: 3,
      run: () => server.crash("kill all", between(0, 1_500)),
    },
    {
      name: "kill -9 of the postmaster",
      part: "database",
      weight: 2,
      run: () => server.crash("kill the first", between(0, 500)),
    },
    {
      name: "SIGQUIT of PostgreSQL",
      part: "database",
      weight: 2,
      run: () => server.crash("immediate stop", between(0, 1_500)),
    },
    { name: "kill -9 of a backend", part: "database", weight: 4, run: () => server.crash("kill one", 0) },
    { name: "all connections cut", part: "database", weight: 3, run: () => server.cutConnections() },
    { name: "read-only phase", part: "database", weight: 2, run: () => server.readOnly(between(500, 7_000)) },
    { name: "demotion and promotion", part: "database", weight: 2, run: () => server.demote(between(500, 5_000)) },
    { name: "silence of PostgreSQL for 8 s", part: "database", weight: 1, run: () => server.fallSilent(8_000) },
    {
      name: "a locked table",
      part: "database",
      weight: 2,
      run: () => server.lock(one([...LOCKED, locked]), between(500, 7_000)),
    },
    { name: "kill -9 of PgBouncer", part: "pooler", weight: pooler ? 2 : 0, run: restartPooler("SIGKILL") },
    { name: "restart of PgBouncer", part: "pooler", weight: pooler ? 1 : 0, run: restartPooler("SIGTERM") },
    { name: "SIGSTOP of PgBouncer", part: "pooler", weight: pooler ? 2 : 0, run: pausePooler },
    {
      name: "PostgreSQL's clock is set",
      part: "clock",
      weight: server.clock ? 6 : 0,
      run: step(server.clock, "PostgreSQL's clock"),
    },
    {
      name: "a service's clock is set",
      part: "clock",
      weight: serviceClock ? 3 : 0,
      run: step(serviceClock, "the service's clock"),
    },
    { name: "settlement", part: "none", weight: 1, run: settle },
  ];
}
