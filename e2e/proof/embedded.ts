import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { connect, type Database } from "@/db/client";
import { clusterFiles, readAccess, SUPERUSER } from "@/db/embedded-cluster";
import type { ProofHost } from "./host";

/** Connects to the database that the service under proof has started itself. */
export const connectEmbedded = (dataDir: string): Database => connect(embeddedUrl(dataDir), { max: 3 });

export function embeddedUrl(dataDir: string): string {
  const access = readAccess(dataDir);
  if (!access) throw new Error("the service created no database");
  return `postgres://${SUPERUSER}:${access.password}@127.0.0.1:${access.port}/cardlane`;
}

/**
 * Leaves writing the write-ahead log to commits that wait for it. Data confirmed before it is on disk is then
 * lost in any later crash, not only in one within milliseconds.
 */
export async function slowLogWriter(db: Database): Promise<void> {
  await db.sql.unsafe("alter system set wal_writer_delay = '10s'");
  await db.sql.unsafe("alter system set wal_writer_flush_after = '1GB'");
  await db.sql`select pg_reload_conf()`;
  await expect.poll(async () => (await db.sql`show wal_writer_delay`)[0]?.wal_writer_delay).toBe("10s");
}

/**
 * PostgreSQL's ways to crash: all processes killed, an immediate stop, or one process killed, after which it
 * restarts all others.
 */
export const CRASHES = ["kill all", "immediate stop", "kill one"] as const;
export type Crash = (typeof CRASHES)[number];

/**
 * Crashes without warning, losing whatever isn't on disk. Returns the processes that are gone or will exit.
 */
export function crashPostgres(dataDir: string, crash: Crash): number[] {
  const { postmaster, children } = processesOf(dataDir);
  expect(children.length).toBeGreaterThan(3);
  const pids = children.map(({ pid }) => pid);
  switch (crash) {
    case "kill all":
      for (const pid of [postmaster, ...pids]) signal(pid, "SIGKILL");
      return [postmaster, ...pids];
    case "immediate stop":
      signal(postmaster, "SIGQUIT");
      return [postmaster, ...pids];
    case "kill one": {
      const serving = children.filter(({ title }) => /^postgres: \S+ cardlane /.test(title));
      expect(serving.length, children.map(({ title }) => title).join("\n")).toBeGreaterThan(0);
      signal(serving[Math.floor(Math.random() * serving.length)]?.pid ?? 0, "SIGKILL");
      // Processes without shared memory survive; all others are replaced.
      return children.filter(({ title }) => !/logger|supervisor/.test(title)).map(({ pid }) => pid);
    }
    default:
      return crash satisfies never;
  }
}

/** The server process and all its children. */
export function processesOf(dataDir: string) {
  const postmaster = Number(readFileSync(join(clusterFiles(dataDir).cluster, "postmaster.pid"), "utf8").split("\n")[0]);
  const children = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().match(/^(\d+)\s+(\d+)\s+(.*)$/))
    .filter((match) => Number(match?.[2]) === postmaster)
    .map((match) => ({ pid: Number(match?.[1]), title: match?.[3] ?? "" }));
  return { postmaster, children };
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It exited between the listing and the signal.
  }
}

export const isAlive = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0] !== "Z";
  } catch {
    return false;
  }
};

/** Waits until every process of the crash is gone and the service responds from new ones. */
export async function untilBack(host: ProofHost, crashed: readonly number[]): Promise<void> {
  await vi.waitFor(() => expect(crashed.filter(isAlive), host.output().slice(-3_000)).toEqual([]), {
    timeout: 60_000,
    interval: 10,
  });
  const ready = () =>
    fetch(`${host.baseUrl}/health/ready`).then(
      (response) => response.text().then(() => response.status),
      (error: unknown) => `${String(error)} ${host.output().slice(-3_000)}`,
    );
  await expect.poll(ready, { timeout: 60_000, interval: 20 }).toBe(200);
}
