import type { Sql } from "@/db/client";
import { type KeyUse, recordKeyUses as updateKeyUses } from "@/db/queries/api-keys";

export type { KeyUse };

/** Keeps when and from where keys were last used. */
export async function recordKeyUses(service: { db: { sql: Sql } }, uses: KeyUse[]): Promise<void> {
  if (uses.length > 0) await updateKeyUses(service.db.sql, uses);
}
