import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { findPostmaster } from "@/db/embedded-cluster";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { Client } from "./client";
import { connectEmbedded, killPostgres, untilBack } from "./embedded";
import { startHost } from "./host";
import { expectMoneyOncePerKey, expectStableAnswers, Load } from "./load";
import { createTenant } from "./tenant";

const KILLS = Number(process.env.PROOF_KILLS ?? 5);
const LANES = 8;

test(`after ${KILLS} times kill -9 of PostgreSQL under load every key has one answer and the books are clean`, async () => {
  mkdirSync(process.env.DATA_DIR ?? tmpdir(), { recursive: true });
  const dataDir = mkdtempSync(join(process.env.DATA_DIR ?? tmpdir(), "cardlane-proof-"));
  const host = await startHost({ env: { DATA_DIR: dataDir } });
  onTestFinished(async () => {
    await host.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const setUp = connectEmbedded(dataDir);
  const tenant = await createTenant(setUp);
  const [fsync] = await setUp.sql`select current_setting('fsync') || current_setting('full_page_writes') as settings`;
  expect(fsync?.settings).toBe("onon");
  await setUp.close();
  const client = new Client(tenant.apiKey, () => host.baseUrl);
  const load = new Load(client, LANES);
  for (let kill = 0; kill < KILLS; kill++) {
    await wait(100 + Math.random() * 700);
    const postmaster = findPostmaster(dataDir)?.pid ?? 0;
    killPostgres(dataDir);
    await untilBack(host, dataDir, postmaster);
  }
  await load.stop();
  const db = connectEmbedded(dataDir);
  await untilNothingIsOpen(db);
  await expectStableAnswers(load);
  await expectMoneyOncePerKey(db, load, tenant.environmentId);
  await expectCleanBooks(db);
  await db.close();
  expect(load.answered.length).toBeGreaterThan(KILLS);
  process.stdout.write(`  ${KILLS} kills of PostgreSQL, ${load.answered.length} keys, each with one answer\n`);
});
