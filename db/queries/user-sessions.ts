import type { Sql } from "@/db/client";
import { PROOF_MINUTES } from "@/lib/contract/accounts/proof";
import type { Preferences, UserRole } from "@/lib/contract/permissions";

/** A session that nobody used for so long has ended. */
export const SESSION_IDLE_HOURS = 12;

/** A person who is signed in, with the merchant and its environments; those are null for support staff. */
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
  /** The person proved within the last minutes who they are, by the database's clock. */
  proved_recently: boolean;
  /** The session was last noted as seen more than a minute ago. */
  stale: boolean;
  merchant_id: string | null;
  merchant_name: string | null;
  time_zone: string | null;
  refund_limit_usd: number | null;
  suspended: boolean;
  merchant_created_at: string | null;
  test_id: string | null;
  live_id: string | null;
};

/**
 * Who a living session belongs to; null when it is unknown, ended, out of time or idle for too long. A proof that seems to
 * come from the future does not count: the clock was set back. Index: primary keys.
 */
export async function findSignedIn(sql: Sql, sessionId: string): Promise<SignedInRow | null> {
  const [row] = await sql<SignedInRow[]>`
    select s.id as session_id, u.id as user_id, u.email, u.name, u.role, u.preferences, s.mfa_at,
      u.totp_enabled_at is not null as mfa_enabled, u.email_verified_at is not null as email_verified,
      coalesce(s.proved_at between now() - make_interval(mins => ${PROOF_MINUTES}::integer) and now() + interval '1 minute',
        false) as proved_recently, s.last_seen_at < now() - interval '1 minute' as stale,
      m.id as merchant_id, m.name as merchant_name, m.time_zone, m.refund_limit_usd,
      coalesce(m.suspended_at is not null, false) as suspended,
      m.created_at as merchant_created_at, t.id as test_id, l.id as live_id
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

/** Ends one session. Ending an ended one changes nothing. */
export async function revokeSession(sql: Sql, sessionId: string): Promise<void> {
  await sql`update user_sessions set revoked_at = now() where id = ${sessionId}::uuid and revoked_at is null`;
}
