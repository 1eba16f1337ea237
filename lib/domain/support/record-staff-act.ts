import { insertSupportAudit } from "@/db/queries/support-audit";
import type { Service } from "@/lib/domain/context";
import { newId } from "@/lib/ids";

/** Something a member of the support staff looked up or did. Ids are UUIDs but for `objectId`, which is a public one. */
export type StaffAct = {
  /** `support.searched`, `support.viewed_payment`, `support.refundPayment` … */
  action: string;
  merchantId?: string | null;
  environmentId?: string | null;
  objectId?: string | null;
  detail?: Record<string, unknown> | null;
  requestId?: string | null;
};

/** Writes it down. Called before anything is shown or done: what cannot be recorded does not happen. */
export async function recordStaffAct(
  service: Pick<Service, "db">,
  staff: { userId: string },
  act: StaffAct,
): Promise<void> {
  await insertSupportAudit(service.db.sql, {
    id: newId(),
    staffId: staff.userId,
    action: act.action,
    merchantId: act.merchantId ?? null,
    environmentId: act.environmentId ?? null,
    objectId: act.objectId ?? null,
    detail: act.detail ?? null,
    requestId: act.requestId ?? null,
  });
}
