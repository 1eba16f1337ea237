import postgres from "postgres";
import type { Buildable, Connection, Rows } from "./connection";
import { currentServing, noteFailure } from "./unavailable";

/**
 * The environment whose rows a statement may see ('' = all), and the queue in which it waits for a
 * connection.
 */
export type Owner = { readonly environment: string; readonly queue: string };

/** The part of a connection that a transaction uses. */
export type TransactionConnection = Pick<Connection, "query" | "read" | "fail" | "problem"> & {
  run(statement: Statement, environment: string): Promise<Rows>;
};

export type Lease<C> = { readonly connection: C; release(): void };

/** Sends statements: a pool of connections. */
export type StatementPool<C extends TransactionConnection = Connection> = {
  /** Options of postgres.js for connections opened from now on. */
  readonly options: object;
  run(statement: Statement, owner: Owner): Promise<Rows>;
  /** A connection for a transaction, which must be released. `modes`: those of its BEGIN. */
  lease(owner: Owner, modes?: string): Promise<Lease<C>>;
  /** A connection for another attempt at a transaction that failed with `error`; null if it would be no better. */
  leaseAfter?(error: unknown, owner: Owner, modes: string): Promise<Lease<C>> | null;
  end(timeoutMs: number): Promise<void>;
};

type Sender = {
  run(statement: Statement): Promise<Rows>;
  read(statement: Statement, rows: number): AsyncIterable<postgres.Row[]>;
};
type Make = (client: postgres.Sql, args: readonly unknown[]) => ReturnType<Buildable["build"]>;
type Work = (tx: postgres.TransactionSql) => unknown;

/** A statement that is sent when first awaited, or a part of another statement. */
export class Statement implements PromiseLike<Rows>, Buildable {
  #rows: Promise<Rows> | null = null;

  /** `make` gets the parts of this statement among `args` as postgres.js wants them. */
  constructor(
    readonly strings: readonly string[],
    readonly args: readonly unknown[],
    readonly make: Make,
    readonly sender: Sender,
  ) {}

  readonly build: Buildable["build"] = (client) => {
    const part = (arg: unknown): unknown => {
      if (arg instanceof Statement) return arg.build(client);
      return Array.isArray(arg) && arg[0] instanceof Statement ? arg.map(part) : arg;
    };
    return this.make(client, this.args.map(part));
  };

  #sent(): Promise<Rows> {
    this.#rows ??= this.sender.run(this);
    return this.#rows;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited like a statement of postgres.js
  readonly then: Promise<Rows>["then"] = (onRows, onError) => this.#sent().then(onRows, onError); // oxlint-disable-line
  readonly catch: Promise<Rows>["catch"] = (onError) => this.#sent().catch(onError);
  readonly finally: Promise<Rows>["finally"] = (onEnd) => this.#sent().finally(onEnd);

  /** The same statement, with rows as arrays. */
  values(): Statement {
    const make: Make = (client, args) => this.make(client, args).values() as never;
    return new Statement(this.strings, this.args, make, this.sender);
  }

  /** Iterates over batches of `rows` rows. Only in a transaction. */
  cursor(rows: number): AsyncIterable<postgres.Row[]> {
    return this.sender.read(this, rows);
  }
}

/** Builds parameters and column names; it never connects. */
const helpers = postgres({ max: 1, fetch_types: false });

/** Tagged and unsafe statements as postgres.js has them. */
function statements(sender: Sender) {
  const tagged = (first: unknown, ...args: unknown[]) => {
    if (!Array.isArray(first) || !("raw" in first)) return helpers(first as never, ...(args as never[]));
    const strings = first as unknown as TemplateStringsArray;
    return new Statement(strings, args, (client, parts) => client(strings, ...(parts as never[])), sender);
  };
  const unsafe = (text: string, args: readonly unknown[] = [], options: postgres.UnsafeQueryOptions = {}) =>
    new Statement([text], args, (client, parts) => client.unsafe(text, parts as never[], options), sender);
  return Object.assign(tagged, { unsafe, json: helpers.json });
}

const MODES = /^[a-z ,]*$/i;

/**
 * A pool as postgres.js shows one: every statement and transaction is `environment`'s, or no environment's
 * when that is '', and waits in its queue, or in another's that it is for. Has no `listen`, `reserve` and the
 * like: connections come and go.
 */
export function sqlOn<C extends TransactionConnection>(
  pool: StatementPool<C>,
  environment: string,
  queue = environment,
): postgres.Sql {
  const owner = { environment, queue };
  const noting = async <T>(work: () => Promise<T>): Promise<T> => {
    const serving = currentServing();
    try {
      return await work();
    } catch (error) {
      noteFailure(serving, error);
      throw error;
    }
  };
  const begin = (first: unknown, second?: unknown) =>
    noting(async () => {
      const [modes, work] = typeof first === "function" ? ["", first as Work] : [String(first), second as Work];
      if (!MODES.test(modes)) throw new Error(`"${modes}" is no mode of a transaction`);
      const attempt = async ({ connection, release }: Lease<C>) => {
        try {
          return await transaction(connection, environment, modes, work);
        } finally {
          release();
        }
      };
      try {
        return await attempt(await pool.lease(owner, modes));
      } catch (error) {
        const other = pool.leaseAfter?.(error, owner, modes);
        if (!other) throw error;
        return await attempt(await other);
      }
    });
  const sender: Sender = {
    run: (statement) => noting(() => pool.run(statement, owner)),
    read() {
      throw new Error("a cursor needs a transaction");
    },
  };
  const end = ({ timeout = 5 } = {}) => pool.end(timeout * 1_000);
  const inQueueOf = (name: string) => sqlOn(pool, environment, name);
  return Object.assign(statements(sender), { begin, end, inQueueOf, options: pool.options }) as never;
}

/** The same connections, waited for in a queue of this name where there are too few. */
export const inQueueOf = <S extends postgres.Sql>(sql: S, name: string): S =>
  (sql as unknown as { inQueueOf(name: string): S }).inQueueOf(name);

/** State of a transaction: a statement that was never awaited must not run in the next one. */
type State = { savepoints: number; isOver: boolean };

/**
 * Runs `work` between BEGIN and COMMIT. A failed statement fails the transaction, even if `work` continued
 * without it. If the connection is lost at COMMIT, the outcome is unknown, and the error is that the database
 * was unavailable.
 */
async function transaction(
  connection: TransactionConnection,
  environment: string,
  modes: string,
  work: Work,
): Promise<unknown> {
  const state: State = { savepoints: 0, isOver: false };
  await connection.query(`begin ${modes}`, environment);
  try {
    const result = await scope(connection, environment, state, work);
    state.isOver = true;
    const { command } = await connection.query("commit");
    if (command !== "COMMIT")
      throw new Error("the transaction was rolled back: a statement that nobody awaited failed");
    return result;
  } catch (error) {
    state.isOver = true;
    // After a refused COMMIT nothing is open, and this confirms it; a lost connection has rolled back by
    // itself.
    if (!connection.problem) await connection.query("rollback").catch((problem) => connection.fail(problem));
    throw error;
  }
}

async function scope(
  connection: TransactionConnection,
  environment: string,
  state: State,
  work: Work,
): Promise<unknown> {
  let failed: { error: unknown } | null = null;
  const requireOpen = () => {
    if (state.isOver) throw new Error("the transaction is over");
  };
  const sender: Sender = {
    async run(statement) {
      requireOpen();
      try {
        return await connection.run(statement, environment);
      } catch (error) {
        failed ??= { error };
        throw error;
      }
    },
    async *read(statement, rows) {
      requireOpen();
      yield* connection.read(statement, rows);
    },
  };
  const savepoint = async (first: unknown, second?: unknown) => {
    requireOpen();
    const name = `s${state.savepoints++}`;
    await connection.query(`savepoint ${name}`);
    try {
      return await scope(connection, environment, state, (typeof first === "function" ? first : second) as Work);
    } catch (error) {
      if (!connection.problem) await connection.query(`rollback to ${name}`);
      throw error;
    }
  };
  try {
    const made = work(Object.assign(statements(sender), { savepoint }) as never);
    const result = await (Array.isArray(made) ? Promise.all(made) : made);
    if (failed) throw (failed as { error: unknown }).error;
    return result;
  } catch (error) {
    // "The transaction is aborted" only repeats an earlier error.
    const isEcho = error instanceof postgres.PostgresError && error.code === "25P02";
    throw isEcho && failed ? (failed as { error: unknown }).error : error;
  }
}
