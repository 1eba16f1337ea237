import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, inject, test, vi } from "vitest";
import { createDatabase, dropDatabase } from "@/e2e/fixtures/cluster";
import { latch } from "@/e2e/fixtures/latch";
import { newId } from "@/lib/ids";
import { connect } from "./client";
import { migrate } from "./migrate";

const adminUrl = inject("adminUrl");
afterEach(() => vi.unstubAllEnvs());

async function database(template?: string) {
  const name = `test_${newId().replaceAll("-", "")}`;
  const url = await createDatabase(adminUrl, name, template);
  const db = connect(url, { max: 2, applicationName: "cardlane-test" });
  afterAll(async () => {
    await db.close();
    await dropDatabase(adminUrl, name);
  });
  return { db, url };
}
const migrated = () => database(inject("template"));
type Db = Awaited<ReturnType<typeof database>>["db"];

/** Every relation and every recorded migration. */
const stateOf = async ({ sql }: Db) => [
  await sql`select oid, relname, relacl::text, xmin::text from pg_class where oid >= 16384 order by oid`,
  await sql`select * from drizzle.__drizzle_migrations order by id`,
];

/** Migrations of a newer version: this version's plus one. */
function laterFolder(statement: string): string {
  const folder = mkdtempSync(join(tmpdir(), "cardlane-migrations-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  cpSync(join(import.meta.dirname, "migrations"), folder, { recursive: true });
  const file = join(folder, "meta", "_journal.json");
  const journal = JSON.parse(readFileSync(file, "utf8"));
  const last = journal.entries.at(-1);
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag: "later" });
  writeFileSync(file, JSON.stringify(journal));
  writeFileSync(join(folder, "later.sql"), statement);
  return folder;
}

const RECORD = `create schema drizzle;
  create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);`;

test.each([
  ["before this one was made", 1_795_184_401_618],
  ["after it", 4_102_444_800_000],
])("a database of an unreleased version, last migrated %s, is refused and left unchanged", async (_when, time) => {
  const { db, url } = await database();
  await db.sql.unsafe(`${RECORD}
    create table payments (id uuid primary key);
    insert into payments values (gen_random_uuid());
    insert into drizzle.__drizzle_migrations (hash, created_at) values ('of another file', 1795184401618), ('and another', ${time})`);
  const before = await stateOf(db);
  vi.stubEnv("DATABASE_URL", url);
  await expect(migrate(url)).rejects.toMatchObject({
    name: "ConfigurationError",
    message:
      "The database in DATABASE_URL was made by an unreleased version of Cardlane and cannot be upgraded: set DATABASE_URL to an empty database.",
  });
  vi.stubEnv("DATABASE_URL", "");
  vi.stubEnv("DATA_DIR", "/srv/cardlane");
  await expect(migrate(url)).rejects.toMatchObject({
    name: "ConfigurationError",
    message:
      "The database in /srv/cardlane was made by an unreleased version of Cardlane and cannot be upgraded: set DATA_DIR to a new folder, or delete this one to start over without its payments.",
  });
  expect(await stateOf(db)).toEqual(before);
  expect(await db.sql`select from payments`).toHaveLength(1);
});

test("a database with tables but no record of migrations is refused and left unchanged", async () => {
  const { db, url } = await database();
  await db.sql.unsafe(`${RECORD} create table payments (id uuid primary key)`);
  const before = await stateOf(db);
  await expect(migrate(url)).rejects.toThrow("was made by an unreleased version");
  expect(await stateOf(db)).toEqual(before);
});

test("a database in which another application keeps its migrations is refused and left unchanged", async () => {
  const { db, url } = await database();
  await db.sql.unsafe(`${RECORD} insert into drizzle.__drizzle_migrations (hash, created_at) values ('another', 1)`);
  const before = await stateOf(db);
  await expect(migrate(url)).rejects.toThrow("Another application keeps its migrations in this database");
  expect(await stateOf(db)).toEqual(before);
});

test("a database migrated by a newer version is refused and left unchanged", async () => {
  const { db, url } = await migrated();
  await migrate(url, laterFolder("create table later (id uuid primary key)"));
  const before = await stateOf(db);
  await expect(migrate(url)).rejects.toMatchObject({
    name: "ConfigurationError",
    message: "This database was used by a newer version of Cardlane: start that version, or choose another database.",
  });
  expect(await stateOf(db)).toEqual(before);
});

test("a database of this version is opened unchanged", async () => {
  const { db, url } = await migrated();
  const before = await stateOf(db);
  await migrate(url);
  expect(await stateOf(db)).toEqual(before);
});

test("instances that start together on an empty database, or after a start that was interrupted, migrate it once", async () => {
  const { db, url } = await database();
  await db.sql.unsafe(RECORD);
  await Promise.all([migrate(url), migrate(url)]);
  const folder = join(import.meta.dirname, "migrations");
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  expect(await db.sql`select from drizzle.__drizzle_migrations`).toHaveLength(files.length);
  expect(await db.sql`select from payments`).toEqual([]);
});

test("a table in a long read stays accessible to others while a migration waits for it", async () => {
  const { db, url } = await migrated();
  const { reached, release, hold } = latch();
  const reading = db.sql.begin(async (tx) => {
    await tx`select from operations`;
    await hold();
  });
  await reached;
  const migrating = migrate(url, laterFolder("drop index operations_late_approvals"));
  const waits = async () =>
    (
      await db.sql`
        select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database() where not l.granted`
    ).length;
  await expect.poll(waits).toBe(1);
  // Without that lock timeout, this read would queue behind the migration and the reader would never be
  // released.
  await db.sql`select from operations`;
  release();
  await Promise.all([reading, migrating]);
  expect(await db.sql`select 1 from pg_indexes where indexname = 'operations_late_approvals'`).toEqual([]);
});
