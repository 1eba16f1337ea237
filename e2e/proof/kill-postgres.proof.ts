import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { Client } from "./client";
import { CRASHES, type Crash, connectEmbedded, crashPostgres, slowLogWriter, untilBack } from "./embedded";
import { reportFigure } from "./figures";
import { startHost } from "./host";
import { expectMoneyOncePerKey, expectStableAnswers, Load } from "./load";
import { createTenant } from "./tenant";

const CRASH_COUNT = Number(process.env.PROOF_CRASHES ?? 30);
const LANES = 16;

test(`after ${CRASH_COUNT} crashes of PostgreSQL under every kind of operation each key has one response and the books are clean`, async () => {
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
  await slowLogWriter(setUp);
  await setUp.close();
  const client = new Client(tenant.apiKey, () => host.baseUrl);
  const load = new Load(client, LANES);
  for (let crash = 0; crash < CRASH_COUNT; crash++) {
    await wait(100 + Math.random() * 500);
    await untilBack(host, crashPostgres(dataDir, CRASHES[crash % CRASHES.length] as Crash));
  }
  await load.stop();
  const db = connectEmbedded(dataDir);
  await untilNothingIsOpen(db);
  await expectStableAnswers(load);
  await expectMoneyOncePerKey(db, load, tenant.environmentId);
  await expectCleanBooks(db);
  await db.close();
  expect(load.answered.length).toBeGreaterThan(CRASH_COUNT);
  reportFigure(
    `${CRASH_COUNT} crashes of PostgreSQL, ${load.answered.length} keys`,
    JSON.stringify(Object.fromEntries(load.finished)),
  );
});
