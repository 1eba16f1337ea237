import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { connect, type Database, openPools, ROLES } from "@/db/client";
import { migrate } from "@/db/migrate";
import type { Pool } from "@/db/pool";
import { createDatabase, dropDatabase } from "../fixtures/cluster";

/**
 * Replaces PostgreSQL's `now()` and `clock_timestamp()` by the world's time for connections with this search
 * path; each gets the time before a statement.
 */
const OWN_NOW = `
  create schema simulation;
  create function simulation.now() returns timestamptz language sql stable
    return coalesce(nullif(current_setting('simulation.now', true), '')::timestamptz, pg_catalog.now());
  create function simulation.clock_timestamp() returns timestamptz language sql volatile
    return coalesce(nullif(current_setting('simulation.clock', true), '')::timestamptz, pg_catalog.clock_timestamp());
  grant usage on schema simulation to public`;
const SEARCH_PATH = "public, simulation, pg_catalog";
/** More connections than ever wait for each other's locks in one world. */
const CONNECTIONS = 30;
/** Replicas of one world. */
const MAX_REPLICAS = 2;
/** Statement timeouts of the service and the store, measured in the world's time. */
const STATEMENT_MS = { service: 6_000, store: 1_500 };

/** A pool of real connections. */
export type Connections = { readonly real: Pool; readonly limitMs: number };

/** A database for consecutive simulated worlds, each with its own environment. */
export class Ground {
  private constructor(
    readonly url: string,
    readonly adminUrl: string,
    /** The tests' own connection, which isn't part of the simulation. */
    readonly monitor: postgres.Sql,
    /** The service's view of the database, likewise outside. */
    readonly plain: Database,
    /** Connections that hold what replicas have replayed. */
    readonly holders: postgres.Sql,
    /** A support staff member. */
    readonly staffId: string,
    readonly pools: Record<"app" | "jobs" | "appOrm" | "jobsOrm" | "store", Connections>,
  ) {}

  static async open(adminUrl: string): Promise<Ground> {
    const name = `simulation_${randomUUID().replaceAll("-", "")}`;
    const url = await createDatabase(adminUrl, name);
    const prepare = postgres(url, { max: 1, onnotice: () => {} });
    await prepare.unsafe(OWN_NOW);
    // Must precede the migration: column defaults bind to the `now()` visible when the table is created.
    await prepare.unsafe(`alter database "${name}" set search_path = ${SEARCH_PATH}`);
    await prepare.end();
    await migrate(url);
    const shared = { max: CONNECTIONS, applicationName: "cardlane-simulation" };
    const parameters = { search_path: SEARCH_PATH, enable_seqscan: "off", deadlock_timeout: "10" };
    const app = openPools({ url, role: ROLES.app }, { ...shared, parameters });
    const jobs = openPools({ url, role: ROLES.jobs }, { ...shared, parameters });
    const store = openPools({ url, role: ROLES.sandbox }, { ...shared, parameters });
    await store.orm.end(0);
    const service = (real: Pool) => ({ real, limitMs: STATEMENT_MS.service });
    const monitor = postgres(url, { max: 1, onnotice: () => {}, connection: { TimeZone: "UTC" } });
    const holders = postgres(url, { max: MAX_REPLICAS, onnotice: () => {} });
    const staffId = randomUUID();
    await monitor`insert into users (id, email, password_hash, role) values (${staffId}, 'staff@cardlane.test', 'none', 'staff')`;
    return new Ground(url, adminUrl, monitor, connect(url, { max: 1 }), holders, staffId, {
      app: service(app.sql),
      appOrm: service(app.orm),
      jobs: service(jobs.sql),
      jobsOrm: service(jobs.orm),
      store: { real: store.sql, limitMs: STATEMENT_MS.store },
    });
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.pools).map(({ real }) => real.end(0)));
    await Promise.all([this.monitor.end(), this.holders.end(), this.plain.close()]);
    await dropDatabase(this.adminUrl, new URL(this.url).pathname.slice(1));
  }
}
