import postgres from "postgres";
import { Semaphore, type Slot } from "@/lib/semaphore";
import type { Address } from "./address";
import { awake, Connection, type ConnectionOptions, connectionClosed, type Rows, silence } from "./connection";
import type { Lease, Owner, Statement, StatementPool } from "./statements";
import { DatabaseUnavailable, isServerLost } from "./unavailable";

export type PoolOptions = ConnectionOptions & {
  readonly max: number;
  /** Max connections that one queue may hold. */
  readonly perQueue: number;
  /** A lost connection is not replaced. */
  readonly keepsOne: boolean;
};

/** Max wait for a connection. A caller that waited longer would have timed out itself. */
const QUEUE_LIMIT_MS = 5_000;
const SWEEP_MS = 250;
/** Interval of reconnecting to a database that is down, and max concurrent attempts. */
const RETRY_MS = 500;
const MAX_OPENING = 12;
const OPEN_LIMIT_MS = 3_000;
/** After this silence a server gets one more connection, to tell a dead server from a slow statement. */
const SLOW_MS = 3_000;

/**
 * The pools of this process for one server. If one finds it silent, all of them do. `timeline`: the latest seen in
 * cluster `system`. A server with an older one was the primary before, and may not know yet that it no longer is.
 */
type Server = {
  readonly pools: Set<Pool>;
  answeredAt: number;
  isProbed: boolean;
  probedAt: number;
  system: string;
  timeline: number;
  /** Index of the host that was last connected to. */
  host: number;
};
const servers = new Map<string, Server>();

/**
 * Connections to one database. A statement or transaction uses one exclusively, or waits for one; queues are
 * served round-robin. A statement refused with DatabaseUnavailable was never sent.
 */
export class Pool implements StatementPool {
  readonly #address: Address;
  readonly #options: PoolOptions;
  /** One slot per open connection. */
  readonly #slots: Semaphore;
  readonly #all = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #server: Server;
  readonly #sweep: NodeJS.Timeout;
  #opening = 0;
  /** Why no connection is open; null if one is, or if none was needed yet. */
  #down: Error | null = null;
  #retryAt = 0;
  #isEnding = false;
  #emptied = () => {};

  constructor(address: Address, options: PoolOptions) {
    this.#address = address;
    this.#options = options;
    const refusal = () => new DatabaseUnavailable(`no connection was free within ${QUEUE_LIMIT_MS / 1_000} s`);
    this.#slots = new Semaphore({ slots: 0, perKey: options.perQueue, waitMs: QUEUE_LIMIT_MS, refusal });
    const label = JSON.stringify(address.hosts);
    const unknown = { answeredAt: 0, isProbed: false, probedAt: 0, system: "", timeline: 0, host: 0 };
    this.#server = servers.get(label) ?? { pools: new Set(), ...unknown };
    this.#server.pools.add(this);
    servers.set(label, this.#server);
    this.#sweep = setInterval(() => this.#look(), SWEEP_MS);
    this.#sweep.unref();
  }

  get figures() {
    return { max: this.#options.max, inUse: this.#slots.inUse, waiting: this.#slots.waiting };
  }

  get options(): ConnectionOptions["client"] {
    return this.#options.client;
  }

  /** Throws DatabaseUnavailable when the statement was not sent. */
  async run(statement: Statement, owner: Owner): Promise<Rows> {
    const { connection, release } = await this.lease(owner);
    try {
      return await connection.run(statement, owner.environment);
    } finally {
      release();
    }
  }

  /** Leases a connection, which must be released. Throws DatabaseUnavailable. */
  async lease({ environment, queue }: Owner): Promise<Lease<Connection>> {
    for (;;) {
      if (this.#down) throw refusal(this.#down);
      const acquired = this.#slots.acquire(queue);
      this.#openMore();
      const slot = await acquired;
      const connection = this.#nextIdle(environment);
      if (connection) return { connection, release: () => this.#release(connection, slot) };
      // The idle connection was lost in the meantime.
      slot.release();
    }
  }

  /** The connection last used for `environment`, which needs no switch; else the least recently used one. */
  #nextIdle(environment: string): Connection | null {
    while (this.#idle.length > 0) {
      const own = this.#idle.findLastIndex((connection) => connection.environment === environment);
      const [idle] = this.#idle.splice(Math.max(own, 0), 1) as [Connection];
      if (idle.isUsable) return idle;
      this.#drop(idle);
    }
    return null;
  }

  #release(connection: Connection, slot: Slot): void {
    if (connection.isUsable && !this.#isEnding) this.#idle.push(connection);
    else this.#drop(connection);
    slot.release();
  }

  #drop(connection: Connection): void {
    if (!this.#all.delete(connection)) return;
    this.#slots.resize(this.#all.size);
    const { problem, isStale } = connection;
    void connection.close();
    // The server is silent, read-only or shutting down: distrust the other connections, too.
    if (problem && !isStale && (isServerLost(problem) || isSilence(problem))) {
      for (const pool of this.#server.pools) pool.#distrust();
    }
    if (this.#isEnding && this.#all.size === 0) this.#emptied();
    if (this.#options.keepsOne && !this.#isEnding) {
      void this.end(0);
      this.#goDown(problem ?? new Error("its connection was lost"));
    }
    this.#openMore();
  }

  #distrust(): void {
    for (const connection of this.#all) connection.isStale = true;
    for (const idle of this.#idle.splice(0)) this.#drop(idle);
  }

  #openMore(): void {
    if (this.#isEnding || awake() < this.#retryAt) return;
    const { waiting } = this.#slots;
    while (this.#opening < waiting && this.#all.size + this.#opening < this.#options.max) void this.#open();
  }

  async #open(): Promise<void> {
    this.#opening++;
    try {
      const connection = await this.#connect(this.#server.host);
      // While the database was away one attempt followed the other, and several may come through at once.
      if (this.#isEnding || this.#all.size >= this.#options.max) return void connection.close();
      this.#down = null;
      this.#retryAt = 0;
      this.#all.add(connection);
      this.#idle.push(connection);
      connection.onLost = () => this.#sweepIdle();
      this.#slots.resize(this.#all.size);
    } catch (error) {
      const { errors } = error as AggregateError;
      this.#retryAt = awake() + RETRY_MS;
      // With several hosts, the error of one that responded says more than a timeout.
      const problem: Error = errors.find((one) => one instanceof DatabaseUnavailable) ?? errors[0];
      if (![...this.#all].some((connection) => connection.isUsable)) this.#goDown(problem);
    } finally {
      this.#opening--;
      this.#openMore();
    }
  }

  /** Throws each host's error. */
  async #connect(first: number): Promise<Connection> {
    const check = (connection: Connection, host: number) => this.#options.readsOnly || this.#adopt(connection, host);
    return Connection.open(this.#address, this.#options, { first, check }, OPEN_LIMIT_MS);
  }

  /** No pool keeps connections to an old primary once one has found the new one. */
  #adopt(connection: Connection, host: number): void {
    const server = this.#server;
    const { system, timeline } = connection;
    this.#refuseOld(connection);
    const isNew = system !== server.system || timeline > server.timeline;
    Object.assign(server, { host, system, timeline });
    if (isNew) for (const pool of server.pools) pool.#leaveOldPrimary();
  }

  #refuseOld({ system, timeline }: Connection): void {
    const server = this.#server;
    if (system === server.system) {
      if (timeline >= server.timeline) return;
      throw new DatabaseUnavailable("the server was the primary until another one took over");
    }
    // After pg_upgrade, or a restore into a new cluster, nothing is left of the former one.
    const isFormerInUse = [...server.pools].some((pool) => [...pool.#all].some(({ problem }) => problem === null));
    if (isFormerInUse) throw new DatabaseUnavailable("the server belongs to another cluster than the one in use");
  }

  /** A commit there may wait forever for a standby that is the primary now, and its outcome is unknown. */
  #leaveOldPrimary(): void {
    const { system, timeline } = this.#server;
    for (const connection of this.#options.readsOnly ? [] : [...this.#all]) {
      if (connection.system === system && connection.timeline === timeline) continue;
      connection.isStale = true;
      connection.fail(connectionClosed());
    }
  }

  /**
   * Tests a silent server with a new connection, to another host first, which may have become the primary. If
   * that fails, pending statements fail and new ones are refused.
   */
  async #probe(): Promise<void> {
    const server = this.#server;
    if (server.isProbed) return;
    server.isProbed = true;
    server.probedAt = awake();
    try {
      const connection = await this.#connect(server.host + 1);
      server.answeredAt = awake();
      await connection.close();
    } catch (error) {
      const own: Error = (error as AggregateError).errors.at(-1);
      // A server that refuses a connection is not silent.
      if (own instanceof postgres.PostgresError || own instanceof DatabaseUnavailable) server.answeredAt = awake();
      else for (const pool of server.pools) pool.#giveUp(own);
    } finally {
      server.isProbed = false;
    }
  }

  #giveUp(error: Error): void {
    for (const connection of [...this.#all]) connection.fail(silence("ETIMEDOUT", SLOW_MS + OPEN_LIMIT_MS));
    this.#goDown(error);
  }

  #goDown(error: Error): void {
    this.#down = error;
    this.#slots.refuseWaiting(() => refusal(error));
  }

  #sweepIdle(): void {
    for (const lost of this.#idle.filter((connection) => !connection.isUsable)) {
      this.#idle.splice(this.#idle.indexOf(lost), 1);
      this.#drop(lost);
    }
  }

  /** Handles silence, lifetimes, and a database that is down. */
  #look(): void {
    let silentMs = 0;
    for (const connection of [...this.#all]) {
      silentMs = Math.max(silentMs, connection.silentMs());
      this.#server.answeredAt = Math.max(this.#server.answeredAt, connection.answeredAt);
    }
    // An old primary still serves reads while its commits wait: with several hosts, slow statements suffice.
    const { answeredAt, probedAt } = this.#server;
    const latestMs = this.#address.hosts.length > 1 ? probedAt : answeredAt;
    if (silentMs > SLOW_MS && awake() - latestMs > SLOW_MS) void this.#probe();
    this.#sweepIdle();
    // An attempt at a silent server takes seconds; the next one does not wait for it.
    if (this.#down && awake() >= this.#retryAt && this.#opening < MAX_OPENING) {
      this.#retryAt = awake() + RETRY_MS;
      void this.#open();
    }
    this.#openMore();
  }

  /** Refuses new statements, waits at most `timeoutMs` for those in progress, then closes everything. */
  async end(timeoutMs: number): Promise<void> {
    if (!this.#isEnding) {
      this.#isEnding = true;
      clearInterval(this.#sweep);
      this.#server.pools.delete(this);
      this.#goDown(new Error("the connections to it are closed"));
      for (const idle of this.#idle.splice(0)) this.#drop(idle);
    }
    if (this.#all.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#emptied = resolve;
      timer = setTimeout(resolve, timeoutMs);
    });
    clearTimeout(timer);
    for (const connection of [...this.#all]) {
      // Statements already sent may have been executed.
      connection.fail(connectionClosed());
      this.#drop(connection);
    }
  }
}

/** A new error for each caller, as each adds its own to it. */
const refusal = (cause: Error) => new DatabaseUnavailable(`the database is unavailable: ${cause.message}`, { cause });

const isSilence = (error: Error) => "code" in error && error.code === "ETIMEDOUT";
