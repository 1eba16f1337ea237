import postgres from "postgres";
import type { Connection, Statement } from "./connection";
import type { Owner } from "./pool";
import { currentServing, noteFailure } from "./unavailable";

/** What a transaction needs of the connection that it has for itself. */
export type TransactionConnection = Pick<
  Connection,
  "query" | "run" | "enter" | "fail" | "lost" | "problem" | "environment"
>;

/** What statements are sent through: a pool of connections. */
export type StatementPool<C extends TransactionConnection = Connection> = {
  /** Builds statements and runs none. */
  readonly template: postgres.Sql;
  run(statement: Statement, owner: Owner): void;
  take(owner: Owner): Promise<C>;
  release(connection: C): void;
  end(timeoutMs: number): Promise<void>;
};

type Begin = (first: unknown, second?: unknown) => Promise<unknown>;
type Work = (tx: postgres.TransactionSql) => unknown;

const LEVELS = /^[a-z ,]*$/i;
/** What belongs to one connection of postgres.js, and these connections come and go. */
const ABSENT = ["reserve", "listen", "notify", "subscribe", "file", "largeObject", "close"];

/**
 * A pool as postgres.js shows one: every statement and transaction is `environment`'s, or no environment's when that is '', and
 * waits in its line, or in another's that it is for.
 */
export function sqlOn<C extends TransactionConnection>(
  pool: StatementPool<C>,
  environment: string,
  line = environment,
): postgres.Sql {
  const owner = { environment, line };
  const begin: Begin = async (first, second) => {
    const [levels, work] = typeof first === "function" ? ["", first as Work] : [String(first), second as Work];
    if (!LEVELS.test(levels)) throw new Error(`"${levels}" is no mode of a transaction`);
    try {
      const connection = await pool.take(owner);
      try {
        connection.enter(environment);
        return await transaction(pool.template, connection, levels, work);
      } finally {
        pool.release(connection);
      }
    } catch (error) {
      noteFailure(currentServing(), error);
      throw error;
    }
  };
  const end = (options?: { timeout?: number }) => pool.end((options?.timeout ?? 5) * 1_000);
  const absent = Object.fromEntries(ABSENT.map((name) => [name, () => refuse(name)]));
  const run = (statement: Statement) => {
    const serving = currentServing();
    // A cursor's reader gives its statement new callbacks; by then its answer has begun.
    if (serving && statement.cursorRows === undefined) {
      const { reject } = statement;
      const noting = (error: unknown) => {
        noteFailure(serving, error);
        reject(error);
      };
      statement.reject = noting;
    }
    pool.run(statement, owner);
  };
  const sql = Object.assign(statements(pool.template, run), absent, { begin, end }) as unknown as postgres.Sql;
  lines.set(
    sql,
    remember((name) => sqlOn(pool, environment, name)),
  );
  return sql;
}

/** How many names are remembered. */
const REMEMBERED = 1_000;

/** Keeps what was made for the latest names. */
export function remember<T>(make: (name: string) => T): (name: string) => T {
  const remembered = new Map<string, T>();
  return (name) => {
    const known = remembered.get(name);
    if (known !== undefined) return known;
    const made = make(name);
    if (remembered.size >= REMEMBERED) remembered.delete(remembered.keys().next().value as string);
    remembered.set(name, made);
    return made;
  };
}

const lines = new WeakMap<object, (name: string) => postgres.Sql>();

/** The same connections, waited for in a line of this name where there are too few. */
export function inLineOf<S extends postgres.Sql>(sql: S, name: string): S {
  const make = lines.get(sql);
  if (!make) throw new Error("only what a pool shows has lines");
  return make(name) as S;
}

function refuse(name: string): never {
  throw new Error(`sql.${name} needs a connection of its own, and those of a pool come and go`);
}

/** Tagged and unsafe statements, and fragments of them, that `run` gets when they are awaited. */
function statements(template: postgres.Sql, run: (statement: Statement) => void): postgres.Sql {
  const own = (made: unknown) =>
    made instanceof Promise ? Object.assign(made, { handler: run, canceller: null }) : made;
  const call = template as unknown as (...args: unknown[]) => unknown;
  const tagged = (...args: unknown[]) => own(call(...args));
  const unsafe = (...args: unknown[]) => own((template.unsafe as (...args: unknown[]) => unknown)(...args));
  const { types, typed, json, array, options, PostgresError, CLOSE } = template;
  return Object.assign(tagged, {
    ...{ unsafe, types, typed, json, array, options, PostgresError, CLOSE },
  }) as unknown as postgres.Sql;
}

/**
 * `work` between BEGIN and COMMIT. A statement that failed fails the transaction, also when `work` went on without it. When
 * the connection is lost at COMMIT, whether it counts is unknown: the error is that the database was not there.
 */
async function transaction(
  template: postgres.Sql,
  connection: TransactionConnection,
  levels: string,
  work: Work,
): Promise<unknown> {
  const state = { savepoints: 0, isOver: false };
  await connection.query(`begin ${levels}`);
  try {
    const result = await orLost(connection.lost, scope(template, connection, state, work));
    state.isOver = true;
    await connection.query("commit");
    return result;
  } catch (error) {
    state.isOver = true;
    // After a refused COMMIT nothing is open, and this confirms it; a lost connection has rolled back by itself.
    if (!connection.problem) await connection.query("rollback").catch((problem) => connection.fail(problem));
    throw error;
  }
}

/** Of each connection, what hears when it is lost. */
const listeners = new WeakMap<Promise<never>, Set<(error: unknown) => void>>();

/**
 * `work`, or the error by which its connection is lost. `Promise.race` would leave a handler on `lost`, and with it the
 * transaction's rows, for as long as the connection lasts.
 */
function orLost<T>(lost: Promise<never>, work: Promise<T>): Promise<T> {
  const own = listeners.get(lost) ?? listenTo(lost);
  return new Promise((resolve, reject) => {
    own.add(reject);
    void work.then(resolve, reject).finally(() => own.delete(reject));
  });
}

function listenTo(lost: Promise<never>): Set<(error: unknown) => void> {
  const own = new Set<(error: unknown) => void>();
  listeners.set(lost, own);
  lost.catch((error: unknown) => {
    listeners.delete(lost);
    for (const reject of own) reject(error);
  });
  return own;
}

async function scope(
  template: postgres.Sql,
  connection: TransactionConnection,
  state: { savepoints: number; isOver: boolean },
  work: Work,
): Promise<unknown> {
  let failed: { error: unknown } | null = null;
  const run = (statement: Statement) => {
    const { reject } = statement;
    // A statement that was not awaited must not run in the next transaction.
    if (state.isOver) return reject(new Error("the transaction is over"));
    if (statement.cursorRows === undefined) {
      const failing = (error: unknown) => {
        failed ??= { error };
        reject(error);
      };
      statement.reject = failing;
    }
    connection.run(statement, connection.environment);
  };
  const savepoint = async (first: unknown, second?: unknown) => {
    const inner = (typeof first === "function" ? first : second) as Work;
    const name = `s${state.savepoints++}`;
    await connection.query(`savepoint ${name}`);
    try {
      return await scope(template, connection, state, inner);
    } catch (error) {
      if (!connection.problem) await connection.query(`rollback to ${name}`);
      throw error;
    }
  };
  const tx = Object.assign(statements(template, run), { savepoint }) as unknown as postgres.TransactionSql;
  try {
    const made = work(tx);
    const result = await (Array.isArray(made) ? Promise.all(made) : made);
    if (failed) throw (failed as { error: unknown }).error;
    return result;
  } catch (error) {
    // "The transaction is aborted" only repeats an earlier error.
    const isEcho = error instanceof postgres.PostgresError && error.code === "25P02";
    throw isEcho && failed ? (failed as { error: unknown }).error : error;
  }
}
