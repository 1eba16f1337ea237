import {
  type By,
  type Issued,
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
import { changedMembers, newEvent } from "../events/event";
import type { Move, MoveEvent } from "./move";
import { presentInvoice, presentSubscription, type ShownIn } from "./present";

/** The rows as the transaction has locked them, without those that the move inserts. */
type Locked = { readonly subscription: SubscriptionRow | null; readonly invoices: readonly InvoiceRow[] };

type Written = { subscription: SubscriptionRow; invoices: InvoiceRow[] };

/** A row and its previous state, which is null for a new row. */
type Pair<Row> = { was: Row | null; is: Row };

/** A new invoice before it was opened: the previous state for the events after its first. */
const asDraft = (row: InvoiceRow): InvoiceRow => ({
  ...row,
  status: "DRAFT",
  number: null,
  tax_name: null,
  tax_rate: null,
  next_attempt_at: null,
  paid_at: null,
  voided_at: null,
  amount_paid: 0,
});

/** The rows as they are after a move, in their next version, and its events. */
type Moved = {
  subscription: Pair<SubscriptionRow>;
  invoices: Pair<InvoiceRow>[];
  events: NumberedEvent[];
};

const NONE_ISSUED: Issued = { firstNumber: 0, tax_name: null, tax_rate: null };

const leavesDraft = ({ status, number }: InvoiceRow): boolean => status !== "DRAFT" && number === null;

/** Computes what a move writes. `issued`: for the invoices that leave DRAFT. */
export function moveRows(
  shownIn: ShownIn,
  {
    locked,
    move,
    now,
    issued,
    nextAction = null,
    operationId = null,
  }: {
    locked: Locked;
    move: Move;
    now: string;
    issued: Issued;
    nextAction?: NextAction | null;
    operationId?: string | null;
  },
): Moved {
  const { firstNumber, ...tax } = issued;
  let next = firstNumber;
  const subscription: Pair<SubscriptionRow> = { was: locked.subscription, is: { ...move.subscription } };
  const invoices = move.invoices.map((row): Pair<InvoiceRow> => {
    const was = locked.invoices.find(({ id }) => id === row.id) ?? null;
    return { was, is: leavesDraft(row) ? { ...row, ...tax, number: next++ } : { ...row } };
  });
  const events = move.events.map((event) =>
    eventOf(event, subscription, invoices, { ...shownIn, nextAction, operationId, now }),
  );
  for (const { was, is } of invoices) if (was !== null) is.version = was.version + 1;
  const { was, is } = subscription;
  if (was !== null && hasChanged(was, is)) is.version = was.version + 1;
  return { subscription, invoices, events };
}

const hasChanged = (was: SubscriptionRow, is: SubscriptionRow): boolean => JSON.stringify(was) !== JSON.stringify(is);

/**
 * Writes a move and its events in the transaction that has locked its rows. Invoices that leave DRAFT get
 * their numbers and tax. `nextAction`: that of the payment in progress.
 */
export async function writeMove(
  run: Run,
  shownIn: ShownIn,
  { by, ...moving }: Omit<Parameters<typeof moveRows>[1], "issued"> & { by: By },
): Promise<Written> {
  const environmentId = shownIn.environment.id;
  const count = moving.move.invoices.filter(leavesDraft).length;
  const issued = count === 0 ? NONE_ISSUED : await takeInvoiceNumbers(run, environmentId, count);
  const { subscription, invoices, events } = moveRows(shownIn, { ...moving, issued });
  if (subscription.was === null) await insertSubscription(run, subscription.is);
  else if (subscription.is.version > subscription.was.version) await updateSubscription(run, subscription.is);
  for (const { was, is } of invoices) {
    if (was === null) await insertInvoice(run, is);
    else await updateInvoice(run, is);
  }
  await insertMoveEvents(run, environmentId, events, by);
  return { subscription: subscription.is, invoices: invoices.map(({ is }) => is) };
}

type Told = ShownIn & { nextAction: NextAction | null; operationId: string | null; now: string };

/** Creates the event, and stores its number in the row. */
function eventOf(
  event: MoveEvent,
  subscription: Pair<SubscriptionRow>,
  invoices: readonly Pair<InvoiceRow>[],
  { service, environment, nextAction, operationId, now }: Told,
): NumberedEvent {
  if ("invoiceId" in event) {
    const pair = invoices.find(({ is }) => is.id === event.invoiceId);
    if (!pair) throw new Error(`${event.type} is about an invoice that does not change`);
    const sequence = ++pair.is.event_sequence;
    const object = presentInvoice({ service, environment }, pair.is);
    const before = presentInvoice({ service, environment }, pair.was ?? asDraft(pair.is));
    const previous = sequence === 1 ? null : changedMembers(before, object);
    return { sequence, ...newEvent(event.type, { objectId: pair.is.id, operationId }, { object, previous }, now) };
  }
  const { was, is } = subscription;
  const { mode } = environment;
  const sequence = ++is.event_sequence;
  const object = presentSubscription(is, mode, nextAction);
  const previous = sequence === 1 ? null : changedMembers(presentSubscription(was ?? is, mode, null), object);
  return { sequence, ...newEvent(event.type, { objectId: is.id, operationId }, { object, previous }, now) };
}
