import { and, count, eq, isNotNull, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { Orm } from "@/db/client";
import { recoveryCodes, type UserRow, users } from "@/db/schema/accounts";
import type { Preferences } from "@/lib/contract/permissions";

/** The two separate sign-ins: a merchant's members and Cardlane's staff. */
export type UserKind = "merchant" | "staff";

const ofKind = (kind: UserKind) => (kind === "staff" ? isNull(users.merchant_id) : isNotNull(users.merchant_id));
/** Index: users_email_owner. An address that was typed in but not verified leads to no user. */
const byEmail = (email: string) => and(users.owns_email, sql`lower(${users.email}) = lower(${email})`);

/** The user who signs in with an address. */
export async function findUserByEmail(orm: Orm, kind: UserKind, email: string): Promise<UserRow | null> {
  const rows = await orm
    .select()
    .from(users)
    .where(and(byEmail(email), ofKind(kind)));
  return rows[0] ?? null;
}

export async function findUser(orm: Orm, id: string): Promise<UserRow | null> {
  const rows = await orm.select().from(users).where(eq(users.id, id));
  return rows[0] ?? null;
}

/** Locks the user until the transaction ends. */
export async function lockUser(orm: Orm, id: string): Promise<UserRow | null> {
  const rows = await orm.select().from(users).where(eq(users.id, id)).for("update");
  return rows[0] ?? null;
}

export type LockRule = { readonly failures: number; readonly minutes: number };

/**
 * Failed sign-ins, which anyone can cause, and failed re-authentications of signed-in users, counted
 * separately so that an unauthenticated caller cannot block an owner's re-authentication.
 */
export type Tries = "sign_in" | "reauthentication";
const COUNTERS = {
  sign_in: { failed: users.failed_sign_ins, until: users.locked_until },
  reauthentication: { failed: users.failed_proofs, until: users.proofs_locked_until },
} as const;

const counted = (tries: Tries, failed: SQL, until: SQL) =>
  tries === "sign_in"
    ? { failed_sign_ins: failed, locked_until: until }
    : { failed_proofs: failed, proofs_locked_until: until };

/** A lock that ends later than its rule allows dates from before the database's clock was set back. */
const isLockOver = (until: AnyPgColumn, rule: LockRule) =>
  sql`(${until} <= now() or ${until} > ${lockEnd(rule)} + interval '1 minute')`;

const lockEnd = (rule: LockRule) => sql`now() + make_interval(mins => ${rule.minutes}::integer)`;

/**
 * Reserves one of the attempts before the lock: counts it as failed before checking it, so that concurrent
 * guesses count like sequential ones. Null if the account is locked or unknown.
 */
export function reserveAttempt(orm: Orm, kind: UserKind, email: string, rule: LockRule): Promise<UserRow | null> {
  return reserve(orm, "sign_in", and(byEmail(email), ofKind(kind)), rule);
}

/** The same for a re-authentication. */
export function reserveReauthentication(orm: Orm, id: string, rule: LockRule): Promise<UserRow | null> {
  return reserve(orm, "reauthentication", eq(users.id, id), rule);
}

/** Takes as long as a write, commit included, and leaves no row: equalizes timing for an unknown address. */
export async function writeNothing(orm: Orm): Promise<void> {
  await orm.execute(sql`select pg_logical_emit_message(true, 'cardlane', ${"-".repeat(400)}::text)`);
}

async function reserve(orm: Orm, tries: Tries, whose: SQL | undefined, rule: LockRule): Promise<UserRow | null> {
  const { failed, until } = COUNTERS[tries];
  // An expired lock resets the count; no row matches while it lasts.
  const failures = sql`case when ${until} is null then ${failed} + 1 else 1 end`;
  const locked = sql`case when ${failures} >= ${rule.failures}::integer then ${lockEnd(rule)} end`;
  const rows = await orm
    .update(users)
    .set(counted(tries, failures, locked))
    .where(and(whose, sql`(${until} is null or ${isLockOver(until, rule)})`))
    .returning();
  return rows[0] ?? null;
}

/**
 * Reserves one attempt at a second-factor code, counted separately: a new password does not reset these. Null
 * while codes are locked.
 */
export async function reserveCode(orm: Orm, id: string, rule: LockRule): Promise<UserRow | null> {
  const failures = sql`case when ${users.codes_locked_until} is null then ${users.failed_codes} + 1 else 1 end`;
  const rows = await orm
    .update(users)
    .set({
      failed_codes: failures,
      codes_locked_until: sql`case when ${failures} >= ${rule.failures}::integer then ${lockEnd(rule)} end`,
    })
    .where(
      and(
        eq(users.id, id),
        sql`(${users.codes_locked_until} is null or ${isLockOver(users.codes_locked_until, rule)})`,
      ),
    )
    .returning();
  return rows[0] ?? null;
}

/** The columns of a user without failed attempts. */
export const UNLOCKED = {
  failed_sign_ins: 0,
  locked_until: null,
  failed_proofs: 0,
  proofs_locked_until: null,
  failed_codes: 0,
  codes_locked_until: null,
} as const;

/** Resets the count of wrong codes after a right one. */
export async function forgetFailedCodes(orm: Orm, id: string): Promise<void> {
  await orm.update(users).set({ failed_codes: 0, codes_locked_until: null }).where(eq(users.id, id));
}

/**
 * Releases an attempt that was neither right nor wrong: the password matched, and the code is still to come.
 */
export async function releaseAttempt(orm: Orm, id: string, rule: LockRule, tries: Tries): Promise<void> {
  const { failed, until } = COUNTERS[tries];
  const locked = sql`case when ${failed} > ${rule.failures}::integer then ${until} end`;
  await orm
    .update(users)
    .set(counted(tries, sql`greatest(${failed} - 1, 0)`, locked))
    .where(eq(users.id, id));
}

/**
 * Locks an account after its last attempt failed; null if a concurrent successful attempt reset the count.
 */
export async function confirmLock(orm: Orm, id: string, rule: LockRule, tries: Tries): Promise<UserRow | null> {
  const { failed } = COUNTERS[tries];
  const rows = await orm
    .update(users)
    .set(counted(tries, sql`${failed}`, lockEnd(rule)))
    .where(and(eq(users.id, id), sql`${failed} >= ${rule.failures}::integer`))
    .returning();
  return rows[0] ?? null;
}

/**
 * Completes a successful attempt if the account is unchanged since the check: same password and second
 * factor, and an unused code step. Null otherwise.
 */
export async function acceptAttempt(orm: Orm, checked: UserRow, totpStep: number | null): Promise<UserRow | null> {
  const rows = await orm
    .update(users)
    .set({
      failed_sign_ins: 0,
      locked_until: null,
      last_sign_in_at: sql`now()`,
      totp_last_step: sql`coalesce(${totpStep}::bigint, ${users.totp_last_step})`,
    })
    .where(
      and(
        eq(users.id, checked.id),
        eq(users.owns_email, checked.owns_email),
        eq(users.password_hash, checked.password_hash),
        sql`${users.totp_enabled_at} is not distinct from ${checked.totp_enabled_at}::timestamptz`,
        sql`(${totpStep}::bigint is null or coalesce(${users.totp_last_step}, -1) < ${totpStep}::bigint)`,
      ),
    )
    .returning();
  return rows[0] ?? null;
}

/** Stores the time of a sign-in without a password. */
export async function stampSignIn(orm: Orm, id: string): Promise<void> {
  await orm.update(users).set({ last_sign_in_at: sql`now()` }).where(eq(users.id, id));
}

/** Consumes a code's time step outside of a sign-in; false if it was used already. */
export async function takeTotpStep(orm: Orm, id: string, step: number): Promise<boolean> {
  const rows = await orm
    .update(users)
    .set({ totp_last_step: step })
    .where(and(eq(users.id, id), sql`coalesce(${users.totp_last_step}, -1) < ${step}::bigint`))
    .returning({ id: users.id });
  return rows.length === 1;
}

/**
 * Sets a password and unlocks the account, because the user was authenticated to do so; wrong second-factor
 * codes stay counted. With `provenHash`, the hash that was checked: null if it is no longer the user's.
 */
export async function setPassword(
  orm: Orm,
  id: string,
  passwordHash: string,
  { name = null, provenHash }: { name?: string | null; provenHash?: string } = {},
): Promise<UserRow | null> {
  const rows = await orm
    .update(users)
    .set({
      password_hash: passwordHash,
      failed_sign_ins: 0,
      locked_until: null,
      failed_proofs: 0,
      proofs_locked_until: null,
      name: sql`coalesce(${name}, ${users.name})`,
    })
    .where(and(eq(users.id, id), provenHash === undefined ? undefined : eq(users.password_hash, provenHash)))
    .returning();
  return rows[0] ?? null;
}

export async function updateName(orm: Orm, id: string, name: string): Promise<void> {
  await orm.update(users).set({ name }).where(eq(users.id, id));
}

/**
 * Makes a verified address the user's own; a user who had it unverified loses it. Null if another user has
 * verified it as well. Under {@link lockAddress}.
 */
export async function ownEmail(tx: Orm, id: string, email: string): Promise<UserRow | null> {
  const others = and(sql`lower(${users.email}) = lower(${email})`, ne(users.id, id), users.owns_email);
  await tx
    .update(users)
    .set({ owns_email: false })
    .where(and(others, isNull(users.email_verified_at)));
  const rows = await tx
    .update(users)
    .set({ email, owns_email: true, email_verified_at: sql`now()` })
    .where(
      and(
        eq(users.id, id),
        sql`not exists (select from ${users} o where lower(o.email) = lower(${email})
      and o.id <> ${id} and o.owns_email)`,
      ),
    )
    .returning();
  return rows[0] ?? null;
}

/**
 * Serializes, per address, verification and the limit of mails that unauthenticated callers cause. Until the
 * transaction ends.
 */
export async function lockAddress(tx: Orm, email: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('email ' || lower(${email}), 0))`);
}

/** Changes the given fields and keeps the others. */
export async function mergePreferences(orm: Orm, id: string, changes: Preferences): Promise<Preferences> {
  const rows = await orm
    .update(users)
    .set({ preferences: sql`${users.preferences} || ${JSON.stringify(changes)}::jsonb` })
    .where(eq(users.id, id))
    .returning({ preferences: users.preferences });
  return rows[0]?.preferences ?? changes;
}

/** Stores a secret that is not active yet; false if the second factor is on. */
export async function keepTotpSecret(orm: Orm, id: string, sealed: string): Promise<boolean> {
  const rows = await orm
    .update(users)
    .set({ totp_secret: sealed })
    .where(and(eq(users.id, id), isNull(users.totp_enabled_at)))
    .returning({ id: users.id });
  return rows.length === 1;
}

/** Turns the second factor on, if the stored secret is still the one whose code was checked. */
export async function enableTotp(orm: Orm, id: string, sealed: string, step: number): Promise<UserRow | null> {
  const rows = await orm
    .update(users)
    .set({ totp_enabled_at: sql`now()`, totp_last_step: step })
    .where(and(eq(users.id, id), eq(users.totp_secret, sealed), isNull(users.totp_enabled_at)))
    .returning();
  return rows[0] ?? null;
}

/** False if it was off. */
export async function disableTotp(orm: Orm, id: string): Promise<boolean> {
  const rows = await orm
    .update(users)
    .set({ totp_secret: null, totp_enabled_at: null, totp_last_step: null })
    .where(and(eq(users.id, id), sql`${users.totp_enabled_at} is not null`))
    .returning({ id: users.id });
  return rows.length === 1;
}

/** The user who has verified this address, a member or staff. */
export async function findVerifiedOwner(orm: Orm, email: string): Promise<UserRow | null> {
  const verified = and(
    sql`lower(${users.email}) = lower(${email})`,
    users.owns_email,
    isNotNull(users.email_verified_at),
  );
  const rows = await orm.select().from(users).where(verified);
  return rows[0] ?? null;
}

/** Consumes a code; false if it is not the user's or was used. */
export async function takeRecoveryCode(orm: Orm, userId: string, digest: Buffer): Promise<boolean> {
  const rows = await orm
    .update(recoveryCodes)
    .set({ used_at: sql`now()` })
    .where(and(eq(recoveryCodes.user_id, userId), eq(recoveryCodes.code_sha256, digest), isNull(recoveryCodes.used_at)))
    .returning({ user_id: recoveryCodes.user_id });
  return rows.length === 1;
}

export async function replaceRecoveryCodes(orm: Orm, userId: string, digests: Buffer[]): Promise<void> {
  await orm.delete(recoveryCodes).where(eq(recoveryCodes.user_id, userId));
  if (digests.length === 0) return;
  await orm.insert(recoveryCodes).values(digests.map((code_sha256) => ({ user_id: userId, code_sha256 })));
}

export async function countRecoveryCodes(orm: Orm, userId: string): Promise<number> {
  const rows = await orm
    .select({ left: count() })
    .from(recoveryCodes)
    .where(and(eq(recoveryCodes.user_id, userId), isNull(recoveryCodes.used_at)));
  return rows[0]?.left ?? 0;
}
