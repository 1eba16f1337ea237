import type { ChangeOnPayment, InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import type { InvoiceLine } from "@/lib/contract/invoices/invoice";
import type { InvoiceKind } from "@/lib/contract/subscriptions/statuses";
import type { BoughtPlan } from "@/lib/contract/subscriptions/subscription";
import { unusedPart } from "./proration";

export type InvoicePeriod = { number: number; start_at: string; end_at: string };

type Content = {
  /** UUID. */
  readonly id: string;
  readonly kind: InvoiceKind;
  readonly cycle: number;
  readonly period: InvoicePeriod;
  readonly lines: readonly InvoiceLine[];
  readonly now: string;
  readonly changeOnPayment?: ChangeOnPayment;
};

/**
 * A DRAFT invoice, and the subscription's credit afterwards: the invoice uses up credit, or adds to it if its
 * total is negative. Minor units.
 */
export function composeInvoice(
  row: SubscriptionRow,
  { id, kind, cycle, period, lines, now, changeOnPayment }: Content,
): { invoice: InvoiceRow; credit: number } {
  const total = lines.reduce((sum, { amount }) => sum + amount, 0);
  const creditUsed = Math.min(row.credit, Math.max(0, total));
  return {
    credit: row.credit - creditUsed + Math.max(0, -total),
    invoice: {
      environment_id: row.environment_id,
      id,
      number: null,
      tax_name: null,
      tax_rate: null,
      kind,
      subscription_id: row.id,
      customer_id: row.customer_id,
      status: "DRAFT",
      cycle,
      period_number: period.number,
      period_start_at: period.start_at,
      period_end_at: period.end_at,
      lines: [...lines],
      total,
      credit_used: creditUsed,
      amount_due: Math.max(0, total) - creditUsed,
      amount_paid: 0,
      currency: row.currency,
      attempts: 0,
      dunning_step: 0,
      unsent_attempts: 0,
      next_attempt_at: null,
      open_payment_id: null,
      open_is_automatic: false,
      payment_ids: [],
      change_on_payment: changeOnPayment ?? null,
      paid_at: null,
      voided_at: null,
      event_sequence: 0,
      version: 1,
      metadata: {},
      created_at: now,
      updated_at: now,
    },
  };
}

/** The invoice as paid at `now`. */
export const paid = (invoice: InvoiceRow, now: string): InvoiceRow => ({
  ...invoice,
  status: "PAID",
  amount_paid: invoice.amount_due,
  paid_at: now,
  next_attempt_at: null,
  open_payment_id: null,
  change_on_payment: null,
  updated_at: now,
});

const REST = ", rest of the period";

export type Units = { plan: BoughtPlan; quantity: number };

/**
 * The units that a period was last charged for, from its paid invoices, newest first: a change without
 * proration leaves the period as paid, so a later change must not credit the new price.
 */
export function billedUnits({ plan, quantity }: SubscriptionRow, paidInvoices: readonly InvoiceRow[]): Units {
  const line = paidInvoices[0]?.lines.findLast(({ type }) => type === "PLAN" || type === "PRORATION");
  if (!line) return { plan, quantity };
  const { unit_amount: amount, description } = line;
  const name = line.type === "PLAN" ? description : description.slice(0, -REST.length);
  return { plan: { ...plan, name, amount }, quantity: line.quantity };
}

/** Price of a whole period, in minor units. */
export const priceOf = ({ plan, quantity }: Units): number => plan.amount * quantity;

export const planLine = ({ plan, quantity }: Units, { start_at, end_at }: InvoicePeriod): InvoiceLine => ({
  type: "PLAN",
  description: plan.name,
  quantity,
  unit_amount: plan.amount,
  amount: plan.amount * quantity,
  start_at,
  end_at,
});

export const trialLine = ({ plan, quantity }: Units, { start_at, end_at }: InvoicePeriod): InvoiceLine => ({
  type: "TRIAL",
  description: `${plan.name}, trial`,
  quantity,
  unit_amount: plan.trial_amount ?? 0,
  amount: (plan.trial_amount ?? 0) * quantity,
  start_at,
  end_at,
});

/** The line for the part of a period's price after `at`; `sign` -1 credits it. */
export function partLine(
  type: "PRORATION" | "CREDIT",
  { plan, quantity }: Units,
  { period, at, sign }: { period: Omit<InvoicePeriod, "number">; at: string; sign: 1 | -1 },
): InvoiceLine {
  const part = unusedPart(plan.amount * quantity, period, at);
  return {
    type,
    description: sign === 1 ? plan.name + REST : `${plan.name}, unused part of the period`,
    quantity,
    unit_amount: plan.amount,
    // Avoids -0, which JSON turns into 0.
    amount: part === 0 ? 0 : sign * part,
    start_at: at,
    end_at: period.end_at,
  };
}
