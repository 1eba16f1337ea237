import { insertSupportAct } from "@/db/queries/support-audit-log";
import { findMerchant, suspendMerchant as suspend } from "@/db/queries/support-merchants";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { merchantNotFound } from "./merchant-not-found";
import type { StaffCall } from "./staff-call";

/**
 * Suspends a merchant: within half a second no key of it works on any process (lib/http/key-cache.ts), and its people can
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
