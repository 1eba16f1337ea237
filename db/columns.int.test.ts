import { readdirSync } from "node:fs";
import type postgres from "postgres";
import { beforeAll, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant } from "@/e2e/fixtures/factories";
import { idTime, newId } from "@/lib/ids";
import { DOMAINS } from "./columns";

const { db } = await testDatabase();

beforeAll(async () => {
  for (const file of readdirSync("db/schema")) await import(`./schema/${file}`);
});

test("each domain of the database allows exactly the contract's values", async () => {
  const rows = await db.sql<{ name: string; definition: string }[]>`
    select t.typname as name, pg_get_constraintdef(c.oid) as definition
    from pg_type t join pg_constraint c on c.contypid = t.oid
    where t.typnamespace = 'public'::regnamespace`;
  const allowed = rows.map(({ name, definition }) => [
    name,
    [...definition.matchAll(/'([^']+)'/g)].map(([, value]) => value),
  ]);
  expect(Object.fromEntries(allowed)).toEqual(Object.fromEntries(DOMAINS));
});

const CREATED_WITH_ID = ["client_sessions", "payments", "plans", "transactions"];

test.each(CREATED_WITH_ID)("a row of %s must be created at the time in its id", async (table) => {
  const refusedWith = (id: string, createdAt: string) =>
    db.sql
      .unsafe(`insert into ${table} (environment_id, id, created_at) values ($1, $2, $3)`, [newId(), id, createdAt])
      .then(
        () => null,
        (error: postgres.PostgresError) => `${error.code} ${error.constraint_name}`,
      );
  const id = newId();
  const refused = `23514 ${table}_created_with_id`;
  expect(await refusedWith(id, new Date(Date.parse(idTime(id)) + 1).toISOString())).toBe(refused);
  // Not a UUIDv7, so it has no time.
  expect(await refusedWith("00000000-0000-0000-0000-000000000001", idTime(id))).toBe(refused);
  // With the right time, only the missing columns are refused.
  expect(await refusedWith(id, idTime(id))).toMatch(/^23502 /);
});

test("its creation time cannot be changed later", async () => {
  const { test: environment } = await createTestMerchant(db);
  const id = newId();
  await db.sql`
    insert into plans (environment_id, id, type, name, currency, full_price, status, created_at, updated_at)
    values (${environment.id}, ${id}, 'ONE_TIME', 'A plan', 'USD', 1, 'DRAFT', ${idTime(id)}, ${idTime(id)})`;
  const change = db.sql`update plans set created_at = created_at + interval '1 ms' where environment_id = ${environment.id} and id = ${id}`;
  await expect(change).rejects.toMatchObject({ code: "23514", constraint_name: "plans_created_with_id" });
});

test("no table has a column for a fingerprint or digest of a card, except of stored ones", async () => {
  const found = await db.sql`
    select table_name, column_name from information_schema.columns
    where column_name ~ 'fingerprint|card.*(digest|hash)' and table_schema in ('public', 'sandbox_processor')`;
  expect([...found]).toEqual([{ table_name: "stored_cards", column_name: "fingerprint" }]);
});
