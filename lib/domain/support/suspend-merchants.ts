import type { Orm } from "@/db/client";
import { findMerchant } from "@/db/queries/accounts/merchants";
import {
  reinstateMerchant as reinstate,
  suspendMerchant as suspend,
  unlockMember as unlock,
} from "@/db/queries/support/merchants";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { merchantNotFound } from "./merchants";
import type { StaffCall } from "./staff";
import { recordStaffAct } from "./staff-acts";

/**
 * Suspends a merchant: within half a second none of its keys works in any process (lib/http/authenticate.ts),
 * and its users have read-only access. The reason is stored and shown to the merchant.
 */
export function suspendMerchant(call: StaffCall, input: ChangeInput): Promise<void> {
  return change(call, input, "support.suspended_merchant", async (tx, id) => {
    if (await suspend(tx, id, input.reason)) return;
    throw new AppError("invalid_state", "This merchant is already suspended.", {
      extra: { current_status: "suspended", allowed_actions: ["reinstate"] },
    });
  });
}

/** Ends a suspension: the merchant's keys and users regain their rights. */
export function reinstateMerchant(call: StaffCall, input: ChangeInput): Promise<void> {
  return change(call, input, "support.reinstated_merchant", async (tx, id) => {
    if (await reinstate(tx, id)) return;
    throw new AppError("invalid_state", "This merchant is not suspended.", {
      extra: { current_status: "active", allowed_actions: ["suspend"] },
    });
  });
}

type ChangeInput = { id: string; reason: string };

/** The change and its audit record, in one commit. */
async function change(
  { service, staff, request }: StaffCall,
  { id: objectId, reason }: ChangeInput,
  action: string,
  run: (tx: Orm, merchantId: string) => Promise<void>,
): Promise<void> {
  const merchantId = decodeId("merchant", objectId);
  if (!merchantId) throw merchantNotFound(objectId);
  await service.db.orm.transaction(async (tx) => {
    if (!(await findMerchant(tx, merchantId))) throw merchantNotFound(objectId);
    await run(tx, merchantId);
    const act = { action, merchantId, objectId, detail: { reason }, requestId: request.id };
    await recordStaffAct({ db: { orm: tx } }, staff, act);
  });
}

/** Unlocks a merchant's member after too many failed sign-ins. Changes neither password nor second factor. */
export async function unlockMember(
  { service, staff, request }: StaffCall,
  input: { merchantId: string; userId: string; reason: string },
): Promise<void> {
  const { userId: objectId, reason } = input;
  const merchantId = decodeId("merchant", input.merchantId);
  const userId = decodeId("user", objectId);
  await service.db.orm.transaction(async (tx) => {
    const member = merchantId && userId && (await unlock(tx, merchantId, userId));
    if (!member) throw new AppError("resource_not_found", `This merchant has no member '${objectId}'.`);
    const detail = { reason, email: member.email };
    const act = { action: "support.unlocked_person", merchantId, objectId, detail, requestId: request.id };
    await recordStaffAct({ db: { orm: tx } }, staff, act);
  });
}
