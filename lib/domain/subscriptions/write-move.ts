import {
  type By,
  insertInvoice,
  insertMoveEvents,
  insertSubscription,
  type Run,
  takeInvoiceNumbers,
  updateInvoice,
  updateSubscription,
} from "@/db/queries/subscriptions/rows";
import type { NumberedEvent } from "@/db/schema/events";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import type { NextAction } from "@/lib/contract/payments/payment";
import { newId } from "@/lib/ids";
import type { Environment } from "../context";
import { changedMembers, newEvent } from "../events/event";
import type { Move, MoveEvent } from "./move";
import { presentInvoice, presentSubscription } from "./present";

/** The rows as the transaction has locked them, without those that the move inserts. */
type Locked = { readonly subscription: SubscriptionRow | null; readonly invoices: readonly InvoiceRow[] };

type Written = { subscription: SubscriptionRow; invoices: InvoiceRow[] };

/** A row and its previous state, which is null for a new row. */
type Pair<Row> = { was: Row | null; is: Row };

/** A new invoice before it was opened: the previous state for the events after its first. */
const asDraft = (row: InvoiceRow): InvoiceRow => ({
  ...row,
  ...{ status: "DRAFT", number: null, next_attempt_at: null, paid_at: null, voided_at: null, amount_paid: 0 },
});

/**
 * Writes a move and its events in the transaction that has locked its rows. Invoices that leave DRAFT get
 * their numbers. `nextAction`: that of the payment in progress.
 */
export async function writeMove(
  run: Run,
  { id: environmentId, mode }: Pick<Environment, "id" | "mode">,
  {
    locked,
    move,
    by,
    now,
    nextAction = null,
    operationId = null,
  }: {
    locked: Locked;
    move: Move;
    by: By;
    now: string;
    nextAction?: NextAction | null;
    operationId?: string | null;
  },
): Promise<Written> {
  const numbered = await withNumbers(run, environmentId, move.invoices);
  const subscription: Pair<SubscriptionRow> = { was: locked.subscription, is: { ...move.subscription } };
  const invoices = numbered.map((row): Pair<InvoiceRow> => {
    const was = locked.invoices.find(({ id }) => id === row.id) ?? null;
    return { was, is: { ...row } };
  });
  const events = move.events.map((event) =>
    eventOf(event, subscription, invoices, { mode, nextAction, operationId, now }),
  );
  if (subscription.was === null) await insertSubscription(run, subscription.is);
  else if (hasChanged(subscription)) await updateSubscription(run, nextVersion(subscription));
  for (const pair of invoices) {
    if (pair.was === null) await insertInvoice(run, pair.is);
    else await updateInvoice(run, nextVersion(pair));
  }
  await insertMoveEvents(run, environmentId, events, { ...by, auditId: newId() });
  return { subscription: subscription.is, invoices: invoices.map(({ is }) => is) };
}

const hasChanged = ({ was, is }: Pair<SubscriptionRow>): boolean =>
  was === null || JSON.stringify(was) !== JSON.stringify(is);

function nextVersion<Row extends { version: number }>({ was, is }: Pair<Row>): Row {
  is.version = (was ?? is).version + 1;
  return is;
}

async function withNumbers(run: Run, environmentId: string, invoices: readonly InvoiceRow[]): Promise<InvoiceRow[]> {
  const count = invoices.filter(({ status, number }) => status !== "DRAFT" && number === null).length;
  if (count === 0) return [...invoices];
  let next = await takeInvoiceNumbers(run, environmentId, count);
  return invoices.map((row) => (row.status !== "DRAFT" && row.number === null ? { ...row, number: next++ } : row));
}

type Told = { mode: Environment["mode"]; nextAction: NextAction | null; operationId: string | null; now: string };

/** Creates the event, and stores its number in the row. */
function eventOf(
  event: MoveEvent,
  subscription: Pair<SubscriptionRow>,
  invoices: readonly Pair<InvoiceRow>[],
  { mode, nextAction, operationId, now }: Told,
): NumberedEvent {
  if ("invoiceId" in event) {
    const pair = invoices.find(({ is }) => is.id === event.invoiceId);
    if (!pair) throw new Error(`${event.type} is about an invoice that does not change`);
    const sequence = ++pair.is.event_sequence;
    const object = presentInvoice(pair.is, mode);
    const before = presentInvoice(pair.was ?? asDraft(pair.is), mode);
    const previous = sequence === 1 ? null : changedMembers(before, object);
    return { sequence, ...newEvent(event.type, { objectId: pair.is.id, operationId }, { object, previous }, now) };
  }
  const { was, is } = subscription;
  const sequence = ++is.event_sequence;
  const object = presentSubscription(is, mode, nextAction);
  const previous = sequence === 1 ? null : changedMembers(presentSubscription(was ?? is, mode, null), object);
  return { sequence, ...newEvent(event.type, { objectId: is.id, operationId }, { object, previous }, now) };
}
