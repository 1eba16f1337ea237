import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { connect, type Database } from "@/db/client";
import { clusterFiles, findPostmaster, readAccess, SUPERUSER } from "@/db/embedded-cluster";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { Client } from "./client";
import { type ProofHost, startHost } from "./host";
import { expectMoneyOncePerKey, expectStableAnswers, Load } from "./load";
import { createTenant } from "./tenant";

const KILLS = Number(process.env.PROOF_KILLS ?? 5);
const LANES = 8;

/** The database that the service under proof has started for itself. */
function connectEmbedded(dataDir: string): Database {
  const access = readAccess(dataDir);
  if (!access) throw new Error("the service has made no database");
  return connect(`postgres://${SUPERUSER}:${access.password}@127.0.0.1:${access.port}/cardlane`, { max: 3 });
}

/** The postmaster and everything it has started, with no warning: what is not on disk now is lost. */
function killPostgres(dataDir: string): void {
  const postmaster = Number(readFileSync(join(clusterFiles(dataDir).cluster, "postmaster.pid"), "utf8").split("\n")[0]);
  const processes = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const children = processes.filter(([, parent]) => parent === postmaster).map(([pid]) => pid);
  expect(children.length).toBeGreaterThan(3);
  for (const pid of [postmaster, ...children]) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself between the list and the signal.
    }
  }
}

/** The embedded server is back, and another one than before. */
async function untilBack(host: ProofHost, dataDir: string, before: number): Promise<void> {
  const pid = () => findPostmaster(dataDir)?.pid ?? before;
  await vi.waitFor(() => expect(pid(), host.output().slice(-3_000)).not.toBe(before), {
    timeout: 60_000,
    interval: 20,
  });
  const ready = () =>
    fetch(`${host.baseUrl}/health/ready`).then(
      (response) => response.status,
      (error: unknown) => `${String(error)} ${host.output().slice(-3_000)}`,
    );
  await expect.poll(ready, { timeout: 60_000, interval: 20 }).toBe(200);
}

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
