import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import { encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import type { Invoice } from "@/lib/contract/invoices/invoice";
import { ratePercent, taxIn } from "@/lib/contract/invoices/tax";
import type { NextAction } from "@/lib/contract/payments/payment";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { API_ENVIRONMENTS, type Mode } from "@/lib/contract/transactions/words";
import type { Environment } from "../context";
import { invoiceUrl, type Links } from "../invoices/hosted-link";
import { nextPeriod } from "./advance";
import { priceOf } from "./compose-invoice";
import { isRunning } from "./states";

/** The subscription as the API shows it. `nextAction`: that of its payment in progress. */
export function presentSubscription(row: SubscriptionRow, mode: Mode, nextAction: NextAction | null): Subscription {
  const renews = isRunning(row.status) && !row.cancel_at_period_end;
  return {
    id: encodeId("subscription", row.id),
    object: "subscription",
    status: row.status,
    plan_id: encodeId("plan", row.plan_id),
    plan: row.plan,
    customer_id: row.customer_id,
    customer_email: row.customer_email,
    payment_method_id: encodeIdOrNull("paymentMethod", row.payment_method_id),
    quantity: row.quantity,
    currency: row.currency,
    time_zone: row.time_zone,
    anchor_at: row.anchor_at,
    period: { number: row.period_number, start_at: row.period_start_at, end_at: row.period_end_at },
    trial_end_at: row.trial_end_at,
    trial_refused: row.trial_refused,
    cancel_at_period_end: row.cancel_at_period_end,
    cancelled_at: row.cancelled_at,
    ended_at: row.ended_at,
    cancel_reason: row.cancel_reason,
    paused_at: row.paused_at,
    pending_change: row.pending_change && {
      plan_id: encodeId("plan", row.pending_change.plan_id),
      quantity: row.pending_change.quantity,
      at: row.pending_change.at,
    },
    credit: row.credit,
    latest_invoice_id: encodeIdOrNull("invoice", row.latest_invoice_id),
    next_invoice_at: renews ? row.period_end_at : null,
    next_invoice_amount: renews ? Math.max(0, priceOf(nextPeriod(row)) - row.credit) : null,
    next_action: nextAction,
    metadata: row.metadata,
    environment: API_ENVIRONMENTS[mode],
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/**
 * The next action of an INCOMPLETE subscription without a payment in progress: the customer pays its invoice,
 * on the invoice's page.
 */
export function payInvoiceAction({ service }: ShownIn, row: SubscriptionRow): NextAction | null {
  const { environment_id, latest_invoice_id: id, due_at } = row;
  if (row.status !== "INCOMPLETE" || id === null || due_at === null) return null;
  const url = invoiceUrl(service, { environment_id, id });
  return { type: "redirect_to_url", redirect_to_url: { url }, expires_at: due_at };
}

/** `INV-000001`. */
export const invoiceNumber = (number: number): string => `INV-${String(number).padStart(6, "0")}`;

/** The environment of an object to show, and what its links are made with. */
export type ShownIn = {
  readonly service: Links;
  readonly environment: Pick<Environment, "id" | "mode">;
};

function presentTax(row: InvoiceRow): Invoice["tax"] {
  const tax = taxIn(row.total, row);
  return tax && { name: tax.name, percentage: ratePercent(tax.rate), net: tax.net, amount: tax.amount };
}

export function presentInvoice({ service, environment }: ShownIn, row: InvoiceRow): Invoice {
  return {
    id: encodeId("invoice", row.id),
    object: "invoice",
    number: row.number === null ? null : invoiceNumber(row.number),
    kind: row.kind,
    subscription_id: encodeId("subscription", row.subscription_id),
    customer_id: row.customer_id,
    status: row.status,
    period: { number: row.period_number, start_at: row.period_start_at, end_at: row.period_end_at },
    lines: row.lines,
    total: row.total,
    tax: presentTax(row),
    credit_used: row.credit_used,
    amount_due: row.amount_due,
    amount_paid: row.amount_paid,
    currency: row.currency,
    attempts: row.attempts,
    next_attempt_at: row.next_attempt_at,
    payment_ids: row.payment_ids.map((id) => encodeId("payment", id)),
    hosted_url: row.status === "DRAFT" ? null : invoiceUrl(service, row),
    paid_at: row.paid_at,
    voided_at: row.voided_at,
    metadata: row.metadata,
    environment: API_ENVIRONMENTS[environment.mode],
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
