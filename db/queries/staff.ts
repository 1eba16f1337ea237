import { and, isNull, sql } from "drizzle-orm";
import type { Orm } from "../client";
import { users } from "../schema/users";
import { UNLOCKED } from "./users";

export type NewStaffRow = {
  id: string;
  email: string;
  name: string | null;
  password_hash: string;
  /** Sealed. */
  totp_secret: string;
  totp_enabled_at: string;
};

/** False when the e-mail address is taken, by whoever it is. */
export async function insertStaff(tx: Orm, staff: NewStaffRow): Promise<boolean> {
  const rows = await tx
    .insert(users)
    .values({ ...staff, merchant_id: null, role: "staff", owns_email: true, email_verified_at: sql`now()` })
    .onConflictDoNothing()
    .returning({ id: users.id });
  return rows.length === 1;
}

/** Ends the lock of a member of the staff, and forgets the failures. Null when nobody on it has the address. */
export async function unlockStaff(orm: Orm, email: string): Promise<{ id: string; email: string } | null> {
  const rows = await orm
    .update(users)
    .set(UNLOCKED)
    .where(and(sql`lower(${users.email}) = lower(${email})`, isNull(users.merchant_id)))
    .returning({ id: users.id, email: users.email });
  return rows[0] ?? null;
}
