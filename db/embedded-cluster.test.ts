import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import {
  checkMajor,
  clusterFiles,
  findOrphans,
  findPostmaster,
  isPortFree,
  lastFatal,
  pickPort,
  readAccess,
  writeAccess,
} from "./embedded-cluster";

const dataDir = mkdtempSync(join(tmpdir(), "cardlane-cluster-"));
const files = clusterFiles(dataDir);
mkdirSync(files.cluster);
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test("a picked port is free and below the range of outgoing connections", async () => {
  const port = await pickPort();
  expect(port).toBeGreaterThanOrEqual(20_000);
  expect(port).toBeLessThan(32_768);
  expect(await isPortFree(port)).toBe(true);
});

test("a port in use is not free", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  expect(await isPortFree(port)).toBe(false);
  await new Promise((resolve) => server.close(resolve));
  expect(await isPortFree(port)).toBe(true);
});

test("the file with the database's password is readable by its owner only", () => {
  writeAccess(dataDir, { port: 20_001, password: "secret" });
  expect(statSync(files.access).mode & 0o777).toBe(0o600);
  expect(readAccess(dataDir)).toEqual({ port: 20_001, password: "secret" });
});

test("a process that reuses a dead server's pid is not mistaken for the server", () => {
  writeFileSync(join(files.cluster, "postmaster.pid"), `${process.pid}\n${files.cluster}\n1\n20001\n`);
  expect(findPostmaster(dataDir)).toBeNull();
});

test.skipIf(process.platform !== "linux")(
  "another cluster's server with that pid is recognized by its folder",
  async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "cardlane-other-"));
    const start = (cwd: string) => spawn("sleep", ["60"], { argv0: "postgres", cwd, stdio: "ignore" });
    const [other, own] = [start(elsewhere), start(files.cluster)];
    onTestFinished(() => {
      for (const child of [other, own]) child.kill("SIGKILL");
      rmSync(elsewhere, { recursive: true, force: true });
    });
    await Promise.all([other, own].map((child) => once(child, "spawn")));
    const found = (pid = 0) => {
      writeFileSync(join(files.cluster, "postmaster.pid"), `${pid}\n${files.cluster}\n1\n20001\n`);
      return findPostmaster(dataDir)?.pid;
    };
    expect(found(other.pid)).toBeUndefined();
    expect(found(own.pid)).toBe(own.pid);
    expect(findOrphans(dataDir)).toEqual([own.pid]);
  },
);

test("data of another major version is refused in one sentence", () => {
  writeFileSync(join(files.cluster, "PG_VERSION"), "16\n");
  const binaries = { initdb: "", postgres: "", major: 18 };
  expect(() => checkMajor(binaries, dataDir)).toThrow(/written by PostgreSQL 16, and this is PostgreSQL 18/);
  writeFileSync(join(files.cluster, "PG_VERSION"), "18\n");
  expect(() => checkMajor(binaries, dataDir)).not.toThrow();
});

test("the reason for a failed start is the last fatal line of the log", () => {
  writeFileSync(
    files.log,
    "2026 UTC [1] LOG:  starting\n2026 UTC [1] FATAL:  could not create lock file\n2026 UTC [1] LOG:  end\n",
  );
  expect(lastFatal(dataDir)).toBe("could not create lock file");
  expect(readFileSync(files.log, "utf8")).toContain("FATAL");
});
