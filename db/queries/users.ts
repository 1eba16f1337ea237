import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { Orm } from "../client";
import { type UserRow, users } from "../schema/users";

/** Whose sign-in it is: a merchant's people and Cardlane's staff never use each other's. */
export type UserKind = "merchant" | "staff";

const ofKind = (kind: UserKind) => (kind === "staff" ? isNull(users.merchant_id) : isNotNull(users.merchant_id));
/** By the index users_email_owner: an address that somebody only typed in leads to nobody. */
const byEmail = (email: string) => and(users.owns_email, sql`lower(${users.email}) = lower(${email})`);

/** Who signs in with an address. */
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

/** The person as it is, and as it stays until the transaction ends. */
export async function lockUser(orm: Orm, id: string): Promise<UserRow | null> {
  const rows = await orm.select().from(users).where(eq(users.id, id)).for("update");
  return rows[0] ?? null;
}

export type LockRule = { readonly failures: number; readonly minutes: number };

/**
 * Wrong tries at the sign-in, which anybody can make, and of who is signed in and proves it again. Counted apart, or a stranger
 * would keep an owner from what takes a proof.
 */
export type Tries = "sign_in" | "proof";
const COUNTERS = {
  sign_in: { failed: users.failed_sign_ins, until: users.locked_until },
  proof: { failed: users.failed_proofs, until: users.proofs_locked_until },
} as const;

const counted = (tries: Tries, failed: SQL, until: SQL) =>
  tries === "sign_in"
    ? { failed_sign_ins: failed, locked_until: until }
    : { failed_proofs: failed, proofs_locked_until: until };

/** A lock that ends later than any can is from before the database's clock was set back. */
const isLockOver = (until: AnyPgColumn, rule: LockRule) =>
  sql`(${until} <= now() or ${until} > ${lockEnd(rule)} + interval '1 minute')`;

const lockEnd = (rule: LockRule) => sql`now() + make_interval(mins => ${rule.minutes}::integer)`;

/**
 * Takes one of the tries that an account has before it is locked: counts it as failed before it is looked at, so that
 * guesses sent at once are counted like guesses sent in turn. Null when the account is locked, or not there.
 */
export function reserveAttempt(orm: Orm, kind: UserKind, email: string, rule: LockRule): Promise<UserRow | null> {
  return reserve(orm, "sign_in", and(byEmail(email), ofKind(kind)), rule);
}

/** The same of a person who is to prove who they are. */
export function reserveProof(orm: Orm, id: string, rule: LockRule): Promise<UserRow | null> {
  return reserve(orm, "proof", eq(users.id, id), rule);
}

/** Takes as long as a write does, commit included, and leaves nothing in any table: for an address that nobody has. */
export async function writeNothing(orm: Orm): Promise<void> {
  await orm.execute(sql`select pg_logical_emit_message(true, 'cardlane', ${"-".repeat(400)}::text)`);
}

async function reserve(orm: Orm, tries: Tries, whose: SQL | undefined, rule: LockRule): Promise<UserRow | null> {
  const { failed, until } = COUNTERS[tries];
  // A lock that is over has used up its failures; until it is over no row matches.
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
 * Takes one of the tries at a code of the second factor, counted like those above but apart from them: a new password does
 * not bring them back. Null while codes are locked.
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

/** As a person is on whom nothing was tried. */
export const UNLOCKED = {
  ...{ failed_sign_ins: 0, locked_until: null, failed_proofs: 0, proofs_locked_until: null },
  ...{ failed_codes: 0, codes_locked_until: null },
} as const;

/** Forgets the wrong codes, after a right one. */
export async function forgetFailedCodes(orm: Orm, id: string): Promise<void> {
  await orm.update(users).set({ failed_codes: 0, codes_locked_until: null }).where(eq(users.id, id));
}

/** Gives a try back that was neither right nor wrong: the password fits, and the code is still to come. */
export async function releaseAttempt(orm: Orm, id: string, rule: LockRule, tries: Tries): Promise<void> {
  const { failed, until } = COUNTERS[tries];
  const locked = sql`case when ${failed} > ${rule.failures}::integer then ${until} end`;
  await orm
    .update(users)
    .set(counted(tries, sql`greatest(${failed} - 1, 0)`, locked))
    .where(eq(users.id, id));
}

/** Starts the lock of an account whose last try was wrong; null when another try, a right one, has meanwhile opened it. */
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
 * Ends a try as right, if the account is still what it was checked against: the same password and second factor, and a
 * code of a step that was not used. Null otherwise.
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

/** Uses up a code's step outside of a sign-in; false when it was used already. */
export async function takeTotpStep(orm: Orm, id: string, step: number): Promise<boolean> {
  const rows = await orm
    .update(users)
    .set({ totp_last_step: step })
    .where(and(eq(users.id, id), sql`coalesce(${users.totp_last_step}, -1) < ${step}::bigint`))
    .returning({ id: users.id });
  return rows.length === 1;
}
