import { createHmac } from "node:crypto";
import { ConfigurationError, env } from "@/lib/env";
import { connectSql, type Login, type Logins, ROLES } from "./client";

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

/** Refuses one that could do more than its role, or not even that. */
async function givenLogin(role: RoleName, setting: string, given: string | null, owner: string): Promise<Login> {
  if (given === null) return { url: owner, role: ROLES[role] };
  const sql = connectSql(given, { max: 1, applicationName: "cardlane-check" });
  try {
    const others = Object.values(ROLES).filter((name) => name !== ROLES[role]);
    const [row] = await sql`
      select current_user::text as name, rolsuper or rolbypassrls as strong, pg_has_role(${ROLES[role]}, 'USAGE') as belongs,
        exists (select from pg_roles o where o.rolname in ${sql(others)} and pg_has_role(o.oid, 'MEMBER')) or exists (
          select from pg_class c where c.relnamespace = 'public'::regnamespace and pg_has_role(c.relowner, 'MEMBER')) as more
      from pg_roles where rolname = current_user`;
    if (row?.strong || row?.more) {
      throw new ConfigurationError(
        `The user of ${setting} may do more than ${ROLES[role]}: give Cardlane a user that is a member of that role and of nothing else.`,
      );
    }
    if (!row?.belongs) {
      throw new ConfigurationError(
        `The user of ${setting} is no member of ${ROLES[role]}: let an administrator run GRANT ${ROLES[role]} TO "${row?.name}";`,
      );
    }
    return { url: given, role: ROLES[role] };
  } finally {
    await sql.end({ timeout: 1 });
  }
}
