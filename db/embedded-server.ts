import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import postgres from "postgres";
import { ConfigurationError } from "@/lib/env";
import { isDiskFull, noSpace } from "./data-folder";
import { chooseLauncher, findBinaries } from "./embedded-binaries";
import {
  type Access,
  checkMajor,
  clusterFiles,
  findOrphans,
  findPostmaster,
  initialize,
  isNoSpace,
  isPortFree,
  lastFatal,
  launch,
  type Postmaster,
  pickPort,
  readAccess,
  SUPERUSER,
  writeAccess,
} from "./embedded-cluster";
import { isProcessAlive, withFileLock } from "./file-lock";

export const DATABASE = "cardlane";
const READY_TIMEOUT_MS = 300_000;
const STOP_TIMEOUT_MS = 10_000;
/** Reports no waiting before this time. */
const QUIET_MS = 2_000;

export type ClusterOptions = {
  /** Off only for tests: faster, but a power cut may destroy the data. */
  fsync?: boolean;
  onProgress?: (what: string) => void;
};

export type Running = { pid: number; access: Access };

/** Only one process at a time starts the server; the others then find it running. */
export function ensureRunning(
  dataDir: string,
  options: ClusterOptions,
  signal: AbortSignal,
  port: "may move" | "keeps its port",
): Promise<Running> {
  const { lock } = clusterFiles(dataDir);
  const onWait = (holder: string) => options.onProgress?.(`waiting for process ${holder}, which starts the database`);
  const work = async () => {
    let reason: string | null = null;
    for (let attempt = 0; attempt < 40; attempt++) {
      signal.throwIfAborted();
      const living = findPostmaster(dataDir);
      if (living) {
        const isAlive = () => findPostmaster(dataDir)?.pid === living.pid;
        if (await becomesReady(dataDir, living, { isAlive, signal, say: options.onProgress })) {
          return { pid: living.pid, access: accessOf(dataDir, living.port) };
        }
        continue;
      }
      await waitForOrphans(dataDir);
      const started = await start(dataDir, options, signal, port);
      if (started) return started;
      reason = lastFatal(dataDir);
      // On a full disk the server may not even log why it ended.
      if (isDiskFull(dataDir) || isNoSpace(reason ?? "")) throw noSpace(dataDir);
      await wait(Math.min(50 * 2 ** attempt, 1_000));
      if (!isTemporary(reason) && attempt >= 3) break;
    }
    throw new ConfigurationError(
      `The embedded PostgreSQL does not start: ${reason ?? "it gave no reason"} (see ${clusterFiles(dataDir).log}).`,
    );
  };
  return withFileLock(lock, work, onWait);
}

/** Matches problems that disappear on their own: leftovers of a server that was just killed. */
const isTemporary = (reason: string | null) =>
  reason !== null && /shared memory|lock file|could not bind/i.test(reason);

function accessOf(dataDir: string, port: number): Access {
  const access = readAccess(dataDir);
  if (access) return { ...access, port: port || access.port };
  const { cluster, access: file } = clusterFiles(dataDir);
  throw new ConfigurationError(`${file} with the database's password is missing: restore it, or move ${cluster} away.`);
}

async function start(
  dataDir: string,
  options: ClusterOptions,
  signal: AbortSignal,
  port: "may move" | "keeps its port",
): Promise<Running | null> {
  const binaries = findBinaries();
  const { cluster } = clusterFiles(dataDir);
  const launcher = chooseLauncher(binaries, dataDir, cluster);
  const fsync = options.fsync ?? true;
  if (!existsSync(cluster)) {
    options.onProgress?.("creating the database");
    await initialize(binaries, launcher, dataDir, fsync);
  }
  checkMajor(binaries, dataDir);
  const access = accessOf(dataDir, 0);
  if (port === "may move" && !(await isPortFree(access.port))) {
    access.port = await pickPort();
    writeAccess(dataDir, access);
  }
  options.onProgress?.("starting the database");
  const child = launch(binaries, launcher, dataDir, access.port, fsync);
  const failed = new Promise<false>((done) => {
    child.once("error", () => done(false));
    child.once("exit", () => done(false));
  });
  let exited = false;
  void failed.then(() => {
    exited = true;
  });
  const pid = child.pid ?? 0;
  const isAlive = () => !exited;
  const ready = await becomesReady(dataDir, { pid, port: access.port }, { isAlive, signal, say: options.onProgress });
  return ready ? { pid, access } : null;
}

type Waiting = { isAlive: () => boolean; signal: AbortSignal; say: ClusterOptions["onProgress"] };

/** Waits until the server responds; false if it exits instead. */
async function becomesReady(dataDir: string, server: Postmaster, { isAlive, signal, say }: Waiting) {
  const startedAt = Date.now();
  const deadline = startedAt + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    signal.throwIfAborted();
    const sql = single(accessOf(dataDir, server.port));
    try {
      const found = await sql`select 1 from pg_database where datname = ${DATABASE}`;
      if (found.length === 0) await sql.unsafe(`create database ${DATABASE}`);
      return true;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === "28P01") {
        const { access } = clusterFiles(dataDir);
        throw new ConfigurationError(
          `The embedded PostgreSQL does not accept the password in ${access}: restore that file.`,
        );
      }
      if (!isAlive()) return false;
      // Crash recovery replays everything written since the last checkpoint, which can take long.
      if (Date.now() - startedAt > QUIET_MS) {
        say?.(`waiting for PostgreSQL (process ${server.pid}): ${(error as Error).message}`);
      }
    } finally {
      await sql.end({ timeout: 0 });
    }
    await wait(20);
  }
  throw new ConfigurationError(`The embedded PostgreSQL is not ready after ${READY_TIMEOUT_MS / 60_000} minutes.`);
}

/**
 * Orphans normally exit within moments; one that is computing does not, and gets a signal after one second.
 */
async function waitForOrphans(dataDir: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 50) {
    const orphans = findOrphans(dataDir);
    if (orphans.length === 0) return;
    if (waitedMs === 1_000) for (const pid of orphans) tryKill(pid, "SIGQUIT");
    if (waitedMs === 3_000) for (const pid of orphans) tryKill(pid, "SIGKILL");
    await wait(50);
  }
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already gone.
  }
}

/** Stops the server: open transactions are rolled back, everything committed is on disk. */
export async function shutDown(dataDir: string): Promise<void> {
  const server = findPostmaster(dataDir);
  if (!server) return;
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    tryKill(server.pid, signal);
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (Date.now() < deadline) {
      if (!isProcessAlive(server.pid) || findPostmaster(dataDir)?.pid !== server.pid) return;
      await wait(10);
    }
  }
}

export function urlOf(access: Access, database: string): string {
  return `postgres://${SUPERUSER}:${access.password}@127.0.0.1:${access.port}/${database}`;
}

export function single(access: Access, onclose?: () => void, database = "postgres"): postgres.Sql {
  return postgres(urlOf(access, database), {
    max: 1,
    connect_timeout: 5,
    // postgres.js would fetch array types first, and an unhandled failure of that would end this process.
    fetch_types: false,
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => {},
    ...(onclose && { onclose }),
    connection: { application_name: "cardlane-supervisor" },
  });
}
