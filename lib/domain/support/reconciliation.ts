import { findConnectionToCompare, listSupportConnections } from "@/db/queries/processors/reconciliation";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { ReconciliationView, SupportConnection } from "@/lib/contract/processors/reconciliation";
import { resourceNotFound } from "../context";
import { type ReconciliationQuery, reconciliationView } from "../processors/read-reconciliation";
import { labelOf } from "../processors/reconciliation";
import type { StaffCall } from "./staff";
import { recordStaffAct } from "./staff-acts";

const ACTION = "support.viewed_reconciliation";
const SHOWN = 200;

/** All connections with their last comparison, those with differences first. */
export async function listSupportReconciliations(call: StaffCall): Promise<SupportConnection[]> {
  const { service, staff, request } = call;
  await recordStaffAct(service, staff, { action: ACTION, requestId: request.id });
  const rows = await listSupportConnections(service.db.sql, SHOWN);
  return rows.map(({ merchant_id, merchant_name, last_state, last_until, ...row }) => ({
    id: encodeId("connection", row.id),
    label: labelOf(service, row),
    mode: row.mode,
    merchant: merchant_id === null ? null : { id: encodeId("merchant", merchant_id), name: merchant_name ?? "" },
    last:
      last_state === null || last_until === null
        ? null
        : {
            state: last_state,
            until: last_until,
            difference_count: row.difference_count ?? 0,
            unchecked: row.unchecked?.length ?? 0,
          },
  }));
}

/** Any merchant's connection in the merchant's view, or the operator's. Throws `resource_not_found`. */
export async function getSupportReconciliation(
  call: StaffCall,
  input: ReconciliationQuery,
): Promise<ReconciliationView> {
  const { service, staff, request } = call;
  const { sql } = service.db;
  const id = decodeId("connection", input.connection);
  const connection = id && (await findConnectionToCompare(sql, id));
  if (!connection) throw resourceNotFound("connection", input.connection);
  await recordStaffAct(service, staff, {
    action: ACTION,
    merchantId: connection.merchant_id,
    environmentId: connection.environment_id,
    objectId: input.connection,
    requestId: request.id,
  });
  return reconciliationView(service, sql, connection, input);
}
