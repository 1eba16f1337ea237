import { insertSupportAudit } from "@/db/queries/support-audit";
import { keepableText } from "@/lib/contract/card-numbers";
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

const MAX_TEXT = 1_000;

/** What staff looked for may be anything that they pasted. */
const keepable = (detail: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [
      name,
      typeof value === "string" ? keepableText(value, MAX_TEXT) : value,
    ]),
  );

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
    detail: act.detail ? keepable(act.detail) : null,
    requestId: act.requestId ?? null,
  });
}
