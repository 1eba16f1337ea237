import { and, eq, isNotNull, isNull, ne, sql } from "drizzle-orm";
import type { Preferences } from "@/lib/contract/permissions";
import type { Orm } from "../client";
import { type UserRow, users } from "../schema/users";

/**
 * Sets a password, and opens an account that was locked: who chooses it has proved who they are. Wrong codes of the second
 * factor stay counted. With `provenHash`, the hash that was proved, null when it is not the person's any more.
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
 * Makes an address the person's own, because they have proved that it is. Whoever had it without a proof has it no more.
 * Null when somebody else has proved it, too. Under {@link lockAddress}.
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

/** One at a time for each address: who proves it, and how many mails strangers have sent there. Until the transaction ends. */
export async function lockAddress(tx: Orm, email: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('email ' || lower(${email}), 0))`);
}

/** Changes what is given and keeps the rest. */
export async function mergePreferences(orm: Orm, id: string, changes: Preferences): Promise<Preferences> {
  const rows = await orm
    .update(users)
    .set({ preferences: sql`${users.preferences} || ${JSON.stringify(changes)}::jsonb` })
    .where(eq(users.id, id))
    .returning({ preferences: users.preferences });
  return rows[0]?.preferences ?? changes;
}

/** Keeps a secret that does not count yet; false when the second factor is on. */
export async function keepTotpSecret(orm: Orm, id: string, sealed: string): Promise<boolean> {
  const rows = await orm
    .update(users)
    .set({ totp_secret: sealed })
    .where(and(eq(users.id, id), isNull(users.totp_enabled_at)))
    .returning({ id: users.id });
  return rows.length === 1;
}

/** Turns the second factor on, if the kept secret is still the one whose code was checked. */
export async function enableTotp(orm: Orm, id: string, sealed: string, step: number): Promise<UserRow | null> {
  const rows = await orm
    .update(users)
    .set({ totp_enabled_at: sql`now()`, totp_last_step: step })
    .where(and(eq(users.id, id), eq(users.totp_secret, sealed), isNull(users.totp_enabled_at)))
    .returning();
  return rows[0] ?? null;
}

/** False when it was off. */
export async function disableTotp(orm: Orm, id: string): Promise<boolean> {
  const rows = await orm
    .update(users)
    .set({ totp_secret: null, totp_enabled_at: null, totp_last_step: null })
    .where(and(eq(users.id, id), sql`${users.totp_enabled_at} is not null`))
    .returning({ id: users.id });
  return rows.length === 1;
}

/** The one whose address this is by proof, a merchant's or staff. */
export async function findVerifiedOwner(orm: Orm, email: string): Promise<UserRow | null> {
  const proved = and(
    sql`lower(${users.email}) = lower(${email})`,
    users.owns_email,
    isNotNull(users.email_verified_at),
  );
  const rows = await orm.select().from(users).where(proved);
  return rows[0] ?? null;
}
