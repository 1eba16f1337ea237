import { insertPayment, type Order, reserveFollowUp } from "@/db/queries/payments/intents";
import { findOperation, holdAgain } from "@/db/queries/payments/operations";
import { isStaleOutcome } from "@/db/queries/payments/outcomes";
import { findPayment, type PaymentSnapshot } from "@/db/queries/payments/payments";
import { wasNotExecuted } from "@/db/unavailable";
import type { ContinueRequest, Inquiry, Outcome } from "@/lib/processor/port";
import type { Connected } from "@/lib/processor/registry";
import type { Service } from "../context";
import { forgetTotals } from "../lists";
import { type Executed, finishOperation, leaveOpen } from "./finish-operation";
import { leaseOf, type OpenOperation, operationFromOrder } from "./operation";
import type { FinalOutcome } from "./outcome";
import { concludeRefusedRefund, recordDeferredRefunds } from "./outside-refunds";
import { callProcessor } from "./processor-calls";

/** The part of an order that is not stored. */
type NotStored = {
  /** The payment's processor. */
  readonly at: Connected;
  /** The card of an authorization. */
  readonly token?: string | null;
  /** Parameters that the shopper brought back from a challenge. */
  readonly returned?: ContinueRequest["returned"];
};

export type Execution =
  | (Executed & { operation: OpenOperation })
  /** Nothing was written: the key is in use, or another payment has just claimed the session. */
  | { kind: "unclaimed" }
  /**
   * The guard refused. `claimed`: this request holds the key. Without a snapshot the payment does not exist
   * (yet).
   */
  | { kind: "refused"; claimed: boolean; snapshot: PaymentSnapshot | null };

/** Retry budget of a call that provably was not executed: attempts, and time since the start. */
const MAX_SEND_ATTEMPTS = 3;
const RESEND_WINDOW_MS = 30_000;
/** Interval at which a request checks whether the process that took over its operation has released it. */
const HOLD_PAUSE_MS = 100;

/**
 * Moves money: T1 claims the key, reserves and writes the intent; the processor is called with no transaction
 * and no connection held; T2 writes the outcome. After a crash in between, recovery finds the intent. An
 * unreadable response is an unknown outcome, never a failure.
 */
export async function execute(
  service: Service,
  order: Order,
  { at, token = null, returned }: NotStored,
): Promise<Execution> {
  // Read before T1, so that the lease T1 writes outlasts the time in which the operation may be sent.
  const startedMs = service.timer.elapsedMs();
  const reserved = await reserve(service, order, at).finally(() => forgetTotals(order.environment.id));
  if (reserved.kind !== "reserved") return reserved;
  const { operation, snapshot } = reserved;
  const processor = await findProcessor(service, order, at, snapshot);
  if (!processor) {
    // The intent is written, so recovery retries the lookup of the connection.
    const call = { attempts: 1, sent: false };
    const outcome = { kind: "unknown", reason: CONNECTION_MISSING } as const;
    return { operation, ...(await leaveOpen(service, operation, outcome, call, snapshot)) };
  }
  const call = (held: OpenOperation) => callProcessor(service, processor, held, snapshot, token, returned);
  return { operation, ...(await send(service, operation, { begunMs: startedMs, call }, snapshot)) };
}

/** Trusts the payment's connection_id; the caller's lookup may be stale. */
async function findProcessor(
  { processors }: Service,
  { environment }: Order,
  at: Connected,
  { payment }: PaymentSnapshot,
) {
  if (payment.connection_id === at.connectionId) return at.processor;
  return (await processors.find(environment, payment.connection_id))?.processor ?? null;
}

export const CONNECTION_MISSING = "the processor's connection is not there";

/** T1: the operation and its payment, unless nothing was reserved. */
async function reserve(
  service: Service,
  order: Order,
  at: Connected,
): Promise<
  | Extract<Execution, { kind: "unclaimed" | "refused" }>
  | { kind: "reserved"; operation: OpenOperation; snapshot: PaymentSnapshot }
> {
  const { sql } = service.db.within(order.environment.id);
  const lease = leaseOf(service.processorTimeoutMs);
  const guardedConnectionId = at.guarded ? at.connectionId : null;
  if (order.kind === "authorize") {
    const { snapshot } = order;
    const reservation = await insertPayment(sql, order, { lease, guardedConnectionId }).catch((error: unknown) => {
      if (isStaleOutcome(error)) return null;
      throw error;
    });
    if (!reservation?.claimed) return { kind: "unclaimed" };
    if (!reservation.reserved) return { kind: "refused", claimed: true, snapshot: null };
    return {
      kind: "reserved",
      operation: operationFromOrder(order, snapshot, snapshot.payment.amount, reservation),
      snapshot,
    };
  }
  const wholeOnly = order.kind === "capture" && !at.processor.capabilities.partialCapture;
  const reservation = await reserveFollowUp(sql, order, { lease, guardedConnectionId, wholeOnly }).catch(
    (error: unknown) => {
      if (isStaleOutcome(error)) return null;
      throw error;
    },
  );
  if (!reservation) {
    const snapshot = await findPayment(sql, order.environment.id, order.paymentId);
    return { kind: "refused", claimed: false, snapshot };
  }
  if (!reservation.found) return { kind: "refused", claimed: false, snapshot: null };
  if (!reservation.claimed) return { kind: "unclaimed" };
  const snapshot = await findPayment(sql, order.environment.id, order.paymentId);
  if (!snapshot) throw new Error(`payment ${order.paymentId} disappeared`);
  const { amount, detail } = reservation;
  if (!reservation.reserved || amount === null) return { kind: "refused", claimed: true, snapshot };
  return {
    kind: "reserved",
    operation: operationFromOrder({ ...order, detail }, snapshot, amount, reservation),
    snapshot,
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
 * The call and T2 of an operation that this process holds. The call is sent within the processor's timeout
 * after `begunMs`. If it provably was not executed it is retried within the retry budget; then the operation
 * fails.
 */
export async function send(
  service: Service,
  first: OpenOperation,
  sending: Sending,
  known: PaymentSnapshot,
): Promise<Executed> {
  const { timer } = service;
  const giveUpAtMs = sending.begunMs + RESEND_WINDOW_MS;
  let held = { operation: first, begunMs: sending.begunMs };
  let outcome = await sendIfInTime(service, held, sending);
  for (
    let tries = 1;
    outcome.kind === "not_sent" && tries < MAX_SEND_ATTEMPTS && timer.elapsedMs() < giveUpAtMs;
    tries++
  ) {
    const again = await renewLease(service, held.operation, giveUpAtMs);
    if (again === null) return { kind: "lost" };
    held = again;
    outcome = await sendIfInTime(service, held, sending);
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

async function sendIfInTime(
  { processorTimeoutMs, timer }: Service,
  { operation, begunMs }: { operation: OpenOperation; begunMs: number },
  { call }: Sending,
): Promise<Outcome> {
  if (timer.elapsedMs() <= begunMs + processorTimeoutMs) return call(operation);
  return { kind: "not_sent", reason: "it was too late to send the request" };
}

/**
 * A new lease for an operation that a process pause or a lock delayed until it was too late to send. A
 * process that takes over an authorization only checks its status, so this request may still send it; other
 * operations may have been sent. Null: the operation is closed, or another process holds it.
 */
async function renewLease(
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
      // The database is briefly unavailable, for example after a crash; only this request has the card, so it
      // retries.
      if (!wasNotExecuted(error) || timer.elapsedMs() > giveUpAtMs) throw error;
    }
    await timer.wait(HOLD_PAUSE_MS);
  }
}

/**
 * Writes a call's outcome: T2 if it ends the operation, otherwise the time of the next status check, which
 * backs off with `attempts`. `sent`: it was the call that moves the money, so no call is in flight anymore.
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
    case "not_sent":
    case "unknown":
      return leaveOpen(service, operation, outcome, call, known);
    default:
      return outcome satisfies never;
  }
}
