import { reserveFollowUp } from "@/db/queries/payment-intents";
import { findPayment } from "@/db/queries/payments";
import type { Mode } from "@/lib/contract/transaction-words";
import { newId } from "@/lib/ids";
import type { ContinueRequest } from "@/lib/processor/port";
import type { Service } from "../context";
import { leaseOf, type OpenOperation } from "./operation";
import { begin, type Executed, sendOperation } from "./send-operation";

/**
 * Goes on with a payment once its 3-D Secure challenge has ended, exactly once: the first caller moves it from
 * REQUIRES_ACTION to PENDING, any later one gets null.
 */
export async function continuePayment(
  service: Service,
  environment: { id: string; mode: Mode },
  paymentId: string,
  challenge: ContinueRequest["challenge"],
): Promise<Executed | null> {
  const processor = service.processors.processorFor(environment.mode);
  if (!processor) throw new Error(`no processor for ${environment.mode} payments`);
  const operationId = newId();
  const actor = { type: "system", id: null } as const;
  const begun = begin(service);
  const reservation = await reserveFollowUp(service.db.within(environment.id).sql, environment.id, null, {
    kind: "continue",
    paymentId,
    operationId,
    refund: null,
    amount: null,
    detail: challenge,
    allowed: true,
    actor,
    requestId: null,
    lease: leaseOf(service.processorTimeoutMs),
  });
  if (!reservation.reserved) return null;
  const snapshot = await findPayment(service.db.within(environment.id).sql, environment.id, paymentId);
  if (!snapshot) throw new Error(`payment ${paymentId} disappeared`);
  const { payment } = snapshot;
  const operation: OpenOperation = {
    environmentId: environment.id,
    mode: environment.mode,
    id: operationId,
    kind: "continue",
    epoch: 1,
    paymentId,
    transactionId: payment.charge_id,
    amount: payment.amount,
    currency: payment.currency,
    detail: challenge,
    actor,
    requestId: null,
    asked: null,
  };
  const call = {
    reference: operationId,
    account: environment.id,
    authorization: payment.authorization_id,
    challenge,
  };
  return sendOperation(
    service,
    operation,
    {
      begun,
      notAfter: reservation.not_after,
      call: (notAfter) => processor.continueAuthorization({ ...call, notAfter }),
    },
    snapshot,
  );
}
