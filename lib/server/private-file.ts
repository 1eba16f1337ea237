import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file that only its owner can read, atomically. Replaces an existing one. */
export function replacePrivateFile(file: string, text: string): void {
  withTemporary(file, text, (temporary) => renameSync(temporary, file));
}

/** The same, but keeps an existing file and then returns false: the first of several writers wins. */
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

/** Syncs the folder, so that the file's name is durable. Windows can't open folders, and doesn't need it. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const target = openSync(folder, "r");
  try {
    fsyncSync(target);
  } finally {
    closeSync(target);
  }
}
