import { and, desc, eq, gt, isNull, ne, sql } from "drizzle-orm";
import type { Orm } from "../client";
import { userSessions } from "../schema/users";
import { SESSION_IDLE_HOURS } from "./user-sessions";

export type SessionRow = typeof userSessions.$inferSelect;

export type NewSession = {
  id: string;
  userId: string;
  address: string;
  userAgent: string | null;
  /** Whether the second factor was given. */
  mfa: boolean;
  livesHours: number;
};

export async function insertSession(orm: Orm, { id, mfa, livesHours, ...session }: NewSession): Promise<void> {
  await orm.insert(userSessions).values({
    id,
    user_id: session.userId,
    address: session.address,
    user_agent: session.userAgent,
    mfa_at: mfa ? sql`now()` : null,
    proved_at: sql`now()`,
    expires_at: sql`now() + make_interval(hours => ${livesHours}::integer)`,
  });
}

const living = (userId: string) =>
  and(
    eq(userSessions.user_id, userId),
    isNull(userSessions.revoked_at),
    gt(userSessions.expires_at, sql`now()`),
    gt(userSessions.last_seen_at, sql`now() - make_interval(hours => ${SESSION_IDLE_HOURS}::integer)`),
  );

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

/** Notes that the person proved just now who they are: with the second factor, or with the password alone. */
export async function markProved(orm: Orm, id: string, { mfa }: { mfa: boolean }): Promise<void> {
  await orm
    .update(userSessions)
    .set({ proved_at: sql`now()`, ...(mfa && { mfa_at: sql`now()` }) })
    .where(eq(userSessions.id, id));
}

/** Deletes what ended over 30 days ago; answers how many. A scan: there are a few sessions for each person. */
export async function deleteOldSessions(orm: Orm, limit: number): Promise<number> {
  const old = sql`(select id from ${userSessions} where least(revoked_at, expires_at, last_seen_at + interval '1 day') <= now() - interval '30 days'
    limit ${limit}::integer for update skip locked)`;
  const rows = await orm
    .delete(userSessions)
    .where(sql`${userSessions.id} in ${old}`)
    .returning({ id: userSessions.id });
  return rows.length;
}
