import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import { composeInvoice, paid, planLine } from "./compose-invoice";
import { changed, ended, isUnderWay, type Move, voided } from "./move";
import { periodOf } from "./periods";

/**
 * Advances a subscription that is due at `now` by one step, so that overdue periods follow in order. `open`:
 * its unpaid invoices. `invoiceId`: UUID for a new invoice. Null: a payment in progress must end first.
 */
export function advance(
  row: SubscriptionRow,
  open: readonly InvoiceRow[],
  { now, invoiceId }: { now: string; invoiceId: string },
): Move | null {
  if (row.status === "INCOMPLETE") return expire(row, open, now);
  if (row.status === "TRIALING" && now < row.period_end_at) {
    const subscription = changed(row, { trial_end_announced: true }, now);
    return { subscription, invoices: [], events: [{ type: "subscription.trial_will_end" }] };
  }
  // The change that is being paid may alter the next period.
  if (open.some(isUnderWay)) return null;
  if (row.cancel_at_period_end) return ended(row, open, { at: row.period_end_at, now, reason: null });
  return renew(row, { now, invoiceId });
}

/** Ends a subscription that never began. Null: its payment in progress must end first. */
export function expire(row: SubscriptionRow, open: readonly InvoiceRow[], now: string): Move | null {
  if (open.some(({ open_payment_id }) => open_payment_id !== null)) return null;
  return {
    subscription: changed(row, { status: "EXPIRED", ended_at: now }, now),
    invoices: open.map((invoice) => voided(invoice, now)),
    events: [
      { type: "subscription.expired" },
      ...open.map(({ id }) => ({ type: "invoice.voided", invoiceId: id }) as const),
    ],
  };
}

/** The next period, with any pending change applied. */
export function nextPeriod(row: SubscriptionRow) {
  const change = row.pending_change;
  const terms = change ?? row;
  const plan_id = change?.plan_id ?? row.plan_id;
  const isSameCalendar =
    change === null ||
    (change.plan.interval.value === row.plan.interval.value && change.plan.interval.unit === row.plan.interval.unit);
  const anchor_at = isSameCalendar ? row.anchor_at : row.period_end_at;
  const cycle = isSameCalendar ? row.cycle : row.cycle + 1;
  const number = isSameCalendar ? row.period_number + 1 : 1;
  const calendar = { anchorAt: anchor_at, timeZone: row.time_zone, every: terms.plan.interval };
  return { plan: terms.plan, quantity: terms.quantity, plan_id, anchor_at, cycle, period: periodOf(calendar, number) };
}

/** Begins the next period and creates its invoice. */
function renew(row: SubscriptionRow, { now, invoiceId }: { now: string; invoiceId: string }): Move {
  const { plan, quantity, plan_id, anchor_at, cycle, period } = nextPeriod(row);
  const lines = [planLine({ plan, quantity }, period)];
  const { invoice: draft, credit } = composeInvoice(row, { id: invoiceId, kind: "PERIOD", cycle, period, lines, now });
  const isFree = draft.amount_due === 0;
  const invoice: InvoiceRow = isFree ? paid(draft, now) : { ...draft, status: "OPEN", next_attempt_at: now };
  const isActivated = isFree && row.status === "TRIALING";
  const subscription = changed(
    row,
    {
      plan,
      quantity,
      plan_id,
      anchor_at,
      cycle,
      credit,
      pending_change: null,
      latest_invoice_id: invoice.id,
      period_number: period.number,
      period_start_at: period.start_at,
      period_end_at: period.end_at,
      ...(isActivated && { status: "ACTIVE" as const }),
    },
    now,
  );
  const about = { invoiceId };
  return {
    subscription,
    invoices: [invoice],
    events: [
      { type: "subscription.updated" },
      { type: "invoice.created", ...about },
      { type: "invoice.opened", ...about },
      ...(isFree ? [{ type: "invoice.paid", ...about } as const] : []),
      ...(isActivated ? [{ type: "subscription.activated" } as const] : []),
    ],
  };
}
