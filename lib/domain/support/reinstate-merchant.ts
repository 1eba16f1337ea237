import { insertSupportAct } from "@/db/queries/support-audit-log";
import { findMerchant, reinstateMerchant as reinstate } from "@/db/queries/support-merchants";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { merchantNotFound } from "./merchant-not-found";
import type { StaffCall } from "./staff-call";

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
