import { createHmac, randomUUID } from "node:crypto";
import { ConfigurationError, env } from "@/lib/env";
import { parseAddress } from "./address";
import { connectLong, connectSql, type Login, type Logins, ROLES, type Sql } from "./client";
import { explain } from "./open-database";

type RoleName = keyof typeof ROLES;

/**
 * Whom the service connects as, on the migrated database at `url` (the owner's). The embedded server has a user for each
 * role, whom no statement can make anybody else. On another server they are the users of DATABASE_APP_URL and
 * DATABASE_JOBS_URL; without those the owner's connections take the roles on, which a statement could undo.
 */
export async function openLogins(url: string, embedded: boolean): Promise<Logins & { sandbox: Login }> {
  if (embedded) return await embeddedLogins(url);
  return {
    app: await givenLogin("app", "DATABASE_APP_URL", env.databaseAppUrl, url),
    jobs: await givenLogin("jobs", "DATABASE_JOBS_URL", env.databaseJobsUrl, url),
    sandbox: { url, role: ROLES.sandbox },
  };
}

/** Their passwords follow from the owner's, so that every process on the data folder knows them and no file more is kept. */
async function embeddedLogins(url: string): Promise<Logins & { sandbox: Login }> {
  const owner = new URL(url);
  const passwordOf = (role: string) => createHmac("sha256", owner.password).update(role).digest("hex");
  const sql = connectSql(url, { max: 1, applicationName: "cardlane-migrate" });
  try {
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtext('cardlane logins'))`;
      const without = await tx<{ name: string }[]>`
        select rolname::text as name from pg_roles where rolname in ${tx(Object.values(ROLES))} and not rolcanlogin`;
      for (const { name } of without) await tx.unsafe(`alter role ${name} login password '${passwordOf(name)}'`);
    });
  } finally {
    await sql.end({ timeout: 1 });
  }
  const login = (role: string): Login => {
    const own = new URL(url);
    own.username = role;
    own.password = passwordOf(role);
    return { url: own.href };
  };
  return { app: login(ROLES.app), jobs: login(ROLES.jobs), sandbox: login(ROLES.sandbox) };
}

/** Refuses one that could do more than its role, or not even that, or that leads elsewhere than the owner's. */
async function givenLogin(role: RoleName, setting: string, given: string | null, owner: string): Promise<Login> {
  const name = ROLES[role];
  if (given === null) return { url: owner, role: name };
  const sql = connectSql(given, { max: 1, applicationName: "cardlane-check" });
  try {
    const [row] = await sql`
      select current_user::text as who, pg_has_role(${name}, 'USAGE') as belongs,
        rolsuper or rolbypassrls or rolcreaterole or rolreplication or exists (
          select from pg_roles o where o.rolname not in (current_user, ${name}) and pg_has_role(o.oid, 'MEMBER')) as more
      from pg_roles where rolname = current_user`;
    if (row?.more) {
      throw new ConfigurationError(
        `The user of ${setting} may do more than ${name}: give Cardlane a user that is a member of that role and of nothing else.`,
      );
    }
    if (!row?.belongs) {
      throw new ConfigurationError(
        `The user of ${setting} is no member of ${name}: let an administrator run GRANT ${name} TO "${row?.who}";`,
      );
    }
    if (!(await isSameDatabase(sql, owner))) {
      throw new ConfigurationError(`${setting} leads to another database than DATABASE_URL: they have to be the same.`);
    }
    return { url: given, role: name };
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError(explain(error, parseAddress(given), setting), { cause: error });
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** A lock is seen by whoever is in the same database, under whatever address, and by nobody else. */
async function isSameDatabase(sql: Sql, owner: string): Promise<boolean> {
  const lock = `cardlane logins ${randomUUID()}`;
  const asOwner = connectLong(owner, { keeps: "one connection", applicationName: "cardlane-check" });
  try {
    await asOwner`select pg_advisory_lock(hashtextextended(${lock}, 0))`;
    const [row] = await sql`select pg_try_advisory_lock(hashtextextended(${lock}, 0)) as is_free`;
    return row?.is_free === false;
  } finally {
    await asOwner.end({ timeout: 1 });
  }
}
