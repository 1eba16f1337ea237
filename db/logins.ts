import { createHmac, randomUUID } from "node:crypto";
import { ConfigurationError, env } from "@/lib/env";
import { connectLong, connectSql, type Login, type Logins, ROLES, type Sql } from "./client";
import { reach } from "./reach";

/**
 * Logins of the service on the migrated database at `url` (the owner's). The embedded server has a login per
 * role, which no statement can leave. Other servers use DATABASE_APP_URL and DATABASE_JOBS_URL; by default
 * the owner's connections use SET ROLE, which a statement could undo.
 */
export async function openLogins(
  url: string,
  embedded: boolean,
  say?: (what: string) => void,
): Promise<Logins & { sandbox: Login }> {
  if (embedded) return await embeddedLogins(url);
  const [app, jobs] = [
    { url: env.databaseAppUrl, name: "DATABASE_APP_URL" },
    { url: env.databaseJobsUrl, name: "DATABASE_JOBS_URL" },
  ];
  return {
    app: await givenLogin(ROLES.app, app, url, say),
    jobs: await givenLogin(ROLES.jobs, jobs, url, say),
    sandbox: { url, role: ROLES.sandbox },
  };
}

/**
 * Passwords derive from the owner's, so that every process on the data folder knows them without another
 * file.
 */
async function embeddedLogins(url: string): Promise<Logins & { sandbox: Login }> {
  const owner = new URL(url);
  const passwordOf = (role: string) => createHmac("sha256", owner.password).update(role).digest("hex");
  const sql = connectSql(url, { max: 1, applicationName: "cardlane-migrate" });
  try {
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtext('cardlane logins'))`;
      // Reset at each start, because a role may change its own password and must not lock the service out.
      for (const name of Object.values(ROLES)) {
        await tx.unsafe(`alter role ${name} login password '${passwordOf(name)}'`);
      }
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

type Setting = { url: string | null; name: string };

/**
 * Refuses a login with more rights than its role, or without the role, one to another database, and one
 * through a transaction pooler. Waits for a server that is not up yet.
 */
async function givenLogin(role: string, setting: Setting, owner: string, say?: (what: string) => void): Promise<Login> {
  const { url, name } = setting;
  if (url === null) return { url: owner, role };
  const check = async (sql: Sql) => {
    const [row] = await sql`
      select current_user::text as who, pg_has_role(${role}, 'USAGE') as belongs,
        rolsuper or rolbypassrls or rolcreaterole or rolreplication or exists (
          select from pg_roles o where o.rolname not in (current_user, ${role}) and pg_has_role(o.oid, 'MEMBER')) as more
      from pg_roles where rolname = current_user`;
    if (row?.more) {
      throw new ConfigurationError(
        `The user of ${name} may do more than ${role}: give Cardlane a user that is a member of that role and of nothing else.`,
      );
    }
    if (!row?.belongs) {
      throw new ConfigurationError(
        `The user of ${name} is no member of ${role}: let an administrator run GRANT ${role} TO "${row?.who}";`,
      );
    }
    if (await isSameDatabase(sql, owner)) return;
    throw new ConfigurationError(`${name} leads to another database than DATABASE_URL: they have to be the same.`);
  };
  await reach(url, name, check, say);
  return { url, role };
}

/** An advisory lock is visible within the same database, whatever its address, and nowhere else. */
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
