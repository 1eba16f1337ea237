import type { Orm } from "../client";
import { users } from "../schema/users";

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
    .values({ ...staff, merchant_id: null, role: "staff" })
    .onConflictDoNothing()
    .returning({ id: users.id });
  return rows.length === 1;
}
