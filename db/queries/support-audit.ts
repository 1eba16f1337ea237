import type { Sql } from "@/db/client";

export type SupportAuditEntry = {
  id: string;
  staffId: string;
  action: string;
  merchantId: string | null;
  environmentId: string | null;
  /** Public id of what was looked at or changed. */
  objectId: string | null;
  detail: Record<string, unknown> | null;
  requestId: string | null;
};

export async function insertSupportAudit(sql: Sql, entry: SupportAuditEntry): Promise<void> {
  await sql`
    insert into support_audit_log (id, staff_id, action, merchant_id, environment_id, object_id, detail, request_id)
    values (${entry.id}::uuid, ${entry.staffId}::uuid, ${entry.action}, ${entry.merchantId}::uuid, ${entry.environmentId}::uuid,
      ${entry.objectId}, ${entry.detail as never}::jsonb, ${entry.requestId}::uuid)`;
}
