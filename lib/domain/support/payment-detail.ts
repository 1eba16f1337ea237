import { clockSettingOf } from "@/db/queries/clock";
import {
  findOwner,
  listPaymentAudit,
  listSupportOperations,
  type PaymentAuditRow,
  type SupportOperationRow,
} from "@/db/queries/support/payment";
import { listSupportActs } from "@/db/queries/support/staff";
import { decodeId, encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import {
  AUDIT_SHOWN,
  OPERATIONS_SHOWN,
  type PaymentAuditEntry,
  type SupportOperation,
  type SupportPayment,
} from "@/lib/contract/support/payment-detail";
import { resourceNotFound } from "../context";
import { getPaymentDetail } from "../payments/payment-detail";
import { inEnvironment, type StaffCall } from "./staff";
import { presentStaffAct, recordStaffAct } from "./staff-acts";

/** Any merchant's payment in the merchant's view, plus its operations. Throws `resource_not_found`. */
export async function getSupportPayment(call: StaffCall, input: { id: string }): Promise<SupportPayment> {
  const { service, staff, request } = call;
  const { sql, orm } = service.db;
  const id = decodeId("payment", input.id);
  const owner = id && (await findOwner(sql, "payments", id));
  if (!owner) throw resourceNotFound("payment", input.id);
  await recordStaffAct(service, staff, {
    action: "support.viewed_payment",
    merchantId: owner.merchantId,
    environmentId: owner.id,
    objectId: input.id,
    requestId: request.id,
  });
  const [detail, operations, audit] = await Promise.all([
    getPaymentDetail(inEnvironment(call, { ...owner, clock: clockSettingOf(owner) }), input),
    listSupportOperations(sql, owner.id, id, OPERATIONS_SHOWN),
    listPaymentAudit(sql, owner.id, id, AUDIT_SHOWN),
  ]);
  // Refunds can be requested through the charge, so acts on the payment's transactions are included.
  const objectIds = [input.id, ...detail.payment.transactions.map((transaction) => transaction.id)];
  const acts = await listSupportActs(orm, { merchantId: owner.merchantId, objectIds }, AUDIT_SHOWN);
  return {
    environment: { id: encodeId("environment", owner.id), mode: owner.mode },
    merchant: { id: encodeId("merchant", owner.merchantId), name: owner.merchant_name, suspended: owner.suspended },
    detail,
    operations: operations.map(presentOperation),
    audit: audit.map(presentAudit),
    acts: acts.map(presentStaffAct),
  };
}

function presentOperation(row: SupportOperationRow): SupportOperation {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    amount: row.amount,
    currency: row.currency,
    detail: row.detail,
    epoch: row.epoch,
    attempts: row.attempts,
    leaseUntil: row.lease_until,
    held: row.held,
    unknownAt: row.unknown_at,
    acceptedAt: row.accepted_at,
    lastAnswer: row.last_answer,
    nextAttemptAt: row.state === "open" && !row.waits ? row.next_attempt_at : null,
    waits: row.waits,
    idempotencyKey: row.idempotency_key,
    requestId: encodeIdOrNull("request", row.request_id),
    createdAt: row.created_at,
    completedAt: row.completed_at,
  };
}

const ACTORS = {
  api_key: "API key",
  user: "User",
  staff: "Support",
  shopper: "Shopper",
  customer: "Customer",
  system: "Cardlane itself",
} as const;

function presentAudit(row: PaymentAuditRow): PaymentAuditEntry {
  const kind = ACTORS[row.actor.type];
  return {
    id: encodeId("audit", row.id),
    action: row.action,
    actor: row.actor_name === null ? kind : `${kind}: ${row.actor_name}`,
    requestId: encodeIdOrNull("request", row.request_id),
    at: row.created_at,
  };
}
