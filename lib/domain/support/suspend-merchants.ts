import {
  findMerchant,
  reinstateMerchant as reinstate,
  suspendMerchant as suspend,
  unlockPerson as unlock,
} from "@/db/queries/support/merchants";
import { insertSupportAct } from "@/db/queries/support/staff";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { merchantNotFound } from "./merchants";
import type { StaffCall } from "./staff";

/**
 * Suspends a merchant: within half a second no key of it works on any process (lib/http/authenticate.ts), and its people can
 * look but not act. The reason is kept, and the merchant sees it.
 */
export async function suspendMerchant(call: StaffCall, input: { id: string; reason: string }): Promise<void> {
  const { service, staff, request } = call;
  const id = decodeId("merchant", input.id);
  if (!id) throw merchantNotFound(input.id);
  await service.db.orm.transaction(async (tx) => {
    if (!(await findMerchant(tx, id))) throw merchantNotFound(input.id);
    if (!(await suspend(tx, id, input.reason))) {
      throw new AppError("invalid_state", "This merchant is suspended already.", {
        extra: { current_status: "suspended", allowed_actions: ["reinstate"] },
      });
    }
    await insertSupportAct(tx, {
      id: newId(),
      staff_id: staff.userId,
      action: "support.suspended_merchant",
      merchant_id: id,
      object_id: input.id,
      detail: { reason: input.reason },
      request_id: request.id,
    });
  });
}

/** Ends a suspension: the merchant's keys and people can do again what they could before. */
export async function reinstateMerchant(call: StaffCall, input: { id: string; reason: string }): Promise<void> {
  const { service, staff, request } = call;
  const id = decodeId("merchant", input.id);
  if (!id) throw merchantNotFound(input.id);
  await service.db.orm.transaction(async (tx) => {
    if (!(await findMerchant(tx, id))) throw merchantNotFound(input.id);
    if (!(await reinstate(tx, id))) {
      throw new AppError("invalid_state", "This merchant is not suspended.", {
        extra: { current_status: "active", allowed_actions: ["suspend"] },
      });
    }
    await insertSupportAct(tx, {
      id: newId(),
      staff_id: staff.userId,
      action: "support.reinstated_merchant",
      merchant_id: id,
      object_id: input.id,
      detail: { reason: input.reason },
      request_id: request.id,
    });
  });
}

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
