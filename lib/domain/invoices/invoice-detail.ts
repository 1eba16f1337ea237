import { listCreditNotes } from "@/db/queries/invoices/credit-notes";
import { type InvoiceDetailRows, type InvoiceEventRow, readInvoiceDetail } from "@/db/queries/invoices/invoice-detail";
import { findPaymentMethod } from "@/db/queries/payment-methods";
import { findCustomerLocale } from "@/db/queries/subscriptions/mails";
import type { PaymentMethodRow } from "@/db/schema/payment-methods";
import type { InvoiceRow } from "@/db/schema/subscriptions";
import { decodeId, encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import type {
  InvoiceDetail,
  InvoicePayment,
  InvoiceTimelineEntry,
  NextStep,
  ShownCard,
} from "@/lib/contract/invoices/invoice-detail";
import { DECLINE_GUIDE } from "@/lib/contract/payments/decline-guide";
import type { ShownActor } from "@/lib/contract/payments/payment-detail";
import { type Context, resourceNotFound } from "../context";
import { findCustomerOf } from "../customers/customers";
import { presentActor } from "../payments/present";
import { presentInvoice } from "../subscriptions/present";
import { presentListed } from "./hosted-invoice";
import { invoiceActions } from "./pay-invoice";

/** An invoice with its payments and history. Throws `resource_not_found` for unknown and foreign ids. */
export async function getInvoiceDetail(ctx: Context, input: { id: string }): Promise<InvoiceDetail> {
  const id = decodeId("invoice", input.id);
  const { sql, orm } = ctx.service.db.within(ctx.environment.id);
  const rows = id && (await readInvoiceDetail(sql, ctx.environment, id));
  if (!rows) throw resourceNotFound("invoice", input.id);
  const { invoice, subscription } = rows;
  const { payment_method_id: methodId } = subscription;
  const [method, customer, locale, notes] = await Promise.all([
    methodId && findPaymentMethod(orm, ctx.environment.id, methodId),
    findCustomerOf(ctx, subscription),
    findCustomerLocale(sql, ctx.environment.id, subscription.id),
    listCreditNotes(sql, ctx.environment.id, invoice.payment_ids),
  ]);
  const payments = rows.payments.map((row): InvoicePayment => presentPayment(row, rows));
  return {
    invoice: presentInvoice(ctx, invoice),
    available_actions: invoiceActions(invoice),
    subscription: {
      id: encodeId("subscription", subscription.id),
      status: subscription.status,
      plan_name: subscription.plan.name,
      quantity: subscription.quantity,
    },
    customer: { id: customer?.id ?? null, name: customer?.name ?? null, email: subscription.customer_email },
    card: presentCard(methodId, method || null),
    next: nextStep(rows, method || null),
    payments,
    credit_notes: notes.map((row) => ({ ...presentListed(row), payment_id: encodeId("payment", row.payment_id) })),
    locale: locale ?? "en",
    time_zone: subscription.time_zone,
    timeline: timelineOf(rows, payments),
    events: rows.events
      .map((row) => ({ id: encodeId("event", row.id), type: row.type, at: row.created_at }))
      .toReversed(),
  };
}

const presentCard = (id: string | null, row: PaymentMethodRow | null): ShownCard => ({
  id: encodeIdOrNull("paymentMethod", id),
  brand: row?.card_brand ?? null,
  last4: row?.card_last4 ?? null,
});

function presentPayment(row: InvoiceDetailRows["payments"][number], { actors }: InvoiceDetailRows): InvoicePayment {
  const code = row.decline_code;
  return {
    id: encodeId("payment", row.id),
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    card: { brand: row.card_brand, last4: row.card_last4 },
    decline: code && { code, meaning: DECLINE_GUIDE[code].meaning },
    automatic: row.actor.type === "system",
    actor: presentActor(row.actor, actors),
    at: row.created_at,
  };
}

function nextStep(
  { invoice, subscription, payments }: InvoiceDetailRows,
  method: PaymentMethodRow | null,
): NextStep | null {
  if (invoice.status !== "OPEN") return null;
  if (invoice.open_payment_id !== null) {
    const payment_id = encodeId("payment", invoice.open_payment_id);
    const open = payments.find(({ id }) => id === invoice.open_payment_id);
    if (open?.status === "REQUIRES_ACTION") return { kind: "customer", payment_id };
    return { kind: open?.status === "AUTHORIZED" ? "hold" : "outcome", payment_id };
  }
  if (invoice.next_attempt_at !== null) return { kind: "attempt", at: invoice.next_attempt_at };
  if (subscription.status === "PAUSED") return { kind: "paused" };
  if (!method || method.removed_at !== null) return { kind: "card", removed: true };
  return subscription.card_refused ? { kind: "card", removed: false } : { kind: "nothing" };
}

const KINDS: Readonly<Record<string, InvoiceTimelineEntry["kind"]>> = {
  "invoice.created": "created",
  "invoice.opened": "opened",
  "invoice.payment_failed": "failed",
  "invoice.paid": "paid",
  "invoice.voided": "void",
  "invoice.uncollectible": "uncollectible",
};

/** The invoice's events, and its payment in progress. */
function timelineOf(rows: InvoiceDetailRows, payments: readonly InvoicePayment[]): InvoiceTimelineEntry[] {
  const { events, invoice } = rows;
  const created = events.find(({ type }) => type === "invoice.created");
  const told = events.flatMap((row): InvoiceTimelineEntry[] => {
    const kind = KINDS[row.type];
    // An invoice is usually opened as it is created.
    if (kind === undefined || (kind === "opened" && row.created_at === created?.created_at)) return [];
    const payment_id = encodeIdOrNull("payment", row.payment_id);
    const payment = payments.find(({ id }) => id === payment_id);
    return [
      {
        id: row.id,
        kind,
        at: row.created_at,
        actor: kind === "failed" || kind === "paid" ? (payment?.actor ?? null) : actorOf(row, rows),
        payment_id,
        said: kind === "failed" ? (payment?.decline?.meaning ?? (payment_id ? NOT_COMPLETED : CARD_REMOVED)) : null,
        next_attempt_at: kind === "failed" ? row.next_attempt_at : null,
      },
    ];
  });
  return [...told, ...pendingOf(invoice, payments)];
}

const CARD_REMOVED = "The subscription’s card was removed.";
const NOT_COMPLETED = "The processor could not complete the payment. No money moved.";

function actorOf({ type }: InvoiceEventRow, { acts, actors }: InvoiceDetailRows): ShownActor | null {
  const act = acts.find(({ action }) => action === type);
  return act ? presentActor(act.actor, actors) : null;
}

function pendingOf({ open_payment_id }: InvoiceRow, payments: readonly InvoicePayment[]): InvoiceTimelineEntry[] {
  const payment = payments.find(({ id }) => id === encodeIdOrNull("payment", open_payment_id));
  if (!payment) return [];
  const { id, at, actor, status } = payment;
  const kind = status === "REQUIRES_ACTION" ? "customer" : "pending";
  return [{ id, kind, at, actor, payment_id: id, said: null, next_attempt_at: null }];
}
