import { type ChildProcess, fork, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { configure } from "@/lib/env";
import type { FloorOptions } from "./floor";

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export type Server = { port: number; process: ChildProcess; stop(): Promise<void> };

const START_TIMEOUT_MS = 600_000;

/** Sets a key's rate limits too high to matter. */
export const NO_LIMITS = {
  RATE_LIMIT_PER_SECOND: "1000000",
  RATE_LIMIT_BURST: "1000000",
  PAGE_LIMIT_PER_MINUTE: "1000000",
  ANSWER_MB_PER_SECOND: "1000000",
  LOG_LEVEL: "error",
};

/** Starts the service like `npm start`, on an existing database. */
export async function startService(options: { url: string; dataDir: string; secret: string }): Promise<Server> {
  const port = await freePort();
  configure({
    DATABASE_URL: options.url,
    DATA_DIR: options.dataDir,
    CARDLANE_SECRET: options.secret,
    PORT: String(port),
    ...NO_LIMITS,
  });
  const child = spawn(process.execPath, startArguments(), {
    cwd: file(".."),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-2_000);
  });
  const server = serverOf(child, port);
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await isReady(port))) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`the service did not start:\n${output}`);
    await wait(100);
  }
  return server;
}

/** The arguments that `npm start` passes to node. */
function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(file("../package.json"), "utf8")) as { scripts: { start: string } };
  return scripts.start.split(" ").slice(1);
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health`)).ok;
  } catch {
    return false;
  }
}

export async function startFloor(options: FloorOptions): Promise<Server> {
  const child = fork(file("floor.ts"), { execArgv: ["--import", "tsx"], serialization: "advanced" });
  const ready = new Promise<{ port: number }>((resolve, reject) => {
    child.once("message", (message) => resolve(message as { port: number }));
    child.once("exit", () => reject(new Error("the floor did not start")));
  });
  child.send(options);
  const { port } = await ready;
  return serverOf(child, port);
}

function serverOf(child: ChildProcess, port: number): Server {
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    port,
    process: child,
    async stop() {
      if (child.exitCode === null) child.kill();
      await exited;
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

/**
 * Peak resident memory of a process and its children in MB, each at its own peak; null if the system doesn't
 * report it. Pages of files, which all of them share, count once.
 */
export function peakMemoryMb(pid: number): number | null {
  if (!existsSync(`/proc/${pid}/status`)) return null;
  const kbOf = (status: string, name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  const statuses = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ name, status: readStatus(name) }))
    .filter(({ name, status }) => Number(name) === pid || kbOf(status, "PPid") === pid);
  const peakKb = statuses.map(({ status }) => kbOf(status, "VmHWM"));
  const fileKb = statuses.map(({ status }) => kbOf(status, "RssFile"));
  const sum = (kb: readonly number[]) => kb.reduce((all, one) => all + one, 0);
  return Math.round((sum(peakKb) - sum(fileKb) + Math.max(...fileKb)) / 1024);
}

/** Empty for a process that has exited in the meantime. */
function readStatus(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
