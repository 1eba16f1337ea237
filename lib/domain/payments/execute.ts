import type { KeyClaim } from "@/db/queries/idempotency/keys";
import { type FollowUp, insertPayment, type PaymentSource, reserveFollowUp } from "@/db/queries/payments/intents";
import { findOperation, holdAgain } from "@/db/queries/payments/operations";
import { isStaleOutcome } from "@/db/queries/payments/outcomes";
import { findPayment, type PaymentSnapshot } from "@/db/queries/payments/payments";
import { wasNotExecuted } from "@/db/unavailable";
import type { ContinueRequest, Inquiry, KnownCard, Outcome } from "@/lib/processor/port";
import type { Connected } from "@/lib/processor/registry";
import type { Environment, Service } from "../context";
import { forgetTotals } from "../lists";
import { ACCEPTED, type Executed, finishOperation, leaveOpen, unknown } from "./finish-operation";
import { leaseOf, type OpenOperation, SYSTEM } from "./operation";
import type { FinalOutcome } from "./outcome";
import { concludeRefusedRefund, recordDeferredRefunds } from "./outside-refunds";
import { callProcessor } from "./processor-calls";

/** The card as a processor keeps it, where, and the token or client session that the payment uses up. */
export type PayingCard = { readonly token: string; readonly at: Connected } & KnownCard &
  Omit<PaymentSource, "guardedConnectionId">;

/** What to do with a payment's money, before anything is written. */
export type Order = {
  /** UUID: the operation's id, and the processor's reference. */
  readonly id: string;
  readonly environment: Pick<Environment, "id" | "mode">;
  /** The processor of the payment. */
  readonly at: Connected;
  /** Void reason, or the challenge's result. */
  readonly detail: string | null;
} & (AuthorizationOrder | FollowUpOrder);

/** A new payment, as T1 writes it. */
type AuthorizationOrder = {
  readonly kind: "authorize";
  readonly snapshot: PaymentSnapshot;
  readonly card: PayingCard;
  /** The first use of the request's key. */
  readonly claim: KeyClaim;
};

type FollowUpOrder = FollowUp & {
  /** The first use of the request's key; null for Cardlane's own. */
  readonly claim: KeyClaim | null;
  /** With what the shopper came back from a challenge. */
  readonly returned?: ContinueRequest["returned"];
};

export type Execution =
  | (Executed & { operation: OpenOperation })
  /** Nothing was written: the key is in use, or another payment has just taken the session. */
  | { kind: "unclaimed" }
  /** The guard refused; the key, if there is one, is `claimed`. No snapshot: there is no such payment (yet). */
  | { kind: "refused"; claimed: boolean; snapshot: PaymentSnapshot | null };

/** A call that provably was not executed is sent again under the same reference: so often, for so long after it began. */
const SEND_TRIES = 3;
const SEND_AGAIN_WITHIN_MS = 30_000;
/** How often to check whether the process that took the operation over has released it. */
const HOLD_PAUSE_MS = 100;

/**
 * Moves money: T1 claims the key, reserves and writes the intent; the processor is called, with no transaction and no
 * connection held; T2 writes the outcome. Whatever happens in between, the intent is written and the operation is found again.
 * An unreadable answer is never taken for a failure.
 */
export async function execute(service: Service, order: Order): Promise<Execution> {
  // Before T1, whose lease then outlives the time in which the operation may be sent.
  const begunMs = service.timer.elapsedMs();
  const reserved = await reserve(service, order).finally(() => forgetTotals(order.environment.id));
  if (reserved.kind !== "reserved") return reserved;
  const { operation, snapshot } = reserved;
  const token = order.kind === "authorize" ? order.card.token : null;
  const processor = await processorOf(service, order, snapshot);
  if (!processor) {
    // The operation is written: recovery finds the processor, or says that it is not there.
    const call = { attempts: 1, sent: false };
    return { operation, ...(await leaveOpen(service, operation, unknown(CONNECTION_MISSING), call, snapshot)) };
  }
  const returned = order.kind === "authorize" ? undefined : order.returned;
  const call = (held: OpenOperation) => callProcessor(service, processor, held, snapshot, token, returned);
  return { operation, ...(await send(service, operation, { begunMs, call }, snapshot)) };
}

type Reserved = { kind: "reserved"; operation: OpenOperation; snapshot: PaymentSnapshot };

/** The payment says where it is; whoever gave the order may have looked before that was known to this process. */
async function processorOf({ processors }: Service, { at, environment }: Order, { payment }: PaymentSnapshot) {
  if (payment.connection_id === at.connectionId) return at.processor;
  return (await processors.find(environment, payment.connection_id))?.processor ?? null;
}

export const CONNECTION_MISSING = "the processor's connection is not there";

/** T1. */
async function reserve(
  service: Service,
  order: Order,
): Promise<Reserved | Extract<Execution, { kind: "unclaimed" | "refused" }>> {
  const { sql } = service.db.within(order.environment.id);
  const lease = leaseOf(service.processorTimeoutMs);
  const begunBy = { actor: order.claim?.actor ?? SYSTEM, requestId: order.claim?.requestId ?? null };
  if (order.kind === "authorize") {
    const { snapshot, claim, card } = order;
    const { payment, transactions } = snapshot;
    const [charge] = transactions;
    if (!charge) throw new Error("a new payment has a charge");
    const { id, kind, detail } = order;
    const subject = { paymentId: payment.id, transactionId: charge.id };
    const { amount, currency } = payment;
    const intent = { id, kind, detail, ...subject, amount, currency, ...begunBy, lease };
    const reservation = await insertPayment(sql, order.environment.id, claim, { payment, charge }, intent, {
      guardedConnectionId: guardOf(order),
      ...card,
    }).catch((error: unknown) => {
      if (isStaleOutcome(error)) return null;
      throw error;
    });
    if (!reservation?.claimed) return { kind: "unclaimed" };
    if (!reservation.reserved) return { kind: "refused", claimed: true, snapshot: null };
    return { kind: "reserved", operation: begun(order, snapshot, amount, reservation.not_after), snapshot };
  }
  const wholeOnly = order.kind === "capture" && !order.at.processor.capabilities.partialCapture;
  const followUp = { ...order, wholeOnly, guardedConnectionId: guardOf(order) };
  const intent = { id: order.id, ...begunBy, lease };
  const reservation = await reserveFollowUp(sql, order.environment.id, order.claim, followUp, intent);
  if (!reservation.found) return { kind: "refused", claimed: false, snapshot: null };
  if (!reservation.claimed) return { kind: "unclaimed" };
  const snapshot = await findPayment(sql, order.environment.id, order.paymentId);
  if (!snapshot) throw new Error(`payment ${order.paymentId} disappeared`);
  if (!reservation.reserved || reservation.amount === null) return { kind: "refused", claimed: true, snapshot };
  return { kind: "reserved", operation: begun(order, snapshot, reservation.amount, reservation.not_after), snapshot };
}

const guardOf = ({ at }: Order): string | null => (at.guarded ? at.connectionId : null);

function begun(order: Order, { payment }: PaymentSnapshot, amount: number, notAfter: string): OpenOperation {
  const refund = order.kind === "authorize" ? null : order.refund;
  return {
    environmentId: order.environment.id,
    mode: order.environment.mode,
    id: order.id,
    kind: order.kind,
    epoch: 1,
    paymentId: payment.id,
    transactionId: refund?.id ?? payment.charge_id,
    amount,
    currency: payment.currency,
    detail: order.detail,
    actor: order.claim?.actor ?? SYSTEM,
    requestId: order.claim?.requestId ?? null,
    request: order.claim,
    notAfter,
  };
}

/** A call: when its operation began, by the service's timer, and how the processor is called for its holder. */
type Sending = {
  readonly begunMs: number;
  readonly call: (held: OpenOperation) => Promise<Outcome>;
  /** Where an earlier call may still be under way: makes sure that none is executed any more. */
  readonly close?: (held: OpenOperation) => Promise<Inquiry>;
};

/**
 * The call and T2 of an operation that this process holds and may send, within the processor's time after `begunMs`. A call
 * that provably was not executed is sent again for a while; then the operation has failed.
 */
export async function send(
  service: Service,
  first: OpenOperation,
  sending: Sending,
  known: PaymentSnapshot,
): Promise<Executed> {
  const { timer } = service;
  const giveUpAtMs = sending.begunMs + SEND_AGAIN_WITHIN_MS;
  let held = { operation: first, begunMs: sending.begunMs };
  let outcome = await sendInTime(service, held, sending);
  for (let tries = 1; outcome.kind === "not_sent" && tries < SEND_TRIES && timer.elapsedMs() < giveUpAtMs; tries++) {
    const again = await moreTime(service, held.operation, giveUpAtMs);
    if (again === null) return { kind: "lost" };
    held = again;
    outcome = await sendInTime(service, held, sending);
  }
  if (outcome.kind !== "not_sent")
    return conclude(service, held.operation, outcome, known, { attempts: 1, sent: true });
  const call = { attempts: 1, sent: false };
  // Held up until no time was left: nothing refused it, and the next holder may send it.
  if (timer.elapsedMs() >= giveUpAtMs) return conclude(service, held.operation, outcome, known, call);
  const closed = sending.close ? await sending.close(held.operation) : NEVER;
  switch (closed.kind) {
    case "never":
      return conclude(service, held.operation, { kind: "failed", reason: outcome.reason }, known, call);
    case "not_found":
      return conclude(service, held.operation, outcome, known, call);
    default:
      return conclude(service, held.operation, closed, known, call);
  }
}

/** Every call is known, and was refused before it was executed. */
const NEVER = { kind: "never" } as const;

async function sendInTime(
  { processorTimeoutMs, timer }: Service,
  { operation, begunMs }: { operation: OpenOperation; begunMs: number },
  { call }: Sending,
): Promise<Outcome> {
  if (timer.elapsedMs() <= begunMs + processorTimeoutMs) return call(operation);
  return { kind: "not_sent", reason: "it was too late to send the request" };
}

/**
 * A new lease for an operation that a pause of this process, or a lock, held up until it was too late to send. Another process
 * that took over an authorization only checks its status and finds nothing, so this request continues with it; anything else
 * the other may have sent. Null: it is closed, or another process holds it.
 */
async function moreTime(
  service: Service,
  operation: OpenOperation,
  giveUpAtMs: number,
): Promise<{ operation: OpenOperation; begunMs: number } | null> {
  const { timer } = service;
  const lease = leaseOf(service.processorTimeoutMs);
  const onlyChecked = operation.kind === "authorize";
  const { sql } = service.db.within(operation.environmentId);
  for (;;) {
    const begunMs = timer.elapsedMs();
    try {
      const held = await holdAgain(sql, operation, lease, onlyChecked);
      if (held) return { operation: { ...operation, epoch: held.epoch, notAfter: held.not_after }, begunMs };
      const row = await findOperation(sql, operation.environmentId, operation.id);
      if (!onlyChecked || row?.state !== "open" || timer.elapsedMs() > giveUpAtMs) return null;
    } catch (error) {
      // The database is away, as it is for moments after a crash, and the request still has the card.
      if (!wasNotExecuted(error) || timer.elapsedMs() > giveUpAtMs) throw error;
    }
    await timer.wait(HOLD_PAUSE_MS);
  }
}

/**
 * Writes how a call ended: T2 when that ends the operation, otherwise its next status check, later after each of so many
 * `attempts`. `sent`: it was the call that moves the money, so that from now on none is under way.
 */
export async function conclude(
  service: Service,
  operation: OpenOperation,
  outcome: Outcome | Extract<FinalOutcome, { kind: "failed" }>,
  known: PaymentSnapshot,
  call: { attempts: number; sent: boolean },
): Promise<Executed> {
  switch (outcome.kind) {
    case "declined":
      if (operation.kind === "refund") return concludeRefusedRefund(service, operation, outcome, known);
      return finishOperation(service, operation, outcome, known);
    case "approved":
    case "failed": {
      const finished = await finishOperation(service, operation, outcome, known);
      await recordDeferredRefunds(service, operation, known);
      return finished;
    }
    case "action_required":
      return finishOperation(service, operation, outcome, known);
    case "pending":
      return leaveOpen(service, operation, ACCEPTED, call, known);
    case "not_sent":
    case "unknown":
      return leaveOpen(service, operation, unknown(outcome.reason), call, known);
    default:
      return outcome satisfies never;
  }
}
