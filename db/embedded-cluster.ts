import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { ConfigurationError } from "@/lib/env";
import { noSpace } from "./data-folder";
import type { Binaries, Launcher } from "./embedded-binaries";
import { isProcessAlive } from "./file-lock";

/** Files of a cluster inside the data folder. */
export const clusterFiles = (dataDir: string) => ({
  cluster: join(dataDir, "postgres"),
  access: join(dataDir, "postgres.json"),
  log: join(dataDir, "postgres.log"),
  lock: join(dataDir, "postgres.lock"),
});

/** Port (on 127.0.0.1 only) and the password of the only user. */
export type Access = { port: number; password: string };

export const SUPERUSER = "cardlane";

export function readAccess(dataDir: string): Access | null {
  const { access } = clusterFiles(dataDir);
  if (!existsSync(access)) return null;
  return JSON.parse(readFileSync(access, "utf8")) as Access;
}

export function writeAccess(dataDir: string, value: Access): void {
  const { access } = clusterFiles(dataDir);
  writeFileSync(`${access}.new`, `${JSON.stringify(value)}\n`, { mode: 0o600 });
  renameSync(`${access}.new`, access);
}

/**
 * A free port of 127.0.0.1 below the ephemeral range. While the server is down, a client that retries an
 * ephemeral port can connect to itself, and the server then cannot bind its port again.
 */
export async function pickPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isPortFree(port)) return port;
  }
}

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * Creates the cluster next to its final path and moves it once complete, so that a kill leaves no partial
 * one.
 */
export async function initialize(
  binaries: Binaries,
  launcher: Launcher,
  dataDir: string,
  fsync: boolean,
): Promise<Access> {
  const { cluster } = clusterFiles(dataDir);
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith("postgres.new-")) rmSync(join(dataDir, name), { recursive: true, force: true });
  }
  const draft = join(dataDir, `postgres.new-${process.pid}`);
  const passwordFile = join(dataDir, `postgres.new-${process.pid}.password`);
  const access = { port: await pickPort(), password: randomBytes(24).toString("hex") };
  writeFileSync(passwordFile, access.password, { mode: 0o600 });
  launcher.own(passwordFile);
  mkdirSync(draft, { mode: 0o700 });
  launcher.own(draft);
  try {
    await initdb(binaries, launcher, dataDir, [
      ...["-D", draft, "-U", SUPERUSER, `--pwfile=${passwordFile}`, "-A", "scram-sha-256", "-E", "UTF8"],
      // The built-in provider sorts the same on every system and after every C library upgrade.
      ...["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"],
      ...(fsync ? [] : ["--no-sync"]),
    ]);
    writeAccess(dataDir, access);
    renameSync(draft, cluster);
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(draft, { recursive: true, force: true });
  }
  return access;
}

async function initdb(binaries: Binaries, launcher: Launcher, dataDir: string, options: string[]): Promise<void> {
  let problem: unknown;
  // Systems differ in which of these exist; it only decides which characters count as letters.
  for (const locale of ["C.UTF-8", "C"]) {
    const { file, args, options: user } = launcher.command(binaries.initdb, [...options, `--locale=${locale}`]);
    try {
      await promisify(execFile)(file, args, user);
      return;
    } catch (error) {
      problem = error;
    }
  }
  const output = (problem as { stderr?: string }).stderr || String(problem);
  if (isNoSpace(output)) throw noSpace(dataDir);
  const lines = output.trim().split("\n");
  const line = lines.find((each) => FATAL.test(each)) ?? lines.find((each) => each.includes("error:")) ?? lines.at(-1);
  throw new ConfigurationError(`The embedded PostgreSQL could not create its data folder: ${line?.replace(FATAL, "")}`);
}

/** Matches the system's messages for a full disk and an exceeded quota. */
export const isNoSpace = (text: string): boolean => /No space left on device|Disk quota exceeded/i.test(text);

/** Refuses data written by another major version of PostgreSQL. */
export function checkMajor(binaries: Binaries, dataDir: string): void {
  const { cluster } = clusterFiles(dataDir);
  const found = Number.parseInt(readFileSync(join(cluster, "PG_VERSION"), "utf8"), 10);
  if (found === binaries.major) return;
  throw new ConfigurationError(
    `The data in ${cluster} was written by PostgreSQL ${found}, and this is PostgreSQL ${binaries.major}: ` +
      "dump it with the old version and load it into a new DATA_DIR.",
  );
}

export type Postmaster = { pid: number; port: number };

/** The server running on this data, whichever process started it. */
export function findPostmaster(dataDir: string): Postmaster | null {
  const file = readPidFile(dataDir);
  return file && isProcessAlive(file.pid) && isServerOf(dataDir, file.pid) ? file : null;
}

function readPidFile(dataDir: string): Postmaster | null {
  try {
    const lines = readFileSync(join(clusterFiles(dataDir).cluster, "postmaster.pid"), "utf8").split("\n");
    const pid = Number(lines[0]);
    return Number.isInteger(pid) && pid > 0 ? { pid, port: Number(lines[3] || 0) } : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * True if the process is a PostgreSQL on this cluster. After a crash the pid may belong to any process, even
 * another cluster's server: the working directory distinguishes them. A zombie has none.
 */
function isServerOf(dataDir: string, pid: number): boolean {
  if (process.platform === "win32") return true;
  const { cluster } = clusterFiles(dataDir);
  try {
    if (process.platform !== "linux") {
      const command = execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
      return /postgres/.test(command) && command.includes(cluster);
    }
    const [program = "", ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    if (basename(program) !== "postgres" && !program.startsWith("postgres: ")) return false;
    return (folderOf(pid) ?? args.find((arg) => arg === cluster)) === realpathSync(cluster);
  } catch {
    return false;
  }
}

/** A process's working directory; null if it belongs to another user. */
function folderOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return null;
    throw error;
  }
}

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "256MB",
  max_wal_size: "2GB",
  random_page_cost: "1.1",
  jit: "off",
  // Short statements gain nothing from parallel workers, and containers often have little shared memory for
  // them.
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  // Statements can contain customers' data, so they are never logged.
  log_min_error_statement: "panic",
};
/** Commits still reach the operating system, so they survive a killed server; only a power cut loses them. */
const WITHOUT_FSYNC = { fsync: "off", full_page_writes: "off" };

/**
 * Starts the server in its own session: Ctrl-C for the service must not stop the database first, and a killed
 * service leaves it running for the next start.
 */
export function launch(
  binaries: Binaries,
  launcher: Launcher,
  dataDir: string,
  port: number,
  fsync: boolean,
): ChildProcess {
  const { cluster, log } = clusterFiles(dataDir);
  removeStalePidFile(dataDir);
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 10_000_000) renameSync(log, `${log}.1`);
  const settings = Object.entries({ ...SETTINGS, ...(fsync ? {} : WITHOUT_FSYNC), port: String(port) });
  const flags = settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const { file, args, options } = launcher.command(binaries.postgres, ["-D", cluster, ...flags]);
  const output = openSync(log, "a", 0o600);
  const child = spawn(file, args, { ...options, detached: true, stdio: ["ignore", output, output] });
  closeSync(output);
  child.unref();
  return child;
}

/**
 * PostgreSQL refuses to start while the process in this file exists, even if the pid was reused. The file is
 * removed only then, because otherwise it protects the data from a second server.
 */
function removeStalePidFile(dataDir: string): void {
  const file = readPidFile(dataDir);
  if (!file || !isProcessAlive(file.pid) || isServerOf(dataDir, file.pid) || findOrphans(dataDir).length > 0) return;
  rmSync(join(clusterFiles(dataDir).cluster, "postmaster.pid"), { force: true });
}

const FATAL = /^.*?\b(FATAL|PANIC): +/;

/** PostgreSQL's reason for not starting: the last fatal line it logged. */
export function lastFatal(dataDir: string): string | null {
  const { log } = clusterFiles(dataDir);
  const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(-40) : [];
  const line = lines.reverse().find((entry) => FATAL.test(entry));
  return line?.replace(FATAL, "") ?? null;
}

/** Server processes left behind by a killed postmaster; no new one can start while they run. Linux only. */
export function findOrphans(dataDir: string): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid > 0 && pid !== process.pid && isServerOf(dataDir, pid));
}
