import { countUnknownOperations, listUnknownOperations, type UnknownRow } from "@/db/queries/support-unknown";
import { encodeId } from "@/lib/contract/ids";
import { UNKNOWN_LIMIT, type UnknownOutcome, type UnknownOutcomeList } from "@/lib/contract/support/operations";
import { recordStaffAct } from "./record-staff-act";
import type { StaffCall } from "./staff-call";

/** The queue of unknown outcomes of all merchants, oldest first. Each merchant in it sees that it was looked at. */
export async function listUnknownOutcomes(call: StaffCall): Promise<UnknownOutcomeList> {
  const { service, staff, request } = call;
  const [rows, count] = await Promise.all([
    listUnknownOperations(service.db.sql, UNKNOWN_LIMIT),
    countUnknownOperations(service.db.sql),
  ]);
  const merchants = new Set<string | null>(rows.map((row) => row.merchant_id));
  for (const merchantId of merchants.size > 0 ? merchants : [null]) {
    await recordStaffAct(service, staff, {
      action: "support.viewed_unknown_outcomes",
      merchantId,
      requestId: request.id,
    });
  }
  return { outcomes: rows.map(present), total: count.all, waiting: count.waiting };
}

function present(row: UnknownRow): UnknownOutcome {
  return {
    operationId: row.id,
    kind: row.kind,
    paymentId: encodeId("payment", row.payment_id),
    merchant: { id: encodeId("merchant", row.merchant_id), name: row.merchant_name },
    mode: row.mode,
    amount: row.amount,
    currency: row.currency,
    attempts: row.attempts,
    lastAnswer: row.last_answer,
    nextAttemptAt: row.waits ? null : row.next_attempt_at,
    held: row.held,
    createdAt: row.created_at,
  };
}
