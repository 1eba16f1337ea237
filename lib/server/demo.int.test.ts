import { expect, test } from "vitest";
import { hasMerchants } from "@/db/queries/merchants";
import { testDatabase } from "@/lib/testing/database";
import { testService } from "@/lib/testing/factories";
import { ensureDemo } from "./demo";

const { db } = await testDatabase();

test("there is no demo merchant without the file that has its keys", async () => {
  await expect(ensureDemo(testService(db), "/nonexistent", () => {})).rejects.toThrow(/ENOENT/);
  expect(await hasMerchants(db.orm)).toBe(false);
});
