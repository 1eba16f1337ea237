import type { PgDatabase } from "drizzle-orm/pg-core";
import { makePgArray, parsePgArray } from "drizzle-orm/pg-core";
import { drizzle, type PostgresJsDatabase, type PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import { env } from "@/lib/env";
import { parseAddress } from "./address";
import { Pool } from "./pool";
import { remember, type StatementPool, sqlOn, type TransactionConnection } from "./statements";

/**
 * `2026-11-20 09:30:00.12+00` → `2026-11-20T09:30:00.120Z`: PostgreSQL's text of a timestamptz(3) in UTC, which trims
 * trailing zeros, as the API writes it. Twenty times cheaper than by way of Date.
 */
export function isoFromPostgres(text: string): string {
  const zone = text.indexOf("+", 19);
  const fraction = zone > 20 ? text.slice(20, Math.min(zone, 23)).padEnd(3, "0") : "000";
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

const types = {
  timestamptz: {
    to: 1184,
    from: [1184] as number[],
    serialize: (value: Date | string) => (value instanceof Date ? value.toISOString() : value),
    parse: isoFromPostgres,
  },
  // Counters and amounts; all are checked to stay within ±2^53.
  bigint: { to: 20, from: [20] as number[], serialize: (value: number) => String(value), parse: Number },
} as const;

/** The query builder, on the pool or inside a transaction; the latter is what its `transaction` hands out. */
export type Orm = PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>;

/** Array types by their OIDs: text, uuid, timestamptz. Named here, or each new connection would fetch all from the server. */
const arrays = {
  to: 1009,
  from: [1009, 2951, 1185],
  serialize: (values: readonly unknown[]) => makePgArray([...values]),
  parse: (text: string) => parsePgArray(text),
};

export type Sql = postgres.Sql<{ timestamptz: Date | string; bigint: number }>;
export type Transaction = postgres.TransactionSql<{ timestamptz: Date | string; bigint: number }>;

/** What the statements of one environment are sent through. */
type WithinEnvironment = { readonly sql: Sql; readonly orm: PostgresJsDatabase };

type PoolFigures = {
  readonly name: string;
  readonly max: number;
  readonly inUse: number;
  readonly waiting: number;
};

/**
 * Separate pools, because drizzle() changes the client it gets (dates become strings in PostgreSQL's own format): `sql` for the
 * money path and the transaction table, `orm` for everything else.
 */
export type Database = {
  /** Cross environments: for jobs, sign-in, the look-up of keys and support staff. Whatever has an environment is `within` it. */
  readonly sql: Sql;
  readonly orm: PostgresJsDatabase;
  /** For statements that see and change the rows of this environment alone. `environmentId` is a UUID. */
  within(environmentId: string): WithinEnvironment;
  /** For what may take minutes and no request waits for: settlement, proving the books. */
  readonly long: Sql;
  /** A separate connection for one export, which holds it and a cursor during the download; whoever opened it must end it. */
  openExport(environmentId: string): Sql;
  /** How busy each pool is at this moment. */
  pools(): PoolFigures[];
  /** Statements under way have five seconds to end. */
  close(): Promise<void>;
};

/**
 * The service's database roles (db/rights.ts). The owner of DATABASE_URL only migrates. `app` serves requests and sees only the
 * environment that its connection is set to. `jobs` crosses environments: jobs, sign-in, keys, support. `sandbox` is the
 * sandbox processor, a separate company. None of the three owns anything or is a superuser.
 */
export const ROLES = { app: "cardlane_app", jobs: "cardlane_jobs", sandbox: "cardlane_sandbox" } as const;

/** How to connect: with a separate login, or with the address's login and a role that it switches to. */
export type Login = { readonly url: string; readonly role?: string };

export type Logins = { readonly app: Login; readonly jobs: Login };

export type ConnectOptions = {
  /** Connections for `sql`. */
  max?: number;
  /** Connections for `orm`; a third of `max` unless it is given. */
  maxOrm?: number;
  applicationName?: string;
  /** Further settings of PostgreSQL for these connections, `role` among them. */
  parameters?: Record<string, string>;
  /** One that is lost is not replaced: what it held, a lock for one, is lost with it. */
  keeps?: "one connection";
};

/** Of one process, by what they are for. */
export type Connections = Readonly<Record<"sql" | "orm" | "store" | "long" | "exports", number>>;

/** Each holds a separate connection. */
export const EXPORTS_AT_ONCE = 2;

/**
 * The connections of a process by their use: within an environment and across environments (`sql`, `orm`), the sandbox
 * processor, and `long` with exports. The sum is exact, except for a moment when one more checks whether a silent server is
 * still there.
 */
export function shareConnections(total: number): Connections {
  const long = 1;
  const rest = total - long - EXPORTS_AT_ONCE;
  const orm = Math.max(2, Math.floor(rest * 0.3));
  const store = Math.max(1, Math.floor(rest / 4));
  return { sql: rest - orm - store, orm, store, long, exports: EXPORTS_AT_ONCE };
}

/**
 * The same when pages are drawn by a separate process: settlement belongs to the API, exports to the pages. So does support's
 * search, whose one extra connection stays for 20 minutes at most. With 13 connections each side has its minimum; of more, the
 * API gets four in five. From 16 on, long work leaves a connection of each of its pools to others; with 25, so does each mode.
 */
export function shareWithPages(total: number): { api: Connections; pages: Connections } {
  const more = total - 13;
  const forPages = Math.floor(more / 5);
  const pages = { sql: 2 + Math.ceil(forPages / 2), orm: 2 + Math.floor(forPages / 2), store: 1 };
  const forApi = more - forPages;
  const [orm, store] = [Math.floor(forApi / 3), Math.floor(forApi / 4)];
  const api = { sql: 2 + forApi - orm - store, orm: 2 + orm, store: 1 + store };
  return { api: { ...api, long: 1, exports: 0 }, pages: { ...pages, long: 0, exports: EXPORTS_AT_ONCE } };
}

/** What a request may wait for one statement: its 503 is due ten seconds after the database fell silent. */
const STATEMENT_MS = 6_000;
const IDLE_MS = 10_000;
const LONG_STATEMENT_MS = 10 * 60_000;
/** How long the reader of an export may take for one batch. */
const LONG_IDLE_MS = 120_000;
/** The answer to a statement that took too long comes from the server itself, when there is one. */
const MARGIN_MS = 1_500;
const LIFETIME_MS = 20 * 60_000;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const END_LIMIT_MS = 5_000;

type Limits = { statementMs: number; idleMs: number };
const SHORT: Limits = { statementMs: STATEMENT_MS, idleMs: IDLE_MS };
const LONG: Limits = { statementMs: LONG_STATEMENT_MS, idleMs: LONG_IDLE_MS };

/** Connections whose rows are as PostgreSQL's own text, for the query builder, or as the API writes them. */
export const openPools = (login: Login, options: ConnectOptions, ormOptions = options): PoolSet<Pool> => ({
  sql: openPool(login, SHORT, options, RAW),
  orm: openPool(login, SHORT, ormOptions, {}),
});

function openPool(login: Login, limits: Limits, options: ConnectOptions, parse: object): Pool {
  const address = parseAddress(login.url);
  const settings: Record<string, string> = {
    statement_timeout: String(limits.statementMs),
    idle_in_transaction_session_timeout: String(limits.idleMs),
    ...address.settings,
    ...options.parameters,
    ...(login.role && { role: login.role }),
  };
  return new Pool(address, {
    max: options.max ?? 1,
    applicationName: options.applicationName ?? "cardlane",
    settings,
    silenceMs: (Number(settings.statement_timeout) || LONG_STATEMENT_MS) + MARGIN_MS,
    lifetimeMs: options.keeps ? null : LIFETIME_MS,
    keepsOne: options.keeps !== undefined,
    types: parse as Record<string, postgres.PostgresType>,
  });
}

/** Rows as the API writes them. */
export const RAW = { ...types, arrays };
const rawOn = <C extends TransactionConnection>(pool: StatementPool<C>, environmentId: string) =>
  sqlOn(pool, environmentId) as unknown as Sql;

/** A pool of raw connections to a PostgreSQL at `url`: UTC, prepared statements, rows as the API writes them. */
export function connectSql(url: string, options: ConnectOptions = {}): Sql {
  return rawOn(openPool({ url }, SHORT, options, RAW), "");
}

/** The same for what may take minutes. */
export function connectLong(url: string, options: ConnectOptions = {}): Sql {
  return rawOn(openPool({ url }, LONG, options, RAW), "");
}

/**
 * `logins`: one for everything; or one that sees only its current environment, for `within` and exports, and one that crosses
 * environments, for everything else.
 */
export function connect(logins: string | Logins, options: ConnectOptions = {}): Database {
  const { app, jobs } = typeof logins === "string" ? { app: { url: logins }, jobs: { url: logins } } : logins;
  const max = options.max ?? shareConnections(env.databasePoolSize).sql;
  const maxOrm = options.maxOrm ?? Math.max(2, Math.ceil(max / 3));
  // Every statement of these pools is made for an index, and its plan is kept: one made while the tables were small, or had
  // no statistics yet, must not read them whole for as long as the connection lives. A scan that is off seems so dear that with
  // `jit` each statement that needs one would be compiled, for a second. Neither depends on the server's own settings.
  const asEmbedded = { random_page_cost: "1.1", jit: "off", ...options.parameters };
  const parameters = { enable_seqscan: "off", ...asEmbedded };
  const openSet = (login: Login, sizes: { max: number; maxOrm: number }, raw: typeof parameters) =>
    openPools(
      login,
      { ...options, max: sizes.max, parameters: raw },
      { ...options, max: sizes.maxOrm, parameters: asEmbedded },
    );
  // Of the transactions most cross environments: sign-ins, accounts and teams, where a slow one must not keep the others waiting.
  const [few, fewOrm] = [Math.max(1, Math.floor(max / 3)), Math.max(1, Math.floor(maxOrm / 3))];
  const isOne = typeof logins === "string";
  const crossing = openSet(jobs, isOne ? { max, maxOrm } : { max: few, maxOrm: fewOrm }, parameters);
  // What a request joins are the rows of a page with what belongs to each; hashing or merging reads all there is.
  const byKey = { enable_hashjoin: "off", enable_mergejoin: "off", ...parameters };
  const walled = isOne ? null : openSet(app, { max: max - few || 1, maxOrm: maxOrm - fewOrm || 1 }, byKey);
  const long = openPool(jobs, LONG, { ...options, max: 1, parameters }, RAW);
  return {
    ...databaseOn({ crossing, walled, long }),
    openExport: (id) => rawOn(openPool(app, LONG, { ...options, max: 1, parameters }, RAW), isOne ? "" : id),
    pools() {
      const walledPools = walled && { environment_sql: walled.sql, environment_orm: walled.orm };
      const named = { ...walledPools, crossing_sql: crossing.sql, crossing_orm: crossing.orm, long };
      return Object.entries(named).map(([name, pool]) => ({ name, ...pool.figures }));
    },
    async close() {
      const pools = [crossing.sql, crossing.orm, long, ...(walled ? [walled.sql, walled.orm] : [])];
      await Promise.all(pools.map((pool) => pool.end(END_LIMIT_MS)));
    },
  };
}

type PoolSet<P> = { readonly sql: P; readonly orm: P };

/**
 * What the service sends its statements through, on these pools. `walled`: connections that see only the environment they stand
 * in; null: those that cross environments do for all.
 */
export function databaseOn<C extends TransactionConnection>(pools: {
  crossing: PoolSet<StatementPool<C>>;
  walled: PoolSet<StatementPool<C>> | null;
  long: StatementPool<C>;
}): Pick<Database, "sql" | "orm" | "within" | "long"> {
  const { crossing, walled, long } = pools;
  const sql = rawOn(crossing.sql, "");
  const orm = drizzle(sqlOn(crossing.orm, ""));
  const within = remember((environmentId): WithinEnvironment => {
    if (!UUID.test(environmentId)) throw new Error("the id of an environment is a UUID");
    // A single login sees everything: row-level security would not apply.
    if (!walled) return { sql, orm };
    return { sql: rawOn(walled.sql, environmentId), orm: drizzle(sqlOn(walled.orm, environmentId)) };
  });
  return { sql, orm, within, long: rawOn(long, "") };
}

/** Read-only, in one transaction with its own time limit; a slower statement throws. */
export function withLimit<T>(sql: Sql, limitMs: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return sql.begin("read only", async (tx) => {
    await tx`select set_config('statement_timeout', ${String(limitMs)}, true)`;
    return work(tx as unknown as Transaction);
  }) as Promise<T>;
}
