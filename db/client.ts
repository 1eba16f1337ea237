import type { PgDatabase } from "drizzle-orm/pg-core";
import { makePgArray, parsePgArray } from "drizzle-orm/pg-core";
import { drizzle, type PostgresJsDatabase, type PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { env } from "@/lib/env";

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

/** Array types by their OIDs: text, uuid, timestamptz. See `fetch_types` for why they are named here. */
const arrays = {
  to: 1009,
  from: [1009, 2951, 1185],
  serialize: (values: readonly unknown[]) => makePgArray([...values]),
  parse: (text: string) => parsePgArray(text),
};

export type Sql = postgres.Sql<{ timestamptz: Date | string; bigint: number }>;
export type Transaction = postgres.TransactionSql<{ timestamptz: Date | string; bigint: number }>;

/** What the statements of one environment are sent through. */
export type WithinEnvironment = { readonly sql: Sql; readonly orm: PostgresJsDatabase };

/**
 * Pools apart, because drizzle() changes the client it is given (dates become strings in PostgreSQL's own format): `sql`
 * for the statements of the money path and the transaction table, `orm` for everything else.
 */
export type Database = {
  /** Cross environments: for jobs, sign-in, the look-up of keys and support staff. Whatever has an environment is `within` it. */
  readonly sql: Sql;
  readonly orm: PostgresJsDatabase;
  /** For statements that see and change the rows of this environment alone. `environmentId` is a UUID. */
  within(environmentId: string): WithinEnvironment;
  /**
   * A connection of its own for one export, which holds it and a cursor for as long as somebody downloads; whoever opens it
   * ends it. One that broke in the middle would come back to a pool broken, and be found by the next.
   */
  openExport(environmentId: string): Sql;
  close(): Promise<void>;
};

export type ConnectOptions = {
  max?: number;
  applicationName?: string;
  synchronousCommit?: "on" | "off";
  /** Further settings of PostgreSQL for these connections. */
  parameters?: Record<string, string>;
};

/** A pool of raw connections to a PostgreSQL at `url`: UTC, prepared statements, rows as the API writes them. */
export function connectSql(url: string, options: ConnectOptions = {}): Sql {
  return postgres(url, {
    max: options.max ?? env.databasePoolSize,
    connect_timeout: 5,
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => {},
    backoff: (retries) => Math.min(0.05 * 2 ** retries, 1),
    connection: {
      application_name: options.applicationName ?? "cardlane",
      TimeZone: "UTC",
      ...(options.synchronousCommit && { synchronous_commit: options.synchronousCommit }),
      ...options.parameters,
    },
    types: { ...types, arrays },
    // On each new connection postgres.js would ask for the array types, in a promise that nobody holds: when the server
    // dies just then, its rejection would end the process.
    fetch_types: false,
  }) as unknown as Sql;
}

export function connect(url: string, options: ConnectOptions = {}): Database {
  // Every statement of this pool is made for an index, and its plan is kept: one made while the tables were small, or had
  // no statistics yet, must not read them whole for as long as the connection lives.
  const forIndexes = { ...options, parameters: { enable_seqscan: "off", ...options.parameters } };
  const sql = connectSql(url, forIndexes);
  const forOrm = postgres(url, {
    max: Math.max(2, Math.ceil((options.max ?? env.databasePoolSize) / 3)),
    connect_timeout: 5,
    onnotice: () => {},
    fetch_types: false,
    backoff: (retries) => Math.min(0.05 * 2 ** retries, 1),
    connection: { application_name: options.applicationName ?? "cardlane", TimeZone: "UTC" },
  });
  const orm = drizzle(forOrm);
  return {
    sql,
    orm,
    within: () => ({ sql, orm }),
    openExport: () => connectSql(url, { ...forIndexes, max: 1 }),
    async close() {
      await Promise.all([sql, forOrm].map((pool) => pool.end({ timeout: 5 })));
    },
  };
}
