import type { InvoiceRow, PendingChange, SubscriptionRow } from "@/db/schema/subscriptions";
import { composeInvoice, partLine, planLine, type Units } from "./compose-invoice";
import { periodOf } from "./periods";

/** The plan and quantity to change to. */
type Target = Pick<PendingChange, "plan_id" | "plan" | "quantity">;
type At = { readonly now: string; readonly invoiceId: string };
/** `billed`: the units that the current period was charged for. */
export type ChangedAt = At & { readonly billed: Units };

const isSameInterval = (a: SubscriptionRow["plan"], b: SubscriptionRow["plan"]): boolean =>
  a.interval.value === b.interval.value && a.interval.unit === b.interval.unit;

/** Result of a change: new values, which take effect immediately or when the invoice is paid. */
export type Change = {
  readonly values: Partial<SubscriptionRow>;
  /** A DRAFT whose `amount_due` is charged now; null if nothing is charged or credited. */
  readonly invoice: InvoiceRow | null;
};

/**
 * An immediate change. With the same interval, the rest of the period is prorated: the unused part of the price
 * charged before is credited, that of the new price charged. Another interval begins a new period, less the
 * unused part. A trial isn't prorated.
 */
export function changeNow(
  row: SubscriptionRow,
  { plan_id, plan, quantity }: Target,
  proration: "credit" | "none",
  { now, invoiceId, billed }: ChangedAt,
): Change {
  const target = { plan_id, plan, quantity, pending_change: null };
  if (row.period_number === 0) return { values: target, invoice: null };
  const current = { start_at: row.period_start_at, end_at: row.period_end_at };
  if (isSameInterval(row.plan, plan)) {
    if (proration === "none") return { values: target, invoice: null };
    const lines = [
      partLine("PRORATION", billed, { period: current, at: now, sign: -1 }),
      partLine("PRORATION", { plan, quantity }, { period: current, at: now, sign: 1 }),
    ];
    const period = { number: row.period_number, ...current };
    const { invoice, credit } = composeInvoice(row, {
      id: invoiceId,
      kind: "CHANGE",
      cycle: row.cycle,
      period,
      lines,
      now,
    });
    return { values: { ...target, credit }, invoice };
  }
  const calendar = { anchorAt: now, timeZone: row.time_zone, every: plan.interval };
  const period = periodOf(calendar, 1);
  const lines = [planLine({ plan, quantity }, period)];
  if (proration === "credit") lines.push(partLine("CREDIT", billed, { period: current, at: now, sign: -1 }));
  return startPeriod(row, { ...target }, { period, lines, now, invoiceId });
}

/** Resumes a paused subscription with a new period, which begins now and sets the anchor. */
export function resumeNow(row: SubscriptionRow, { now, invoiceId }: At): Change {
  const terms = row.pending_change ?? row;
  const plan_id = row.pending_change?.plan_id ?? row.plan_id;
  const target = { plan_id, plan: terms.plan, quantity: terms.quantity, pending_change: null };
  const period = periodOf({ anchorAt: now, timeZone: row.time_zone, every: target.plan.interval }, 1);
  return startPeriod(
    row,
    { ...target, paused_at: null },
    { period, lines: [planLine(target, period)], now, invoiceId },
  );
}

/** Begins period 1 of a new cycle, with its invoice. */
function startPeriod(
  row: SubscriptionRow,
  values: Partial<SubscriptionRow>,
  { period, lines, now, invoiceId }: At & { period: ReturnType<typeof periodOf>; lines: InvoiceRow["lines"] },
): Change {
  const cycle = row.cycle + 1;
  const { invoice, credit } = composeInvoice(row, { id: invoiceId, kind: "PERIOD", cycle, period, lines, now });
  return {
    values: {
      ...values,
      credit,
      cycle,
      anchor_at: now,
      period_number: period.number,
      period_start_at: period.start_at,
      period_end_at: period.end_at,
    },
    invoice,
  };
}

/** Schedules a change for the end of the period; it replaces any earlier one. */
export const changeLater = (row: SubscriptionRow, target: Target): Partial<SubscriptionRow> => ({
  pending_change: { ...target, at: row.period_end_at },
});
