import {
  type DuePayment,
  listAbandonedChallenges,
  listExpiredAuthorizations,
  type Turn,
} from "@/db/queries/due-payments";
import { reserveFollowUp } from "@/db/queries/payment-intents";
import { findPayment } from "@/db/queries/payments";
import { isDatabaseUnavailable } from "@/db/unavailable";
import type { Mode } from "@/lib/contract/transaction-words";
import { BEFORE_ALL, newId } from "@/lib/ids";
import type { Service } from "../context";
import { continuePayment } from "./continue-payment";
import { leaseOf } from "./operation";
import { CHALLENGE_MINUTES } from "./outcome";
import { begin, type Executed, sendOperation } from "./send-operation";

/** Payments that are listed at once, and how many of them are of one environment: the others' are not behind all of its. */
const BATCH = 100;
const SHARE = 25;
const ACTOR = { type: "system", id: null } as const;

/**
 * Voids authorizations whose time has passed (`void_reason: "expired"`) and ends 3-D Secure challenges that nobody
 * answered: some of each environment, in turn. Each step is guarded, so any number of instances may run it. Answers how many
 * it ended.
 */
export async function expirePayments(service: Service, stopping?: AbortSignal): Promise<number> {
  const { sql } = service.db;
  const expired = await endInTurn(
    service,
    (turn) => listExpiredAuthorizations(sql, turn),
    (due) => voidExpired(service, environmentOf(due), due.id),
    stopping,
  );
  const abandoned = await endInTurn(
    service,
    (turn) => listAbandonedChallenges(sql, CHALLENGE_MINUTES, turn),
    (due) => abandon(service, environmentOf(due), due.id),
    stopping,
  );
  return expired + abandoned;
}

const environmentOf = (due: DuePayment) => ({ id: due.environment_id, mode: due.mode });

/** One that fails is logged and left for the next time; it does not hold up the others. */
async function endInTurn(
  service: Service,
  list: (turn: Turn) => Promise<DuePayment[]>,
  end: (due: DuePayment) => Promise<boolean>,
  stopping: AbortSignal | undefined,
): Promise<number> {
  let ended = 0;
  for (let after: string | undefined = BEFORE_ALL; after !== undefined; ) {
    const dues = await list({ after, share: SHARE, most: BATCH });
    for (const due of dues) {
      if (stopping?.aborted) return ended;
      try {
        if (await end(due)) ended++;
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        service.log.error({ err: error, payment: due.id }, "a payment past its time could not be ended");
      }
    }
    after = dues.length < BATCH ? undefined : dues.at(-1)?.environment_id;
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
  const begun = begin(service);
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
