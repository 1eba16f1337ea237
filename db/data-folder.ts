import { accessSync, constants, existsSync, mkdirSync, realpathSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConfigurationError } from "@/lib/env";

/** Creates the data folder, accessible to its owner only, unless it exists. Returns its real path. */
export function prepareDataFolder(folder: string): string {
  const path = resolve(folder);
  try {
    make(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return realpathSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT") throw noSpace(path);
    throw new ConfigurationError(
      `The data folder ${path} cannot be written to (${code}): give this user access to it, or set DATA_DIR to another folder.`,
    );
  }
}

export const noSpace = (folder: string) =>
  new ConfigurationError(
    `There is no space left on the disk of ${folder}: free some, or set DATA_DIR to a folder on another disk.`,
  );

export function isDiskFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < 64 * 1_024;
}

/**
 * One level at a time, because Node's recursive mkdir never returns if the file system refuses, as /proc
 * does.
 */
function make(path: string): void {
  if (existsSync(path)) {
    accessSync(`${path}/.`, constants.X_OK);
    return;
  }
  make(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
