import { randomBytes } from "node:crypto";
import { eq, like, sql } from "drizzle-orm";
import type { Orm, Sql } from "@/db/client";
import { serviceSettings } from "@/db/schema/service-settings";

/** The value all instances share under a name: the stored one, or this one if it is the first. */
export async function adoptServiceSetting(orm: Orm, key: string, value: string): Promise<string> {
  await orm.insert(serviceSettings).values({ key, value }).onConflictDoNothing();
  return (await findServiceSetting(orm, key)) ?? value;
}

export async function findServiceSetting(orm: Orm, key: string): Promise<string | null> {
  const [row] = await orm.select().from(serviceSettings).where(eq(serviceSettings.key, key));
  return row?.value ?? null;
}

export async function storeServiceSetting(orm: Orm, key: string, value: string): Promise<void> {
  await orm
    .insert(serviceSettings)
    .values({ key, value })
    .onConflictDoUpdate({ target: serviceSettings.key, set: { value } });
}

async function removeServiceSetting(orm: Orm, key: string): Promise<void> {
  await orm.delete(serviceSettings).where(eq(serviceSettings.key, key));
}

/** PostgreSQL's identifier of the whole cluster, set at its creation; a copy of its files has the same. */
export async function findClusterId(orm: Orm): Promise<string> {
  const [row] = await orm.execute<{ id: string }>(sql`select system_identifier::text as id from pg_control_system()`);
  if (!row) throw new Error("PostgreSQL has a system identifier");
  return row.id;
}

/** Secrets that data in this database may depend on: id → verifier that proves possession. */
const SECRET_KEY = "secret_key:";
/** Id of the secret for new data. */
const CURRENT = "secret_current";
const ROTATED_AT = "secret_rotated_at";

export async function hasSecretKeys(orm: Orm): Promise<boolean> {
  return (await listSecretKeys(orm)).size > 0;
}

export async function listSecretKeys(orm: Orm): Promise<Map<string, string>> {
  const rows = await orm
    .select()
    .from(serviceSettings)
    .where(like(serviceSettings.key, `${SECRET_KEY}%`));
  return new Map(rows.map(({ key, value }) => [key.slice(SECRET_KEY.length), value]));
}

export const findCurrentSecret = (orm: Orm): Promise<string | null> => findServiceSetting(orm, CURRENT);

/**
 * Sets the first secret of a database, unless another process was faster. Returns the id of the current one.
 */
export function adoptSecret(orm: Orm, key: { id: string; verifier: string }): Promise<string> {
  return orm.transaction(async (tx) => {
    const current = await adoptServiceSetting(tx, CURRENT, key.id);
    if (current === key.id) await adoptServiceSetting(tx, SECRET_KEY + key.id, key.verifier);
    return current;
  });
}

/**
 * Switches new data to another secret and returns null; or returns the URL of a process that lacks it, and
 * changes nothing.
 */
export function switchSecret(orm: Orm, key: { id: string; verifier: string }): Promise<string | null> {
  return orm.transaction(async (tx) => {
    for (const { baseUrl, keyIds } of await listProcesses(tx)) if (!keyIds.includes(key.id)) return baseUrl;
    await storeServiceSetting(tx, SECRET_KEY + key.id, key.verifier);
    await storeServiceSetting(tx, CURRENT, key.id);
    await tx.execute(sql`
      insert into service_settings (key, value) values (${ROTATED_AT}, now()::text)
      on conflict (key) do update set value = excluded.value`);
    return null;
  });
}

/**
 * True if the last change of the secret is over 25 hours ago, the longest that data made before it may be
 * needed.
 */
export async function isRotationOld(orm: Orm): Promise<boolean> {
  const [row] = await orm.execute<{ old: boolean }>(
    sql`select value::timestamptz <= now() - interval '25 hours' as old from service_settings where key = ${ROTATED_AT}`,
  );
  return row?.old ?? true;
}

export const retireSecret = (orm: Orm, id: string): Promise<void> => removeServiceSetting(orm, SECRET_KEY + id);

/** The database's clock, in ms since 1970, and whether it is read-only. */
export async function readDatabaseTime(client: Sql): Promise<{ ms: number; readOnly: boolean }> {
  const [row] = await client<[{ ms: number; read_only: string }]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms,
      current_setting('transaction_read_only') as read_only`;
  return { ms: row.ms, readOnly: row.read_only === "on" };
}

/**
 * Connections of services to this database, with their pages' processes; commands are not counted. Rows about
 * processes would not do: a restored database has those of its past.
 */
export async function countServices(client: Sql): Promise<number> {
  const [row] = await client<[{ count: number }]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name in ('cardlane', 'cardlane-pages', 'cardlane-next')`;
  return row.count;
}

/** Writes data that needs new disk space, and waits until it is stored. One row for all processes. */
export async function testWrite(orm: Orm): Promise<void> {
  await storeServiceSetting(orm, "write-test", randomBytes(4_500).toString("base64"));
}

/**
 * Processes that serve this database: id → last seen by the database's clock, URL, and ids of its secrets.
 */
const PROCESS = "process:";
const EXPIRES_AFTER_MS = 60_000;

type ServingProcess = { baseUrl: string; keyIds: readonly string[] };

/** The live processes; removes expired ones. Blocks other registrations until the transaction ends. */
async function listProcesses(tx: Orm): Promise<ServingProcess[]> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${PROCESS}, 0))`);
  const [clock] = await tx.execute<{ ms: string }>(sql`select floor(extract(epoch from now()) * 1000)::text as ms`);
  const rows = await tx
    .select()
    .from(serviceSettings)
    .where(like(serviceSettings.key, `${PROCESS}%`));
  const processes: ServingProcess[] = [];
  for (const { key, value } of rows) {
    const [seenAt, baseUrl = "", keyIds = ""] = value.split(" ");
    // A later time than that dates from before the clock was set back.
    if (Math.abs(Number(clock?.ms) - Number(seenAt)) > EXPIRES_AFTER_MS) await removeServiceSetting(tx, key);
    else processes.push({ baseUrl, keyIds: keyIds.split(",") });
  }
  return processes;
}

/**
 * Registers a process and returns null; or returns the URL of a registered one that it must not run beside,
 * without registering. Serialized, so that of two starting concurrently one finds the other.
 */
export function insertProcess(
  orm: Orm,
  own: ServingProcess & { id: string },
  canRunBeside: (baseUrl: string) => boolean,
): Promise<string | null> {
  return orm.transaction(async (tx) => {
    const other = (await listProcesses(tx)).find(({ baseUrl }) => !canRunBeside(baseUrl));
    if (other) return other.baseUrl;
    await renewProcess(tx, own);
    return null;
  });
}

export async function renewProcess(orm: Orm, own: ServingProcess & { id: string }): Promise<void> {
  const value = sql`floor(extract(epoch from now()) * 1000)::text || ' ' || ${own.baseUrl}::text || ' ' || ${own.keyIds.join(",")}::text`;
  await orm
    .insert(serviceSettings)
    .values({ key: PROCESS + own.id, value })
    .onConflictDoUpdate({ target: serviceSettings.key, set: { value } });
}

export const deleteProcess = (orm: Orm, id: string): Promise<void> => removeServiceSetting(orm, PROCESS + id);
