import { isDeepStrictEqual } from "node:util";
import type { Orm } from "@/db/client";
import { insertAudit, insertEvent } from "@/db/queries/changes";
import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import type { EventJson, EventRow, NewEvent } from "@/db/schema/events";
import type { Event, EventData, EventType, EventTypeOf } from "@/lib/contract/events/event";
import { encodeId } from "@/lib/contract/ids";
import type { Payment } from "@/lib/contract/payments/payment";
import { API_ENVIRONMENTS, type Mode } from "@/lib/contract/transactions/words";
import { idTime, newId } from "@/lib/ids";
import type { Context } from "../context";
import { presentPayment } from "../payments/present";

export type PaymentEventType = EventTypeOf<"payment">;
export type RefundEventType = EventTypeOf<"transaction">;

/** An event to write, in the commit that makes it true. `objectId`, `operationId`: UUIDs. */
export function newEvent<T extends EventType>(
  type: T,
  { objectId, operationId }: { objectId: string; operationId: string | null },
  data: EventData<T>,
): NewEvent {
  return {
    id: newId(),
    type,
    object_id: objectId,
    operation_id: operationId,
    data: JSON.stringify(data) as EventJson,
  };
}

/** The event as the API shows it and as webhooks carry it. */
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
    // Which data a type has was made sure of when the event was written.
  } as Event;
}

/** Of the members that changed, what they were. */
export function changedMembers<T extends object>(before: T, after: T): Partial<T> {
  const changed: Partial<T> = {};
  for (const name of Object.keys(after) as (keyof T)[]) {
    if (before[name] !== after[name] && !isDeepStrictEqual(before[name], after[name])) changed[name] = before[name];
  }
  return changed;
}

/** The event data of what a commit changes in a payment. Before its first event there is no `previous`. */
export function paymentData(before: PaymentSnapshot, after: PaymentSnapshot, mode: Mode): EventData<PaymentEventType> {
  const shown = (snapshot: PaymentSnapshot) => presentPayment(snapshot.payment, snapshot.transactions, mode);
  const object = shown(after);
  return { object, previous: before.payment.event_sequence === 0 ? null : changesOfPayment(shown(before), object) };
}

type ChangedTransactions = NonNullable<NonNullable<EventData<PaymentEventType>["previous"]>["transactions"]>;

/** Its other transactions are left out: a payment may have hundreds. */
function changesOfPayment(
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

type ChangeType = EventTypeOf<"subscription_plan" | "client_session" | "webhook_endpoint">;

/**
 * Writes a change into the outbox and the audit log, in its own transaction, which holds the object's row. `action`: its name in
 * the audit log. Returns the event.
 */
export async function recordChange<T extends ChangeType>(
  ctx: Context,
  tx: Orm,
  change: { type: T; action: string; objectId: string; data: EventData<T> },
): Promise<{ id: string; created_at: string }> {
  const event = newEvent(change.type, { objectId: change.objectId, operationId: null }, change.data);
  const created_at = idTime(event.id);
  await insertEvent(tx, ctx.environment.id, { ...event, created_at });
  await insertAudit(tx, ctx.environment.id, {
    id: event.id,
    actor: ctx.actor,
    action: change.action,
    object_id: change.objectId,
    request_id: ctx.request.id,
    created_at,
  });
  return { id: event.id, created_at };
}

/** Who did something that is no event: merchants see it in their history, and no webhook tells of it. */
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
