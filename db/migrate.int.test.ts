import { readFileSync } from "node:fs";
import { afterAll, expect, inject, test } from "vitest";
import { newId } from "@/lib/ids";
import { createDatabase, dropDatabase } from "@/lib/testing/cluster";
import { connect } from "./client";
import { migrate } from "./migrate";

const FOLDER = new URL("./migrations/", import.meta.url);
const name = `test_${newId().replaceAll("-", "")}`;
const adminUrl = inject("adminUrl");
const url = await createDatabase(adminUrl, name);
const db = connect(url, { max: 2, applicationName: "cardlane-test" });

afterAll(async () => {
  await db.close();
  await dropDatabase(adminUrl, name);
});

/** Brings the database to where it stood before a migration, with the record that the real one keeps. */
async function migrateUntil(tag: string): Promise<void> {
  const { entries } = JSON.parse(readFileSync(new URL("meta/_journal.json", FOLDER), "utf8")) as {
    entries: { tag: string; when: number }[];
  };
  await db.sql.unsafe(`create schema drizzle; create table drizzle.__drizzle_migrations
    (id serial primary key, hash text not null, created_at bigint)`);
  for (const entry of entries.slice(
    0,
    entries.findIndex((candidate) => candidate.tag.endsWith(tag)),
  )) {
    await db.sql.unsafe(readFileSync(new URL(`${entry.tag}.sql`, FOLDER), "utf8"));
    await db.sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('', ${entry.when})`;
  }
}

test("whoever could sign in still can; proved are those who used a mailed link or whom an operator made", async () => {
  await migrateUntil("_accounts");
  const [merchant, live] = [newId(), newId()];
  await db.sql`insert into merchants (id, name) values (${merchant}, 'Shop')`;
  await db.sql`insert into environments (id, merchant_id, mode) values (${live}, ${merchant}, 'live')`;
  const person = async (who: string, of: string | null = merchant) => {
    const id = newId();
    await db.sql`insert into users (id, merchant_id, email, password_hash, role)
      values (${id}, ${of}, ${`${who}@old.example`}, '', ${of === null ? "staff" : "owner"})`;
    return id;
  };
  const act = (action: string, by: string, object: string, detail: object) => db.sql`
    insert into audit_log (environment_id, id, actor, action, object_id, detail) values (${live}, ${newId()},
      ${db.sql.json({ type: "user", id: by })}, ${action}, ${object}, ${db.sql.json(detail as never)})`;
  const signedUp = await person("signed-up");
  await act("settings.account_opened", signedUp, merchant, { email: "signed-up@old.example" });
  const reset = await person("reset");
  await act("settings.account_opened", reset, merchant, { email: "reset@old.example" });
  await act("settings.password_reset", reset, reset, { email: "RESET@old.example" });
  const joined = await person("joined");
  await act("team.invitation_accepted", joined, joined, { email: "joined@old.example" });
  const moved = await person("moved");
  await act("team.invitation_accepted", moved, moved, { email: "first@old.example" });
  await act("settings.account_updated", moved, moved, {
    changes: { email: ["first@old.example", "moved@old.example"] },
  });
  await person("by-command");
  await person("staff", null);
  const invited = await person("invited");
  await db.sql`insert into user_tokens (id, user_id, purpose, token_sha256, expires_at)
    values (${newId()}, ${invited}, 'invite', ${Buffer.from("digest")}, now())`;

  await migrate(url);
  const rows = await db.sql<{ email: string; owns: boolean; proved: boolean }[]>`
    select email, owns_email as owns, email_verified_at is not null as proved from users order by id`;
  expect(rows.map(({ email, owns, proved }) => [email.split("@")[0], owns, proved])).toEqual([
    ["signed-up", true, false],
    ["reset", true, true],
    ["joined", true, true],
    ["moved", true, false],
    ["by-command", true, true],
    ["staff", true, true],
    ["invited", false, false],
  ]);
});
