import { describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, testService, testTenant } from "@/e2e/fixtures/factories";
import { connectSql, ROLES } from "./client";
import { applyRights, rightsOf, TABLE_RIGHTS } from "./rights";

const { db, url } = await testDatabase({ own: true });
const service = testService(db).db;

type Table = { name: string; owned: boolean; secured: boolean; owner: string };
const tables = await db.sql<Table[]>`
  select c.relname as name, c.relrowsecurity as secured, pg_get_userbyid(c.relowner) as owner, exists (
    select from pg_attribute a where a.attrelid = c.oid and a.attname = 'environment_id' and a.attnotnull) as owned
  from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace order by 1`;

type Policy = { name: string; table: string; roles: string; command: string; using: string; check: string };
const policies = await db.sql<Policy[]>`
  select policyname as name, tablename as table, array_to_string(roles, ',') as roles, cmd as command, qual as using, with_check as check
  from pg_policies where schemaname = 'public'`;

const CURRENT = "(current_setting('cardlane.environment'::text))::uuid";

test("every table has its rights in db/rights.ts, and every entry there has its table", () => {
  expect(Object.keys(TABLE_RIGHTS).sort()).toEqual(tables.map(({ name }) => name));
});

test("every table has row-level security, and every table of an environment shows the app only that environment", () => {
  expect(tables.filter(({ secured }) => !secured)).toEqual([]);
  for (const table of tables) {
    const own = policies.filter((policy) => policy.table === table.name && policy.roles.includes(ROLES.app));
    const { app, owned } = rightsOf(table);
    if (!app) expect(own, table.name).toEqual([]);
    else expect(own, table.name).toMatchObject([{ name: "in_environment", roles: ROLES.app, command: "ALL" }]);
    for (const { using, check } of own) {
      expect(check, table.name).toBe(using);
      if (table.owned) expect(using, table.name).toBe(`(environment_id = ${CURRENT})`);
      else expect([owned !== undefined, using.includes(CURRENT)], table.name).toEqual([true, true]);
    }
  }
});

test("no role has more privileges than listed, column by column, and PUBLIC has none", async () => {
  const granted = await db.sql<{ table: string; role: string; verb: string }[]>`
    select c.relname as table, case a.grantee when 0 then 'public' else pg_get_userbyid(a.grantee)::text end as role, lower(a.privilege_type) as verb
    from pg_class c cross join lateral aclexplode(c.relacl) a
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and a.grantee <> c.relowner
    union all
    select c.relname, case a.grantee when 0 then 'public' else pg_get_userbyid(a.grantee)::text end, lower(a.privilege_type) || ' ' || t.attname
    from pg_class c join pg_attribute t on t.attrelid = c.oid cross join lateral aclexplode(t.attacl) a
    where c.relnamespace = 'public'::regnamespace`;
  const expected = tables.flatMap((table) =>
    (["app", "jobs"] as const).flatMap((role) =>
      (rightsOf(table)[role] ?? []).flatMap((verb) => {
        const [, kind, columns] = /^(\w+)(?: \((.*)\))?$/.exec(verb) as unknown as [string, string, string | undefined];
        const verbs = columns === undefined ? [kind] : columns.split(", ").map((column) => `${kind} ${column}`);
        return verbs.map((one) => `${ROLES[role]} ${one} ${table.name}`);
      }),
    ),
  );
  expect(granted.map(({ role, verb, table }) => `${role} ${verb} ${table}`).sort()).toEqual(expected.sort());
});

test("no role of the service can change or remove rows of append-only tables", () => {
  for (const table of ["ledger_entries", "events", "audit_log", "support_audit_log"]) {
    const { app = [], jobs } = TABLE_RIGHTS[table] as (typeof TABLE_RIGHTS)[string];
    for (const verb of [...app, ...jobs]) expect(["select", "insert"], table).toContain(verb);
  }
});

test("no role can create tables, not even temporary ones, or use our trigger functions elsewhere", async () => {
  await applyRights(db.sql);
  for (const role of Object.values(ROLES)) {
    const [row] = await db.sql`
      select has_database_privilege(${role}, current_database(), 'TEMPORARY') as temporary,
        has_database_privilege(${role}, current_database(), 'CREATE') as may_create,
        (select count(*)::int from pg_proc p where p.prorettype = 'trigger'::regtype
          and p.pronamespace in ('public'::regnamespace, 'sandbox_processor'::regnamespace)) as functions,
        (select array_agg(p.proname::text) from pg_proc p where p.prorettype = 'trigger'::regtype
          and p.pronamespace in ('public'::regnamespace, 'sandbox_processor'::regnamespace)
          and has_function_privilege(${role}, p.oid, 'EXECUTE')) as fired`;
    expect(row).toMatchObject({ temporary: false, may_create: false, fired: null });
    expect(row?.functions).toBeGreaterThan(5);
  }
  const { merchant } = await testTenant(db);
  const { sql } = service.within(merchant.test.id);
  await expect(sql.unsafe("create temp table payments (id uuid)")).rejects.toMatchObject({ code: "42501" });
});

test("the roles own nothing, are no superusers, and can't bypass row-level security or create roles and databases", async () => {
  const roles = await db.sql`
    select rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication,
      (select count(*)::int from pg_shdepend d where d.refobjid = r.oid and d.deptype = 'o') as owned,
      (select count(*)::int from pg_auth_members m where m.member = r.oid) as memberships,
      has_schema_privilege(rolname, 'public', 'create') as may_create
    from pg_roles r where rolname in ${db.sql(Object.values(ROLES))} order by 1`;
  const nothing = {
    rolsuper: false,
    rolbypassrls: false,
    rolcreaterole: false,
    rolcreatedb: false,
    rolreplication: false,
  };
  expect(roles).toMatchObject(
    Object.values(ROLES).map((rolname) => ({ rolname, ...nothing, owned: 0, memberships: 0, may_create: false })),
  );
  expect(tables.filter(({ owner }) => Object.values<string>(ROLES).includes(owner))).toEqual([]);
  const [app] = await service.within((await createTestMerchant(db)).test.id).sql`select current_user as is`;
  const [jobs] = await service.sql`select current_user as is`;
  expect([app?.is, jobs?.is]).toEqual([ROLES.app, ROLES.jobs]);
});

test("views use their reader's rights, and no function lends its owner's", async () => {
  const views = await db.sql`
    select relname from pg_class where relkind in ('v', 'm') and relnamespace = 'public'::regnamespace
      and not coalesce(reloptions::text like '%security_invoker=true%', false)`;
  expect(views).toEqual([]);
  const lending = await db.sql`
    select proname from pg_proc where prosecdef and pronamespace = 'public'::regnamespace
      and not coalesce(proconfig::text like '%search_path%', false)`;
  expect(lending).toEqual([]);
});

describe("a connection without an environment", () => {
  test("gets an error, and never an empty list", async () => {
    const sql = connectSql(url, { max: 1, parameters: { role: ROLES.app } });
    try {
      for (const { name } of tables.filter((table) => rightsOf(table).app && table.name !== "users")) {
        await expect(sql.unsafe(`select * from ${name}`), name).rejects.toMatchObject({
          code: expect.stringMatching(/^(42704|22P02)$/),
        });
      }
    } finally {
      await sql.end({ timeout: 1 });
    }
  });

  test("a non-UUID environment is an error", () => {
    for (const wrong of ["", "env_1", "' or true --"]) expect(() => service.within(wrong)).toThrow("UUID");
  });
});

test("changed or lost rights are restored at the next start", async () => {
  const { url: restored, db: other } = await testDatabase({ own: true });
  await other.sql.unsafe(`revoke all on payments from ${ROLES.jobs}`);
  const owner = connectSql(restored, { max: 1 });
  try {
    await applyRights(owner);
  } finally {
    await owner.end({ timeout: 1 });
  }
  expect(await testService(other).db.sql`select count(*) as n from payments`).toEqual([{ n: 0 }]);
});

test("rights are applied during payments without long waits or deadlocks", async () => {
  const [owner, payer] = [connectSql(url), connectSql(url)];
  await owner`delete from service_settings where key = 'rights'`;
  let applied = Promise.resolve();
  // The locks of a payment's commit: one table, then one before it in the alphabet. Table OIDs are the same
  // in other tests' databases, which are copies of one template.
  const waiting = () => db.sql`
    select 1 from pg_locks where relation = 'transactions'::regclass and not granted
      and database = (select oid from pg_database where datname = current_database())`;
  await payer.begin(async (tx) => {
    await tx`lock table transactions in row exclusive mode`;
    applied = applyRights(owner);
    await expect.poll(waiting, { timeout: 20_000 }).toHaveLength(1);
    for (const { name } of tables) await tx`lock table ${tx(name)} in row exclusive mode`;
  });
  await applied;
  await Promise.all([owner.end(), payer.end()]);
});
