import { and, count, eq, isNull, sql } from "drizzle-orm";
import type { Orm } from "../client";
import { recoveryCodes } from "../schema/users";

/** Uses a code up; false when it is not the person's, or was used. */
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
