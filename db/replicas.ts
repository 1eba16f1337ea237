import { setTimeout as wait } from "node:timers/promises";
import type { Host } from "./address";
import { awake, type Connection, INSTANCE, type Rows, SYSTEM, TIMELINE } from "./connection";
import { isCanceled, isConflict } from "./refusals";
import { type Lease, type Owner, Statement, type StatementPool, type TransactionConnection } from "./statements";
import { isDatabaseUnavailable } from "./unavailable";

/** Interval at which each replica is checked. */
const CHECK_MS = 250;
/** A replica that has not caught up with the primary for this long, or has not responded, is left out. */
const LEFT_OUT_AFTER_MS = 900;
/** Max time that a read waits for a replica to catch up; then the primary serves it. */
const CATCH_UP_MS = 100;
/** Pause between two checks of a replica that a read waits for. */
const CATCH_UP_POLL_MS = 3;

/** The pools that serve reads at one replica, like those at the primary. */
export type ReplicaPools<C extends TransactionConnection = Connection> = {
  readonly [Name in PoolName]: StatementPool<C>;
};
export type PoolName = "crossing_sql" | "crossing_orm" | "environment_sql" | "environment_orm" | "long";

export type ReplicaFigures = { readonly name: string; readonly isUsed: boolean; readonly lagMs: number };

/** Sends the statement that reads a position. */
type PositionPool = Pick<StatementPool, "run" | "end">;

/** Durations and pauses; injected so that a simulation can choose them. */
export type ReplicaTimer = {
  /** Milliseconds during which this process ran. */
  awakeMs(): number;
  elapsedMs(): number;
  wait(ms: number): Promise<void>;
  /** Calls `call` after every `ms` until the returned function is called. */
  every(ms: number, call: () => void): () => void;
};

const SYSTEM_TIMER: ReplicaTimer = {
  awakeMs: awake,
  elapsedMs: () => performance.now(),
  wait: (ms) => wait(ms, undefined, { ref: false }),
  every(ms, call) {
    const timer = setInterval(call, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

type ReplicasOptions<C extends TransactionConnection> = {
  readonly hosts: readonly Host[];
  /** A connection to the primary, for its position alone. */
  readonly primary: PositionPool;
  /** A pool with one connection to a replica, for its position alone. */
  readonly openCheck: (host: Host) => PositionPool;
  /** `instance`: the server that the check reached, and that the pools must reach. */
  readonly openPools: (host: Host, instance: string) => ReplicaPools<C>;
  readonly log: { warn(facts: object, message: string): void };
  readonly timer?: ReplicaTimer;
};

/**
 * Bytes of WAL since the beginning: what the primary has flushed, which includes every confirmed commit, or
 * what a replica has replayed, and what it has received. A replica doesn't report its timeline.
 */
const POSITION = `select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end
    - '0/0'::pg_lsn)::bigint as position, (pg_last_wal_receive_lsn() - '0/0'::pg_lsn)::bigint as received,
    ${TIMELINE} as timeline, ${SYSTEM} as system, ${INSTANCE} as instance`;

type Position = {
  readonly position: number;
  readonly received: number;
  readonly timeline: number | null;
  readonly system: string;
  readonly instance: string;
};
/** The primary's position as of a check, which began at `atMs`. */
type Sample = Position & { readonly atMs: number };

async function readPosition(pool: PositionPool): Promise<Position> {
  const statement = new Statement([POSITION], [], (client) => client.unsafe(POSITION), {
    run: (own) => pool.run(own, { environment: "", queue: "" }),
    read() {
      throw new Error("a position is one row");
    },
  });
  const [row] = await statement;
  const { timeline, system, instance } = row as unknown as Position;
  const position = Number(row?.position);
  return { position, received: Math.max(position, Number(row?.received)), timeline, system, instance };
}

/**
 * Read replicas of the primary. A read goes to one that has replayed everything the primary had confirmed
 * when the read began, so that nobody sees a state older than their own write, whichever process wrote it.
 */
export class Replicas<C extends TransactionConnection = Connection> {
  readonly #primary: PositionPool;
  readonly #replicas: readonly Replica<C>[];
  readonly #timer: ReplicaTimer;
  readonly #stopChecks: () => void;
  readonly #log: ReplicasOptions<C>["log"];
  /** Message of the latest error that reported no position; null after a success. */
  #problem: string | null = null;
  #sample: Sample | null = null;
  #isChecking = false;
  #turn = 0;
  /** The primary's, and thus the one that replicas have to follow; null until known. */
  #timeline: number | null = null;
  /** The query that callers join before it is sent, and the one that was sent. */
  #next: Promise<Position> | null = null;
  #sent: Promise<unknown> = Promise.resolve();

  constructor(options: ReplicasOptions<C>) {
    this.#primary = options.primary;
    this.#log = options.log;
    this.#timer = options.timer ?? SYSTEM_TIMER;
    this.#replicas = options.hosts.map((host) => new Replica(host, options, this.#timer));
    this.#stopChecks = this.#timer.every(CHECK_MS, () => void this.#check());
    void this.#check();
  }

  get figures(): ReplicaFigures[] {
    return this.#replicas.map((replica) => replica.figures);
  }

  /** A replica with everything confirmed before this call, or null. Replicas are used in turn. */
  async caughtUp(): Promise<{ host: Host; instance: string; pools: ReplicaPools<C> } | null> {
    const used = this.#replicas.filter((replica) => replica.isUsed);
    if (used.length === 0) return null;
    // The check reports the error, and the primary's own pools the outage, if it is one.
    const primary = await this.#position().catch(() => null);
    if (primary === null) return null;
    const replica = used[this.#turn++ % used.length] as Replica<C>;
    const { host } = replica;
    const isThere = await replica.reaches(primary.position);
    const { pools, instance } = replica;
    return isThere && pools ? { host, instance, pools } : null;
  }

  /** The primary's position, requested after this call: callers share a query that was not sent yet. */
  #position(): Promise<Position> {
    this.#next ??= this.#sent.then(() => {
      this.#next = null;
      const asked = readPosition(this.#primary).then((primary) => {
        if (this.#timeline !== null && primary.timeline !== this.#timeline)
          for (const replica of this.#replicas) replica.distrust();
        this.#timeline = primary.timeline;
        return primary;
      });
      this.#sent = asked.catch(() => {});
      return asked;
    });
    return this.#next;
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const atMs = this.#timer.awakeMs();
    try {
      for (const replica of this.#replicas) replica.check(this.#sample);
      this.#sample = { ...(await this.#position()), atMs };
      this.#problem = null;
    } catch (error) {
      // Nobody awaits this check, so an error that it threw would end the process. Without a new position the
      // replicas are left out. An outage of the primary is reported by its pools.
      const { message } = error as Error;
      if (!isDatabaseUnavailable(error) && message !== this.#problem)
        this.#log.warn({ err: error }, "the primary's position could not be read; no read replica is used");
      this.#problem = message;
    } finally {
      this.#isChecking = false;
    }
  }

  async end(timeoutMs: number): Promise<void> {
    this.#stopChecks();
    await Promise.all([this.#primary.end(0), ...this.#replicas.map((replica) => replica.end(timeoutMs))]);
  }
}

class Replica<C extends TransactionConnection> {
  readonly host: Host;
  readonly #options: ReplicasOptions<C>;
  readonly #timer: ReplicaTimer;
  #checks: PositionPool;
  #asked: Promise<void> | null = null;
  #askedAtMs = 0;
  #position: Position | null = null;
  /** When it was last known to have everything that the primary had shortly before. */
  #caughtUpAtMs = Number.NEGATIVE_INFINITY;
  /** It must have replayed more than this; null until its next position. */
  #beyond: number | null = -1;
  /** Open while it is used. */
  #pools: ReplicaPools<C> | null = null;
  /** The server that the check reached. */
  instance = "";
  #isEnding = false;

  constructor(host: Host, options: ReplicasOptions<C>, timer: ReplicaTimer) {
    this.host = host;
    this.#options = options;
    this.#timer = timer;
    this.#checks = options.openCheck(host);
  }

  get isUsed(): boolean {
    return this.#pools !== null;
  }

  get pools(): ReplicaPools<C> | null {
    return this.#pools;
  }

  get figures(): ReplicaFigures {
    return { name: this.host.label, isUsed: this.isUsed, lagMs: this.#timer.awakeMs() - this.#caughtUpAtMs };
  }

  /** True if it has replayed this much, within `CATCH_UP_MS`. */
  async reaches(position: number): Promise<boolean> {
    const begunMs = this.#timer.elapsedMs();
    while (this.#pools && (this.#position?.position ?? 0) < position) {
      const leftMs = CATCH_UP_MS - (this.#timer.elapsedMs() - begunMs);
      if (leftMs <= 0) return false;
      await Promise.race([this.#ask(), this.#timer.wait(leftMs)]);
      if ((this.#position?.position ?? 0) < position) await this.#timer.wait(CATCH_UP_POLL_MS);
    }
    return this.isUsed;
  }

  /** Judges the replica by earlier checks and begins another: it should have what `primary` had at the last. */
  check(primary: Sample | null): void {
    const now = this.#timer.awakeMs();
    if (this.#asked !== null && now - this.#askedAtMs > LEFT_OUT_AFTER_MS) this.#reset("it does not respond");
    else if (this.#position && now - this.#caughtUpAtMs < LEFT_OUT_AFTER_MS) this.#use(this.#position);
    else if (this.#position && primary && this.#position.system !== primary.system)
      this.#leaveOut("it copies another server");
    else this.#leaveOut("it lags behind the primary");
    void this.#ask().then(() => {
      if (!this.#position) return;
      const { position, received, system } = this.#position;
      this.#beyond ??= received;
      if (position > this.#beyond && primary?.system === system && position >= primary.position)
        this.#caughtUpAtMs = primary.atMs;
    });
  }

  /**
   * A standby was promoted. What this replica received from the old primary may be missing in the new one, in which case
   * it can't follow: it is used again once it has replayed more than that.
   */
  distrust(): void {
    this.#reset("a standby has become the primary");
    this.#caughtUpAtMs = Number.NEGATIVE_INFINITY;
    this.#beyond = null;
  }

  #use({ instance }: Position): void {
    if (this.#pools || this.#isEnding) return;
    this.instance = instance;
    this.#pools = this.#options.openPools(this.host, instance);
    this.#options.log.warn({ replica: this.host.label }, "a read replica is used");
  }

  /** Reads in progress on it fail, and are repeated on the primary. */
  #leaveOut(reason: string): void {
    const pools = this.#pools;
    if (!pools) return;
    this.#pools = null;
    this.#options.log.warn({ replica: this.host.label, reason }, "a read replica is left out");
    for (const pool of Object.values(pools)) void pool.end(0);
  }

  /** Its connections may be dead without an error. */
  #reset(reason: string): void {
    this.#leaveOut(reason);
    this.#position = null;
    this.#asked = null;
    void this.#checks.end(0);
    if (!this.#isEnding) this.#checks = this.#options.openCheck(this.host);
  }

  /** Asks for its position; callers share a query in progress. */
  #ask(): Promise<void> {
    if (this.#asked) return this.#asked;
    const pool = this.#checks;
    this.#askedAtMs = this.#timer.awakeMs();
    const asked: Promise<void> = readPosition(pool)
      .then(
        (position) => {
          if (pool === this.#checks) this.#position = position;
        },
        (error: Error) => {
          if (pool !== this.#checks || this.#isEnding) return;
          // An idle primary stays at this position, which would count as caught up.
          this.#position = null;
          this.#leaveOut(error.message);
        },
      )
      .finally(() => {
        if (this.#asked === asked) this.#asked = null;
      });
    this.#asked = asked;
    return asked;
  }

  async end(timeoutMs: number): Promise<void> {
    this.#isEnding = true;
    const pools = Object.values(this.#pools ?? {});
    this.#pools = null;
    await Promise.all([this.#checks.end(0), ...pools.map((pool) => pool.end(timeoutMs))]);
  }
}

/**
 * A pool for reads: statements run on a replica that has caught up, and on the primary if there is none, or if
 * the replica can't serve one, such as a write.
 */
export class ReadPool<C extends TransactionConnection = Connection> implements StatementPool<C> {
  constructor(
    readonly primary: StatementPool<C>,
    readonly replicas: Pick<Replicas<C>, "caughtUp">,
    readonly name: PoolName,
  ) {}

  get options(): object {
    return this.primary.options;
  }

  run(statement: Statement, owner: Owner): Promise<Rows> {
    return this.#on((pool) => pool.run(statement, owner));
  }

  /** Only a transaction that is declared read-only may run on a replica. */
  lease(owner: Owner, modes = ""): Promise<Lease<C>> {
    return isReadOnly(modes) ? this.#on((pool) => pool.lease(owner)) : this.primary.lease(owner);
  }

  leaseAfter(error: unknown, owner: Owner, modes: string): Promise<Lease<C>> | null {
    return isReadOnly(modes) && isReplicasFault(error) ? this.primary.lease(owner) : null;
  }

  async #on<T>(work: (pool: StatementPool<C>) => Promise<T>): Promise<T> {
    const replica = await this.replicas.caughtUp();
    if (!replica) return work(this.primary);
    try {
      return await work(replica.pools[this.name]);
    } catch (error) {
      if (!isReplicasFault(error)) throw error;
      return work(this.primary);
    }
  }

  /** The pools of the primary and the replicas end by themselves. */
  async end(): Promise<void> {}
}

const isReadOnly = (modes: string): boolean => /\bread only\b/i.test(modes);

/** A pool that is opened for its first statement or transaction. */
export class LazyPool<C extends TransactionConnection = Connection> implements StatementPool<C> {
  readonly options = {};
  readonly #open: () => Promise<StatementPool<C>>;
  #opened: Promise<StatementPool<C>> | null = null;

  constructor(open: () => Promise<StatementPool<C>>) {
    this.#open = open;
  }

  #pool(): Promise<StatementPool<C>> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  async run(statement: Statement, owner: Owner): Promise<Rows> {
    return (await this.#pool()).run(statement, owner);
  }

  async lease(owner: Owner): Promise<Lease<C>> {
    return (await this.#pool()).lease(owner);
  }

  async end(timeoutMs: number): Promise<void> {
    await (await this.#opened?.catch(() => null))?.end(timeoutMs);
  }
}

/**
 * It is gone or read-only, or cancels a statement because of a conflict with what it has to replay. The primary
 * would not finish in time either what took a replica too long.
 */
const isReplicasFault = (error: unknown): boolean =>
  isConflict(error) || (isDatabaseUnavailable(error) && !isCanceled(error));
