import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Orm } from "@/db/client";
import { adoptServiceSetting } from "@/db/queries/service-settings";
import { ConfigurationError } from "@/lib/env";
import { createPrivateFile } from "./private-file";

const MIN_LENGTH = 32;

/** For an operator whose database is not the embedded one: who can read that database could guess cards from fingerprints. */
export const SECRET_WARNING =
  "The key of card fingerprints is kept in the database itself: set CARDLANE_SECRET in production.";

/**
 * The service's one secret: the configured one; else, with the embedded database, the one in the data folder; else the
 * one that all instances on this database share. Made at random when there is none yet.
 */
export async function resolveSecret(options: {
  configured: string | null;
  embedded: boolean;
  dataDir: string;
  orm: Orm;
}): Promise<string> {
  if (options.configured !== null) {
    if (options.configured.length >= MIN_LENGTH) return options.configured;
    throw new ConfigurationError(`CARDLANE_SECRET must have at least ${MIN_LENGTH} random characters.`);
  }
  if (options.embedded) return secretFile(options.dataDir);
  return adoptServiceSetting(options.orm, "secret", randomBytes(32).toString("hex"));
}

export function secretFile(dataDir: string): string {
  const file = join(dataDir, "secret");
  if (!existsSync(file)) createPrivateFile(file, randomBytes(32).toString("hex"));
  const secret = readFileSync(file, "utf8").trim();
  if (secret.length >= MIN_LENGTH) return secret;
  throw new ConfigurationError(`The secret in ${file} is incomplete: restore that file from a backup.`);
}
