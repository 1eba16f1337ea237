import { listSupportActs } from "@/db/queries/support-audit-log";
import { AppError } from "@/lib/contract/errors";
import { decodeId, type IdKind } from "@/lib/contract/ids";
import { ACTS_PER_PAGE, type StaffActPage } from "@/lib/contract/support/staff-acts";
import { presentStaffAct } from "./present-staff-act";
import { recordStaffAct } from "./record-staff-act";
import type { StaffCall } from "./staff-call";

/** Public ids, as they stand in the page's address; undefined = not filtered by. */
export type StaffActFilter = {
  staff: string | undefined;
  merchant: string | undefined;
  action: string | undefined;
  before: string | undefined;
};

/** What staff looked up and did, newest first. Reading it is written down as well. */
export async function listStaffActs(call: StaffCall, filter: StaffActFilter): Promise<StaffActPage> {
  const { service, staff, request } = call;
  const rows = {
    staffId: read("user", filter.staff),
    merchantId: read("merchant", filter.merchant),
    action: filter.action,
    beforeId: read("audit", filter.before),
    // One search can show twenty merchants' data: that is listed under each of them.
    withoutFound: filter.merchant === undefined && filter.action === undefined,
  };
  const { before: _, ...asked } = filter;
  await recordStaffAct(service, staff, {
    action: "support.viewed_audit",
    merchantId: rows.merchantId ?? null,
    detail: asked,
    requestId: request.id,
  });
  const found = await listSupportActs(service.db.orm, rows, ACTS_PER_PAGE + 1);
  const acts = found.slice(0, ACTS_PER_PAGE).map(presentStaffAct);
  return { acts, next: found.length > ACTS_PER_PAGE ? (acts.at(-1)?.id ?? null) : null };
}

function read(kind: IdKind, id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  const uuid = decodeId(kind, id);
  if (uuid === null) throw new AppError("invalid_parameter", `'${id}' is not the id of a ${WORDS[kind] ?? kind}.`);
  return uuid;
}

const WORDS: Partial<Record<IdKind, string>> = { user: "person", audit: "row" };
