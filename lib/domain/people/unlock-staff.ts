import type { Database } from "@/db/client";
import { unlockStaff as unlock } from "@/db/queries/staff";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";

/**
 * Lets a member of the support staff who failed to sign in too often try again. For operators alone: staff have no link to
 * choose a new password with. Changes neither password nor second factor.
 */
export async function unlockStaff(
  service: { readonly db: Pick<Database, "orm"> },
  input: { email: string },
): Promise<{ staff_id: string; email: string }> {
  const email = input.email.trim();
  const staff = await unlock(service.db.orm, email);
  if (staff === null)
    throw new AppError("resource_not_found", `Nobody on the support staff has the address '${email}'.`);
  return { staff_id: encodeId("user", staff.id), email: staff.email };
}
