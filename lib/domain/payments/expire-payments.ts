import { reserveFollowUp } from "@/db/queries/payment-intents";
import { findPayment, listAbandonedChallenges, listExpiredAuthorizations } from "@/db/queries/payments";
import type { Mode } from "@/lib/contract/transaction";
import { newId } from "@/lib/ids";
import type { Service } from "../context";
import { continuePayment } from "./continue-payment";
import { leaseMs } from "./operation";
import { CHALLENGE_MINUTES } from "./outcome";
import { sendOperation } from "./send-operation";

const BATCH = 100;
const ACTOR = { type: "system", id: null } as const;

/**
 * Voids authorizations whose time has passed (`void_reason: "expired"`) and ends 3-D Secure challenges that nobody
 * answered. Each step is guarded, so any number of instances may run it. Answers how many it ended.
 */
export async function expirePayments(service: Service): Promise<number> {
  let ended = 0;
  for (const due of await listExpiredAuthorizations(service.db.sql, BATCH)) {
    if (await voidExpired(service, { id: due.environment_id, mode: due.mode }, due.id)) ended++;
  }
  for (const due of await listAbandonedChallenges(service.db.sql, CHALLENGE_MINUTES, BATCH)) {
    if (await continuePayment(service, { id: due.environment_id, mode: due.mode }, due.id, "abandoned")) ended++;
  }
  return ended;
}

async function voidExpired(service: Service, environment: { id: string; mode: Mode }, paymentId: string): Promise<boolean> {
  const processor = service.processors.processorFor(environment.mode);
  if (!processor) return false;
  const operationId = newId();
  const notAfter = new Date(service.clock.now().getTime() + service.processorTimeoutMs);
  const reservation = await reserveFollowUp(service.db.sql, environment.id, null, {
    kind: "void",
    paymentId,
    operationId,
    refund: null,
    amount: null,
    detail: "expired",
    allowed: true,
    actor: ACTOR,
    requestId: null,
    leaseMs: leaseMs(service.processorTimeoutMs),
  });
  if (!reservation.reserved) return false;
  const snapshot = await findPayment(service.db.sql, environment.id, paymentId);
  if (!snapshot) throw new Error(`payment ${paymentId} disappeared`);
  const { payment } = snapshot;
  const shared = { amount: payment.amount, currency: payment.currency };
  const call = { ...shared, reference: operationId, account: environment.id, authorization: payment.authorization_id, notAfter };
  await sendOperation(
    service,
    {
      ...shared,
      environmentId: environment.id,
      mode: environment.mode,
      id: operationId,
      kind: "void",
      epoch: 1,
      paymentId,
      transactionId: payment.charge_id,
      detail: "expired",
      actor: ACTOR,
      requestId: null,
      asked: null,
    },
    () => processor.void(call),
    snapshot,
  );
  return true;
}
