import { and, desc, eq, gt, isNull, ne, sql } from "drizzle-orm";
import type { Orm } from "../client";
import { userSessions } from "../schema/users";

export type SessionRow = typeof userSessions.$inferSelect;

const living = (userId: string) =>
  and(eq(userSessions.user_id, userId), isNull(userSessions.revoked_at), gt(userSessions.expires_at, sql`now()`));

/** Where a person is signed in, the latest used first. */
export function listSessions(orm: Orm, userId: string, limit: number): Promise<SessionRow[]> {
  return orm.select().from(userSessions).where(living(userId)).orderBy(desc(userSessions.last_seen_at)).limit(limit);
}

/** Ends one session of the person; false when there is no such living one. */
export async function revokeSessionOf(orm: Orm, userId: string, id: string): Promise<boolean> {
  const rows = await orm
    .update(userSessions)
    .set({ revoked_at: sql`now()` })
    .where(and(living(userId), eq(userSessions.id, id)))
    .returning({ id: userSessions.id });
  return rows.length === 1;
}

/** Ends all sessions of the person, or all but one. Answers how many. */
export async function revokeSessions(orm: Orm, userId: string, exceptId: string | null): Promise<number> {
  const rows = await orm
    .update(userSessions)
    .set({ revoked_at: sql`now()` })
    .where(and(living(userId), exceptId === null ? undefined : ne(userSessions.id, exceptId)))
    .returning({ id: userSessions.id });
  return rows.length;
}

/** Notes that the second factor was given in a session just now. */
export async function markSecondFactor(orm: Orm, id: string): Promise<void> {
  await orm.update(userSessions).set({ mfa_at: sql`now()` }).where(eq(userSessions.id, id));
}
