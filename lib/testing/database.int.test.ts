import { expect, test } from "vitest";
import { testDatabase } from "./database";

const { db } = await testDatabase();

test("a test database is migrated, and empty", async () => {
  const [row] = await db.sql`select count(*)::int as merchants from merchants`;
  expect(row).toEqual({ merchants: 0 });
});
