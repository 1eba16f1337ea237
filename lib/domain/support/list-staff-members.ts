import { listStaff } from "@/db/queries/support-audit-log";
import { encodeId } from "@/lib/contract/ids";
import type { StaffCall } from "./staff-call";

const SHOWN = 200;

/** Everybody on the support staff, to choose from. */
export async function listStaffMembers({ service }: StaffCall): Promise<{ id: string; email: string }[]> {
  const rows = await listStaff(service.db.orm, SHOWN);
  return rows.map(({ id, email }) => ({ id: encodeId("user", id), email }));
}
