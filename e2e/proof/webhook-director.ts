import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "@/db/client";
import type { ProofHost } from "./host";
import type { DeliveryClock } from "./webhook-clock";

const WORK_LIMIT_MS = 1_800_000;
/** Time for statements that a process sent before it was stopped to complete. */
const STATEMENT_MS = 100;
/** Attempts started together are due within 10 % of their pause of each other: one clock move covers them. */
export const LATE = 0.25;
export const LEAST_LATE_MS = 20_000;

/** Kills processes and moves their clock forward, only once no delivery is due or held by a process. */
export class WebhookDirector {
  kills = 0;
  /** The longest start; a machine that is slow at starting is slow at everything. */
  #startMs = 0;
  /** Attempts per delivery whose process died before recording them. */
  readonly #lost = new Map<string, number>();

  constructor(
    readonly db: Database,
    readonly clock: DeliveryClock,
    readonly hosts: ProofHost[],
    readonly start: (port: number) => Promise<ProofHost>,
  ) {}

  /**
   * Kills one process after another at random moments until the work is done; less often if starts are slow.
   */
  async killWhile(work: () => Promise<void>): Promise<void> {
    let isDone = false;
    const done = work().finally(() => {
      isDone = true;
    });
    while (!isDone) {
      const pauseMs = Math.random() * Math.max(1_500, 4 * this.#startMs);
      await Promise.race([wait(pauseMs), done.catch(() => {})]);
      if (!isDone) await this.#kill();
    }
    await done;
  }

  async #kill(): Promise<void> {
    const index = this.kills++ % this.hosts.length;
    const victim = this.hosts[index] as ProofHost;
    await victim.kill("SIGKILL");
    const begunMs = performance.now();
    this.hosts[index] = await this.start(victim.port);
    this.#startMs = Math.max(this.#startMs, performance.now() - begunMs);
  }

  /** Runs until nothing is left to send. Returns the number of clock moves. */
  async workOff(killedRounds: number): Promise<number> {
    for (let round = 0; ; round++) {
      if (round < killedRounds) await this.killWhile(() => this.#untilNothingIsDue());
      else await this.#untilNothingIsDue();
      if (!(await this.#moveClock())) return round;
    }
  }

  /**
   * Moves the clock to the next due delivery; false when none is left. The processes are stopped for it: a
   * delivery due during the move would be signed before it and arrive after it.
   */
  async #moveClock(): Promise<boolean> {
    for (;;) {
      await this.#untilNothingIsHeld();
      this.#signal("SIGSTOP");
      try {
        await wait(STATEMENT_MS);
        if ((await this.#held()).length > 0) continue;
        const next = await this.#next();
        if (next !== null) this.clock.forwardTo(next);
        return next !== null;
      } finally {
        this.#signal("SIGCONT");
      }
    }
  }

  #signal(signal: NodeJS.Signals): void {
    for (const { pid } of this.hosts) process.kill(pid, signal);
  }

  async #untilNothingIsDue(): Promise<void> {
    const deadline = performance.now() + WORK_LIMIT_MS;
    for (;;) {
      const [row] = await this.db.sql<{ n: number }[]>`
        select count(*)::int as n from webhook_deliveries d
        join webhook_endpoints e on e.environment_id = d.environment_id and e.id = d.endpoint_id
        where d.status = 'PENDING' and e.status = 'ENABLED' and d.next_attempt_at <= ${this.clock.now().toISOString()}`;
      if (row?.n === 0) return;
      if (performance.now() > deadline) throw new Error(`${row?.n} deliveries are due and not sent`);
      await wait(100);
    }
  }

  /**
   * A delivery held by a process, or by one that died with it, counts as started but has no recorded attempt.
   */
  async #untilNothingIsHeld(): Promise<void> {
    let before = "";
    let sinceMs = performance.now();
    for (;;) {
      const held = await this.#held();
      if (held.length === 0) return;
      const now = held.map(({ id, missing }) => `${id} ${missing}`).join();
      if (now !== before) {
        before = now;
        sinceMs = performance.now();
      }
      // Longer than a process takes to send and record the deliveries it holds.
      if (performance.now() - sinceMs > Math.max(3_000, 3 * this.#startMs)) {
        for (const { id, missing } of held) this.#lost.set(id, missing);
        return;
      }
      await wait(50);
    }
  }

  async #held(): Promise<{ id: string; missing: number }[]> {
    const rows = await this.db.sql<{ id: string; missing: number }[]>`
      select d.id, d.attempts - (
        select count(*)::int from webhook_attempts a where a.environment_id = d.environment_id and a.delivery_id = d.id
      ) as missing
      from webhook_deliveries d where d.status = 'PENDING' and d.attempts > 0 order by d.id`;
    return rows.filter(({ id, missing }) => missing > (this.#lost.get(id) ?? 0));
  }

  /** Null when nothing is left. Nothing is overdue by more than a quarter of its pause. */
  async #next(): Promise<Date | null> {
    const rows = await this.db.sql<{ at: string; since: string }[]>`
      select d.next_attempt_at as at, d.updated_at as since from webhook_deliveries d
      join webhook_endpoints e on e.environment_id = d.environment_id and e.id = d.endpoint_id
      where d.status = 'PENDING' and e.status = 'ENABLED'`;
    const due = rows.map(({ at, since }) => ({ ms: Date.parse(at), pauseMs: Date.parse(at) - Date.parse(since) }));
    if (due.length === 0) return null;
    return new Date(Math.min(...due.map(({ ms, pauseMs }) => ms + Math.max(LEAST_LATE_MS, LATE * pauseMs))));
  }
}
