import type { Sql, Transaction } from "@/db/client";
import { findSessionUnderWay } from "@/db/queries/checkout/client-sessions";
import { findByProcessorToken } from "@/db/queries/payment-methods";
import { releaseOperation, timeWhileHeld } from "@/db/queries/payments/operations";
import { isStaleOutcome, lockPayment, type OutcomeWrite, writeOutcome } from "@/db/queries/payments/outcomes";
import { findPayment, type PaymentSnapshot } from "@/db/queries/payments/payments";
import type { TransactionRow } from "@/db/schema/transactions";
import type { Consent } from "@/lib/contract/payment-methods/payment-method";
import { newId } from "@/lib/ids";
import type { Outcome } from "@/lib/processor/port";
import { clockTime, type Reply, type Service } from "../context";
import { forgetTotals } from "../lists";
import { storedByPayment } from "../payment-methods/stored-card";
import { settlePayment } from "../subscriptions/settle-payment";
import type { OpenOperation } from "./operation";
import { applyOutcome, type Change, type FinalOutcome, type OperationSnapshot, toResult } from "./outcome";
import { outcomeEvents, pendingEvent, sessionCompletedEvent, storedCardEvent } from "./outcome-events";
import { inSlotIfLong } from "./read-payments";
import { hasEndedUnpaid } from "./states";

/** The state of an operation after a call. */
export type Executed =
  /** The outcome is written. */
  | { kind: "finished"; change: Change; reply: Reply | null }
  /** Another process holds the operation or has closed it, and its result counts. */
  | { kind: "lost" }
  /**
   * The outcome is not known yet; recovery checks it. `accepted`: the processor has confirmed the operation.
   */
  | { kind: "pending"; accepted: boolean };

type Finished = Extract<Executed, { kind: "finished" }>;

/** Each conflict means that another write succeeded, so more attempts are never needed in practice. */
const MAX_OPTIMISTIC_ATTEMPTS = 5;

/**
 * T2: applies the outcome to the payment and writes change and response in one commit. If the payment changed
 * in between (another refund), it is read again; after `MAX_OPTIMISTIC_ATTEMPTS` it is locked first. If this
 * process's clock is wrong, or a test clock has moved, the database's time is used.
 */
export async function finishOperation(
  service: Service,
  operation: OpenOperation,
  outcome: FinalOutcome,
  known: PaymentSnapshot | null,
): Promise<Executed> {
  const from = outcome.kind === "reversed" ? "succeeded" : "open";
  let snapshot = known;
  let now = clockTime(service.clock, operation.clock).toISOString();
  for (let attempt = 1; ; attempt++) {
    const read = snapshot ?? (await getOperationPayment(service, operation));
    const at = now;
    try {
      const ended = await inSlotIfLong(read, async () => {
        // An invoice and its subscription change with its payment.
        const isLocked = attempt > MAX_OPTIMISTIC_ATTEMPTS || read.payment.invoice_id !== null;
        if (isLocked) return finishLocked(service, operation, outcome, from, at);
        const { sql } = service.db.within(operation.environmentId);
        const kept = await findKept(sql, read, outcome);
        const { write, finished } = prepareOutcome(service, operation, outcome, { snapshot: read, kept }, from, at);
        const session = await withSessionEvent(sql, operation, write.session, finished.change);
        await writeOutcome(sql, operation.environmentId, { ...write, session });
        return finished;
      });
      if (ended.kind === "finished") logLateApproval(service, operation, ended.change);
      return ended;
    } catch (error) {
      if (!isStaleOutcome(error)) throw error;
      const time = await timeWhileHeld(service.db.within(operation.environmentId).sql, operation, from);
      if (time === null) return { kind: "lost" };
      now = time;
      snapshot = null;
    } finally {
      // Also after an error: the write may have been committed.
      forgetTotals(operation.environmentId);
    }
  }
}

/** Logged because someone may have to act on it: the processor took money for a payment that had ended. */
function logLateApproval({ log }: Service, { id, kind, paymentId }: OpenOperation, { payment, result }: Change): void {
  if (kind !== "void" || !hasEndedUnpaid(payment.status)) return;
  const about = { operation: id, payment: paymentId };
  if (result.kind === "ok") log.warn(about, "a late approval was reversed");
  else log.error(about, "a late approval could not be reversed and will be retried");
}

/** T2 with the payment locked first: slower, but free of conflicts. */
async function finishLocked(
  service: Service,
  operation: OpenOperation,
  outcome: FinalOutcome,
  from: "open" | "succeeded",
  now: string,
): Promise<Executed> {
  return service.db.within(operation.environmentId).sql.begin(async (tx) => {
    await lockPayment(tx, operation.environmentId, operation.request?.key ?? null, operation.paymentId);
    return finishInTransaction(service, tx, operation, outcome, from, now);
  });
}

/** T2 within a transaction that has locked the payment. */
export async function finishInTransaction(
  service: Service,
  tx: Transaction,
  operation: OpenOperation,
  outcome: FinalOutcome,
  from: "open" | "succeeded",
  now: string,
): Promise<Finished> {
  const snapshot = await getOperationPayment(service, operation, tx);
  const kept = await findKept(tx, snapshot, outcome);
  const consent = await findConsent(tx, operation, snapshot);
  const { write, finished } = prepareOutcome(service, operation, outcome, { snapshot, kept, consent }, from, now);
  const session = await withSessionEvent(tx, operation, write.session, finished.change);
  // The outcome of an operation that another process has ended is refused below, as stale.
  const isOpen = snapshot.payment.open_operation_id === operation.id;
  const billed = isOpen ? await settlePayment(service, tx, operation, finished.change) : null;
  const reply = billed && operation.request ? service.renderReply(operation.request, billed) : finished.reply;
  const response = operation.request && reply ? { ...reply, key: operation.request.key } : write.response;
  await writeOutcome(tx, operation.environmentId, { ...write, session, response });
  return { ...finished, reply };
}

/** The agreement of the shopper whose card the payment stores; null unless a payment form got it. */
async function findConsent(
  tx: Transaction,
  { environmentId }: OpenOperation,
  { payment, transactions }: PaymentSnapshot,
): Promise<Consent | null> {
  const sessionId = transactions.find(({ id }) => id === payment.charge_id)?.client_session_id ?? null;
  if (!payment.saves_card || sessionId === null) return null;
  return (await findSessionUnderWay(tx, environmentId, sessionId, payment.id))?.consent ?? null;
}

/** The current snapshot of an operation's payment. */
export async function getOperationPayment(
  { db }: Pick<Service, "db">,
  { id, environmentId, paymentId }: Pick<OpenOperation, "id" | "environmentId" | "paymentId">,
  sql: Sql | Transaction = db.within(environmentId).sql,
): Promise<PaymentSnapshot> {
  const snapshot = await findPayment(sql, environmentId, paymentId);
  if (!snapshot) throw new Error(`operation ${id} has no payment`);
  return snapshot;
}

/** The part of a payment's snapshot that an operation changes. */
export function operationSnapshot(
  { payment, transactions }: PaymentSnapshot,
  operation: Pick<OpenOperation, "kind" | "transactionId">,
): OperationSnapshot {
  const charge = transactions.find((row) => row.id === payment.charge_id);
  if (!charge) throw new Error(`payment ${payment.id} has no charge`);
  const refund =
    operation.kind === "refund" ? (transactions.find((row) => row.id === operation.transactionId) ?? null) : null;
  return { payment, charge, refund };
}

/** The row of a stored card, if the processor returned one that is known already. */
type Kept = Awaited<ReturnType<typeof findByProcessorToken>>;

/**
 * The payment method of the card that a payment stored, if it was stored before: null for nearly all
 * payments.
 */
async function findKept(sql: Sql | Transaction, { payment }: PaymentSnapshot, outcome: FinalOutcome): Promise<Kept> {
  if (outcome.kind !== "approved" || outcome.storedToken === undefined || !payment.saves_card) return null;
  const { environment_id: environmentId, connection_id: connectionId } = payment;
  return findByProcessorToken(sql, { token: outcome.storedToken, connectionId, environmentId });
}

/** T2 refuses a time further from the database's. */
const MAX_AHEAD_MS = 60_000;

/** The time of a change that follows one at `last`, which another process dated: its clock may be ahead. */
const notBefore = (last: string, now: string): string =>
  last > now && Date.parse(last) - Date.parse(now) < MAX_AHEAD_MS ? last : now;

function prepareOutcome(
  service: Service,
  operation: OpenOperation,
  outcome: FinalOutcome,
  { snapshot, kept, consent = null }: { snapshot: PaymentSnapshot; kept: Kept; consent?: Consent | null },
  from: "open" | "succeeded",
  now: string,
): { write: OutcomeWrite; finished: Finished } {
  const { request } = operation;
  const was = operationSnapshot(snapshot, operation);
  const at = notBefore(snapshot.payment.updated_at, now);
  const applied = applyOutcome(was, operation, outcome, at);
  const storedCard = kept ? null : storedByPayment(applied, outcome, consent);
  // A removed card is about to be deleted at the processor.
  const isOwn = kept !== null && kept.removed_at === null && kept.customer_id === applied.payment.customer_id;
  const methodId = isOwn ? kept.id : (storedCard?.id ?? null);
  const change = methodId ? { ...applied, payment: { ...applied.payment, payment_method_id: methodId } } : applied;
  const transactions = snapshot.transactions.map((row) => changedRow(row, change));
  // A refund that is reversed later keeps the response that was stored when it was accepted.
  const reply =
    request && from === "open" ? service.renderReply(request, toResult(change, transactions, operation)) : null;
  return {
    finished: { kind: "finished", change, reply },
    write: {
      mode: operation.mode,
      from: { state: from, epoch: operation.epoch, version: snapshot.payment.version },
      operation: { id: operation.id, state: change.operationState, lastAnswer: describe(outcome) },
      payment: change.payment,
      charge: change.charge,
      hasNewCardDetails: "card" in outcome && outcome.card !== undefined,
      refund: change.refund,
      ledger: change.ledger,
      feeOn: change.feeOn,
      events: [
        ...outcomeEvents(operation, change, snapshot, was, transactions),
        ...(storedCard ? [storedCardEvent(operation, storedCard, now)] : []),
      ],
      storedMethodId: methodId,
      storedCard: storedCard && { row: storedCard, auditId: newId() },
      session: sessionAfter(operation, change),
      audit: {
        id: newId(),
        action: change.audit ?? change.events[0],
        actor: operation.actor,
        requestId: operation.requestId,
      },
      response: request && reply ? { key: request.key, status: reply.status, body: reply.body } : null,
    },
  };
}

/** The effect of an authorization's end on its client session; null while the shopper still has to act. */
function sessionAfter({ kind }: OpenOperation, { payment, charge }: Change): OutcomeWrite["session"] {
  const authorizes = kind === "authorize" || kind === "continue";
  if (!authorizes || charge.client_session_id === null || payment.status === "REQUIRES_ACTION") return null;
  const paid = payment.status !== "DECLINED" && payment.status !== "FAILED";
  return { id: charge.client_session_id, paid, event: null };
}

/**
 * Adds the event of a session that is now paid. Sessions of payment links have none: their payments have
 * events.
 */
async function withSessionEvent(
  sql: Sql | Transaction,
  operation: OpenOperation,
  end: OutcomeWrite["session"],
  change: Change,
): Promise<OutcomeWrite["session"]> {
  if (!end?.paid) return end;
  const open = await findSessionUnderWay(sql, operation.environmentId, end.id, operation.paymentId);
  const isAnnounced = open !== null && open.payment_link_id === null;
  return { ...end, event: isAnnounced ? sessionCompletedEvent(operation, change, open) : null };
}

function changedRow(row: TransactionRow, change: Change): TransactionRow {
  if (row.id === change.charge.id) return change.charge;
  return change.refund && row.id === change.refund.id ? change.refund : row;
}

/** The outcome in one line, for support staff. */
function describe(outcome: FinalOutcome | StillOpen): string {
  const note = "note" in outcome && outcome.note ? ` (${outcome.note})` : "";
  switch (outcome.kind) {
    case "declined":
      if (outcome.refusal !== undefined) return `refused: ${outcome.refusal}${note}`;
      return `declined: ${outcome.decline_code ?? "no code"}${note}`;
    case "failed":
      return `failed: ${outcome.reason}`;
    case "pending":
      return "pending: the processor is still working on it";
    case "not_sent":
    case "unknown":
      return `unknown: ${outcome.reason}`;
    default:
      return `${outcome.kind}${note}`;
  }
}

/** An outcome that leaves an operation open. After `pending`, "never executed" is ruled out. */
type StillOpen = Extract<Outcome, { kind: "pending" | "not_sent" | "unknown" }>;

/**
 * Releases an operation of unknown outcome for its next status check, with exponential backoff from 0.5 to 60
 * s. `sent`: the call that moves the money has ended. Returns `lost` if it is closed or another process holds
 * it.
 */
export async function leaveOpen(
  service: Service,
  operation: OpenOperation,
  outcome: StillOpen,
  { attempts, sent }: { attempts: number; sent: boolean },
  known: PaymentSnapshot,
): Promise<Executed> {
  const delayMs = Math.min(500 * 2 ** Math.max(0, attempts - 1), 60_000);
  const { sql } = service.db.within(operation.environmentId);
  const event = pendingEvent(operation, known, clockTime(service.clock, operation.clock));
  const accepted = outcome.kind === "pending";
  const released = await releaseOperation(
    sql,
    operation,
    { text: describe(outcome), accepted },
    { delayMs, sent, event },
  );
  return released ? { kind: "pending", accepted } : { kind: "lost" };
}
