import { findOperation, takeOperation } from "@/db/queries/operations";
import { findOperationAnywhere } from "@/db/queries/support-unknown";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { AskResult } from "@/lib/contract/support/operations";
import type { Service } from "../context";
import { leaseOf } from "../payments/operation";
import { resolveOperation } from "../payments/resolve-operation";
import { recordStaffAct } from "./record-staff-act";
import type { StaffCall } from "./staff-call";

export type Asked = {
  result: AskResult;
  /** State of the operation now. */
  state: string;
  lastAnswer: string | null;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Does now what the completer does with an operation that is due, and once an operation is a day old no longer does: takes
 * it under a new epoch, unless somebody has it, and finds out how it ended. An authorization is only asked about; the
 * rest goes again under the same reference, which the processor does at most once.
 */
export async function askAgain(call: StaffCall, input: { operationId: string }): Promise<Asked> {
  const { service, staff, request } = call;
  const id = input.operationId;
  const found = UUID.test(id) ? await findOperationAnywhere(service.db.sql, id) : null;
  if (!found) throw new AppError("resource_not_found", `There is no operation '${id}'.`);
  const environmentId = found.environment_id;
  await recordStaffAct(service, staff, {
    action: "support.asked_again",
    merchantId: found.merchant_id,
    environmentId,
    objectId: encodeId("payment", found.payment_id),
    detail: { operation: id },
    requestId: request.id,
  });
  if (found.state !== "open") return asItIs(service, environmentId, id, "already_known");
  const taken = await takeOperation(service.db.sql, environmentId, id, leaseOf(service.processorTimeoutMs));
  // Whoever has it is asking just now, or has closed it meanwhile.
  if (!taken) return asItIs(service, environmentId, id, "busy");
  const executed = await resolveOperation(service, taken);
  return asItIs(service, environmentId, id, executed.kind === "pending" ? "still_unknown" : "settled");
}

async function asItIs(service: Service, environmentId: string, id: string, result: AskResult): Promise<Asked> {
  const row = await findOperation(service.db.sql, environmentId, id);
  if (!row) throw new Error(`operation ${id} is gone`);
  const closed = row.state !== "open";
  return {
    result: closed && result === "busy" ? "already_known" : result,
    state: row.state,
    lastAnswer: row.last_answer,
  };
}
