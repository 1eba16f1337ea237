import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import type { EventTypeOf } from "@/lib/contract/events/event";
import { isRunning } from "./states";

/** Changes written in one commit: the updated rows, and the events in order. */
export type Move = {
  readonly subscription: SubscriptionRow;
  /** New and changed invoices. */
  readonly invoices: readonly InvoiceRow[];
  readonly events: readonly MoveEvent[];
};

/** A subscription event, or an invoice event with the invoice's UUID. */
export type MoveEvent =
  | { readonly type: EventTypeOf<"subscription"> }
  | { readonly type: EventTypeOf<"invoice">; readonly invoiceId: string };

/** Time to complete the first payment, after which the subscription expires. */
const INCOMPLETE_HOURS = 23;
/** Days before a trial's end at which the notice is sent. */
const TRIAL_NOTICE_DAYS = 3;
const HOUR_MS = 3_600_000;

/** When the engine must act on a subscription next: ISO time; null if it has ended or is paused. */
function dueAt(row: SubscriptionRow): string | null {
  if (row.refund_due > 0) return row.updated_at;
  switch (row.status) {
    case "INCOMPLETE":
      return new Date(Date.parse(row.created_at) + INCOMPLETE_HOURS * HOUR_MS).toISOString();
    case "TRIALING":
      return row.trial_end_announced || row.period_number > 0 ? row.period_end_at : trialNoticeAt(row);
    case "ACTIVE":
    case "PAST_DUE":
      return row.period_end_at;
    case "PAUSED":
    case "CANCELLED":
    case "EXPIRED":
      return null;
    default:
      return row.status satisfies never;
  }
}

const trialNoticeAt = ({ period_end_at }: SubscriptionRow): string =>
  new Date(Date.parse(period_end_at) - TRIAL_NOTICE_DAYS * 24 * HOUR_MS).toISOString();

/** The row with these values, and its `due_at` recomputed. */
export function changed(row: SubscriptionRow, values: Partial<SubscriptionRow>, now: string): SubscriptionRow {
  const next = { ...row, ...values, updated_at: now };
  return { ...next, due_at: dueAt(next) };
}

/** A subscription with another card, and its unpaid invoices, which are charged to that card immediately. */
export function withCard(
  row: SubscriptionRow,
  open: readonly InvoiceRow[],
  { methodId, now }: { methodId: string; now: string },
): Pick<Move, "subscription" | "invoices"> {
  if (methodId === row.payment_method_id) return { subscription: row, invoices: [] };
  return withRenewedCard({ ...row, payment_method_id: methodId }, open, now);
}

/** The same for a subscription whose refused card may work again. */
export function withRenewedCard(
  row: SubscriptionRow,
  open: readonly InvoiceRow[],
  now: string,
): Pick<Move, "subscription" | "invoices"> {
  const due = isRunning(row.status) ? open.filter(({ open_payment_id }) => open_payment_id === null) : [];
  return {
    subscription: changed(row, { card_refused: false }, now),
    invoices: due.map((invoice) => ({ ...invoice, next_attempt_at: now, updated_at: now })),
  };
}

/** True while a payment is in progress that makes a change if it succeeds. */
export const isUnderWay = ({ change_on_payment, open_payment_id }: InvoiceRow): boolean =>
  change_on_payment !== null && open_payment_id !== null;

/** The invoice with status VOID. Not for an invoice with a payment in progress, whose outcome decides. */
export function voided(invoice: InvoiceRow, now: string): InvoiceRow {
  return { ...invoice, status: "VOID", voided_at: now, next_attempt_at: null, updated_at: now };
}

/**
 * Ends a subscription: unpaid invoices become VOID, and no further attempts are made. An invoice with a
 * payment in progress stays open until the outcome is known.
 */
export function ended(
  row: SubscriptionRow,
  open: readonly InvoiceRow[],
  { at, now, reason }: { at: string; now: string; reason: string | null },
): Move {
  const credit = open.reduce((sum, { credit_used, open_payment_id }) => sum + (open_payment_id ? 0 : credit_used), 0);
  const subscription = changed(
    row,
    {
      status: "CANCELLED",
      cancelled_at: at,
      ended_at: at,
      cancel_reason: reason,
      paused_at: null,
      pending_change: null,
      cancel_at_period_end: false,
      credit: row.credit + credit,
    },
    now,
  );
  const invoices = open.map((invoice) =>
    invoice.open_payment_id === null ? voided(invoice, now) : { ...invoice, next_attempt_at: null, updated_at: now },
  );
  const voids = invoices.filter(({ status }) => status === "VOID");
  return {
    subscription,
    invoices,
    events: [
      { type: "subscription.cancelled" },
      ...voids.map(({ id }) => ({ type: "invoice.voided", invoiceId: id }) as const),
    ],
  };
}
