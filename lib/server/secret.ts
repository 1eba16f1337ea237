import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Orm } from "@/db/client";
import { prepareDataFolder } from "@/db/data-folder";
import { findClusterId, hasSecretKeys } from "@/db/queries/service/settings";
import { ConfigurationError, env } from "@/lib/env";
import { createPrivateFile } from "./private-file";

const MIN_LENGTH = 32;

export type SecretOptions = {
  /** CARDLANE_SECRET, CARDLANE_SECRET_PREVIOUS and CARDLANE_SECRET_FILE; null = not set. */
  configured: string | null;
  previous: string | null;
  file: string | null;
  embedded: boolean;
  dataDir: string;
  orm: Orm;
};

export type ResolvedSecret = {
  readonly value: string;
  /** Earlier secrets, still accepted for data created with them. */
  readonly previous: readonly string[];
  /** The file that holds it; null if it comes from a setting. */
  readonly file: string | null;
};

/**
 * The configured secret, or else the one in its file. The embedded database's file is in the user's
 * configuration folder, so that a copied data folder can't be decrypted; a new database gets a random
 * secret. Throws ConfigurationError if the secret is missing or too weak.
 */
export async function resolveSecret(options: SecretOptions): Promise<ResolvedSecret> {
  const { configured } = options;
  if (configured !== null) requireLong(configured, null);
  if (configured !== null && options.file !== null) {
    throw new ConfigurationError("CARDLANE_SECRET and CARDLANE_SECRET_FILE are both set: set one of them.");
  }
  const resolved = configured === null ? await fromFile(options) : fromSettings(configured, options.previous);
  for (const value of [resolved.value, ...resolved.previous]) requireLong(value, resolved.file);
  return resolved;
}

function requireLong(value: string, file: string | null): void {
  if (value.length >= MIN_LENGTH) return;
  throw new ConfigurationError(
    file === null
      ? `CARDLANE_SECRET and each in CARDLANE_SECRET_PREVIOUS must have at least ${MIN_LENGTH} random characters.`
      : `The secret in ${file} is incomplete: restore that file from a backup.`,
  );
}

const fromSettings = (value: string, previous: string | null): ResolvedSecret => ({
  value,
  previous: linesOf(previous ?? ""),
  file: null,
});

async function fromFile(options: SecretOptions): Promise<ResolvedSecret> {
  const { embedded, dataDir, orm } = options;
  if (options.file === null && !embedded) throw missing();
  const file = options.file === null ? await defaultFile(orm) : resolve(options.file);
  // Leave the folder of an existing secret alone: it may be a read-only mount.
  if (!existsSync(file)) prepareFolder(file);
  requireOutside(dataDir, file);
  if (!existsSync(file)) {
    if (await hasSecretKeys(orm)) throw lost(file);
    createSecretFile(file, randomBytes(32).toString("hex"));
  }
  return readSecret(file);
}

const linesOf = (text: string): string[] =>
  text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter(Boolean);

/** The first line is the current secret; the others are earlier ones. */
function readSecret(file: string): ResolvedSecret {
  const [value = "", ...previous] = linesOf(contentOf(file));
  return { value, previous, file };
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const isFolder = (error as NodeJS.ErrnoException).code === "EISDIR";
    throw new ConfigurationError(
      isFolder
        ? `The secret cannot be read from ${file}, which is a folder: set CARDLANE_SECRET_FILE to a file.`
        : `The secret cannot be read from ${file} (${(error as NodeJS.ErrnoException).code}): give this user access to it.`,
      { cause: error },
    );
  }
}

/** In the user's configuration folder, under the id of the PostgreSQL cluster. */
async function defaultFile(orm: Orm): Promise<string> {
  const { configFolder } = env;
  const base = configFolder && isAbsolute(configFolder) ? configFolder : join(homeFolder(), ".config");
  return join(base, "cardlane", await findClusterId(orm), "secret");
}

function homeFolder(): string {
  let home = "";
  try {
    home = homedir();
  } catch {
    // The system doesn't know this user.
  }
  if (isAbsolute(home)) return home;
  throw new ConfigurationError(
    "This user has no home folder to keep the secret in: set CARDLANE_SECRET_FILE to a file outside DATA_DIR, or CARDLANE_SECRET.",
  );
}

function prepareFolder(file: string): void {
  try {
    prepareDataFolder(dirname(file));
  } catch (error) {
    throw error instanceof ConfigurationError ? unwritable(file, error) : error;
  }
}

function createSecretFile(file: string, value: string): void {
  try {
    createPrivateFile(file, `${value}\n`);
  } catch (error) {
    throw unwritable(file, error);
  }
}

const unwritable = (file: string, cause: unknown) =>
  new ConfigurationError(
    `The secret cannot be kept in ${file}: set CARDLANE_SECRET_FILE to a file outside DATA_DIR that this user may write, or CARDLANE_SECRET.`,
    { cause },
  );

/** Needs an existing folder: resolves symbolic links, so that none leads back into the data folder. */
function requireOutside(dataDir: string, file: string): void {
  if (!existsSync(dataDir)) return;
  const real = existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
  const path = relative(realpathSync(dataDir), real);
  if (path.startsWith("..") || isAbsolute(path)) return;
  throw new ConfigurationError(
    `The secret must not lie in the data folder (${file}), where a copy of the data has its key: set CARDLANE_SECRET_FILE to a file elsewhere.`,
  );
}

const missing = () =>
  new ConfigurationError(
    `With DATABASE_URL the service needs CARDLANE_SECRET, the same for every process: set it to ${MIN_LENGTH} or more random characters (openssl rand -hex 32), or CARDLANE_SECRET_FILE to the file that holds them.`,
  );

const lost = (file: string) =>
  new ConfigurationError(
    `The secret of this database is not in ${file}: copy that file from the machine or user that the database ran under, or set CARDLANE_SECRET.`,
  );
