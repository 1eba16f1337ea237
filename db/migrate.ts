import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as applyMigrations } from "drizzle-orm/postgres-js/migrator";
import { ConfigurationError, env } from "@/lib/env";
import { connectLong, type Sql } from "./client";
import { isBusy } from "./refusals";
import { applyRights } from "./rights";

const FOLDER = join(fileURLToPath(new URL(".", import.meta.url)), "migrations");
/** Advisory lock: instances that start together migrate once. */
const LOCK = "4846023522";

/**
 * Applies missing migrations. Throws ConfigurationError before any change if a newer or an unreleased version
 * of Cardlane migrated the database.
 */
export async function migrate(url: string, folder = FOLDER): Promise<void> {
  // Rewriting a large table can take hours; the default timeout would cancel it at every start.
  const parameters = { statement_timeout: String(24 * 3_600_000) };
  const sql = connectLong(url, { keeps: "one connection", applicationName: "cardlane-migrate", parameters });
  try {
    await sql`select pg_advisory_lock(${LOCK}::bigint)`;
    await refuseUnknown(sql, folder);
    await applyAll(sql, folder);
    await applyRights(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const TRIES = 60;
const PAUSE_MS = 1_000;
/** Short: other statements queue behind our lock request while it waits for a long one, such as a dump. */
const LOCK_MS = 1_000;

/** One transaction for all migrations, retried while running processes hold a lock or cause a deadlock. */
async function applyAll(sql: Sql, migrationsFolder: string): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(LOCK_MS)}, false)`;
  for (let left = TRIES - 1; ; left--) {
    try {
      await applyMigrations(drizzle(sql), { migrationsFolder });
      return;
    } catch (error) {
      if (left === 0 || !isBusy(error)) throw error;
      await wait(PAUSE_MS);
    }
  }
}

/**
 * Applied migrations must be a prefix of ours, compared by hash, since another schema's may have the same
 * times.
 */
async function refuseUnknown(sql: Sql, migrationsFolder: string): Promise<void> {
  const [found] = await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as recorded,
    to_regclass('public.payments') is not null as made`;
  const applied = found?.recorded
    ? await sql<{ hash: string }[]>`select hash from drizzle.__drizzle_migrations order by id`
    : [];
  const ours = readMigrationFiles({ migrationsFolder }).map(({ hash }) => hash);
  if (applied.length === 0 ? !found?.made : applied.every(({ hash }, i) => hash === ours[i])) return;
  if (applied[0]?.hash === ours[0]) {
    throw new ConfigurationError(
      "This database was used by a newer version of Cardlane: start that version, or choose another database.",
    );
  }
  if (!found?.made) {
    throw new ConfigurationError(
      "Another application keeps its migrations in this database, in the schema drizzle: choose a database of Cardlane's own.",
    );
  }
  throw new ConfigurationError(
    env.databaseUrl
      ? "The database in DATABASE_URL was made by an unreleased version of Cardlane and cannot be upgraded: set DATABASE_URL to an empty database."
      : `The database in ${resolve(env.dataDir)} was made by an unreleased version of Cardlane and cannot be upgraded: set DATA_DIR to a new folder, or delete this one to start over without its payments.`,
  );
}
