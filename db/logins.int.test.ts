import { randomBytes } from "node:crypto";
import { afterAll, beforeEach, expect, inject, onTestFinished, test, vi } from "vitest";
import { createDatabase, dropDatabase } from "@/e2e/fixtures/cluster";
import { testDatabase } from "@/e2e/fixtures/database";
import { moneyTenant } from "@/e2e/fixtures/money";
import { PGBOUNCER, startPgBouncer } from "@/e2e/fixtures/pgbouncer";
import { startTcpProxy } from "@/e2e/fixtures/tcp-proxy";
import { connect, connectSql, ROLES } from "./client";
import { pickPort } from "./embedded-cluster";
import { openLogins } from "./logins";
import { migrate } from "./migrate";

/** Roles belong to the server that other tests share: unique names, dropped at the end. */
const run = randomBytes(4).toString("hex");
const { db, url } = await testDatabase({ own: true });
const createdUsers: string[] = [];
const databases: string[] = [];
beforeEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  vi.unstubAllEnvs();
  const admin = connectSql(inject("adminUrl"), { max: 1 });
  for (const name of databases) await dropDatabase(inject("adminUrl"), name);
  for (const name of createdUsers) await admin.unsafe(`drop role if exists ${name}`);
  await admin.end({ timeout: 1 });
});

/** Creates a user and returns the database URL as that user. */
async function createUser(name: string, attributes = "", of = url): Promise<string> {
  const user = `${name}_${run}`;
  createdUsers.push(user);
  await db.sql.unsafe(`create role ${user} login password 'of_${user}' ${attributes}`);
  return addressAs(user, of);
}

function addressAs(user: string, of = url): string {
  const address = new URL(of);
  address.username = user;
  address.password = `of_${user}`;
  return address.href;
}

const open = (app: string | undefined, jobs?: string, owner = url) => {
  if (app !== undefined) vi.stubEnv("DATABASE_APP_URL", app);
  if (jobs !== undefined) vi.stubEnv("DATABASE_JOBS_URL", jobs);
  return openLogins(owner, false);
};

test("with a login per role payments succeed, and no statement can change the connection's role", async () => {
  const app = await createUser("web", `in role ${ROLES.app}`);
  const jobs = await createUser("jobs", `in role ${ROLES.jobs}`);
  const logins = await open(app, jobs);
  expect([logins.app, logins.jobs]).toMatchObject([{ url: app }, { url: jobs }]);
  const own = connect(logins, { max: 4 });
  try {
    const tenant = await moneyTenant(db, { db: own });
    const paid = await tenant.create();
    expect(paid.status).toBe(201);
    expect((await tenant.act("refund", paid.body.id, { amount: 100 })).status).toBe(201);
    const otherTenant = await moneyTenant(db, { db: own });
    await otherTenant.create();
    const users = [own.within(tenant.environmentId).sql, own.sql];
    const owner = new URL(url).username;
    for (const [index, sql] of users.entries()) {
      const name = index === 0 ? `web_${run}` : `jobs_${run}`;
      expect(await sql`select session_user::text as is`).toEqual([{ is: name }]);
      for (const other of [owner, index === 0 ? ROLES.jobs : ROLES.app, ROLES.sandbox]) {
        await expect(sql.unsafe(`set role ${other}`)).rejects.toMatchObject({ code: "42501" });
      }
      for (const table of ["ledger_entries", "events", "audit_log"]) {
        await expect(sql.unsafe(`delete from ${table}`)).rejects.toMatchObject({ code: "42501" });
      }
    }
    // Even after leaving its role, the user sees only its environment.
    await own.within(tenant.environmentId).sql.begin(async (tx) => {
      await tx`set local role none`;
      expect(await tx`select current_user::text as is`).toEqual([{ is: `web_${run}` }]);
      expect(await tx`select count(distinct environment_id) as seen from payments`).toEqual([{ seen: 1 }]);
    });
  } finally {
    await own.close();
  }
});

test.each([
  ["a superuser", "superuser", "may do more than cardlane_app"],
  ["one that bypasses row-level security", `bypassrls in role ${ROLES.app}`, "may do more than cardlane_app"],
  ["one that may grant itself more", `createrole in role ${ROLES.app}`, "may do more than cardlane_app"],
  ["one that may copy the whole server", `replication in role ${ROLES.app}`, "may do more than cardlane_app"],
  ["one of both roles", `in role ${ROLES.app}, ${ROLES.jobs}`, "may do more than cardlane_app"],
  ["one that runs programs", `in role ${ROLES.app}, pg_execute_server_program`, "may do more than cardlane_app"],
  ["one without a role", "", "let an administrator run GRANT cardlane_app TO"],
])("%s is refused in one sentence", async (name, attributes, sentence) => {
  const user = await createUser(name.replaceAll(/\W/g, "_"), attributes);
  await expect(open(user)).rejects.toMatchObject({
    name: "ConfigurationError",
    message: expect.stringContaining(sentence),
  });
});

test("a copy of the database counts as another database", async () => {
  const copy = `copy_${run}`;
  databases.push(copy);
  const user = await createUser(
    "copied",
    `in role ${ROLES.app}`,
    await createDatabase(inject("adminUrl"), copy, inject("template")),
  );
  await expect(open(user)).rejects.toThrow("DATABASE_APP_URL leads to another database");
});

test("an invalid URL is reported with its setting", async () => {
  await expect(open(undefined, `${url}?sslmode=maybe`)).rejects.toThrow(/^sslmode in DATABASE_JOBS_URL must be one of/);
  await expect(open("notaurl")).rejects.toThrow(/^DATABASE_APP_URL is not a PostgreSQL address/);
});

test("a server that is not up yet is waited for, with progress reported", async () => {
  const user = new URL(await createUser("early", `in role ${ROLES.app}`));
  const port = await pickPort();
  user.port = String(port);
  vi.stubEnv("DATABASE_APP_URL", user.href);
  const said: string[] = [];
  const opening = openLogins(url, false, (what) => void said.push(what));
  await expect.poll(() => said.length).toBeGreaterThan(0);
  const through = await startTcpProxy(url, port);
  await expect(opening).resolves.toMatchObject({ app: { url: user.href } });
  await through.close();
  expect(said[0]).toContain("nothing listens there");
});

test.skipIf(PGBOUNCER === null)("a transaction pooler is refused (skipped without PgBouncer)", async () => {
  const user = await createUser("pooled", `in role ${ROLES.jobs}`);
  const pooler = await startPgBouncer(user, "transaction");
  onTestFinished(() => pooler.stop());
  await expect(open(undefined, pooler.url)).rejects.toThrow(/DATABASE_JOBS_URL shares .* set pool_mode = session/);
});

test("a wrong password and another database are reported with their setting", async () => {
  const user = new URL(await createUser("mistaken", `in role ${ROLES.jobs}`));
  user.pathname = new URL(inject("adminUrl")).pathname;
  await expect(open(undefined, user.href)).rejects.toThrow("DATABASE_JOBS_URL leads to another database");
  user.password = "wrong";
  await expect(open(undefined, user.href)).rejects.toThrow("refuses the user or password in DATABASE_JOBS_URL");
});

test("an owner without superuser rights gets the statement an administrator must run, which suffices", async () => {
  const owner = `owner_${run}`;
  await createUser("owner");
  const name = `of_owner_${run}`;
  databases.push(name);
  const own = addressAs(owner, await createDatabase(inject("adminUrl"), name));
  await db.sql.unsafe(`alter database ${name} owner to ${owner}`);
  const refused = await migrate(own).catch((error: Error) => error);
  expect(refused).toMatchObject({ name: "ConfigurationError" });
  const [statement] = /GRANT .*;/.exec((refused as Error).message) ?? [""];
  expect(statement).toBe(`GRANT ${Object.values(ROLES).join(", ")} TO "${owner}";`);
  await db.sql.unsafe(statement);
  await migrate(own);
  const ofOwner = connect(await open(undefined, undefined, own), { max: 4 });
  const asOwner = connect(own, { max: 2 });
  try {
    const tenant = await moneyTenant(asOwner, { db: ofOwner });
    expect((await tenant.create()).status).toBe(201);
  } finally {
    await Promise.all([ofOwner.close(), asOwner.close()]);
  }
});
