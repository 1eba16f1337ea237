import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, expect, test } from "vitest";
import { type Embedded, startEmbedded } from "./embedded";
import { findPostmaster } from "./embedded-cluster";

const dataDir = mkdtempSync(join(tmpdir(), "cardlane-embedded-"));
const running: Embedded[] = [];
afterAll(async () => {
  for (const server of running) await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(onRecovery?: (problem: unknown) => void): Promise<Embedded> {
  const server = await startEmbedded({ dataDir, fsync: false, ...(onRecovery && { onRecovery }) });
  running.push(server);
  return server;
}

async function ask<T>(url: string, question: string): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql.unsafe(question);
    return row?.answer as T;
  } finally {
    await sql.end();
  }
}

test("processes that start concurrently share one server, which stops with its last user", async () => {
  const [first, second] = await Promise.all([start(), start()]);
  expect(second.url).toBe(first.url);
  expect(second.pid).toBe(first.pid);
  await first.stop();
  expect(await ask(second.url, "select 1 as answer")).toBe(1);
  await second.stop();
  expect(findPostmaster(dataDir)).toBeNull();
});

test("it listens on 127.0.0.1 only, without a socket, and requires the password", async () => {
  const { url } = await start();
  expect(await ask(url, "select current_setting('listen_addresses') as answer")).toBe("127.0.0.1");
  expect(await ask(url, "select current_setting('unix_socket_directories') as answer")).toBe("");
  const wrong = new URL(url);
  wrong.password = "wrong";
  await expect(ask(wrong.href, "select 1 as answer")).rejects.toMatchObject({ code: "28P01" });
});

test("a killed server restarts at the same address with everything committed", async () => {
  let recovered = () => {};
  const back = new Promise<void>((resolve) => {
    recovered = resolve;
  });
  const server = await start((problem) => (problem ? undefined : recovered()));
  await ask(server.url, "create table kept as select 42 as answer");
  const { pid } = server;
  process.kill(pid, "SIGKILL");
  await back;
  expect(server.pid).not.toBe(pid);
  expect(await ask(server.url, "select answer from kept")).toBe(42);
});

test("data of another major version is refused before anything touches it", async () => {
  const other = mkdtempSync(join(tmpdir(), "cardlane-embedded-"));
  const server = await startEmbedded({ dataDir: other, fsync: false });
  await server.stop();
  const version = join(other, "postgres", "PG_VERSION");
  expect(readFileSync(version, "utf8")).toBe("18\n");
  writeFileSync(version, "17\n");
  await expect(startEmbedded({ dataDir: other, fsync: false })).rejects.toThrow(/written by PostgreSQL 17/);
  rmSync(other, { recursive: true, force: true });
});
