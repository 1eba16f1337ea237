import type { Socket } from "node:net";
import postgres from "postgres";
import type { Address, Host } from "./address";
import { dial } from "./dial";
import { DatabaseUnavailable, isServerLost } from "./unavailable";

/** A statement of postgres.js: a promise that is settled and passed on through its own properties. */
export type Statement = postgres.PendingQuery<postgres.Row[]> & {
  handler(statement: Statement): void;
  canceller: unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  executed: boolean;
  cursorRows?: number;
  cursorFn?: (rows: unknown) => unknown;
};

export type ConnectionOptions = {
  /** What postgres.js makes of its options, shared by all connections of a pool. */
  readonly parsed: postgres.ParsedOptions;
  /** Settings of PostgreSQL, `role` among them, in force before the first statement. */
  readonly settings: Readonly<Record<string, string>>;
  /** Silence of the server, with a statement under way, after which the connection is given up. */
  readonly silenceMs: number;
  /** null: as long as the server keeps it. */
  readonly lifetimeMs: number | null;
};

const OPEN_LIMIT_MS = 4_000;
const END_LIMIT_S = 1;
/** Turned off for the server, the database or the role, it was not turned off for these books. Higher levels are kept. */
const DURABLE = `set_config('synchronous_commit',
  case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end, false)`;
/** The setting that row-level security reads; '' means no environment. */
const ENVIRONMENT = "cardlane.environment";

/** One physical connection, set up and able to write. It is never connected again: a broken one is thrown away. */
export class Connection {
  readonly bornAt = performance.now();
  /** Rejects when the connection is lost, however that is detected. */
  readonly lost: Promise<never>;
  /** To be ended as soon as it is free. */
  isStale = false;
  /** The environment that holds it; '' while none does. */
  holder = "";
  /** Whether the server has sent something since the last look. */
  answered = false;
  #client: postgres.Sql;
  #send: (statement: Statement) => void;
  #socket: Socket | null = null;
  #problem: Error | null = null;
  readonly #givenUp = new AbortController();
  #lose: (error: Error) => void = () => {};
  readonly #running = new Set<(error: Error) => void>();
  #waiting = 0;
  #bytesRead = 0;
  /** When the server last sent something, or began to owe an answer. */
  #progressAt = performance.now();
  #environment = "";
  readonly #diesAt: number;
  readonly #silenceMs: number;

  /** On the first of the address's hosts that can be entered and takes writes, beginning with `first`. */
  static async open(
    address: Address,
    options: ConnectionOptions,
    first: number,
    limitMs = OPEN_LIMIT_MS,
  ): Promise<{ connection: Connection; host: number }> {
    const problems: unknown[] = [];
    for (let step = 0; step < address.hosts.length; step++) {
      const host = (first + step) % address.hosts.length;
      const connection = new Connection(address, address.hosts[host] as Host, options);
      try {
        await connection.#setUp(options.settings, limitMs);
        return { connection, host };
      } catch (error) {
        void connection.close();
        problems.push(error);
      }
    }
    // Of several hosts, the error of one that answered is more useful than of those that did not.
    throw problems.find((error) => error instanceof DatabaseUnavailable) ?? problems[0];
  }

  private constructor(address: Address, host: Host, options: ConnectionOptions) {
    const { lifetimeMs, silenceMs } = options;
    this.#silenceMs = silenceMs;
    // Those that were made together do not all end together.
    this.#diesAt =
      lifetimeMs === null ? Number.POSITIVE_INFINITY : this.bornAt + lifetimeMs * (0.75 + Math.random() / 4);
    this.lost = new Promise((_, reject) => {
      this.#lose = reject;
    });
    this.lost.catch(() => {});
    let isDialled = false;
    const own = {
      user: address.user,
      pass: address.password,
      database: address.database,
      socket: async () => {
        // postgres.js would connect again by itself, and what waits would run on a connection without its settings.
        if (isDialled) throw this.#problem ?? connectionClosed();
        isDialled = true;
        return this.#adopt(await dial(host, address.tls, this.#givenUp.signal));
      },
    };
    this.#client = postgres(Object.assign(Object.create(options.parsed), own) as never);
    this.#send = (this.#client`` as Statement).handler;
  }

  /** Our listeners come first, so that nothing is sent to a connection whose end postgres.js has not noticed yet. */
  #adopt(socket: Socket): Socket {
    this.#socket = socket;
    socket.on("error", (error) => this.fail(error));
    socket.on("close", () => this.fail(connectionClosed()));
    return socket;
  }

  async #setUp(settings: ConnectionOptions["settings"], limitMs: number): Promise<void> {
    const endLimit = afterMsAwake(limitMs, () => this.fail(silence("CONNECT_TIMEOUT", limitMs)));
    try {
      const set = Object.entries(settings).map(
        ([name, value]) => `set_config('${name}', '${value.replaceAll("'", "''")}', false)`,
      );
      // One message for all of it, and nothing that a pooler would not pass on.
      const [state] = await this.query(`
        select pg_is_in_recovery() as standby, current_setting('transaction_read_only') as read_only,
          ${[...set, DURABLE].join(", ")}`);
      if (state?.standby) throw new DatabaseUnavailable("the server is a standby and takes no writes");
      if (state?.read_only === "on") throw new DatabaseUnavailable("the server is read-only");
    } catch (error) {
      this.fail(error as Error);
      throw error;
    } finally {
      endLimit();
    }
  }

  get isUsable(): boolean {
    return this.#problem === null && !this.isStale && performance.now() < this.#diesAt;
  }

  /** The environment whose rows the next statement may touch. */
  get environment(): string {
    return this.#environment;
  }

  /** What it was lost by. */
  get problem(): Error | null {
    return this.#problem;
  }

  /** Simple statements of our own: begin, commit, settings. */
  query(text: string): Promise<postgres.Row[]> {
    return this.#sendNow(this.#client.unsafe(text) as unknown as Statement);
  }

  /**
   * Sends a statement; `environment` limits the rows it may touch. If the connection is set to another one, the same packet
   * changes that. Rejects statements under way when the connection is lost; whether the server executed them is then unknown.
   */
  run(statement: Statement, environment: string, done?: () => void): void {
    this.enter(environment);
    this.#start(statement, done);
  }

  /**
   * Everything sent from now on runs in `environment`. No need to wait for the answer: it comes before those of later
   * statements.
   */
  enter(environment: string): void {
    if (environment === this.#environment || this.#problem) return;
    this.#environment = environment;
    const lead = this.#client`select set_config(${ENVIRONMENT}, ${environment}, false)` as unknown as Statement;
    const { reject } = lead;
    // This error arrives before the answers to later statements, which must then not be trusted.
    const fail = (error: unknown) => {
      this.fail(error as Error);
      reject(error);
    };
    lead.reject = fail;
    this.#sendNow(lead).catch(() => {});
  }

  /** By itself a statement would wait for a microtask, and let others pass. */
  #sendNow(statement: Statement): Promise<postgres.Row[]> {
    statement.executed = true;
    const answer = Promise.resolve(statement);
    this.#start(statement);
    return answer;
  }

  #start(statement: Statement, done?: () => void): void {
    if (this.#problem) {
      statement.reject(this.#problem);
      done?.();
      return;
    }
    this.#watch(statement, done);
    this.#send(statement);
  }

  #watch(statement: Statement, done?: () => void): void {
    if (this.#waiting++ <= 0) this.#progressAt = performance.now();
    let isSettled = false;
    const abandon = (error: Error) => statement.reject(error);
    const settle = (): void => {
      if (isSettled) return;
      isSettled = true;
      this.#waiting--;
      this.#running.delete(abandon);
      // Not before postgres.js has put this statement away.
      if (done) queueMicrotask(done);
    };
    this.#running.add(abandon);
    const resolving = (inner: Statement["resolve"]) => (value: unknown) => {
      settle();
      inner(value);
    };
    const rejecting = (inner: Statement["reject"]) => (error: unknown) => {
      settle();
      if (isServerLost(error)) this.fail(error as Error);
      inner(error);
    };
    if (statement.cursorRows === undefined) {
      statement.resolve = resolving(statement.resolve);
      statement.reject = rejecting(statement.reject);
      return;
    }
    wrapProperty(statement, "resolve", resolving);
    wrapProperty(statement, "reject", rejecting);
    wrapProperty(statement, "cursorFn", (inner) => (rows) => {
      // While the reader is busy with a batch, the server owes nothing.
      this.#waiting--;
      return Promise.resolve(inner(rows)).finally(() => {
        if (this.#waiting++ <= 0) this.#progressAt = performance.now();
      });
    });
  }

  /** For how long the server has owed something and sent nothing; 0 when it owes nothing. Called several times a second. */
  silentMs(now: number): number {
    const read = this.#socket?.bytesRead ?? 0;
    if (this.#waiting <= 0 || read !== this.#bytesRead) {
      this.answered ||= read !== this.#bytesRead;
      this.#bytesRead = read;
      this.#progressAt = now;
    }
    const silentMs = now - this.#progressAt;
    if (silentMs > this.#silenceMs) this.fail(silence("ETIMEDOUT", silentMs));
    return silentMs;
  }

  /** Time in which the process could not have read what the server sent. */
  forgive(ms: number): void {
    this.#progressAt += ms;
  }

  /** The connection is lost: everything that waits for it fails. */
  fail(error: Error): void {
    if (this.#problem) return;
    this.#problem = error;
    this.#givenUp.abort(error);
    this.#socket?.destroy();
    this.#lose(error);
    for (const abandon of [...this.#running]) abandon(error);
    void this.close();
  }

  /** Ends it, with a word to the server. */
  async close(): Promise<void> {
    this.#problem ??= connectionClosed();
    await this.#client.end({ timeout: END_LIMIT_S }).catch(() => {});
    this.#socket?.destroy();
  }
}

/** Calls after so many milliseconds in which this process ran; returns how to cancel it. */
function afterMsAwake(ms: number, call: () => void): () => void {
  const stepMs = ms / 20;
  let left = 20;
  const timer = setInterval(() => {
    if (--left > 0) return;
    clearInterval(timer);
    call();
  }, stepMs);
  return () => clearInterval(timer);
}

/** A cursor's reader gives the statement new callbacks for each batch: they are wrapped at every read. */
function wrapProperty<K extends "resolve" | "reject" | "cursorFn">(
  statement: Statement,
  name: K,
  wrap: (inner: NonNullable<Statement[K]>) => NonNullable<Statement[K]>,
): void {
  let inner = statement[name] as NonNullable<Statement[K]>;
  void Object.defineProperty(statement, name, {
    configurable: true,
    get: () => (inner ? wrap(inner) : inner),
    set(value: NonNullable<Statement[K]>) {
      inner = value;
    },
  });
}

export const connectionClosed = () =>
  Object.assign(new Error("the connection to the database was lost"), { code: "CONNECTION_CLOSED" });

export const silence = (code: "CONNECT_TIMEOUT" | "ETIMEDOUT", ms: number) =>
  Object.assign(new Error(`the database has not answered for ${Math.round(ms / 100) / 10} s`), { code });
