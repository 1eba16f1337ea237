import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { hasMerchants } from "@/db/queries/accounts/merchants";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { systemClock } from "@/lib/clock";
import { createMerchant } from "@/lib/domain/accounts/business";
import { provideService } from "@/lib/http/current-service";
import { ensureDemo } from "./demo";

const { db } = await testDatabase();
const { db: filled } = await testDatabase({ own: true });

test("there is no demo merchant without the file with its keys", async () => {
  await expect(ensureDemo(testService(db), "/nonexistent", () => {})).rejects.toThrow(/ENOENT/);
  expect(await hasMerchants(db.orm)).toBe(false);
});

test("production creates no demo merchant, and does not start where the sandbox has created one", async () => {
  vi.stubEnv("CARDLANE_ENV", "production");
  onTestFinished(() => void vi.unstubAllEnvs());
  const said: string[] = [];
  const ensure = () => ensureDemo(testService(db), "/nonexistent", (detail) => void said.push(detail));
  expect(await ensure()).toBeNull();
  expect(said).toEqual(["none: this is production"]);
  expect(await hasMerchants(db.orm)).toBe(false);
  await createMerchant({ db, clock: systemClock }, { name: "Demo shop", email: "demo@cardlane.example" });
  await expect(ensure()).rejects.toThrow(/holds the sandbox's demo merchant, demo@cardlane.example/);
});

test("the first start says how many payments the demo really has", async () => {
  const service = testService(filled);
  provideService(service);
  const dataDir = mkdtempSync(join(tmpdir(), "cardlane-demo-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const said: string[] = [];
  await ensureDemo(service, dataDir, (detail) => void said.push(detail));
  const [row] = await filled.sql<{ count: number }[]>`select count(*)::int as count from payments`;
  expect(row?.count).toBeGreaterThan(1_000);
  expect(said.at(-1)).toBe(`a merchant with ${row?.count.toLocaleString("en-US")} payments`);
});
