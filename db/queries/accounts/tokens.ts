import { and, count, desc, eq, gt, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import type { Orm } from "@/db/client";
import { merchants, users, userTokens } from "@/db/schema/accounts";

export type TokenPurpose = (typeof userTokens.$inferSelect)["purpose"];

type NewToken = {
  id: string;
  user_id: string;
  purpose: TokenPurpose;
  token_sha256: Buffer;
  /** The address it verifies, if not the user's own. */
  email: string | null;
  livesMinutes: number;
  created_at: string;
};

export async function insertToken(orm: Orm, { livesMinutes, ...token }: NewToken): Promise<void> {
  const expires_at = sql`now() + make_interval(mins => ${livesMinutes}::integer)`;
  await orm.insert(userTokens).values({ ...token, expires_at });
}

/** Number of links with this purpose sent to the user within the last hour. */
export async function countRecentTokens(orm: Orm, userId: string, purpose: TokenPurpose): Promise<number> {
  const rows = await orm
    .select({ sent: count() })
    .from(userTokens)
    .where(
      and(
        eq(userTokens.user_id, userId),
        eq(userTokens.purpose, purpose),
        gt(userTokens.created_at, sql`now() - interval '1 hour'`),
      ),
    );
  return rows[0]?.sent ?? 0;
}

const usable = (digest: Buffer) =>
  and(eq(userTokens.token_sha256, digest), isNull(userTokens.used_at), gt(userTokens.expires_at, sql`now()`));

export type TokenHolder = {
  /** UUID. */
  user_id: string;
  purpose: TokenPurpose;
  email: string;
  name: string | null;
  merchant_name: string | null;
};

/** The new address in the user's latest link; null without one. */
export async function findPendingEmail(orm: Orm, userId: string): Promise<string | null> {
  const rows = await orm
    .select({ email: userTokens.email })
    .from(userTokens)
    .where(
      and(
        eq(userTokens.user_id, userId),
        eq(userTokens.purpose, "verify_email"),
        isNotNull(userTokens.email),
        isNull(userTokens.used_at),
        gt(userTokens.expires_at, sql`now()`),
      ),
    )
    .orderBy(desc(userTokens.id))
    .limit(1);
  return rows[0]?.email ?? null;
}

/** The user of a token, by the unique index user_tokens_token; null if it is unknown, used or expired. */
export async function findTokenHolder(orm: Orm, digest: Buffer): Promise<TokenHolder | null> {
  const rows = await orm
    .select({
      user_id: users.id,
      purpose: userTokens.purpose,
      email: sql<string>`coalesce(${userTokens.email}, ${users.email})`,
      name: users.name,
      merchant_name: merchants.name,
    })
    .from(userTokens)
    .innerJoin(users, eq(users.id, userTokens.user_id))
    .leftJoin(merchants, eq(merchants.id, users.merchant_id))
    .where(usable(digest));
  return rows[0] ?? null;
}

/**
 * The user of a token, locked until the transaction ends; null if it is unknown. Lock order: user → token.
 */
export async function lockTokenHolder(tx: Orm, digest: Buffer): Promise<string | null> {
  const holder = tx.select({ id: userTokens.user_id }).from(userTokens).where(eq(userTokens.token_sha256, digest));
  const rows = await tx.select({ id: users.id }).from(users).where(inArray(users.id, holder)).for("update");
  return rows[0]?.id ?? null;
}

/** Consumes a token; null if it is unknown, used or expired. */
export async function takeToken(
  orm: Orm,
  digest: Buffer,
  purposes: readonly TokenPurpose[],
): Promise<{ user_id: string; purpose: TokenPurpose; email: string | null } | null> {
  const rows = await orm
    .update(userTokens)
    .set({ used_at: sql`now()` })
    .where(and(usable(digest), inArray(userTokens.purpose, [...purposes])))
    .returning({ user_id: userTokens.user_id, purpose: userTokens.purpose, email: userTokens.email });
  return rows[0] ?? null;
}

/** Voids the user's links: all, or those of one purpose. */
export async function voidTokens(orm: Orm, userId: string, purpose: TokenPurpose | null = null): Promise<void> {
  await orm
    .update(userTokens)
    .set({ used_at: sql`now()` })
    .where(
      and(
        eq(userTokens.user_id, userId),
        isNull(userTokens.used_at),
        purpose === null ? undefined : eq(userTokens.purpose, purpose),
      ),
    );
}

/**
 * Deletes links used or expired over 30 days ago; returns the number. Unused invitations stay, because
 * without one the user would count as having joined.
 */
export async function deleteOldTokens(orm: Orm, limit: number): Promise<number> {
  const old = sql`(select id from ${userTokens}
    where coalesce(used_at, case when purpose <> 'invite' then expires_at end) <= now() - interval '30 days'
    limit ${limit}::integer for update skip locked)`;
  const rows = await orm.delete(userTokens).where(sql`${userTokens.id} in ${old}`).returning({ id: userTokens.id });
  return rows.length;
}
