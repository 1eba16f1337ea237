import { eq, sql } from "drizzle-orm";
import type { Orm } from "../client";
import { type PortalSessionRow, portalSessions } from "../schema/portal";

export async function insertPortalSession(orm: Orm, row: PortalSessionRow): Promise<void> {
  await orm.insert(portalSessions).values(row);
}

/** The session of a token, expired or not. Index: `portal_sessions_token`. */
export async function findPortalSession(orm: Orm, tokenSha256: Buffer): Promise<PortalSessionRow | null> {
  const rows = await orm.select().from(portalSessions).where(eq(portalSessions.token_sha256, tokenSha256));
  return rows[0] ?? null;
}

/**
 * Deletes sessions a week after they expired, during which their page reports the expiry. Those of a test
 * clock that is ahead stay until real time reaches them. Returns the number deleted.
 */
export async function deleteExpiredPortalSessions(orm: Orm, limit: number): Promise<number> {
  const removed = await orm.execute(sql`
    delete from ${portalSessions} where (environment_id, id) in (
      select environment_id, id from ${portalSessions} where expires_at < now() - interval '7 days'
      order by expires_at limit ${limit}::int)
    returning 1`);
  return removed.length;
}
