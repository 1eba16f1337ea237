import { insertSupportAct, listSupportActs, type SupportActRow } from "@/db/queries/support/staff";
import { keepableText } from "@/lib/contract/card-numbers";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId, encodeIdOrNull, type IdKind } from "@/lib/contract/ids";
import {
  ACTS_PER_PAGE,
  type StaffActFilter,
  type StaffActPage,
  type StaffActView,
} from "@/lib/contract/support/staff-acts";
import type { Service } from "@/lib/domain/context";
import { newId } from "@/lib/ids";
import type { StaffCall } from "./staff";

/** A look-up or act by a member of the support staff. Ids are UUIDs except `objectId`, which is public. */
type StaffAct = {
  /** `support.searched`, `support.viewed_payment`, `support.refundPayment` … */
  action: string;
  merchantId?: string | null;
  environmentId?: string | null;
  objectId?: string | null;
  detail?: Record<string, unknown> | null;
  requestId?: string | null;
};

const MAX_TEXT = 1_000;

/** Search texts may contain anything that staff paste. */
const keepable = (detail: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [
      name,
      typeof value === "string" ? keepableText(value, MAX_TEXT) : value,
    ]),
  );

/** Called before anything is shown or done: what can't be audited does not happen. */
export async function recordStaffAct(
  service: { readonly db: Pick<Service["db"], "orm"> },
  staff: { userId: string },
  act: StaffAct,
): Promise<void> {
  await insertSupportAct(service.db.orm, {
    id: newId(),
    staff_id: staff.userId,
    action: act.action,
    merchant_id: act.merchantId,
    environment_id: act.environmentId,
    object_id: act.objectId,
    detail: act.detail && keepable(act.detail),
    request_id: act.requestId,
  });
}

/** Staff's look-ups and acts, newest first. Reading them is audited as well. */
export async function listStaffActs(call: StaffCall, filter: StaffActFilter): Promise<StaffActPage> {
  const { service, staff, request } = call;
  const rows = {
    staffId: read("user", filter.staff),
    merchantId: read("merchant", filter.merchant),
    action: filter.action,
    beforeId: read("audit", filter.before),
    // One search can show twenty merchants' data: those rows are listed per merchant.
    withoutFound: filter.merchant === undefined && filter.action === undefined,
  };
  const { before: _, ...detail } = filter;
  await recordStaffAct(service, staff, {
    action: "support.viewed_audit",
    merchantId: rows.merchantId ?? null,
    detail,
    requestId: request.id,
  });
  const found = await listSupportActs(service.db.orm, rows, ACTS_PER_PAGE + 1);
  const acts = found.slice(0, ACTS_PER_PAGE).map(presentStaffAct);
  return { acts, next: found.length > ACTS_PER_PAGE ? (acts.at(-1)?.id ?? null) : null };
}

function read(kind: IdKind, id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  const uuid = decodeId(kind, id);
  if (uuid === null) throw new AppError("invalid_parameter", `'${id}' is not the id of a ${KIND_NAMES[kind] ?? kind}.`);
  return uuid;
}

const KIND_NAMES: Partial<Record<IdKind, string>> = { audit: "row" };

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

const MAX_ACTS_READ = 30;
const SHOWN = 8;

/**
 * This staff member's latest searches, without duplicates.
 * They are the user's own, so reading them is not audited.
 */
export async function listOwnSearches({ service, staff }: StaffCall): Promise<{ text: string; at: string }[]> {
  const rows = await listSupportActs(
    service.db.orm,
    { staffId: staff.userId, action: "support.searched" },
    MAX_ACTS_READ,
  );
  const searches = new Map<string, string>();
  for (const row of rows) {
    const text = row.detail?.query;
    if (typeof text === "string" && !searches.has(text)) searches.set(text, row.created_at);
  }
  return [...searches].slice(0, SHOWN).map(([text, at]) => ({ text, at }));
}
