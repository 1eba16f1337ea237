import type { Sql } from "@/db/client";
import { findUsableKey as selectUsableKey, type UsableKey } from "@/db/queries/api-keys";

export type { UsableKey };

/** The key whose secret has this SHA-256; null when there is none that works now. */
export function findUsableKey(service: { db: { sql: Sql } }, secretSha256: Buffer): Promise<UsableKey | null> {
  return selectUsableKey(service.db.sql, secretSha256);
}
