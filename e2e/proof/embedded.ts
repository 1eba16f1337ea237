import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { connect, type Database } from "@/db/client";
import { clusterFiles, findPostmaster, readAccess, SUPERUSER } from "@/db/embedded-cluster";
import type { ProofHost } from "./host";

/** The database that the service under proof has started for itself. */
export function connectEmbedded(dataDir: string): Database {
  const access = readAccess(dataDir);
  if (!access) throw new Error("the service has made no database");
  return connect(`postgres://${SUPERUSER}:${access.password}@127.0.0.1:${access.port}/cardlane`, { max: 3 });
}

/** The postmaster and everything it has started, with no warning: what is not on disk now is lost. */
export function killPostgres(dataDir: string): void {
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
export async function untilBack(host: ProofHost, dataDir: string, before: number): Promise<void> {
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
