import { insertSupportAct } from "@/db/queries/support-audit-log";
import { unlockPerson as unlock } from "@/db/queries/support-merchants";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import type { StaffCall } from "./staff-call";

/** Lets a merchant's person who failed to sign in too often try again. Changes neither password nor second factor. */
export async function unlockPerson(
  call: StaffCall,
  input: { merchantId: string; userId: string; reason: string },
): Promise<void> {
  const { service, staff, request } = call;
  const merchantId = decodeId("merchant", input.merchantId);
  const userId = decodeId("user", input.userId);
  await service.db.orm.transaction(async (tx) => {
    const person = merchantId && userId && (await unlock(tx, merchantId, userId));
    if (!person) throw new AppError("resource_not_found", `This merchant has no person '${input.userId}'.`);
    await insertSupportAct(tx, {
      id: newId(),
      staff_id: staff.userId,
      action: "support.unlocked_person",
      merchant_id: merchantId,
      object_id: input.userId,
      detail: { reason: input.reason, email: person.email },
      request_id: request.id,
    });
  });
}
