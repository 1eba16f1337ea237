import { once } from "node:events";
import { connect, type Socket } from "node:net";
import postgres from "postgres";
import type { Address, Host } from "./address";
import { encrypt } from "./tls";
import { DatabaseUnavailable, isReadOnly, isServerLost } from "./unavailable";

/** A statement that the client of the executing connection builds. */
export type Buildable = { readonly build: (client: postgres.Sql) => postgres.PendingQuery<postgres.Row[]> };
export type Rows = postgres.RowList<postgres.Row[]>;

export type ConnectionOptions = {
  /** Options of postgres.js, except the server's address. */
  readonly client: postgres.Options<Record<string, postgres.PostgresType>>;
  /** Settings of PostgreSQL, `role` among them, in force before the first statement. */
  readonly settings: Readonly<Record<string, string>>;
  /** Max silence of the server during a statement, after which the connection is closed. */
  readonly silenceMs: number;
  /** Null: no limit. */
  readonly lifetimeMs: number | null;
  /** A standby will do, because nothing is written. */
  readonly readsOnly: boolean;
  /** The only server that will do; null: any. */
  readonly instance: string | null;
};

const END_LIMIT_S = 1;
/** Overrides a server, database or role that turned it off for other applications. Higher levels are kept. */
const DURABLE = `set_config('synchronous_commit',
  case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end, false)`;
/** Tells servers apart, and the runs of one. */
export const INSTANCE = "pg_postmaster_start_time()::text";
/** The setting that row-level security reads; '' means no environment. */
const ENVIRONMENT = "cardlane.environment";

/** Null on a standby. */
export const TIMELINE = `case when not pg_is_in_recovery()
  then ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int end`;
/** The same for a server and its standbys; another one after `pg_upgrade` or in a new cluster. */
export const SYSTEM = "(select system_identifier::text from pg_control_system())";

const TICK_MS = 250;
let [awakeMs, tickedAt] = [0, performance.now()];
setInterval(() => {
  const now = performance.now();
  // Never backwards, whatever the clock does.
  awakeMs += Math.max(0, Math.min(now - tickedAt, 2 * TICK_MS));
  tickedAt = now;
}, TICK_MS).unref();
/**
 * Milliseconds during which this process ran. While suspended or busy, it reads nothing that the server
 * sends.
 */
export const awake = (): number => awakeMs;

/**
 * One physical connection, set up and able to write: a client of postgres.js that may connect once. When it
 * is lost, its statements fail, and whether the server executed them is unknown.
 */
export class Connection {
  /** To be closed once it is idle. */
  isStale = false;
  /** Error that ended the connection. */
  problem: Error | null = null;
  /** Environment that its session is set to. */
  environment = "";
  /** Changes of environment that were sent, and how many of them the server has confirmed. */
  #entered = 0;
  #confirmed = 0;
  /** When the server was last seen to have sent something. */
  answeredAt = 0;
  /** Called once when the connection is lost, however that is detected. */
  onLost = () => {};
  readonly #client: postgres.Sql;
  readonly #options: ConnectionOptions;
  readonly #diesAt: number;
  readonly #givenUp = new AbortController();
  /** Rejects each statement in progress. */
  readonly #running = new Set<(error: Error) => void>();
  #socket: Socket | null = null;
  #bytesRead = 0;
  /** When the server last sent something, or a response became due. */
  #progressAt = 0;

  /** The server's timeline, which each promotion of a standby increments; 0 if `readsOnly`. */
  timeline = 0;
  /** The identifier of its cluster, within which timelines can be compared; empty if `readsOnly`. */
  system = "";

  /**
   * Connects to the address's first host that accepts writes and passes `check`, beginning with index `first`.
   * `limitMs`: per host. Throws each host's error, in this order.
   */
  static async open(
    address: Address,
    options: ConnectionOptions,
    { first, check }: { first: number; check: (connection: Connection, host: number) => void },
    limitMs: number,
  ): Promise<Connection> {
    const problems: Error[] = [];
    for (let step = 0; step < address.hosts.length; step++) {
      const host = (first + step) % address.hosts.length;
      const connection = new Connection(address, address.hosts[host] as Host, options);
      try {
        await connection.#setUp(limitMs);
        check(connection, host);
        return connection;
      } catch (error) {
        connection.fail(error as Error);
        problems.push(error as Error);
      }
    }
    throw new AggregateError(problems);
  }

  private constructor({ user, password, database, tls }: Address, host: Host, options: ConnectionOptions) {
    this.#options = options;
    // Jitter, so that connections opened together are not closed together.
    this.#diesAt = performance.now() + (options.lifetimeMs ?? Number.POSITIVE_INFINITY) * (0.75 + Math.random() / 4);
    const own = { host: "database", port: 5432, user, password, database, ssl: false, max: 1, fetch_types: false };
    const lasting = { connect_timeout: 0, idle_timeout: 0, max_lifetime: null };
    const socket = () => this.#dial(host, tls);
    this.#client = postgres({ ...options.client, ...own, ...lasting, socket } as typeof options.client);
  }

  /**
   * Refuses a second socket: postgres.js would reconnect by itself and run queued statements without our
   * settings.
   */
  async #dial(host: Host, tls: Address["tls"]): Promise<Socket> {
    if (this.#socket || this.problem) throw this.problem ?? connectionClosed();
    const { signal } = this.#givenUp;
    const socket = connect("path" in host ? { path: host.path } : { host: host.host, port: host.port });
    socket.setNoDelay(true).setKeepAlive(true, 30_000);
    this.#adopt(socket);
    await once(socket, "connect", { signal });
    return encrypt(socket, host, tls, signal, (secure, explain) => this.#adopt(secure, explain));
  }

  /**
   * These listeners come before those of postgres.js, so that nothing is sent after an end that it has not
   * noticed yet.
   */
  #adopt(socket: Socket, explain = (error: Error) => error): void {
    this.#socket = socket;
    socket.on("error", (error) => this.fail(explain(error))).on("close", () => this.fail(connectionClosed()));
  }

  async #setUp(limitMs: number): Promise<void> {
    const startedAt = awake();
    const timer = setInterval(() => {
      if (awake() - startedAt > limitMs) this.fail(silence("CONNECT_TIMEOUT", limitMs));
    }, TICK_MS);
    const settings = Object.entries(this.#options.settings).map(
      ([name, value]) => `set_config('${name}', '${value.replaceAll("'", "''")}', false)`,
    );
    try {
      // One message for all settings, and only what a pooler passes on.
      const [state] = await this.query(`
        select pg_is_in_recovery() as standby, current_setting('transaction_read_only') as read_only, ${TIMELINE} as timeline,
          ${SYSTEM} as system, ${INSTANCE} as instance, ${[...settings, DURABLE].join(", ")}`);
      const { instance, readsOnly } = this.#options;
      if (instance !== null && state?.instance !== instance)
        throw new DatabaseUnavailable("the address leads to several servers, of which only one was checked");
      if (readsOnly) return;
      this.timeline = state?.timeline;
      this.system = state?.system;
      if (state?.standby) throw new DatabaseUnavailable("the server is a standby and takes no writes");
      if (state?.read_only === "on") throw new DatabaseUnavailable("the server is read-only");
    } finally {
      clearInterval(timer);
    }
  }

  get isUsable(): boolean {
    return this.problem === null && !this.isStale && performance.now() < this.#diesAt;
  }

  /** Simple statements of our own: begin, commit, settings. */
  query(text: string, environment = this.environment): Promise<Rows> {
    return this.run({ build: (client) => client.unsafe(text) }, environment);
  }

  /**
   * Runs a statement that may touch the rows of `environment`. The change from another one goes before it in
   * the same packet, and its result counts only if that was confirmed first.
   */
  run({ build }: Buildable, environment: string): Promise<Rows> {
    return this.#answerOf(() => {
      if (environment !== this.environment) this.#enter(environment);
      return build(this.#client).execute();
    });
  }

  #enter(environment: string): void {
    this.environment = environment;
    const change = ++this.#entered;
    this.#client`select set_config(${ENVIRONMENT}, ${environment}, false)`.then(
      () => {
        this.#confirmed = Math.max(this.#confirmed, change);
      },
      (error: Error) => this.fail(error),
    );
  }

  /** Batches of rows through a cursor, in the environment that the connection is set to. */
  async *read({ build }: Buildable, rows: number): AsyncGenerator<postgres.Row[], void> {
    const batches = build(this.#client).cursor(rows)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const batch = await this.#answerOf(async () => batches.next());
        if (batch.done) return;
        yield batch.value;
      }
    } finally {
      // Without a connection there is nothing to close.
      if (!this.problem) await batches.return?.();
    }
  }

  #answerOf<T>(send: () => PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.problem) return reject(this.problem);
      const sent = send();
      // Another environment's statement may follow in the same packet.
      const change = this.#entered;
      if (this.#running.size === 0) this.#progressAt = awake();
      this.#running.add(reject);
      sent.then(
        (answer) => {
          this.#running.delete(reject);
          if (this.#confirmed >= change) return resolve(answer);
          const error = new Error("a result came before its environment was confirmed");
          this.fail(error);
          reject(error);
        },
        (error: Error) => {
          this.#running.delete(reject);
          if (isServerLost(error) && !(this.#options.readsOnly && isReadOnly(error))) this.fail(error);
          reject(error);
        },
      );
    });
  }

  /** Milliseconds without progress while a response is due. Closes the connection over the limit. */
  silentMs(): number {
    const read = this.#socket?.bytesRead ?? 0;
    if (read !== this.#bytesRead) this.answeredAt = awake();
    if (read !== this.#bytesRead || this.#running.size === 0) this.#progressAt = awake();
    this.#bytesRead = read;
    const silentMs = awake() - this.#progressAt;
    if (silentMs > this.#options.silenceMs) this.fail(silence("ETIMEDOUT", silentMs));
    return silentMs;
  }

  /** Handles the loss of the connection: its pending statements fail. */
  fail(error: Error): void {
    if (this.problem) return;
    this.problem = error;
    this.#givenUp.abort(error);
    this.#socket?.destroy();
    for (const reject of this.#running) reject(error);
    void this.#client.end({ timeout: 0 });
    this.onLost();
  }

  /** Closes the connection with a Terminate message. Does not reject statements in progress. */
  async close(): Promise<void> {
    this.problem ??= connectionClosed();
    await this.#client.end({ timeout: END_LIMIT_S });
    this.#socket?.destroy();
  }
}

export const connectionClosed = () =>
  Object.assign(new Error("the connection to the database was lost"), { code: "CONNECTION_CLOSED" });

export const silence = (code: "CONNECT_TIMEOUT" | "ETIMEDOUT", ms: number) =>
  Object.assign(new Error(`the database has not answered for ${Math.round(ms / 100) / 10} s`), { code });
