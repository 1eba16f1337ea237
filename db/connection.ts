import { once } from "node:events";
import { connect, type Socket } from "node:net";
import postgres from "postgres";
import type { Address, Host } from "./address";
import { encrypt } from "./tls";
import { DatabaseUnavailable, isServerLost } from "./unavailable";

/** A statement that is made by the client of the connection that runs it. */
export type Buildable = { readonly build: (client: postgres.Sql) => postgres.PendingQuery<postgres.Row[]> };
export type Rows = postgres.RowList<postgres.Row[]>;

export type ConnectionOptions = {
  /** Options of postgres.js that do not say where the server is. */
  readonly client: postgres.Options<Record<string, postgres.PostgresType>>;
  /** Settings of PostgreSQL, `role` among them, in force before the first statement. */
  readonly settings: Readonly<Record<string, string>>;
  /** Silence of the server, with a statement under way, after which the connection is given up. */
  readonly silenceMs: number;
  /** null: as long as the server keeps it. */
  readonly lifetimeMs: number | null;
};

const END_LIMIT_S = 1;
/** Turned off for the server, the database or the role, it was not turned off for these books. Higher levels are kept. */
const DURABLE = `set_config('synchronous_commit',
  case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end, false)`;
/** The setting that row-level security reads; '' means no environment. */
const ENVIRONMENT = "cardlane.environment";

const TICK_MS = 250;
let [awakeMs, tickedAt] = [0, performance.now()];
setInterval(() => {
  const now = performance.now();
  // Never backwards, whatever the clock does.
  awakeMs += Math.max(0, Math.min(now - tickedAt, 2 * TICK_MS));
  tickedAt = now;
}, TICK_MS).unref();
/** Milliseconds in which this process ran: while it was suspended or busy, it read nothing that the server sent. */
export const awake = (): number => awakeMs;

/**
 * One physical connection, set up and able to write: a client of postgres.js that may connect once. When it is lost, all that
 * runs on it fails, and whether the server executed that is unknown.
 */
export class Connection {
  /** To be ended as soon as it is free. */
  isStale = false;
  /** What it was lost by. */
  problem: Error | null = null;
  /** The environment that it is set to. */
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
  /** Rejects each statement under way. */
  readonly #running = new Set<(error: Error) => void>();
  #socket: Socket | null = null;
  #bytesRead = 0;
  /** When the server last sent something, or began to owe an answer. */
  #progressAt = 0;

  /** On the first of the address's hosts that can be entered and takes writes, beginning with `first`. `limitMs`: for each. */
  static async open(
    address: Address,
    options: ConnectionOptions,
    first: number,
    limitMs: number,
  ): Promise<{ connection: Connection; host: number }> {
    const problems: unknown[] = [];
    for (let step = 0; step < address.hosts.length; step++) {
      const host = (first + step) % address.hosts.length;
      const connection = new Connection(address, address.hosts[host] as Host, options);
      try {
        await connection.#setUp(limitMs);
        return { connection, host };
      } catch (error) {
        connection.fail(error as Error);
        problems.push(error);
      }
    }
    // Of several hosts, the error of one that answered is more useful than of those that did not.
    throw problems.find((error) => error instanceof DatabaseUnavailable) ?? problems[0];
  }

  private constructor({ user, password, database, tls }: Address, host: Host, options: ConnectionOptions) {
    this.#options = options;
    // Those that were made together do not all end together.
    this.#diesAt = performance.now() + (options.lifetimeMs ?? Number.POSITIVE_INFINITY) * (0.75 + Math.random() / 4);
    const own = { host: "database", port: 5432, user, password, database, ssl: false, max: 1, fetch_types: false };
    const lasting = { connect_timeout: 0, idle_timeout: 0, max_lifetime: null };
    const socket = () => this.#dial(host, tls);
    this.#client = postgres({ ...options.client, ...own, ...lasting, socket } as typeof options.client);
  }

  /** postgres.js would connect again by itself, and what waits would run on a connection without its settings. */
  async #dial(host: Host, tls: Address["tls"]): Promise<Socket> {
    if (this.#socket || this.problem) throw this.problem ?? connectionClosed();
    const { signal } = this.#givenUp;
    const socket = connect("path" in host ? { path: host.path } : { host: host.host, port: host.port });
    socket.setNoDelay(true).setKeepAlive(true, 30_000);
    this.#adopt(socket);
    await once(socket, "connect", { signal });
    return encrypt(socket, host, tls, signal, (secure, explain) => this.#adopt(secure, explain));
  }

  /** These listeners come before those of postgres.js, so that nothing is sent after an end that it has not noticed yet. */
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
      // One message for all of it, and nothing that a pooler would not pass on.
      const [state] = await this.query(`
        select pg_is_in_recovery() as standby, current_setting('transaction_read_only') as read_only,
          ${[...settings, DURABLE].join(", ")}`);
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
   * Runs a statement that may touch the rows of `environment`. The change from another one goes before it in the same packet,
   * and its result counts only if that was confirmed first.
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
      // Without a connection there is nothing that could be closed.
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
          if (isServerLost(error)) this.fail(error);
          reject(error);
        },
      );
    });
  }

  /** Milliseconds for which the server has owed something and sent nothing. Too much of it ends the connection. */
  silentMs(): number {
    const read = this.#socket?.bytesRead ?? 0;
    if (read !== this.#bytesRead) this.answeredAt = awake();
    if (read !== this.#bytesRead || this.#running.size === 0) this.#progressAt = awake();
    this.#bytesRead = read;
    const silentMs = awake() - this.#progressAt;
    if (silentMs > this.#options.silenceMs) this.fail(silence("ETIMEDOUT", silentMs));
    return silentMs;
  }

  /** The connection is lost: everything that waits for it fails. */
  fail(error: Error): void {
    if (this.problem) return;
    this.problem = error;
    this.#givenUp.abort(error);
    this.#socket?.destroy();
    for (const reject of this.#running) reject(error);
    void this.#client.end({ timeout: 0 });
    this.onLost();
  }

  /** Ends it, with a word to the server. Rejects nothing that is under way. */
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
