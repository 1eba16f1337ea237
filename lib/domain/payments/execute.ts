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

/** A card at a processor, and the payment token or client session that the payment uses up. */
export type PayingCard = { readonly token: string; readonly at: Connected } & KnownCard &
  Omit<PaymentSource, "guardedConnectionId">;

/** A movement of money, before T1 writes its intent. */
export type Order = {
  /** UUID: the operation's id, and the processor's reference. */
  readonly id: string;
  readonly environment: Pick<Environment, "id" | "mode">;
  /** The payment's processor. */
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
  /** Parameters that the shopper brought back from a challenge. */
  readonly returned?: ContinueRequest["returned"];
};

export type Execution =
  | (Executed & { operation: OpenOperation })
  /** Nothing was written: the key is in use, or another payment has just claimed the session. */
  | { kind: "unclaimed" }
  /** The guard refused. `claimed`: this request holds the key. Without a snapshot the payment does not exist (yet). */
  | { kind: "refused"; claimed: boolean; snapshot: PaymentSnapshot | null };

/** Retry budget of a call that provably was not executed: attempts, and time since the start. */
const SEND_TRIES = 3;
const SEND_AGAIN_WITHIN_MS = 30_000;
/** Interval at which a request checks whether the process that took over its operation has released it. */
const HOLD_PAUSE_MS = 100;

/**
 * Moves money: T1 claims the key, reserves and writes the intent; the processor is called with no transaction and no
 * connection held; T2 writes the outcome. After a crash in between, recovery finds the intent. An unreadable response
 * is an unknown outcome, never a failure.
 */
export async function execute(service: Service, order: Order): Promise<Execution> {
  // Read before T1, so that the lease T1 writes outlasts the time in which the operation may be sent.
  const begunMs = service.timer.elapsedMs();
  const reserved = await reserve(service, order).finally(() => forgetTotals(order.environment.id));
  if (reserved.kind !== "reserved") return reserved;
  const { operation, snapshot } = reserved;
  const token = order.kind === "authorize" ? order.card.token : null;
  const processor = await processorOf(service, order, snapshot);
  if (!processor) {
    // The intent is written, so recovery retries the lookup of the connection.
    const call = { attempts: 1, sent: false };
    return { operation, ...(await leaveOpen(service, operation, unknown(CONNECTION_MISSING), call, snapshot)) };
  }
  const returned = order.kind === "authorize" ? undefined : order.returned;
  const call = (held: OpenOperation) => callProcessor(service, processor, held, snapshot, token, returned);
  return { operation, ...(await send(service, operation, { begunMs, call }, snapshot)) };
}

type Reserved = { kind: "reserved"; operation: OpenOperation; snapshot: PaymentSnapshot };

/** Trusts the payment's connection_id; the caller's lookup may be stale. */
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

/** A call to the processor. `begunMs`: start of its operation, by the service's timer. */
type Sending = {
  readonly begunMs: number;
  readonly call: (held: OpenOperation) => Promise<Outcome>;
  /** Closes the reference, where an earlier call may still be in flight, so that it can never execute. */
  readonly close?: (held: OpenOperation) => Promise<Inquiry>;
};

/**
 * The call and T2 of an operation that this process holds. The call is sent within the processor's timeout after
 * `begunMs`. If it provably was not executed it is retried within the retry budget; then the operation fails.
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
  // The time ran out before the processor refused anything, so the next holder may still send it.
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

/** All calls were made here, and the processor refused each before executing it. */
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
 * A new lease for an operation that a process pause or a lock delayed until it was too late to send. A process that
 * takes over an authorization only checks its status, so this request may still send it; other operations may have
 * been sent. Null: the operation is closed, or another process holds it.
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
      // The database is briefly unavailable, for example after a crash; only this request has the card, so it retries.
      if (!wasNotExecuted(error) || timer.elapsedMs() > giveUpAtMs) throw error;
    }
    await timer.wait(HOLD_PAUSE_MS);
  }
}

/**
 * Writes a call's outcome: T2 if it ends the operation, otherwise the time of the next status check, which backs off
 * with `attempts`. `sent`: it was the call that moves the money, so no call is in flight any more.
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
