import type { SupportActRow } from "@/db/queries/support-audit-log";
import { encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import type { StaffActView } from "@/lib/contract/support/staff-acts";

export function presentStaffAct(row: SupportActRow): StaffActView {
  const merchant =
    row.merchant_id === null || row.merchant_name === null
      ? null
      : { id: encodeId("merchant", row.merchant_id), name: row.merchant_name };
  return {
    id: encodeId("audit", row.id),
    action: row.action,
    staff: { id: encodeId("user", row.staff_id), email: row.staff_email, name: row.staff_name },
    merchant,
    objectId: row.object_id,
    query: textOf(row.detail?.query),
    reason: textOf(row.detail?.reason),
    requestId: encodeIdOrNull("request", row.request_id),
    at: row.created_at,
  };
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
