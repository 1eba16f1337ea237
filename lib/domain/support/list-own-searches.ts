import { listSupportActs } from "@/db/queries/support-audit-log";
import type { StaffCall } from "./staff-call";

const LOOKED_AT = 30;
const SHOWN = 8;

/** What this member of the staff searched for last, each text once. Their own doing, so it is no look-up. */
export async function listOwnSearches({ service, staff }: StaffCall): Promise<{ text: string; at: string }[]> {
  const rows = await listSupportActs(service.db.orm, { staffId: staff.userId, action: "support.searched" }, LOOKED_AT);
  const searches = new Map<string, string>();
  for (const row of rows) {
    const text = row.detail?.query;
    if (typeof text === "string" && !searches.has(text)) searches.set(text, row.created_at);
  }
  return [...searches].slice(0, SHOWN).map(([text, at]) => ({ text, at }));
}
