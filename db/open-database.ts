import { lookup } from "node:dns/promises";
import postgres from "postgres";
import { ConfigurationError, env } from "@/lib/env";
import { type EmbeddedOptions, startEmbedded } from "./embedded";

const OLDEST_MAJOR = 15;

export type OpenDatabase = {
  readonly url: string;
  readonly version: string;
  readonly embedded: boolean;
  /** Ends our use of the embedded server; nothing to do for any other. */
  close(): Promise<void>;
};

/**
 * The PostgreSQL of `DATABASE_URL`, or the embedded one in `DATA_DIR`: joined when it runs, else started. Throws
 * ConfigurationError with one sentence when it cannot be used.
 */
export async function openDatabase(options: Omit<EmbeddedOptions, "dataDir"> = {}): Promise<OpenDatabase> {
  const given = env.databaseUrl;
  if (given) {
    return { url: given, version: await checkServer(given), embedded: false, close: async () => {} };
  }
  const server = await startEmbedded({ ...options, dataDir: env.dataDir });
  try {
    return { url: server.url, version: await checkServer(server.url), embedded: true, close: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Connects once; returns the server's version. */
async function checkServer(url: string): Promise<string> {
  const { host, database } = describe(url);
  await checkHost(url, host);
  const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    const [row] = await sql`
      select current_setting('server_version_num')::int as number, split_part(version(), ' ', 2) as name,
        has_database_privilege(current_database(), 'create') as may_create`;
    if (Math.floor(row?.number / 10_000) < OLDEST_MAJOR) {
      throw new ConfigurationError(
        `The database at ${host} is PostgreSQL ${row?.name}, and Cardlane needs ${OLDEST_MAJOR} or newer.`,
      );
    }
    if (!row?.may_create) {
      throw new ConfigurationError(
        `The user of DATABASE_URL may not create schemas in "${database}": grant it CREATE on that database.`,
      );
    }
    return row.name;
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError(explain(error as { code?: string; message: string }, host, database));
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** What DATABASE_URL points to, without its password. */
function describe(url: string): { host: string; database: string } {
  try {
    const parsed = new URL(url);
    if (!/^postgres(ql)?:$/.test(parsed.protocol)) throw new Error("not PostgreSQL");
    const database = decodeURIComponent(parsed.pathname.slice(1)) || decodeURIComponent(parsed.username) || "postgres";
    return { host: `${parsed.hostname}:${parsed.port || 5432}`, database };
  } catch {
    throw new ConfigurationError(
      "DATABASE_URL is not a PostgreSQL address: it looks like postgres://user:password@host:5432/database.",
    );
  }
}

async function checkHost(url: string, host: string): Promise<void> {
  const { hostname } = new URL(url);
  if (hostname === "") return;
  try {
    await lookup(hostname.replace(/^\[|\]$/g, ""));
  } catch {
    throw new ConfigurationError(`The database at ${host} cannot be reached: there is no host of that name.`);
  }
}

function explain(error: { code?: string; message: string }, host: string, database: string): string {
  switch (error.code) {
    case "28P01":
    case "28000":
      return `The database at ${host} refuses the user or password in DATABASE_URL.`;
    case "3D000":
      return `There is no database "${database}" at ${host}: create it, or correct DATABASE_URL.`;
    case "ECONNREFUSED":
      return `The database at ${host} cannot be reached: nothing listens there.`;
    case "CONNECT_TIMEOUT":
      return `The database at ${host} cannot be reached: it did not answer within 5 seconds.`;
    default:
      return `The database at ${host} cannot be used: ${error.message}.`;
  }
}
