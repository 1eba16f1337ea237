import type { Orm } from "@/db/client";
import { deleteOldMail } from "@/db/queries/accounts/mail-outbox";
import {
  deleteOldSessions,
  findSignedIn,
  insertSession,
  listSessions,
  revokeSession,
  revokeSessionOf,
  revokeSessions,
  type SignedInRow,
  touchSession,
} from "@/db/queries/accounts/sessions";
import { deleteOldTokens } from "@/db/queries/accounts/tokens";
import { type ClockSetting, clockSettingOf } from "@/db/queries/clock";
import { insertSupportAct } from "@/db/queries/support/staff";
import { SESSION_HOURS } from "@/lib/contract/accounts/sessions";
import { keepableText } from "@/lib/contract/card-numbers";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import {
  type MerchantRole,
  type Preferences,
  ROLE_PERMISSIONS,
  type UserPermission,
  type UserRole,
} from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import { type Context, type Environment, resourceNotFound, type Service } from "@/lib/domain/context";
import { newId } from "@/lib/ids";
import { accountActor, recordAccountAct } from "./activity";

/** A signed-in user. Ids are UUIDs. */
export type SignedInUser = {
  readonly sessionId: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: UserRole;
  /** Null for support staff. */
  readonly merchantId: string | null;
  readonly preferences: Preferences;
  /** Time of the second factor in this session; ISO 8601. */
  readonly mfaAt: string | null;
  readonly mfaEnabled: boolean;
  /** True once the user has verified the e-mail address. */
  readonly emailVerified: boolean;
  /** True for a few minutes after a re-authentication in this session. */
  readonly reauthenticatedRecently: boolean;
  /** The merchant's limit on refunds without re-authentication, in US dollars. 0 for support staff. */
  readonly refundLimitUsd: number;
  readonly permissions: ReadonlySet<UserPermission>;
  /** True while an owner views the dashboard as another role, which changes nothing. */
  readonly isRoleView: boolean;
};

/** The merchant of a signed-in user. */
export type SignedInMerchant = {
  readonly id: string;
  readonly name: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly suspended: boolean;
  readonly createdAt: string;
  readonly environments: Record<Mode, string>;
  /** The test environment's clock. */
  readonly testClock: ClockSetting;
};

export type SignedIn = { readonly user: SignedInUser; readonly merchant: SignedInMerchant | null };

const PERMISSION_SETS = new Map(
  Object.entries(ROLE_PERMISSIONS).map(([role, permissions]) => [role, new Set<UserPermission>(permissions)]),
);

/** The environment of a mode that a signed-in user calls in. */
export const environmentOf = (merchant: SignedInMerchant, mode: Mode): Environment => ({
  id: merchant.environments[mode],
  mode,
  merchantId: merchant.id,
  clock: mode === "test" ? merchant.testClock : null,
});

/**
 * The user of a session; null when it is unknown, ended, idle or expired. Records the last use at most once a
 * minute.
 */
export async function findSession(service: Pick<Service, "db" | "log">, sessionId: string): Promise<SignedIn | null> {
  const row = await findSignedIn(service.db.sql, sessionId);
  if (row === null) return null;
  if (row.stale) {
    touchSession(service.db.sql, sessionId).catch((error: unknown) =>
      service.log.warn({ err: error }, "a session's last use could not be recorded"),
    );
  }
  return { user: toSignedInUser(row), merchant: toSignedInMerchant(row) };
}

function toSignedInUser(row: SignedInRow): SignedInUser {
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
    reauthenticatedRecently: row.proved_recently,
    refundLimitUsd: row.refund_limit_usd ?? 0,
    permissions: permissionsOf(row.role),
    isRoleView: false,
  };
}

const permissionsOf = (role: UserRole) => PERMISSION_SETS.get(role) ?? new Set();

/** An owner as another role sees the dashboard: with that role's permissions, of those that the owner has. */
export function viewAsRole(owner: SignedInUser, role: MerchantRole): SignedInUser {
  const permissions = new Set([...permissionsOf(role)].filter((permission) => owner.permissions.has(permission)));
  return { ...owner, role, permissions, isRoleView: true };
}

/** Throws while an owner views the dashboard as another role. For everything that changes something. */
export function requireOwnRole({ isRoleView, role }: SignedInUser): void {
  if (!isRoleView) return;
  throw new AppError(
    "permission_denied",
    `You are viewing the dashboard as ${role}. Go back to your own role to change anything.`,
  );
}

function toSignedInMerchant(row: SignedInRow): SignedInMerchant | null {
  const { merchant_id, merchant_name, time_zone, merchant_created_at, test_id, live_id } = row;
  if (!merchant_id || merchant_name === null || !time_zone || !merchant_created_at || !test_id || !live_id) return null;
  return {
    id: merchant_id,
    name: merchant_name,
    timeZone: time_zone,
    suspended: row.suspended,
    createdAt: merchant_created_at,
    environments: { test: test_id, live: live_id },
    testClock: clockSettingOf({
      clock_offset_ms: row.clock_offset_ms ?? 0,
      clock_frozen_at: row.clock_frozen_at,
    }),
  };
}

type OpenSessionInput = {
  user: { id: string; role: UserRole };
  /** True if the second factor was given. */
  hasSecondFactor: boolean;
  address: string;
  userAgent: string | null;
};

/**
 * Opens a session in the transaction that accepted the credentials, so that a concurrent revocation of all
 * sessions includes it. Returns its id (UUID), which goes into the cookie.
 */
export async function openSession(orm: Orm, input: OpenSessionInput): Promise<string> {
  const id = newId();
  await insertSession(orm, {
    id,
    userId: input.user.id,
    address: input.address,
    userAgent: input.userAgent === null ? null : keepableText(input.userAgent, 400),
    mfa: input.hasSecondFactor,
    livesHours: input.user.role === "staff" ? SESSION_HOURS.staff : SESSION_HOURS.merchant,
  });
  return id;
}

/** A sign-in or re-authentication, successful or failed, of a known account. */
type SignInAct = "signed_in" | "sign_in_failed" | "identity_proved" | "proof_failed";

/** Records the act in the audit log of the user's merchant, or in the support log for staff. */
export async function recordSignIn(
  tx: Orm,
  user: { id: string; merchant_id: string | null },
  act: SignInAct,
  detail: Record<string, unknown>,
): Promise<void> {
  if (user.merchant_id === null) {
    const entry = { id: newId(), staff_id: user.id, action: `support.${act}`, detail };
    return insertSupportAct(tx, { ...entry, merchant_id: null, object_id: null, request_id: null });
  }
  const by = { merchantId: user.merchant_id, actor: { type: "user", id: user.id }, requestId: null } as const;
  await recordAccountAct(tx, by, `settings.${act}`, user.id, detail);
}

type OwnSession = {
  /** UUID. */
  id: string;
  device: string;
  address: string;
  /** ISO 8601, like the next two. */
  lastSeenAt: string;
  createdAt: string;
  expiresAt: string;
  secondFactor: boolean;
  current: boolean;
};

/** The user's sessions: the caller's (`sessionId`, UUID) first, then the latest used. */
export async function listOwnSessions(ctx: Context, input: { sessionId: string }): Promise<OwnSession[]> {
  const rows = await listSessions(ctx.service.db.orm, ctx.actor.id as string, 100);
  const sessions = rows.map((row) => ({
    id: row.id,
    device: deviceName(row.user_agent),
    address: row.address,
    lastSeenAt: row.last_seen_at,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    secondFactor: row.mfa_at !== null,
    current: row.id === input.sessionId,
  }));
  return sessions.toSorted((a, b) => Number(b.current) - Number(a.current));
}

/** Ends a session immediately. Its cookie stops working in every browser. */
export async function endSession(service: Pick<Service, "db">, sessionId: string): Promise<void> {
  await revokeSession(service.db.sql, sessionId);
}

/** Ends one of the user's own sessions (public id). Another user's session is reported as not found. */
export async function endOwnSession(ctx: Context, input: { id: string }): Promise<void> {
  const userId = ctx.actor.id as string;
  const id = decodeId("session", input.id);
  await ctx.service.db.orm.transaction(async (tx) => {
    if (id === null || !(await revokeSessionOf(tx, userId, id))) throw resourceNotFound("session", input.id);
    await recordAccountAct(tx, accountActor(ctx), "settings.sessions_ended", userId, { count: 1 });
  });
}

/** Ends all of the user's sessions but `sessionId` (UUID). Returns the number ended. */
export function endOtherSessions(ctx: Context, input: { sessionId: string }): Promise<number> {
  const userId = ctx.actor.id as string;
  return ctx.service.db.orm.transaction(async (tx) => {
    const count = await revokeSessions(tx, userId, input.sessionId);
    if (count > 0) await recordAccountAct(tx, accountActor(ctx), "settings.sessions_ended", userId, { count });
    return count;
  });
}

const BATCH_SIZE = 5_000;

/**
 * Removes one batch of sessions, mailed links and mails that ended over 30 days ago; returns the number
 * removed.
 */
export async function removeOldSignIns(service: Pick<Service, "db">): Promise<number> {
  const { orm } = service.db;
  const sessions = await deleteOldSessions(orm, BATCH_SIZE);
  const tokens = await deleteOldTokens(orm, BATCH_SIZE);
  return sessions + tokens + (await deleteOldMail(orm, BATCH_SIZE));
}

/** Most specific pattern first: many user agents name several browsers. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/HeadlessChrome\//, "Headless Chrome"],
  [/CriOS\/|Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
  [/^curl\//, "curl"],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/CrOS/, "ChromeOS"],
  [/Macintosh|Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

const firstMatch = (marks: readonly [RegExp, string][], text: string) => marks.find(([mark]) => mark.test(text))?.[1];

/** A user agent in plain words: "Firefox on Windows". */
export function deviceName(userAgent: string | null): string {
  const browser = firstMatch(BROWSERS, userAgent ?? "");
  const system = firstMatch(SYSTEMS, userAgent ?? "");
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? (system && `A browser on ${system}`) ?? "Unknown browser";
}
