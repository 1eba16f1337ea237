import { findOperation, takeOperation } from "@/db/queries/payments/operations";
import { findLatestOfPayment } from "@/db/queries/payments/payments";
import {
  countUnknownOperations,
  findOperationAnywhere,
  listUnknownOperations,
  type UnknownRow,
} from "@/db/queries/support/unknown";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import {
  type StatusCheckResult,
  UNKNOWN_LIMIT,
  type UnknownOutcome,
  type UnknownOutcomeList,
} from "@/lib/contract/support/endpoints";
import type { ProcessorStatus, SupportPayment } from "@/lib/contract/support/payment-detail";
import type { Inquiry, Outcome } from "@/lib/processor/port";
import type { Service } from "../context";
import { leaseOf } from "../payments/operation";
import { inquireProcessor } from "../payments/processor-calls";
import { resolveOperation } from "../payments/recover-operations";
import type { StaffCall } from "./staff";
import { recordStaffAct } from "./staff-acts";

/**
 * Unknown outcomes of all merchants, oldest first. Each merchant among them sees an audit record of the
 * look-up.
 */
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

/** Number of unknown outcomes, and of those that wait for staff. Names no merchant. */
export function countUnknownOutcomes(service: Pick<Service, "db">): Promise<{ all: number; waiting: number }> {
  return countUnknownOperations(service.db.sql);
}

/** Max operations whose status is checked, newest first. */
const MAX_CHECKED = 20;

/**
 * Each operation's status at the processor. Read-only: moves no money and changes no books; a missing
 * response is `unknown`. Not audited here, but by the page's own read.
 */
export async function readProcessorStatus(
  service: Service,
  { environment, detail, operations }: Pick<SupportPayment, "environment" | "detail" | "operations">,
): Promise<ProcessorStatus[]> {
  const environmentId = requireId("environment", environment.id);
  const paymentId = requireId("payment", detail.payment.id);
  const snapshot = await findLatestOfPayment(service.db.within(environmentId).sql, environmentId, paymentId, 1);
  const owner = { id: environmentId, mode: environment.mode };
  const at = snapshot && (await service.processors.find(owner, snapshot.payment.connection_id));
  return Promise.all(
    operations.slice(0, MAX_CHECKED).map(async ({ id: reference, kind }): Promise<ProcessorStatus> => {
      if (!at) return { reference, kind: "none", text: "its processor is not connected" };
      const operation = { id: reference, kind, environmentId, paymentId };
      const inquiry = await inquireProcessor(service, at.processor, operation, snapshot.payment.authorization_id);
      return { reference, kind: inquiry.kind === "never" ? "not_found" : inquiry.kind, text: textOf(inquiry) };
    }),
  );
}

function textOf(inquiry: Inquiry): string | null {
  switch (inquiry.kind) {
    case "approved":
      return inquiry.captured === false ? "authorized; the capture at once failed" : checksOf(inquiry.checks);
    case "declined":
      return inquiry.decline_code ?? "refused, or it failed later";
    case "action_required":
      return checksOf(inquiry.checks);
    case "pending":
      return "it is still working on it";
    case "not_found":
      return "it does not know the reference";
    case "never":
      return "it never executed it, and never will";
    case "not_sent":
    case "unknown":
      return inquiry.reason;
    default:
      return inquiry satisfies never;
  }
}

function checksOf(checks: Extract<Outcome, { kind: "approved" }>["checks"]): string | null {
  if (!checks) return null;
  const score = checks.fraud_score === null ? "" : `, fraud score ${checks.fraud_score}`;
  return `AVS ${checks.avs_result ?? "–"}, CVV ${checks.cvv_result ?? "–"}${score}`;
}

function requireId(kind: "environment" | "payment", text: string): string {
  const id = decodeId(kind, text);
  if (id === null) throw new Error(`${text} is no ${kind}'s id`);
  return id;
}

type StatusCheck = {
  result: StatusCheckResult;
  /** The operation's current state. */
  state: string;
  lastAnswer: string | null;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Does what the recovery worker does with a due operation, but stops doing after a day: takes it under a new
 * epoch unless a process holds it, and determines its outcome. An authorization only has its status checked;
 * others are retried under the same reference, which the processor executes at most once.
 */
export async function checkStatus(call: StaffCall, input: { operationId: string }): Promise<StatusCheck> {
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
  // Its holder is checking it now, or has just completed it.
  if (!taken) return asItIs(service, environmentId, id, "busy");
  const executed = await resolveOperation(service, taken);
  return asItIs(service, environmentId, id, executed.kind === "pending" ? "still_unknown" : "settled");
}

async function asItIs(
  service: Service,
  environmentId: string,
  id: string,
  result: StatusCheckResult,
): Promise<StatusCheck> {
  const row = await findOperation(service.db.sql, environmentId, id);
  if (!row) throw new Error(`operation ${id} is gone`);
  const closed = row.state !== "open";
  return {
    result: closed && result === "busy" ? "already_known" : result,
    state: row.state,
    lastAnswer: row.last_answer,
  };
}
