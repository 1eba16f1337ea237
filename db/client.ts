import type { PgDatabase } from "drizzle-orm/pg-core";
import { makePgArray, parsePgArray } from "drizzle-orm/pg-core";
import { drizzle, type PostgresJsDatabase, type PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import { env } from "@/lib/env";
import { type Address, type Host, parseAddress } from "./address";
import { Pool } from "./pool";
import { LazyPool, type PoolName, ReadPool, type ReplicaFigures, Replicas } from "./replicas";
import { type StatementPool, sqlOn, type TransactionConnection } from "./statements";

/**
 * `2026-11-20 09:30:00.12+00` → `2026-11-20T09:30:00.120Z`: PostgreSQL's text of a timestamptz(3) in UTC,
 * which trims trailing zeros, in the API's format. Twenty times cheaper than a Date.
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
  // Counters and amounts; CHECK constraints keep them within ±2^53.
  bigint: { to: 20, from: [20] as number[], serialize: (value: number) => String(value), parse: Number },
} as const;

/**
 * The query builder on a pool or in a transaction; both share this type, since `transaction` passes the
 * latter to its callback.
 */
export type Orm = PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>;

/**
 * Array types by OID: text, uuid, timestamptz. Without this list, each new connection fetches all types from
 * the server.
 */
const arrays = {
  to: 1009,
  from: [1009, 2951, 1185],
  serialize: (values: readonly unknown[]) => makePgArray([...values]),
  parse: (text: string) => parsePgArray(text),
};

/** Types as drizzle() expects them: times as PostgreSQL's text, JSON serialized by the query builder. */
const asText = (value: string) => value;
const ORM_TYPES = {
  times: { to: 1184, from: [1184, 1082, 1083, 1114, 1182, 1185, 1115, 1231], serialize: asText, parse: asText },
  json: { to: 114, from: [114, 3802], serialize: asText, parse: JSON.parse },
};

export type Sql = postgres.Sql<{ timestamptz: Date | string; bigint: number }>;
export type Transaction = postgres.TransactionSql<{ timestamptz: Date | string; bigint: number }>;

/** Clients for the statements of one environment. */
type WithinEnvironment = { readonly sql: Sql; readonly orm: PostgresJsDatabase };

type PoolFigures = {
  readonly name: string;
  readonly max: number;
  readonly inUse: number;
  readonly waiting: number;
};

/**
 * Separate pools, because drizzle() changes its client (dates become strings in PostgreSQL's format): `sql`
 * for the money path and the transaction table, `orm` for everything else.
 */
export type Database = {
  /**
   * These cross environments: jobs, sign-in, key lookup and support. Code that has an environment uses
   * `within`.
   */
  readonly sql: Sql;
  readonly orm: PostgresJsDatabase;
  /** Limits statements to the rows of one environment. `environmentId` is a UUID. */
  within(environmentId: string): WithinEnvironment;
  /** For work that may take minutes and blocks no request: settlement, `verify`. */
  readonly long: Sql;
  /**
   * A dedicated connection for one export, which holds a cursor during the download. The caller must end it.
   */
  openExport(environmentId: string): Sql;
  /**
   * The same clients for reads that change nothing: each statement runs on a replica that has everything
   * committed before it, or on the primary. Without replicas it is this database.
   */
  readonly reading: Database;
  /** Current usage of each pool. */
  pools(): PoolFigures[];
  /** Empty without DATABASE_READ_URL. */
  replicas(): ReplicaFigures[];
  /** Statements in progress get five seconds to finish. */
  close(): Promise<void>;
};

/**
 * The service's database roles (db/rights.ts); none owns a table or is a superuser, and DATABASE_URL's owner
 * only migrates. `app` serves requests in its connection's environment, `jobs` crosses environments,
 * `sandbox` is the sandbox processor, a separate company.
 */
export const ROLES = { app: "cardlane_app", jobs: "cardlane_jobs", sandbox: "cardlane_sandbox" } as const;

/** The address of a replica; `instance` is the only server that may answer there. */
type ReplicaAddress = Pick<Address, "hosts" | "tls"> & { readonly instance?: string };

/** A separate login, or the URL's login with a role to switch to. `replica`: where, instead of at its hosts. */
export type Login = { readonly url: string; readonly role?: string; readonly replica?: ReplicaAddress };

export type Logins = { readonly app: Login; readonly jobs: Login };

export type ConnectOptions = {
  /** Max connections for `sql`. */
  max?: number;
  /** Max connections for `orm`; a third of `max` by default. */
  maxOrm?: number;
  applicationName?: string;
  /** More PostgreSQL settings for these connections, such as `role`. */
  parameters?: Record<string, string>;
  /** A lost connection is not replaced, because its state, such as a lock, is lost with it. */
  keeps?: "one connection";
  /**
   * An environment never holds the last connection: its statements may wait for each other's locks, and
   * others must not wait with them.
   */
  isWalled?: boolean;
  /** Read replicas, with log lines for those that are left out. */
  replicas?: { address: Pick<Address, "hosts" | "tls">; log: { warn(facts: object, message: string): void } } | null;
};

/** Connections of one process, by use. */
export type Connections = Readonly<Record<"sql" | "orm" | "store" | "long" | "exports", number>>;

/** Each export holds a separate connection. */
export const EXPORTS_AT_ONCE = 2;

/**
 * Connections of a process by use: `sql` and `orm` within and across environments, the sandbox processor,
 * `long`, exports. The sum is exact, except that probing a silent server takes one more for a moment.
 */
export function shareConnections(total: number): Connections {
  const long = 1;
  const rest = total - long - EXPORTS_AT_ONCE;
  const orm = Math.max(2, Math.floor(rest * 0.3));
  const store = Math.max(1, Math.floor(rest / 4));
  return { sql: rest - orm - store, orm, store, long, exports: EXPORTS_AT_ONCE };
}

/**
 * The same with a separate page process: settlement runs in the API, exports and support's search in the
 * pages (search keeps an extra connection for up to 20 minutes). 13 connections are both minimums; the API
 * gets four fifths of the rest. From 16 on, long work leaves one per pool free; from 25, so does each mode.
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

/** Max time of a request's statement: its 503 is due 10 s after the database stops responding. */
const STATEMENT_MS = 6_000;
const IDLE_MS = 10_000;
const LONG_STATEMENT_MS = 10 * 60_000;
/** Max time an export's client may take for one batch. */
const LONG_IDLE_MS = 120_000;
/** Lets a running server report its own statement timeout first. */
const MARGIN_MS = 1_500;
const LIFETIME_MS = 20 * 60_000;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const END_LIMIT_MS = 5_000;

type Limits = { statementMs: number; idleMs: number };
const SHORT: Limits = { statementMs: STATEMENT_MS, idleMs: IDLE_MS };
const LONG: Limits = { statementMs: LONG_STATEMENT_MS, idleMs: LONG_IDLE_MS };

/** Two pools: `sql` returns rows in the API's format, `orm` PostgreSQL's text for the query builder. */
export const openPools = (login: Login, options: ConnectOptions, ormOptions = options): PoolSet<Pool> => ({
  sql: openPool(login, SHORT, options, RAW),
  orm: openPool(login, SHORT, ormOptions, ORM_TYPES),
});

function openPool(login: Login, limits: Limits, options: ConnectOptions, ownTypes: object): Pool {
  const address = { ...parseAddress(login.url), ...login.replica };
  const settings: Record<string, string> = {
    statement_timeout: String(limits.statementMs),
    idle_in_transaction_session_timeout: String(limits.idleMs),
    ...address.settings,
    ...options.parameters,
    ...(login.role && { role: login.role }),
  };
  const max = options.max ?? 1;
  return new Pool(address, {
    max,
    perQueue: options.isWalled ? Math.max(1, max - 1) : max,
    client: {
      types: ownTypes as Record<string, postgres.PostgresType>,
      // Every pooler accepts these two; the other settings follow once connected.
      connection: { application_name: options.applicationName ?? "cardlane", TimeZone: "UTC" },
      onnotice: () => {},
      // drizzle() writes into these two of the client that it is given; the options' type doesn't name them.
      ...{ parsers: {}, serializers: {} },
    },
    settings,
    readsOnly: login.replica !== undefined,
    instance: login.replica?.instance ?? null,
    silenceMs: (Number(settings.statement_timeout) || LONG_STATEMENT_MS) + MARGIN_MS,
    lifetimeMs: options.keeps ? null : LIFETIME_MS,
    keepsOne: options.keeps !== undefined,
  });
}

/** Rows as the API writes them. */
export const RAW = { ...types, arrays };
const rawOn = <C extends TransactionConnection>(pool: StatementPool<C>, environmentId: string) =>
  sqlOn(pool, environmentId) as unknown as Sql;

/**
 * A pool of raw connections to the PostgreSQL at `url`: UTC, prepared statements, rows in the API's format.
 */
export function connectSql(url: string, options: ConnectOptions = {}): Sql {
  return rawOn(openPool({ url }, SHORT, options, RAW), "");
}

/** The same for statements that may take minutes. */
export function connectLong(url: string, options: ConnectOptions = {}): Sql {
  return rawOn(openPool({ url }, LONG, options, RAW), "");
}

/**
 * `logins`: one for everything; or `app`, which sees only its current environment, for `within` and exports,
 * and `jobs`, which crosses environments, for everything else.
 */
export function connect(logins: string | Logins, options: ConnectOptions = {}): Database {
  const { app, jobs } = typeof logins === "string" ? { app: { url: logins }, jobs: { url: logins } } : logins;
  const max = options.max ?? shareConnections(env.databasePoolSize).sql;
  const maxOrm = options.maxOrm ?? Math.max(2, Math.ceil(max / 3));
  // Plans are kept per connection: one made on small or unanalyzed tables must not scan them for the
  // connection's lifetime, so all statements use an index. A disabled scan has a huge cost, which with `jit`
  // would compile such a statement for a second. Neither depends on the server's settings.
  const asEmbedded = { random_page_cost: "1.1", jit: "off", ...options.parameters };
  const parameters = { enable_seqscan: "off", ...asEmbedded };
  // Most transactions that cross environments are sign-ins, accounts and teams; a slow one must not hold up
  // the others.
  const [few, fewOrm] = [Math.max(1, Math.floor(max / 3)), Math.max(1, Math.floor(maxOrm / 3))];
  const isOne = typeof logins === "string";
  // Requests join a page's rows with what belongs to each; hash and merge joins read whole tables.
  const byKey = { enable_hashjoin: "off", enable_mergejoin: "off", ...parameters };
  /** The pools at the primary, or at one replica. */
  const openAll = (replica?: Login["replica"]) => {
    const at = (login: Login): Login => (replica ? { ...login, replica } : login);
    const openSet = (login: Login, sizes: { max: number; maxOrm: number }, raw: typeof parameters, isWalled = false) =>
      openPools(
        at(login),
        { ...options, isWalled, max: sizes.max, parameters: raw },
        { ...options, isWalled, max: sizes.maxOrm, parameters: asEmbedded },
      );
    return {
      crossing: openSet(jobs, isOne ? { max, maxOrm } : { max: few, maxOrm: fewOrm }, parameters),
      isolated: isOne ? null : openSet(app, { max: max - few || 1, maxOrm: maxOrm - fewOrm || 1 }, byKey, true),
      long: openPool(at(jobs), LONG, { ...options, max: 1, parameters }, RAW),
    };
  };
  const openExportPool = (replica?: Login["replica"]) =>
    openPool(replica ? { ...app, replica } : app, LONG, { ...options, max: 1, parameters }, RAW);
  const { crossing, isolated, long } = openAll();
  const named = {
    ...(isolated && { environment_sql: isolated.sql, environment_orm: isolated.orm }),
    ...{ crossing_sql: crossing.sql, crossing_orm: crossing.orm, long },
  };
  const replicaAt = (host: Host, instance?: string): ReplicaAddress => ({
    ...(options.replicas?.address as Address),
    hosts: [host],
    ...(instance !== undefined && { instance }),
  });
  const replicas = options.replicas ? openReplicas(options.replicas) : null;

  function openReplicas({ address, log }: NonNullable<ConnectOptions["replicas"]>): Replicas {
    const check = { ...options, max: 1, parameters };
    return new Replicas({
      hosts: address.hosts,
      primary: openPool(jobs, SHORT, check, RAW),
      openCheck: (host) => openPool({ ...jobs, replica: replicaAt(host) }, SHORT, check, RAW),
      openPools(host, instance) {
        const { crossing: across, isolated: own, long: slow } = openAll(replicaAt(host, instance));
        const { sql, orm } = own ?? across;
        return {
          ...{ crossing_sql: across.sql, crossing_orm: across.orm, long: slow },
          ...{ environment_sql: sql, environment_orm: orm },
        };
      },
      log,
    });
  }

  const database: Database = {
    ...databaseOn({ crossing, isolated, long }),
    openExport: (id) => rawOn(openExportPool(), isOne ? "" : id),
    get reading() {
      return reading;
    },
    pools: () => Object.entries(named).map(([name, pool]) => ({ name, ...pool.figures })),
    replicas: () => replicas?.figures ?? [],
    async close() {
      await Promise.all([replicas?.end(END_LIMIT_MS), ...Object.values(named).map((pool) => pool.end(END_LIMIT_MS))]);
    },
  };
  const reading: Database = replicas
    ? Object.assign(Object.create(database) as Database, readingOn({ crossing, isolated, long }, replicas), {
        openExport(id: string) {
          const open = async () => {
            const replica = await replicas.caughtUp();
            return openExportPool(replica ? replicaAt(replica.host, replica.instance) : undefined);
          };
          return rawOn(new LazyPool(open), isOne ? "" : id);
        },
      })
    : database;
  return database;
}

/** The clients for reads: on a replica, or on the primary's pools. */
function readingOn({ crossing, isolated, long }: PoolsOf<Pool>, replicas: Replicas) {
  const read = (pool: Pool, name: PoolName) => new ReadPool(pool, replicas, name);
  return databaseOn({
    crossing: { sql: read(crossing.sql, "crossing_sql"), orm: read(crossing.orm, "crossing_orm") },
    isolated: isolated && { sql: read(isolated.sql, "environment_sql"), orm: read(isolated.orm, "environment_orm") },
    long: read(long, "long"),
  });
}

type PoolSet<P> = { readonly sql: P; readonly orm: P };
type PoolsOf<P> = { readonly crossing: PoolSet<P>; readonly isolated: PoolSet<P> | null; readonly long: P };

/**
 * The service's clients on these pools. `isolated` connections see only their current environment; null = the
 * crossing pools serve all.
 */
export function databaseOn<C extends TransactionConnection>(
  pools: PoolsOf<StatementPool<C>>,
): Pick<Database, "sql" | "orm" | "within" | "long"> {
  const { crossing, isolated, long } = pools;
  const sql = rawOn(crossing.sql, "");
  const orm = drizzle(sqlOn(crossing.orm, ""));
  const within = remember((environmentId): WithinEnvironment => {
    if (!UUID.test(environmentId)) throw new Error("the id of an environment is a UUID");
    // A single login bypasses row-level security.
    if (!isolated) return { sql, orm };
    return { sql: rawOn(isolated.sql, environmentId), orm: drizzle(sqlOn(isolated.orm, environmentId)) };
  });
  return { sql, orm, within, long: rawOn(long, "") };
}

/** Max names that are remembered. */
const REMEMBERED = 1_000;

/** Keeps what was made for the latest names. */
function remember<T>(make: (name: string) => T): (name: string) => T {
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

/** Runs `work` in a read-only transaction with its own time limit; a slower statement throws. */
export function withLimit<T>(sql: Sql, limitMs: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return sql.begin("read only", async (tx) => {
    await tx`select set_config('statement_timeout', ${String(limitMs)}, true)`;
    return work(tx as unknown as Transaction);
  }) as Promise<T>;
}
