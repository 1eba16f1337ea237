import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const HEARTBEAT_MS = 1_000;
/**
 * A holder whose process exists counts as alive unless it has been silent for this long, since its pid may
 * have been reused.
 */
const SILENT_MS = 20_000;

/**
 * Runs `work` while no other process on this machine runs under the same lock file. A killed holder's lock is
 * taken over. `onWait` gets the pid of the current holder.
 */
export async function withFileLock<T>(
  file: string,
  work: () => Promise<T>,
  onWait: (holder: string) => void = () => {},
): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  const mark = `${process.pid} ${hostname()} ${randomUUID()}`;
  while (!tryCreate(file, mark)) {
    removeIfAbandoned(file);
    onWait(read(file)?.split(" ")[0] ?? "");
    await wait(50);
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(file, now, now);
    } catch {
      // The file is gone (the folder was deleted); the work itself will fail with the reason.
    }
  }, HEARTBEAT_MS);
  heartbeat.unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if (read(file) === mark) rmSync(file, { force: true });
  }
}

function tryCreate(file: string, mark: string): boolean {
  try {
    writeFileSync(file, mark, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

export function isAbandoned(mark: string, silentMs: number): boolean {
  if (silentMs > SILENT_MS) return true;
  const [pid, host] = mark.split(" ");
  if (host !== hostname()) return false;
  return !isProcessAlive(Number(pid));
}

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Moves the file aside first: between reading and removing it, another process may have taken the lock over.
 */
function removeIfAbandoned(file: string): void {
  const mark = read(file);
  const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (!mark || changedAt === undefined || !isAbandoned(mark, Date.now() - changedAt)) return;
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    if (read(aside) !== mark) linkSync(aside, file);
  } catch {
    // Another process was faster; the next iteration sees the result.
  }
  rmSync(aside, { force: true });
}
