import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file that only its owner can read, atomically. Replaces an existing one. */
export function replacePrivateFile(file: string, text: string): void {
  withTemporary(file, text, (temporary) => renameSync(temporary, file));
}

/** The same, but the first of several writers wins: an existing file stays, and false says so. */
export function createPrivateFile(file: string, text: string): boolean {
  try {
    withTemporary(file, text, (temporary) => linkSync(temporary, file));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function withTemporary(file: string, text: string, publish: (temporary: string) => void): void {
  const temporary = `${file}.${randomUUID()}.new`;
  try {
    const target = openSync(temporary, "wx", 0o600);
    try {
      writeSync(target, text);
      fsyncSync(target);
    } finally {
      closeSync(target);
    }
    publish(temporary);
    syncFolder(dirname(file));
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The name is on disk with its folder. Windows cannot open a folder, and needs it not. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const target = openSync(folder, "r");
  try {
    fsyncSync(target);
  } finally {
    closeSync(target);
  }
}
