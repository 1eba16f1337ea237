import { releaseOperation, timeWhileHeld } from "@/db/queries/payments/operations";
import { writeOutcomeTogether } from "@/db/queries/payments/outcome-batches";
import { isStaleOutcome, lockPayment, type OutcomeWrite, writeOutcome } from "@/db/queries/payments/outcomes";
import { findPayment, type PaymentSnapshot } from "@/db/queries/payments/payments";
import type { NumberedEvent } from "@/db/schema/events";
import type { TransactionRow } from "@/db/schema/transactions";
import { newId } from "@/lib/ids";
import type { Answer, Service } from "../context";
import { changedMembers, newEvent, paymentData, type RefundEventType } from "../events/event";
import { forgetTotals } from "../lists";
import type { OpenOperation, OperationSubject } from "./operation";
import {
  applyOutcome,
  type Change,
  type FinalOutcome,
  type OutcomeEventType,
  type Picture,
  requireRefund,
} from "./outcome";
import { presentTransaction } from "./present";
import { inTurnWhenLong } from "./read-payments";
import { resultOf } from "./result";

export type Finished =
  /** The outcome is in the books. */
  | { kind: "finished"; change: Change; answer: Answer | null }
  /** Someone else has the operation, or has closed it: what stands in the books counts. */
  | { kind: "lost" };

/** Under contention on one payment each try lets at least one other through, so this many is never needed in practice. */
const OPTIMISTIC_TRIES = 5;

/**
 * T2: works out what the outcome makes of the payment and writes it, with the answer, in one commit. When the payment has
 * changed in between (another refund), it is read again; after a few such tries it is locked first. When this process has
 * another time than the database, the database's counts.
 */
export async function finishOperation(
  service: Service,
  operation: OpenOperation,
  outcome: FinalOutcome,
  known: PaymentSnapshot | null = null,
): Promise<Finished> {
  const from = outcome.kind === "reversed" ? "succeeded" : "open";
  let snapshot = known;
  let now = service.clock.now().toISOString();
  for (let attempt = 1; ; attempt++) {
    const read = snapshot ?? (await requirePayment(service, operation));
    const at = now;
    try {
      return await inTurnWhenLong(read, async () => {
        if (attempt > OPTIMISTIC_TRIES) return finishLocked(service, operation, outcome, from, at);
        const { write, finished } = workOut(service, operation, outcome, read, from, at);
        const { sql } = service.db.within(operation.environmentId);
        await writeOutcomeTogether(sql, operation.environmentId, write, service.timer);
        return finished;
      });
    } catch (error) {
      if (!isStaleOutcome(error)) throw error;
      const time = await timeWhileHeld(service.db.within(operation.environmentId).sql, operation, from);
      if (time === null) return { kind: "lost" };
      now = time;
      snapshot = null;
    } finally {
      // Also when no answer came: it may be in the books.
      forgetTotals(operation.environmentId);
    }
  }
}

/** The same with the payment locked first: slower, and certain. */
async function finishLocked(
  service: Service,
  operation: OpenOperation,
  outcome: FinalOutcome,
  from: "open" | "succeeded",
  now: string,
): Promise<Finished> {
  return service.db.within(operation.environmentId).sql.begin(async (tx) => {
    await lockPayment(tx, operation.environmentId, operation.request?.key ?? null, operation.paymentId);
    const snapshot = await findPayment(tx, operation.environmentId, operation.paymentId);
    if (!snapshot) throw new Error(`operation ${operation.id} has no payment`);
    const { write, finished } = workOut(service, operation, outcome, snapshot, from, now);
    await writeOutcome(tx, operation.environmentId, write);
    return finished;
  });
}

async function requirePayment(service: Service, operation: OpenOperation): Promise<PaymentSnapshot> {
  const snapshot = await findPayment(
    service.db.within(operation.environmentId).sql,
    operation.environmentId,
    operation.paymentId,
  );
  if (!snapshot) throw new Error(`operation ${operation.id} has no payment`);
  return snapshot;
}

/** The charge, and the transaction the operation makes, out of a payment's transactions. */
export function pictureOf({ payment, transactions }: PaymentSnapshot, operation: OperationSubject): Picture {
  const charge = transactions.find((row) => row.id === payment.charge_id);
  if (!charge) throw new Error(`payment ${payment.id} has no charge`);
  const refund =
    operation.kind === "refund" ? (transactions.find((row) => row.id === operation.transactionId) ?? null) : null;
  return { payment, charge, refund };
}

function workOut(
  service: Service,
  operation: OpenOperation,
  outcome: FinalOutcome,
  snapshot: PaymentSnapshot,
  from: "open" | "succeeded",
  now: string,
): { write: OutcomeWrite; finished: Finished } {
  const { mode, request } = operation;
  const change = applyOutcome(pictureOf(snapshot, operation), operation, outcome, now);
  const transactions = snapshot.transactions.map((row) => changedRow(row, change));
  // A refund that fails late was answered long ago: its stored answer stands.
  const answer =
    request && from === "open" ? service.renderAnswer(request, resultOf(change, transactions, operation, mode)) : null;
  return {
    finished: { kind: "finished", change, answer },
    write: {
      from: { state: from, epoch: operation.epoch, version: snapshot.payment.version },
      operation: { id: operation.id, state: change.operationState, lastAnswer: describe(outcome) },
      payment: change.payment,
      charge: change.charge,
      refund: change.refund,
      ledger: change.ledger,
      feeOn: change.feeOn,
      events: eventsOf(operation, change, snapshot, transactions, from),
      session: sessionAfter(operation, change),
      audit: { id: newId(), action: change.events[0], actor: operation.actor, requestId: operation.requestId },
      answer: request && answer ? { key: request.key, ...answer } : null,
    },
  };
}

const isOfRefund = (type: OutcomeEventType): type is RefundEventType => type.startsWith("refund.");

/**
 * A payment's events go on from the number in its row. A refund has one when it ends and one when it comes back; they hold the
 * refund alone: with all refunds before it each time, a payment's events would grow with their square.
 */
function eventsOf(
  operation: OpenOperation,
  change: Change,
  before: PaymentSnapshot,
  transactions: TransactionRow[],
  from: "open" | "succeeded",
): NumberedEvent[] {
  const { id: operationId, mode } = operation;
  let ofPayment = before.payment.event_sequence;
  let ofRefund = from === "open" ? 0 : 1;
  return change.events.map((type) => {
    if (isOfRefund(type)) {
      const [was, is] = [requireRefund(pictureOf(before, operation)), requireRefund(change)];
      const object = presentTransaction(is, change.payment, mode);
      const previous = from === "open" ? null : changedMembers(presentTransaction(was, before.payment, mode), object);
      return { ...newEvent(type, { objectId: is.id, operationId }, { object, previous }), sequence: ++ofRefund };
    }
    const data = paymentData(before, { payment: change.payment, transactions }, mode);
    return { ...newEvent(type, { objectId: change.payment.id, operationId }, data), sequence: ++ofPayment };
  });
}

/** What the end of an authorization means for the session it was made in; null while the shopper must still do something. */
function sessionAfter({ kind }: OpenOperation, { payment, charge }: Change): OutcomeWrite["session"] {
  const authorizes = kind === "authorize" || kind === "continue";
  if (!authorizes || charge.client_session_id === null || payment.status === "REQUIRES_ACTION") return null;
  return { id: charge.client_session_id, paid: payment.status !== "DECLINED" && payment.status !== "FAILED" };
}

function changedRow(row: TransactionRow, change: Change): TransactionRow {
  if (row.id === change.charge.id) return change.charge;
  return change.refund && row.id === change.refund.id ? change.refund : row;
}

/** One line of what the processor said, for support staff. */
function describe(outcome: FinalOutcome): string {
  switch (outcome.kind) {
    case "declined":
      return `declined: ${outcome.decline_code ?? "no code"}`;
    case "failed":
      return `failed: ${outcome.reason}`;
    default:
      return outcome.kind;
  }
}

/** Why an outcome is not known yet; `accepted`: the processor has it, so it cannot turn out never to have been executed. */
export type OpenAnswer = { readonly text: string; readonly accepted: boolean };
export const ACCEPTED: OpenAnswer = { text: "pending: the processor is still working on it", accepted: true };
export const unknown = (reason: string): OpenAnswer => ({ text: `unknown: ${reason}`, accepted: false });

/**
 * Gives an operation of unknown outcome back, to be asked about soon, later each time, at most a minute apart. `sent`: by the
 * request that sent it, whose call has ended. False: it was closed, or in other hands.
 */
export async function leaveOpen(
  service: Service,
  operation: OpenOperation,
  answer: OpenAnswer,
  { attempts, sent }: { attempts: number; sent: boolean },
): Promise<boolean> {
  const delayMs = Math.min(500 * 2 ** Math.max(0, attempts - 1), 60_000);
  return releaseOperation(
    service.db.within(operation.environmentId).sql,
    { environment_id: operation.environmentId, id: operation.id, epoch: operation.epoch },
    answer,
    { delayMs, sent },
  );
}
