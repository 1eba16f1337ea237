import { and, desc, eq, gt, isNull, ne, sql } from "drizzle-orm";
import type { Orm, Sql } from "@/db/client";
import { userSessions } from "@/db/schema/accounts";
import { REAUTHENTICATION_MINUTES, SESSION_IDLE_HOURS } from "@/lib/contract/accounts/sessions";
import type { Preferences, UserRole } from "@/lib/contract/permissions";

/** A signed-in user with merchant and environments, which are null for staff. */
export type SignedInRow = {
  session_id: string;
  user_id: string;
  email: string;
  name: string | null;
  role: UserRole;
  preferences: Preferences;
  mfa_at: string | null;
  mfa_enabled: boolean;
  email_verified: boolean;
  /** The user re-authenticated within the last minutes, by the database's clock. */
  proved_recently: boolean;
  /** `last_seen_at` is older than one minute. */
  stale: boolean;
  merchant_id: string | null;
  merchant_name: string | null;
  time_zone: string | null;
  refund_limit_usd: number | null;
  suspended: boolean;
  merchant_created_at: string | null;
  test_id: string | null;
  clock_offset_ms: number | null;
  clock_frozen_at: string | null;
  live_id: string | null;
};

/**
 * The user of a live session; null if unknown, ended, expired or idle too long. A re-authentication in the
 * future does not count, since it means the clock was set back. Index: primary keys.
 */
export async function findSignedIn(sql: Sql, sessionId: string): Promise<SignedInRow | null> {
  const [row] = await sql<SignedInRow[]>`
    select s.id as session_id, u.id as user_id, u.email, u.name, u.role, u.preferences, s.mfa_at,
      u.totp_enabled_at is not null as mfa_enabled, u.email_verified_at is not null as email_verified,
      coalesce(s.proved_at between now() - make_interval(mins => ${REAUTHENTICATION_MINUTES}::integer) and now() + interval '1 minute',
        false) as proved_recently, s.last_seen_at < now() - interval '1 minute' as stale,
      m.id as merchant_id, m.name as merchant_name, m.time_zone, m.refund_limit_usd,
      coalesce(m.suspended_at is not null, false) as suspended,
      m.created_at as merchant_created_at, t.id as test_id, t.clock_offset_ms, t.clock_frozen_at, l.id as live_id
    from user_sessions s
    join users u on u.id = s.user_id
    left join merchants m on m.id = u.merchant_id
    left join environments t on t.merchant_id = m.id and t.mode = 'test'
    left join environments l on l.merchant_id = m.id and l.mode = 'live'
    where s.id = ${sessionId}::uuid and s.revoked_at is null and s.expires_at > now()
      and s.last_seen_at > now() - make_interval(hours => ${SESSION_IDLE_HOURS}::integer)`;
  return row ?? null;
}

export async function touchSession(sql: Sql, sessionId: string): Promise<void> {
  await sql`update user_sessions set last_seen_at = now() where id = ${sessionId}::uuid`;
}

/** Ends one session; no effect on an ended one. */
export async function revokeSession(sql: Sql, sessionId: string): Promise<void> {
  await sql`update user_sessions set revoked_at = now() where id = ${sessionId}::uuid and revoked_at is null`;
}

type SessionRow = typeof userSessions.$inferSelect;

type NewSession = {
  id: string;
  userId: string;
  address: string;
  userAgent: string | null;
  /** True if the second factor was given. */
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

/** A user's live sessions, last used first. */
export function listSessions(orm: Orm, userId: string, limit: number): Promise<SessionRow[]> {
  return orm.select().from(userSessions).where(living(userId)).orderBy(desc(userSessions.last_seen_at)).limit(limit);
}

/** Ends one of the user's sessions; false if the user has no such live session. */
export async function revokeSessionOf(orm: Orm, userId: string, id: string): Promise<boolean> {
  const rows = await orm
    .update(userSessions)
    .set({ revoked_at: sql`now()` })
    .where(and(living(userId), eq(userSessions.id, id)))
    .returning({ id: userSessions.id });
  return rows.length === 1;
}

/** Ends all of the user's sessions, or all but one. Returns the number. */
export async function revokeSessions(orm: Orm, userId: string, exceptId: string | null): Promise<number> {
  const rows = await orm
    .update(userSessions)
    .set({ revoked_at: sql`now()` })
    .where(and(living(userId), exceptId === null ? undefined : ne(userSessions.id, exceptId)))
    .returning({ id: userSessions.id });
  return rows.length;
}

/** Records a re-authentication: with the second factor, or with the password alone. */
export async function markReauthenticated(orm: Orm, id: string, { mfa }: { mfa: boolean }): Promise<void> {
  await orm
    .update(userSessions)
    .set({ proved_at: sql`now()`, ...(mfa && { mfa_at: sql`now()` }) })
    .where(eq(userSessions.id, id));
}

/**
 * Deletes sessions that ended over 30 days ago; returns the number. A scan suffices: there are few sessions
 * per user.
 */
export async function deleteOldSessions(orm: Orm, limit: number): Promise<number> {
  const old = sql`(select id from ${userSessions} where least(revoked_at, expires_at, last_seen_at + interval '1 day') <= now() - interval '30 days'
    limit ${limit}::integer for update skip locked)`;
  const rows = await orm
    .delete(userSessions)
    .where(sql`${userSessions.id} in ${old}`)
    .returning({ id: userSessions.id });
  return rows.length;
}
