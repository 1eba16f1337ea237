import { existsSync } from "node:fs";
import { ConfigurationError, env } from "@/lib/env";
import { type Address, labelOf } from "./address";
import type { Sql } from "./client";
import { type EmbeddedOptions, startEmbedded } from "./embedded";
import { clusterFiles } from "./embedded-cluster";
import { reach } from "./reach";

const OLDEST_MAJOR = 15;

export type OpenDatabase = {
  readonly url: string;
  readonly version: string;
  readonly embedded: boolean;
  /** Releases the embedded server; does nothing for any other. */
  close(): Promise<void>;
};

/** Throws ConfigurationError if there is no embedded database to open: `openDatabase` would create an empty one. */
export function requireDatabase(): void {
  if (env.databaseUrl || existsSync(clusterFiles(env.dataDir).access)) return;
  throw new ConfigurationError(
    `There is no database in ${env.dataDir}. Run this where the service runs, with the same DATA_DIR or DATABASE_URL.`,
  );
}

/**
 * The PostgreSQL of `DATABASE_URL`, or the embedded one in `DATA_DIR`: joined if running, else started.
 * Throws a one-sentence ConfigurationError if it cannot be used.
 */
export async function openDatabase(options: Omit<EmbeddedOptions, "dataDir"> = {}): Promise<OpenDatabase> {
  const given = env.databaseUrl;
  if (given) {
    return {
      url: given,
      version: await checkServer(given, options.onProgress),
      embedded: false,
      close: async () => {},
    };
  }
  const server = await startEmbedded({ ...options, dataDir: env.dataDir });
  try {
    return {
      url: server.url,
      version: await checkServer(server.url, options.onProgress),
      embedded: true,
      close: () => server.stop(),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Waits for a usable server; returns its version. */
const checkServer = (url: string, say?: (what: string) => void): Promise<string> =>
  reach(url, "DATABASE_URL", inspect, say);

async function inspect(sql: Sql, address: Address): Promise<string> {
  const [row] = await sql.unsafe(`
    select current_setting('server_version_num')::int as number, split_part(version(), ' ', 2) as name,
      has_database_privilege(current_database(), 'create') as may_create,
      has_schema_privilege('public', 'create') as may_create_tables, current_user as who`);
  if (Math.floor(row?.number / 10_000) < OLDEST_MAJOR) {
    throw new ConfigurationError(
      `The database at ${labelOf(address)} is PostgreSQL ${row?.name}, and Cardlane needs ${OLDEST_MAJOR} or newer.`,
    );
  }
  if (!row?.may_create) {
    throw new ConfigurationError(
      `The user of DATABASE_URL may not create schemas in "${address.database}": grant it CREATE on that database.`,
    );
  }
  if (!row?.may_create_tables) {
    throw new ConfigurationError(
      `The user of DATABASE_URL may not create tables: GRANT CREATE ON SCHEMA public TO "${row?.who}", or make it the database's owner.`,
    );
  }
  return row.name;
}
