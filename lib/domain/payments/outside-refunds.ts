import { clockNow, REAL_TIME, readClock } from "@/db/queries/clock";
import { type Order, reserveFollowUp } from "@/db/queries/payments/intents";
import { findOperation } from "@/db/queries/payments/operations";
import { lockPayment } from "@/db/queries/payments/outcomes";
import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import { findOperationOfObject, insertProcessorObject } from "@/db/queries/payments/processor-objects";
import { SYSTEM } from "@/db/schema/operations";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { OUTSIDE_REFUND } from "@/lib/contract/payments/words";
import { idTime, newId } from "@/lib/ids";
import type { Processor } from "@/lib/processor/port";
import type { OutsideRefund } from "@/lib/processor/records";
import type { Connected } from "@/lib/processor/registry";
import { newEnvironmentId, type Service } from "../context";
import { forgetTotals } from "../lists";
import { type Executed, finishInTransaction, finishOperation, getOperationPayment } from "./finish-operation";
import { leaseOf, type OpenOperation, operationFromOrder, operationFromRow } from "./operation";
import type { FinalOutcome } from "./outcome";
import { listOutsideRefunds } from "./processor-calls";
import { hasEndedUnpaid } from "./states";

/** A payment and its processor. */
type At = Pick<Connected, "processor" | "mode"> & { readonly environmentId: string; readonly paymentId: string };

/**
 * Books refunds that were made at the processor, not through Cardlane, and reverses those that have failed
 * since. Reads the processor's own list; the report is not trusted. False: not now, a capture or refund of
 * ours is in progress.
 */
export async function recordOutsideRefunds(service: Service, at: At): Promise<boolean> {
  const { environmentId, paymentId } = at;
  const { payment } = await getOperationPayment(service, { id: paymentId, environmentId, paymentId });
  const refunds = (await listOutsideRefunds(service, at.processor, environmentId, payment)) ?? [];
  let all = true;
  for (const refund of refunds) all = (await recordOutsideRefund(service, at, refund)) && all;
  return all;
}

async function recordOutsideRefund(service: Service, at: At, refund: OutsideRefund): Promise<boolean> {
  const { environmentId, paymentId, processor, mode } = at;
  const { sql } = service.db.within(environmentId);
  const known = await findOperationOfObject(sql, processor.name, refund.id);
  if (!known) return refund.failed || bookOutsideRefund(service, at, refund);
  const row =
    known.environment_id === environmentId ? await findOperation(sql, environmentId, known.operation_id) : null;
  if (!refund.failed || row?.state !== "succeeded" || row.payment_id !== paymentId) return true;
  const operation = operationFromRow(
    { ...row, ...REAL_TIME, mode, actor: SYSTEM, request_id: null, not_after: row.created_at },
    null,
  );
  return (await finishOperation(service, operation, { kind: "reversed" }, null)).kind === "finished";
}

/**
 * T1 and T2 of a refund that the processor has executed already, in one transaction, so that no process finds
 * the operation open and sends it. The processor does not know its reference; the refund's id there prevents
 * double booking.
 */
async function bookOutsideRefund(service: Service, at: At, refund: OutsideRefund): Promise<boolean> {
  const { environmentId, paymentId, processor, mode } = at;
  const environment = {
    id: environmentId,
    mode,
    clock: await readClock(service.db.within(environmentId).sql, environmentId),
  };
  const id = newId();
  const transactionId = newEnvironmentId({ service, environment });
  const lease = leaseOf(service.processorTimeoutMs);
  const order: Exclude<Order, { kind: "authorize" }> = {
    id,
    environment,
    kind: "refund",
    claim: null,
    paymentId,
    amount: refund.amount,
    refund: { id: transactionId, created_at: idTime(transactionId), reason: null, comment: null },
    detail: OUTSIDE_REFUND,
    outside: true,
    allowed: true,
  };
  try {
    return await service.db.within(environmentId).sql.begin(async (tx) => {
      await lockPayment(tx, environmentId, null, paymentId);
      if (await findOperationOfObject(tx, processor.name, refund.id)) return true;
      const snapshot = await getOperationPayment(service, { id, environmentId, paymentId }, tx);
      const { payment } = snapshot;
      // A late approval that was refunded manually is no refund here: this payment took no money.
      if (hasEndedUnpaid(payment.status)) return true;
      if (refund.currency !== payment.currency) return unbookable(service, at, refund, "its currency is another one");
      const reserved = await reserveFollowUp(tx, order, { lease, guardedConnectionId: null, wholeOnly: false });
      if (!reserved.reserved) {
        const isUnderWay = payment.open_operation_id !== null || payment.refund_pending > 0;
        return !isUnderWay && unbookable(service, at, refund, `the payment is ${payment.status}`);
      }
      const operation = operationFromOrder(order, snapshot, refund.amount, reserved);
      const object = { processor: processor.name, kind: "refund", id: refund.id };
      if (!(await insertProcessorObject(tx, operation, object)))
        throw new Error(`refund ${refund.id} is kept elsewhere`);
      const [now] = await tx<[{ at: string }]>`select ${clockNow(tx, environmentId, mode)} as at`;
      await finishInTransaction(
        service,
        tx,
        operation,
        { kind: "approved", note: "refunded at the processor" },
        "open",
        now.at,
      );
      return true;
    });
  } finally {
    forgetTotals(environmentId);
  }
}

/**
 * Logged because someone must act on it: it is retried only by the next report, or when a refund of ours
 * fails.
 */
function unbookable({ log }: Service, { paymentId }: At, refund: OutsideRefund, reason: string): true {
  log.error({ payment: paymentId, refund, reason }, "a refund that was made at the processor cannot be booked");
  return true;
}

/** Cardlane stores the processor's reports, which are never sent again, and `inquire` reads them. */
export const keepsReports = ({ reports }: Processor): boolean => reports.kind === "pushed" && reports.kept === true;

/**
 * Books outside refunds that were reported while the operation was open, unless the processor sends reports
 * again.
 */
export async function recordDeferredRefunds(
  service: Service,
  { environmentId, mode, paymentId }: OpenOperation,
  { payment }: PaymentSnapshot,
): Promise<void> {
  await tryLookUp(service, { paymentId }, false, async () => {
    const found = await service.processors.find({ id: environmentId, mode }, payment.connection_id);
    if (!found || !keepsReports(found.processor)) return true;
    return recordOutsideRefunds(service, { ...found, environmentId, paymentId });
  });
}

type Refused = Extract<FinalOutcome, { kind: "declined" }>;

/**
 * T2 of a refund that the processor refused. If unbooked refunds there may be the reason, the response
 * reports them, and they are booked after this refund's reservation is released.
 */
export async function concludeRefusedRefund(
  service: Service,
  operation: OpenOperation,
  outcome: Refused,
  known: PaymentSnapshot,
): Promise<Executed> {
  const { environmentId, mode, paymentId } = operation;
  const found = await service.processors.find({ id: environmentId, mode }, known.payment.connection_id);
  const at = found && { ...found, environmentId, paymentId };
  const elsewhere = at === null ? 0 : await tryLookUp(service, at, 0, () => sumUnbooked(service, at, known));
  if (at === null || elsewhere === 0) return finishOperation(service, operation, outcome, known);
  const finished = await finishOperation(service, operation, { ...outcome, elsewhere }, known);
  await tryLookUp(service, at, false, () => recordOutsideRefunds(service, at));
  return finished;
}

/** Amount that was refunded at the processor and is not booked here, in minor units. */
async function sumUnbooked(service: Service, at: At, { payment }: PaymentSnapshot): Promise<number> {
  const { environmentId, processor } = at;
  const { sql } = service.db.within(environmentId);
  let sum = 0;
  for (const { id, amount, failed } of (await listOutsideRefunds(service, processor, environmentId, payment)) ?? [])
    if (!failed && !(await findOperationOfObject(sql, processor.name, id))) sum += amount;
  return sum;
}

/**
 * A failed lookup does not stop the operation; then the next outside report or failed refund books the
 * refunds.
 */
async function tryLookUp<T>(
  { log }: Service,
  { paymentId }: Pick<At, "paymentId">,
  unknown: T,
  look: () => Promise<T>,
): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    log.warn({ err: error, payment: paymentId }, "refunds made at the processor could not be listed");
    return unknown;
  }
}
