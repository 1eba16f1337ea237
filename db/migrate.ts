import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as applyMigrations } from "drizzle-orm/postgres-js/migrator";
import { ConfigurationError } from "@/lib/env";
import { connectLong, type Sql } from "./client";
import { isBusy } from "./refusals";
import { applyRights } from "./rights";

const FOLDER = join(fileURLToPath(new URL(".", import.meta.url)), "migrations");
/** Held while migrating, so that instances which start together do it once. */
const LOCK = "4846023522";

/** Brings the database up to date; nothing happens when it is. Refuses one that a newer version of Cardlane has changed. */
export async function migrate(url: string): Promise<void> {
  // A migration may rewrite tables of years: undone after ten minutes, it would stop every start.
  const parameters = { statement_timeout: String(24 * 3_600_000) };
  const sql = connectLong(url, { keeps: "one connection", applicationName: "cardlane-migrate", parameters });
  try {
    await sql`select pg_advisory_lock(${LOCK}::bigint)`;
    await refuseNewer(sql);
    await applyAll(sql);
    await applyRights(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const TRIES = 60;
const PAUSE_MS = 1_000;
/** Everything that wants a table queues behind us for its lock while a long reader, such as a dump, has it. */
const LOCK_MS = 1_000;

/**
 * All that is missing, in one transaction. Where the version before still works the two may deadlock, or hold each other up: it
 * begins again then.
 */
async function applyAll(sql: Sql): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(LOCK_MS)}, false)`;
  for (let left = TRIES - 1; ; left--) {
    try {
      await applyMigrations(drizzle(sql), { migrationsFolder: FOLDER });
      return;
    } catch (error) {
      if (left === 0 || !isBusy(error)) throw error;
      await wait(PAUSE_MS);
    }
  }
}

async function refuseNewer(sql: Sql): Promise<void> {
  const [table] = await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as exists`;
  if (!table?.exists) return;
  const [applied] = await sql<{ latest: string | null }[]>`
    select max(created_at)::text as latest from drizzle.__drizzle_migrations`;
  const journal = JSON.parse(readFileSync(join(FOLDER, "meta", "_journal.json"), "utf8")) as {
    entries: { when: number }[];
  };
  const newest = Math.max(...journal.entries.map((entry) => entry.when));
  if (applied?.latest && Number(applied.latest) > newest) {
    throw new ConfigurationError(
      "This database was used by a newer version of Cardlane: start that version, or choose another database.",
    );
  }
}
