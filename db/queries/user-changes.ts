import { and, eq, isNull, ne, sql } from "drizzle-orm";
import type { Preferences } from "@/lib/contract/roles";
import type { Orm } from "../client";
import { type UserRow, users } from "../schema/users";

/**
 * Sets a password, and opens an account that was locked: who chooses it has proved who they are. With `provenHash`, the
 * hash that was proved, null when it is not the person's any more.
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
      name: sql`coalesce(${name}, ${users.name})`,
    })
    .where(and(eq(users.id, id), provenHash === undefined ? undefined : eq(users.password_hash, provenHash)))
    .returning();
  return rows[0] ?? null;
}

/** Null when somebody else has the e-mail address: then the transaction must be given up. */
export async function updateAccount(
  orm: Orm,
  id: string,
  account: { name: string; email: string },
): Promise<UserRow | null> {
  const taken = sql`exists (select from ${users} o where lower(o.email) = lower(${account.email}) and o.id <> ${id})`;
  try {
    const rows = await orm
      .update(users)
      .set(account)
      .where(and(eq(users.id, id), sql`not ${taken}`))
      .returning();
    return rows[0] ?? null;
  } catch (error) {
    // Somebody else took it in the same instant.
    if (isUniqueViolation(error)) return null;
    throw error;
  }
}

function isUniqueViolation(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && "code" in cause && cause.code === "23505";
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

/** Whether an e-mail address belongs to somebody, a merchant's or staff. */
export async function isEmailTaken(orm: Orm, email: string, exceptUserId: string | null = null): Promise<boolean> {
  const rows = await orm
    .select({ id: users.id })
    .from(users)
    .where(
      and(sql`lower(${users.email}) = lower(${email})`, exceptUserId === null ? undefined : ne(users.id, exceptUserId)),
    );
  return rows.length > 0;
}
