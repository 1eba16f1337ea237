import { expect, test } from "vitest";
import { testDatabase } from "@/lib/testing/database";
import { resolveSecret } from "./secret";

const { db } = await testDatabase();
const external = { embedded: false, dataDir: "/nonexistent", orm: db.orm };

test("instances on one database that start at once agree on one secret", async () => {
  const secrets = await Promise.all(Array.from({ length: 10 }, () => resolveSecret({ ...external, configured: null })));
  expect(new Set(secrets).size).toBe(1);
  expect(secrets[0]).toMatch(/^[0-9a-f]{64}$/);
});

test("a configured secret wins, and a short one is refused", async () => {
  const configured = "x".repeat(32);
  expect(await resolveSecret({ ...external, configured })).toBe(configured);
  await expect(resolveSecret({ ...external, configured: "short" })).rejects.toThrow(/at least 32/);
});
