import postgres from "postgres";
import type { Address } from "./address";
import { Connection, type ConnectionOptions, connectionClosed, type Statement, silence } from "./connection";
import { FairQueue } from "./fair-queue";
import { DatabaseUnavailable, isServerLost } from "./unavailable";

export type PoolOptions = Omit<ConnectionOptions, "parsed"> & {
  readonly max: number;
  readonly applicationName: string;
  readonly types: Record<string, postgres.PostgresType>;
  /** One that is lost is not replaced. */
  readonly keepsOne: boolean;
};

type Waiter = {
  since: number;
  readonly environment: string;
  take(connection: Connection): void;
  refuse(error: Error): void;
};

/** What waits longer for a connection is refused: its caller could not wait for the answer either. */
const QUEUE_LIMIT_MS = 5_000;
const SWEEP_MS = 250;
/** The pool checks this often; a process that was this late was suspended. */
const AWAY_MS = 1_000;
/** How often a database that is down is tried. */
const RETRY_MS = 500;
/** Under suspicion a connection has to come about this fast. */
const SUSPICION_MS = 1_500;

/** After this silence a server gets a second connection, to tell a dead server from a slow statement. */
const SLOW_MS = 3_000;
const PROBE_MS = 3_000;
const ENDED = "the connections to the database are closed";

/** The pools of this process that lead to one server: its silence, seen by one, concerns all. */
type Server = { readonly pools: Set<Pool>; answeredAt: number; isProbed: boolean };
const servers = new Map<string, Server>();

/** The environment whose rows a statement may see ('' = all), and the line in which it waits for a connection. */
export type Owner = { readonly environment: string; readonly line: string };

/**
 * Connections to one database. A statement or a transaction has one for itself; what finds none waits, each line in turn. An
 * environment never holds the last one: its statements may wait for each other's locks, and others must not wait with them.
 * Whatever is refused with DatabaseUnavailable was never sent.
 */
export class Pool {
  readonly #address: Address;
  readonly #options: ConnectionOptions & { max: number; keepsOne: boolean };
  readonly #template: postgres.Sql;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  readonly #queue = new FairQueue<Waiter>();
  readonly #server: Server;
  readonly #sweep: NodeJS.Timeout;
  #opening = 0;
  #host = 0;
  /** Why there is no connection; null while there is one, or none was needed yet. */
  #down: Error | null = null;
  #suspectedAt = Number.NEGATIVE_INFINITY;
  #lookedAt = performance.now();
  #retryAt = 0;
  #isEnding = false;
  #emptied = () => {};

  constructor(address: Address, options: PoolOptions) {
    const { max, applicationName, types, ...rest } = options;
    this.#address = address;
    // Only makes statements, and what postgres.js reads from its options; it never connects.
    this.#template = postgres({
      ...{ host: ["database"], port: [5432], max: 1, ssl: false, prepare: true, types },
      ...{ connect_timeout: 0, idle_timeout: 0, max_lifetime: null, fetch_types: false, no_subscribe: true },
      // These two every pooler takes; the others follow when the connection is there.
      connection: { application_name: applicationName, TimeZone: "UTC" },
      onnotice: () => {},
    } as never);
    Object.assign(this.#template.options, { target_session_attrs: null });
    this.#options = { ...rest, max, parsed: this.#template.options as unknown as postgres.ParsedOptions };
    const label = JSON.stringify(address.hosts);
    this.#server = servers.get(label) ?? { pools: new Set(), answeredAt: 0, isProbed: false };
    this.#server.pools.add(this);
    servers.set(label, this.#server);
    this.#sweep = setInterval(() => this.#look(), SWEEP_MS);
    this.#sweep.unref();
  }

  get figures() {
    return { max: this.#options.max, inUse: this.#all.size - this.#idle.length, waiting: this.#queue.length };
  }

  /** Builds statements with a postgres.js that runs nothing. */
  get template(): postgres.Sql {
    return this.#template;
  }

  run(statement: Statement, owner: Owner): void {
    const use = (connection: Connection) => {
      connection.run(statement, owner.environment, () => this.release(connection));
    };
    this.#take(owner, use, (error) => statement.reject(error));
  }

  /** A connection for a transaction, to be given back by `release`. */
  take(owner: Owner): Promise<Connection> {
    return new Promise((resolve, reject) => this.#take(owner, resolve, reject));
  }

  #take({ environment, line }: Owner, take: Waiter["take"], refuse: Waiter["refuse"]): void {
    const idle = this.#isEnding || !this.#mayHoldMore(environment) ? null : this.#nextIdle(environment);
    if (idle) {
      this.#hand(idle, { environment, take });
    } else if (this.#isEnding || this.#down) {
      refuse(this.#down ? refusal(this.#down) : new DatabaseUnavailable(ENDED));
    } else {
      this.#queue.push(line, { since: performance.now(), environment, take, refuse });
      this.#openMore();
    }
  }

  #mayHoldMore(environment: string): boolean {
    const { max } = this.#options;
    if (environment === "" || max < 2) return true;
    let held = 0;
    for (const { holder } of this.#all) if (holder === environment) held++;
    return held < max - 1;
  }

  #hand(connection: Connection, { environment, take }: Pick<Waiter, "environment" | "take">): void {
    connection.holder = environment;
    take(connection);
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

  release(connection: Connection): void {
    const isFree = connection.isUsable && !this.#isEnding;
    connection.holder = "";
    const next = isFree ? this.#queue.shift((waiter) => this.#mayHoldMore(waiter.environment)) : undefined;
    if (!isFree) this.#drop(connection);
    else if (next) this.#hand(connection, next);
    else this.#idle.push(connection);
  }

  #drop(connection: Connection): void {
    if (!this.#all.delete(connection)) return;
    const problem = connection.problem;
    void connection.close();
    // A server that is silent, read-only or going away is so for all.
    if (problem && (isServerLost(problem) || isSilence(problem))) {
      for (const pool of this.#server.pools) pool.#suspect();
    }
    if (this.#isEnding && this.#all.size === 0) this.#emptied();
    if (this.#options.keepsOne && !this.#isEnding) {
      void this.end(0);
      this.#goDown(problem ?? new Error("its connection was lost"));
    }
    this.#openMore();
  }

  /** Nothing old is trusted until a new connection has come about. */
  #suspect(): void {
    this.#suspectedAt = performance.now();
    for (const connection of this.#all) connection.isStale = true;
    for (const idle of this.#idle.splice(0)) this.#drop(idle);
    this.#retryAt = 0;
    if (!this.#isEnding && this.#opening === 0) void this.#open();
  }

  #openMore(): void {
    if (this.#isEnding || performance.now() < this.#retryAt) return;
    while (this.#opening < this.#queue.length && this.#all.size + this.#opening < this.#options.max) void this.#open();
  }

  async #open(): Promise<void> {
    this.#opening++;
    try {
      const { connection, host } = await Connection.open(this.#address, this.#options, this.#host);
      this.#opening--;
      this.#host = host;
      this.#down = null;
      this.#suspectedAt = Number.NEGATIVE_INFINITY;
      this.#retryAt = 0;
      // While the database was away one attempt followed the other, and several may come through at once.
      if (this.#all.size >= this.#options.max) {
        void connection.close();
        return;
      }
      this.#all.add(connection);
      connection.lost.catch(() => {
        const at = this.#idle.indexOf(connection);
        if (at < 0) return;
        this.#idle.splice(at, 1);
        this.#drop(connection);
      });
      this.release(connection);
      this.#openMore();
    } catch (error) {
      this.#opening--;
      this.#retryAt = performance.now() + RETRY_MS;
      if (![...this.#all].some((connection) => connection.isUsable)) this.#goDown(error as Error);
    }
  }

  /** Whether the server is silent to all: then what waits for it fails, and nothing else begins to wait. */
  async #probe(): Promise<void> {
    const server = this.#server;
    if (server.isProbed || this.#isEnding) return;
    server.isProbed = true;
    try {
      const { connection } = await Connection.open(this.#address, this.#options, this.#host, PROBE_MS);
      server.answeredAt = performance.now();
      await connection.close();
    } catch (error) {
      // One that refuses is there.
      if (isServerThere(error)) server.answeredAt = performance.now();
      else for (const pool of server.pools) pool.#giveUp(error as Error);
    } finally {
      server.isProbed = false;
    }
  }

  #giveUp(error: Error): void {
    for (const connection of [...this.#all]) connection.fail(silence("ETIMEDOUT", SLOW_MS + PROBE_MS));
    this.#goDown(error);
  }

  #goDown(error: Error): void {
    this.#down = error;
    for (const waiter of this.#queue.takeAll()) waiter.refuse(refusal(error));
  }

  /** While this process was stopped, or busy, it read nothing: that time does not count as silence. */
  #forgetAbsence(now: number): void {
    const awayMs = now - this.#lookedAt;
    this.#lookedAt = now;
    if (awayMs < AWAY_MS) return;
    for (const waiter of this.#queue) waiter.since += awayMs;
    this.#suspectedAt += awayMs;
    this.#server.answeredAt += awayMs;
    for (const connection of this.#all) connection.forgive(awayMs);
  }

  /** Handles silence, lifetimes, the waiting line, and a database that is down. */
  #look(): void {
    const now = performance.now();
    this.#forgetAbsence(now);
    let silentMs = 0;
    for (const connection of this.#all) {
      silentMs = Math.max(silentMs, connection.silentMs(now));
      if (connection.answered) this.#server.answeredAt = now;
      connection.answered = false;
    }
    if (silentMs > SLOW_MS && now - this.#server.answeredAt > SLOW_MS) void this.#probe();
    for (const idle of this.#idle.filter((connection) => !connection.isUsable)) {
      this.#idle.splice(this.#idle.indexOf(idle), 1);
      this.#drop(idle);
    }
    for (const waiter of this.#queue.takeOver(({ since }) => now - since > QUEUE_LIMIT_MS)) {
      waiter.refuse(new DatabaseUnavailable(`no connection was free within ${QUEUE_LIMIT_MS / 1_000} s`));
    }
    if (!this.#down && now - this.#suspectedAt > SUSPICION_MS && this.#all.size === 0) {
      if (Number.isFinite(this.#suspectedAt)) this.#goDown(new DatabaseUnavailable("the database does not answer"));
    }
    // An attempt that meets silence lasts for seconds: the next one does not wait for it.
    if (this.#down && !this.#isEnding && now >= this.#retryAt && this.#opening < 12) {
      this.#retryAt = now + RETRY_MS;
      void this.#open();
    }
    this.#openMore();
  }

  /** Accepts nothing new, waits at most `timeoutMs` for statements under way, and closes everything. */
  async end(timeoutMs: number): Promise<void> {
    if (!this.#isEnding) {
      this.#isEnding = true;
      clearInterval(this.#sweep);
      this.#server.pools.delete(this);
      for (const waiter of this.#queue.takeAll()) waiter.refuse(new DatabaseUnavailable(ENDED));
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
      // What it was sent may have been done.
      connection.fail(connectionClosed());
      this.#drop(connection);
    }
  }
}

/** A new error for each caller, as each adds its own to it. */
const refusal = (cause: Error) => new DatabaseUnavailable(`the database is unavailable: ${cause.message}`, { cause });

const isServerThere = (error: unknown) =>
  error instanceof postgres.PostgresError || error instanceof DatabaseUnavailable;

const isSilence = (error: Error) => "code" in error && error.code === "ETIMEDOUT";
