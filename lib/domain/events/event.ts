import { isDeepStrictEqual } from "node:util";
import type { Orm } from "@/db/client";
import { insertAudit, insertEvent } from "@/db/queries/changes";
import type { ClockSetting } from "@/db/queries/clock";
import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import type { EventJson, EventRow, NewEvent } from "@/db/schema/events";
import type { ActorRecord } from "@/db/schema/operations";
import type { PaymentRow } from "@/db/schema/payments";
import type { TransactionRow } from "@/db/schema/transactions";
import type { Event, EventData, EventType, EventTypeOf } from "@/lib/contract/events/event";
import { encodeId } from "@/lib/contract/ids";
import type { Payment } from "@/lib/contract/payments/payment";
import { API_ENVIRONMENTS, type Mode, type TransactionStatus } from "@/lib/contract/transactions/words";
import { idAt, idTime, newId } from "@/lib/ids";
import { type Context, clockTime } from "../context";
import { presentPayment, presentTransaction } from "../payments/present";

export type PaymentEventType = EventTypeOf<"payment">;
export type RefundEventType = Extract<EventTypeOf<"transaction">, `refund.${string}`>;
/** The event for each new status of a transaction. */
export type TransactionEventType = `transaction.${Lowercase<TransactionStatus>}`;
export const transactionEventType = (status: TransactionStatus) =>
  `transaction.${status.toLowerCase()}` as TransactionEventType;

/**
 * Creates an event, to be inserted in the commit that makes it true. `objectId`, `operationId`: UUIDs. `at`:
 * the environment's time, which the event's id has, too.
 */
export function newEvent<T extends EventType>(
  type: T,
  { objectId, operationId }: { objectId: string; operationId: string | null },
  data: EventData<T>,
  at: string,
): NewEvent {
  return {
    id: idAt(new Date(at)),
    type,
    object_id: objectId,
    operation_id: operationId,
    data: JSON.stringify(data) as EventJson,
    created_at: at,
  };
}

/** The event as the API and webhooks show it. */
export function presentEvent(row: EventRow, mode: Mode): Event {
  return {
    id: encodeId("event", row.id),
    object: "event",
    type: row.type,
    api_version: "v1",
    environment: API_ENVIRONMENTS[mode],
    sequence: row.sequence,
    created_at: row.created_at,
    data: row.data,
    // `newEvent` has checked that the data matches the type.
  } as Event;
}

/** The previous values of the members that changed. */
export function changedMembers<T extends object>(before: T, after: T): Partial<T> {
  const changed: Partial<T> = {};
  for (const name of Object.keys(after) as (keyof T)[]) {
    if (before[name] !== after[name] && !isDeepStrictEqual(before[name], after[name])) changed[name] = before[name];
  }
  return changed;
}

/** The event data of a change to a payment. `previous` is null in its first event. */
export function paymentData(before: PaymentSnapshot, after: PaymentSnapshot, mode: Mode): EventData<PaymentEventType> {
  const shown = (snapshot: PaymentSnapshot) => presentPayment(snapshot.payment, snapshot.transactions, mode);
  const object = shown(after);
  return { object, previous: before.payment.event_sequence === 0 ? null : diffPayment(shown(before), object) };
}

type ChangedTransactions = NonNullable<NonNullable<EventData<PaymentEventType>["previous"]>["transactions"]>;

/** Omits unchanged transactions, because a payment may have hundreds. */
function diffPayment(
  { transactions: before, ...payment }: Payment,
  { transactions: after, ...changed }: Payment,
): EventData<PaymentEventType>["previous"] {
  const previous: EventData<PaymentEventType>["previous"] = changedMembers(payment, changed);
  const now = new Map(after.map((transaction) => [transaction.id, transaction]));
  const transactions: ChangedTransactions = [];
  for (const transaction of before) {
    const members = changedMembers(transaction, now.get(transaction.id) ?? transaction);
    if (Object.keys(members).length > 0) transactions.push({ id: transaction.id, ...members });
  }
  return transactions.length > 0 ? { ...previous, transactions } : previous;
}

/** A transaction with its payment, whose counters it shows. */
type ShownTransaction = { row: TransactionRow; payment: PaymentRow };

/** The event data of a change to a transaction. `before`: null in its first event. */
export function transactionData(
  before: ShownTransaction | null,
  after: ShownTransaction,
  mode: Mode,
): EventData<TransactionEventType> {
  const object = presentTransaction(after.row, after.payment, mode);
  const was = before && presentTransaction(before.row, before.payment, mode);
  return { object, previous: was && changedMembers(was, object) };
}

type ChangeType = EventTypeOf<
  "payment_method" | "subscription_plan" | "client_session" | "webhook_endpoint" | "api_key" | "approval_request"
>;
type RecordedChange<T extends ChangeType> = { type: T; action: string; objectId: string; data: EventData<T> };

/**
 * Records a change in the outbox and the audit log, in the transaction of the change, which holds the lock on
 * the object's row. `action`: its name in the audit log. Returns the event.
 */
export function recordChange<T extends ChangeType>(
  ctx: Context,
  tx: Orm,
  change: RecordedChange<T>,
): Promise<{ id: string; created_at: string }> {
  const { environment, actor, request, service } = ctx;
  const by = { environmentId: environment.id, actor, requestId: request.id };
  return recordChangeBy({ ...by, now: service.clock.now(), clock: environment.clock }, tx, change);
}

/**
 * Like {@link recordChange}, also outside of a request. `now`: real time. `detail`: stored in the audit log
 * only.
 */
export async function recordChangeBy<T extends ChangeType>(
  by: { environmentId: string; actor: ActorRecord; requestId: string | null; now: Date; clock: ClockSetting },
  tx: Orm,
  change: RecordedChange<T>,
  detail: Record<string, unknown> | null = null,
): Promise<{ id: string; created_at: string }> {
  const at = clockTime({ now: () => by.now }, by.clock).toISOString();
  const event = newEvent(change.type, { objectId: change.objectId, operationId: null }, change.data, at);
  await insertEvent(tx, by.environmentId, event);
  // The audit log has real time, and its ids do; otherwise the entry shares the event's id.
  const id = by.clock === null ? event.id : newId();
  await insertAudit(tx, by.environmentId, {
    id,
    actor: by.actor,
    action: change.action,
    object_id: change.objectId,
    request_id: by.requestId,
    detail,
    created_at: idTime(id),
  });
  return { id: event.id, created_at: event.created_at };
}

/** Records an act that is not an event: merchants see it in their history, but no webhook reports it. */
export async function recordAct(
  ctx: Context,
  tx: Orm,
  action: string,
  objectId: string,
  detail: Record<string, unknown> | null = null,
): Promise<void> {
  const id = newId();
  const entry = { id, actor: ctx.actor, action, object_id: objectId, request_id: ctx.request.id, detail };
  await insertAudit(tx, ctx.environment.id, { ...entry, created_at: idTime(id) });
}
