import { readdirSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { testDatabase } from "@/lib/testing/database";
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

test("a row cannot be created at another time than its id says", async () => {
  const [row] = await db.sql<{ time: string }[]>`select uuid_time('019aa000-0000-7000-8000-000000000001') as time`;
  expect(row?.time).toBe(new Date(0x019aa0000000).toISOString());
});
