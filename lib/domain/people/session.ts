import { findSignedIn, type SignedInRow, touchSession } from "@/db/queries/user-sessions";
import { type Preferences, ROLE_PERMISSIONS, type UserPermission, type UserRole } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Service } from "@/lib/domain/context";

/** Somebody who is signed in. Ids are UUIDs. */
export type Person = {
  readonly sessionId: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: UserRole;
  /** Null for support staff. */
  readonly merchantId: string | null;
  readonly preferences: Preferences;
  /** When the second factor was given in this session; ISO 8601. */
  readonly mfaAt: string | null;
  readonly mfaEnabled: boolean;
  /** Whether the person proved that the e-mail address is theirs. */
  readonly emailVerified: boolean;
  /** Whether they proved within the last minutes, in this session, who they are. */
  readonly provedRecently: boolean;
  /** What they may refund without that: their merchant's limit, in US dollars. 0 for support staff. */
  readonly refundLimitUsd: number;
  readonly permissions: ReadonlySet<UserPermission>;
};

/** The merchant of a person who is signed in. */
export type SignedInMerchant = {
  readonly id: string;
  readonly name: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly suspended: boolean;
  readonly createdAt: string;
  readonly environments: Record<Mode, string>;
};

export type SignedIn = { readonly person: Person; readonly merchant: SignedInMerchant | null };

const PERMISSION_SETS = new Map(
  Object.entries(ROLE_PERMISSIONS).map(([role, permissions]) => [role, new Set<UserPermission>(permissions)]),
);

/** Who the session belongs to; null when it is unknown, ended, idle or out of time. Notes at most once a minute that it was seen. */
export async function findSession(service: Pick<Service, "db" | "log">, sessionId: string): Promise<SignedIn | null> {
  const row = await findSignedIn(service.db.sql, sessionId);
  if (row === null) return null;
  if (row.stale) {
    touchSession(service.db.sql, sessionId).catch((error: unknown) =>
      service.log.warn({ err: error }, "a session's last use could not be noted"),
    );
  }
  return { person: personOf(row), merchant: merchantOf(row) };
}

function personOf(row: SignedInRow): Person {
  return {
    sessionId: row.session_id,
    userId: row.user_id,
    email: row.email,
    name: row.name,
    role: row.role,
    merchantId: row.merchant_id,
    preferences: row.preferences,
    mfaAt: row.mfa_at,
    mfaEnabled: row.mfa_enabled,
    emailVerified: row.email_verified,
    provedRecently: row.proved_recently,
    refundLimitUsd: row.refund_limit_usd ?? 0,
    permissions: PERMISSION_SETS.get(row.role) ?? new Set(),
  };
}

function merchantOf(row: SignedInRow): SignedInMerchant | null {
  const { merchant_id, merchant_name, time_zone, merchant_created_at, test_id, live_id } = row;
  if (!merchant_id || merchant_name === null || !time_zone || !merchant_created_at || !test_id || !live_id) return null;
  return {
    id: merchant_id,
    name: merchant_name,
    timeZone: time_zone,
    suspended: row.suspended,
    createdAt: merchant_created_at,
    environments: { test: test_id, live: live_id },
  };
}
