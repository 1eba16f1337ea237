import { findKey } from "@/db/queries/idempotency-claims";
import { holdToResend, prolongLease, type TakenOperation } from "@/db/queries/operations";
import { findPayment, type PaymentSnapshot } from "@/db/queries/payments";
import type { Outcome, Processor } from "@/lib/processor/port";
import type { Service } from "../context";
import { ACCEPTED, finishOperation, leaveOpen, unknown } from "./finish-operation";
import { type AskedBy, leaseOf, type OpenOperation } from "./operation";
import { begin, type Executed, sendOperation } from "./send-operation";

/** An authorization of `payment`, under its reference, with the card of a request that came once more. */
export type Resend = (reference: string, snapshot: PaymentSnapshot, notAfter: Date) => Promise<Outcome>;

/**
 * For how long after "not found" is conclusive an authorization whose request died waits for that request to come again, with
 * its card, before it has failed.
 */
const COMES_AGAIN_MS = 10_000;
/** Meanwhile it is looked at as often as after so many attempts. */
const SOON = 2;

/**
 * Finds out how an operation ended whose first request is gone, or never learned it. Captures, voids, refunds and
 * continued authorizations are sent again under the same reference, which the processor does at most once. An
 * authorization is only asked about, as its card data is gone; a repeat of its request has it again, and `resend` sends it,
 * once it is proved that nothing was executed and nothing can be any more.
 */
export async function resolveOperation(
  service: Service,
  taken: TakenOperation,
  resend: Resend | null = null,
): Promise<Executed> {
  const operation = await openOperation(service, taken);
  const processor = service.processors.processorFor(taken.mode);
  if (!processor) {
    await leaveOpen(service, operation, unknown("no processor is configured"), {
      attempts: taken.attempts,
      sent: false,
    });
    return { kind: "pending" };
  }
  const snapshot = await findPayment(
    service.db.within(operation.environmentId).sql,
    operation.environmentId,
    operation.paymentId,
  );
  if (!snapshot) throw new Error(`operation ${operation.id} has no payment`);
  const outcome =
    operation.kind === "authorize"
      ? await inquire(service, processor, operation, taken, resend)
      : await sendAgain(processor, operation, taken.not_after, snapshot);
  switch (outcome.kind) {
    case "approved":
    case "declined":
    case "action_required":
      return finishOperation(service, operation, outcome, snapshot);
    case "never":
      return finishOperation(
        service,
        operation,
        { kind: "failed", reason: "the processor never executed it" },
        snapshot,
      );
    case "not_found": {
      const sent =
        resend && isConclusive(processor, taken) && (await sendInPlace(service, operation, resend, snapshot));
      if (sent) return sent;
      const attempts = mayComeAgain(processor, taken) ? Math.min(taken.attempts, SOON) : taken.attempts;
      await leaveOpen(service, operation, unknown("the processor does not know it yet"), { attempts, sent: false });
      return { kind: "pending" };
    }
    // Not sending it now says nothing of the first time.
    case "not_sent":
    case "unknown":
      await leaveOpen(service, operation, unknown(outcome.reason), { attempts: taken.attempts, sent: false });
      return { kind: "pending" };
    case "pending":
      await leaveOpen(service, operation, ACCEPTED, { attempts: taken.attempts, sent: false });
      return { kind: "pending" };
    default:
      return outcome satisfies never;
  }
}

/**
 * What became of an authorization. That there is none, and that the time in which it could still be executed is over, no
 * clock proves: one that was set forward says so of a call that is under way, and one that is set back lets that call in
 * later. A call under way has some time to arrive, and then the reference is closed. A repeat of its request uses it instead: of
 * its call and that one, which has the same reference, the processor executes one.
 */
async function inquire(
  service: Service,
  processor: Processor,
  operation: OpenOperation,
  taken: TakenOperation,
  resend: Resend | null,
) {
  const first = await processor.inquire(operation.id);
  if (first.kind !== "not_found" || !isConclusive(processor, taken)) return first;
  if (!resend && mayComeAgain(processor, taken)) return first;
  await service.timer.wait(processor.notFoundConclusiveAfterMs);
  const lease = leaseOf(service.processorTimeoutMs);
  if (!(await prolongLease(service.db.within(operation.environmentId).sql, operation, lease)))
    return { kind: "unknown", reason: "another process has the operation" } as const;
  if (resend && taken.may_resend) return processor.inquire(operation.id);
  return processor.close({
    reference: operation.id,
    account: operation.environmentId,
    amount: operation.amount,
    currency: operation.currency,
  });
}

/** "Not found" proves nothing of what was accepted, nor until every call has ended, or is past its time, for long enough. */
function isConclusive(processor: Processor, taken: TakenOperation): boolean {
  return taken.accepted_at === null && taken.quiet_ms >= processor.notFoundConclusiveAfterMs;
}

/** Whether its request, of which nobody has heard, may still come again. */
function mayComeAgain(processor: Processor, taken: TakenOperation): boolean {
  const isWaitedFor = taken.kind === "authorize" && taken.idempotency_key !== null && taken.may_resend;
  return isWaitedFor && taken.quiet_ms < processor.notFoundConclusiveAfterMs + COMES_AGAIN_MS;
}

/**
 * Sends an authorization in place of a request that died before it did. Null: the right to do so was given before. Whatever the
 * dead one may have left on its way is past its time, and has the same reference.
 */
async function sendInPlace(
  service: Service,
  operation: OpenOperation,
  resend: Resend,
  snapshot: PaymentSnapshot,
): Promise<Executed | null> {
  const begun = begin(service);
  const { sql } = service.db.within(operation.environmentId);
  const held = await holdToResend(sql, operation, leaseOf(service.processorTimeoutMs));
  if (held === null) return null;
  const call = (notAfter: Date) => resend(operation.id, snapshot, notAfter);
  return sendOperation(
    service,
    { ...operation, epoch: held.epoch },
    { begun, notAfter: held.not_after, call },
    snapshot,
  );
}

function sendAgain(
  processor: Processor,
  operation: OpenOperation,
  notAfter: string,
  { payment }: PaymentSnapshot,
): Promise<Outcome> {
  const request = {
    reference: operation.id,
    account: operation.environmentId,
    authorization: payment.authorization_id,
    amount: operation.amount,
    currency: operation.currency,
    notAfter: new Date(notAfter),
  };
  switch (operation.kind) {
    case "capture":
      return processor.capture(request);
    case "void":
      return processor.void(request);
    case "refund":
      return processor.refund(request);
    case "continue":
      return processor.continueAuthorization({ ...request, challenge: challengeOf(operation) });
    default:
      throw new Error(`an operation of kind ${operation.kind} is never sent again`);
  }
}

function challengeOf({ detail }: OpenOperation): "passed" | "failed" | "abandoned" {
  if (detail === "passed" || detail === "failed" || detail === "abandoned") return detail;
  throw new Error(`no challenge result is called ${detail}`);
}

async function openOperation(service: Service, taken: TakenOperation): Promise<OpenOperation> {
  return {
    environmentId: taken.environment_id,
    mode: taken.mode,
    id: taken.id,
    kind: taken.kind,
    epoch: taken.epoch,
    paymentId: taken.payment_id,
    transactionId: taken.transaction_id,
    amount: taken.amount,
    currency: taken.currency,
    detail: taken.detail,
    actor: taken.actor,
    requestId: taken.request_id,
    asked: await askedBy(service, taken),
  };
}

/** The request that waits under the operation's key; null when there is none, or the key has been used anew since. */
async function askedBy(service: Service, taken: TakenOperation): Promise<AskedBy | null> {
  if (taken.idempotency_key === null) return null;
  const row = await findKey(service.db.within(taken.environment_id).sql, taken.environment_id, taken.idempotency_key);
  if (!row || row.operation_id !== taken.id) return null;
  return { key: row.key, operationName: row.operation_name, path: row.path, requestId: row.request_id };
}
