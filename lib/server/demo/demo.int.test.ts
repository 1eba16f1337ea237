import { expect, onTestFinished, test, vi } from "vitest";
import { hasMerchants } from "@/db/queries/accounts/merchants";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { systemClock } from "@/lib/clock";
import { createMerchant } from "@/lib/domain/accounts/business";
import { ensureDemo } from "./demo";

const { db } = await testDatabase();

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
