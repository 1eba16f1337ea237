import { ApiError, callApi } from "@/lib/client/api";
import { bulkStore } from "./bulk-record";
import type { ApprovalToRequest, BulkPorts } from "./bulk-refund";
import { attempt, type MoneyAccess, placeOf, portsOf, readSubject, wait } from "./money-ports";

/** Ports of a bulk refund. */
export function browserBulkPorts(access: MoneyAccess, onChange: (paymentId: string) => void): BulkPorts {
  return {
    ...portsOf(access),
    onChange,
    store: bulkStore(window.sessionStorage, access.owner),
    read: (paymentId) => patiently(() => readSubject(access, paymentId)),
    send: ({ chargeId, body, key }) => attempt(access, placeOf("refund", "", chargeId), { body, idempotencyKey: key }),
    requestApproval: (refund) => patiently(() => requestApproval(access, refund)),
  };
}

/** A lost response leaves a request open, so an own one for the same amount is the result, not an obstacle. */
async function requestApproval({ owner: { mode } }: MoneyAccess, { paymentId, refund, reason }: ApprovalToRequest) {
  const requests = { params: { mode }, query: { subject: paymentId } };
  const { data } = (await callApi("GET /api/dashboard/{mode}/approval-requests", requests)).data;
  const own = data.find(
    ({ status, parameters, available_actions }) =>
      status === "PENDING" &&
      available_actions.includes("withdraw") &&
      "amount" in parameters &&
      parameters.amount === refund.amount,
  );
  if (own) return { kind: "requested" as const, id: own.id };
  try {
    const body = { action: "REFUND" as const, subject: paymentId, parameters: refund, reason };
    const made = await callApi("POST /api/dashboard/{mode}/approval-requests", { params: { mode }, body });
    return { kind: "requested" as const, id: made.data.id };
  } catch (error) {
    const isRefused = error instanceof ApiError && error.status < 500 && error.code !== "rate_limited";
    if (!isRefused) throw error;
    return { kind: "refused" as const, detail: error.detail };
  }
}

const PATIENCE = 10;

/** Calls for many payments may exceed the rate limit, so wait as Retry-After says. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (let times = 1; ; times++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "rate_limited" || times === PATIENCE) throw error;
      await wait((error.retryAfterSeconds ?? 1) * 1_000);
    }
  }
}
