import type { Database } from "@/db/client";
import { type UserRow, users } from "@/db/schema/accounts";
import { hashPassword } from "@/lib/auth/password";
import type { UserRole } from "@/lib/contract/permissions";
import { newId } from "@/lib/ids";

export const TEST_PASSWORD = "correct horse battery";

/** One hash for all: it costs 20 ms each time. */
let passwordHash: Promise<string> | null = null;

/** Somebody with the password above, whose e-mail address nobody else has, and who proved that it is theirs. */
export async function createTestUser(
  db: Database,
  user: { merchantId: string | null; role: UserRole } & Partial<UserRow>,
): Promise<UserRow> {
  passwordHash ??= hashPassword(TEST_PASSWORD);
  const { merchantId, role, ...more } = user;
  const id = newId();
  const row = { id, email: `${id}@people.example`, password_hash: await passwordHash, merchant_id: merchantId, role };
  const proved = { owns_email: true, email_verified_at: new Date().toISOString() };
  const rows = await db.orm
    .insert(users)
    .values({ ...row, ...proved, ...more })
    .returning();
  return rows[0] as UserRow;
}
