import { reserveFollowUp } from "@/db/queries/payment-intents";
import { findPayment, listAbandonedChallenges, listExpiredAuthorizations } from "@/db/queries/payments";
import { isDatabaseUnavailable } from "@/db/unavailable";
import type { Mode } from "@/lib/contract/transaction-words";
import { newId } from "@/lib/ids";
import type { Service } from "../context";
import { continuePayment } from "./continue-payment";
import { leaseOf } from "./operation";
import { CHALLENGE_MINUTES } from "./outcome";
import { begin, type Executed, sendOperation } from "./send-operation";

const BATCH = 100;
const ACTOR = { type: "system", id: null } as const;

/**
 * Voids authorizations whose time has passed (`void_reason: "expired"`) and ends 3-D Secure challenges that nobody
 * answered. Each step is guarded, so any number of instances may run it. Answers how many it ended.
 */
export async function expirePayments(service: Service): Promise<number> {
  const { sql } = service.db;
  const expired = await listExpiredAuthorizations(sql, BATCH);
  const abandoned = await listAbandonedChallenges(sql, CHALLENGE_MINUTES, BATCH);
  const ended =
    (await endEach(service, expired, (due) => voidExpired(service, environmentOf(due), due.id))) +
    (await endEach(service, abandoned, (due) => abandon(service, environmentOf(due), due.id)));
  return ended;
}

type Due = { environment_id: string; id: string; mode: Mode };

const environmentOf = (due: Due) => ({ id: due.environment_id, mode: due.mode });

/** One that fails is logged and left for the next time; it does not hold up the others. */
async function endEach(service: Service, dues: readonly Due[], end: (due: Due) => Promise<boolean>): Promise<number> {
  let ended = 0;
  for (const due of dues) {
    try {
      if (await end(due)) ended++;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      service.log.error({ err: error, payment: due.id }, "a payment past its time could not be ended");
    }
  }
  return ended;
}

async function abandon(service: Service, environment: { id: string; mode: Mode }, paymentId: string): Promise<boolean> {
  if (!service.processors.processorFor(environment.mode)) return false;
  return isEnded(await continuePayment(service, environment, paymentId, "abandoned"));
}

const isEnded = (executed: Executed | null) =>
  executed?.kind === "finished" && executed.change.result.kind !== "payment_failed";

async function voidExpired(
  service: Service,
  environment: { id: string; mode: Mode },
  paymentId: string,
): Promise<boolean> {
  const processor = service.processors.processorFor(environment.mode);
  if (!processor) return false;
  const operationId = newId();
  const begun = begin();
  const reservation = await reserveFollowUp(service.db.within(environment.id).sql, environment.id, null, {
    kind: "void",
    paymentId,
    operationId,
    refund: null,
    amount: null,
    detail: "expired",
    allowed: true,
    actor: ACTOR,
    requestId: null,
    lease: leaseOf(service.processorTimeoutMs),
  });
  if (!reservation.reserved) return false;
  const snapshot = await findPayment(service.db.within(environment.id).sql, environment.id, paymentId);
  if (!snapshot) throw new Error(`payment ${paymentId} disappeared`);
  const { payment } = snapshot;
  const shared = { amount: payment.amount, currency: payment.currency };
  const call = {
    ...shared,
    reference: operationId,
    account: environment.id,
    authorization: payment.authorization_id,
  };
  const executed = await sendOperation(
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
    { begun, notAfter: reservation.not_after, call: (notAfter) => processor.void({ ...call, notAfter }) },
    snapshot,
  );
  return isEnded(executed);
}
