import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import type { DeclineCode } from "@/lib/contract/errors";
import { PAYMENT_FAILED } from "@/lib/contract/subscriptions/statuses";
import { paid } from "./compose-invoice";
import { afterFailedTry, DUNNING } from "./dunning";
import { changed, ended, type Move, type MoveEvent, voided } from "./move";
import { hasEnded, isRunning } from "./states";

/** The state of an invoice's payment after an outcome. */
export type PaymentResult =
  | { readonly kind: "paid" }
  /** `declineCode`: null if it reached no issuer. `methodId`: the card that was charged. */
  | { readonly kind: "failed"; readonly declineCode: DeclineCode | null; readonly methodId: string | null }
  /** It waits for a challenge, or its outcome is unknown. */
  | { readonly kind: "waits" };

/** The rows that a payment's outcome may change. `others`: the subscription's other unpaid invoices. */
export type Billed = {
  readonly subscription: SubscriptionRow;
  readonly invoice: InvoiceRow;
  readonly others: readonly InvoiceRow[];
};

/**
 * Applies a payment's outcome to its invoice and subscription. "forget": the payment would have begun a
 * subscription or a change that no caller has seen, so its rows are removed.
 */
export function applyPayment(billed: Billed, result: PaymentResult, now: string): Move | "forget" {
  switch (result.kind) {
    case "paid":
      return invoicePaid(billed, now);
    case "waits":
      return announce(billed, now);
    case "failed":
      return invoiceFailed(billed, result, now);
    default:
      return result satisfies never;
  }
}

/** True if an attempt to pay the invoice failed, or none is planned. */
export const isOverdue = ({ attempts, open_payment_id, next_attempt_at }: InvoiceRow): boolean =>
  open_payment_id === null ? attempts > 0 || next_attempt_at === null : attempts > 1;

/** First events of rows that become visible to callers. */
function firstEvents({ subscription, invoice }: Pick<Billed, "subscription" | "invoice">): MoveEvent[] {
  const about = { invoiceId: invoice.id };
  return [
    ...(subscription.event_sequence === 0 ? [{ type: "subscription.created" } as const] : []),
    ...(invoice.event_sequence === 0 ? [{ type: "invoice.created", ...about } as const] : []),
    ...(invoice.status === "DRAFT" ? [{ type: "invoice.opened", ...about } as const] : []),
  ];
}

/** Makes the subscription and the invoice of a waiting payment visible to callers. */
function announce(billed: Billed, now: string): Move {
  const { subscription, invoice } = billed;
  const isNew = invoice.status === "DRAFT";
  return {
    subscription: isNew ? changed(subscription, { latest_invoice_id: invoice.id }, now) : subscription,
    invoices: isNew ? [{ ...invoice, status: "OPEN", updated_at: now }] : [],
    events: firstEvents(billed),
  };
}

function invoicePaid(billed: Billed, now: string): Move {
  const { invoice, others } = billed;
  const was = billed.subscription;
  const events = [...firstEvents(billed), { type: "invoice.paid", invoiceId: invoice.id } as const];
  const invoices = [paid(invoice, now)];
  // The payment began before the subscription ended, and pays only the invoice.
  if (hasEnded(was.status)) return { subscription: was, invoices, events };
  const { credit: creditChange = 0, ...change } = invoice.change_on_payment ?? {};
  const isUnpaid = others.some(isOverdue);
  const isResumed = was.status === "PAUSED" && change.paused_at === null;
  const values: Partial<SubscriptionRow> = {
    ...change,
    credit: Math.max(0, was.credit + creditChange),
    ...(invoice.event_sequence === 0 && { latest_invoice_id: invoice.id }),
  };
  const became = (status: SubscriptionRow["status"], ...more: MoveEvent[]): Move => ({
    subscription: changed(was, { ...values, status }, now),
    // Invoices left unpaid before the pause are due again.
    invoices: [
      ...invoices,
      ...(isResumed ? others.map((one) => ({ ...one, next_attempt_at: now, updated_at: now })) : []),
    ],
    events: [...events, ...more],
  });
  if (was.status === "INCOMPLETE") {
    return invoice.kind === "TRIAL" ? became("TRIALING") : became("ACTIVE", { type: "subscription.activated" });
  }
  if (isResumed) return became("ACTIVE", { type: "subscription.resumed" });
  if (was.status === "PAST_DUE" && !isUnpaid) return became("ACTIVE", { type: "subscription.activated" });
  if (was.status === "TRIALING" && invoice.kind === "PERIOD") {
    return became("ACTIVE", { type: "subscription.activated" });
  }
  const isChanged = Object.keys(change).length > 0 || creditChange !== 0;
  return became(was.status, ...(isChanged ? [{ type: "subscription.updated" } as const] : []));
}

function invoiceFailed(
  billed: Billed,
  { declineCode, methodId }: Extract<PaymentResult, { kind: "failed" }>,
  now: string,
): Move | "forget" {
  const { subscription, invoice, others } = billed;
  if (invoice.status === "DRAFT") return "forget";
  const failed = { type: "invoice.payment_failed", invoiceId: invoice.id } as const;
  const left: InvoiceRow = { ...invoice, open_payment_id: null, updated_at: now };
  // A declined change doesn't happen, and an ended subscription owes nothing.
  if (invoice.change_on_payment !== null || hasEnded(subscription.status)) {
    const isChange = invoice.change_on_payment !== null;
    return {
      subscription,
      invoices: [voided(left, now)],
      events: [...(isChange ? [failed] : []), { type: "invoice.voided", invoiceId: invoice.id }],
    };
  }
  if (!isRunning(subscription.status)) {
    return { subscription, invoices: [{ ...left, next_attempt_at: null }], events: [failed] };
  }
  const isLate = subscription.status !== "PAST_DUE";
  const late = isLate ? changed(subscription, { status: "PAST_DUE" }, now) : subscription;
  const events = [failed, ...(isLate ? [{ type: "subscription.past_due" } as const] : [])];
  if (!invoice.open_is_automatic) return { subscription: late, invoices: [left], events };
  // The subscription got another card while this one was charged.
  if (methodId !== null && methodId !== subscription.payment_method_id) {
    return { subscription: late, invoices: [{ ...left, next_attempt_at: now }], events };
  }
  const next = afterFailedTry(DUNNING, {
    ...{ step: invoice.dunning_step, declineCode, now, timeZone: subscription.time_zone },
  });
  switch (next.kind) {
    case "later":
      return {
        subscription: late,
        invoices: [{ ...left, next_attempt_at: next.at, dunning_step: next.step }],
        events,
      };
    case "waits":
      return { subscription: late, invoices: [{ ...left, next_attempt_at: null }], events };
    case "over": {
      if (!DUNNING.cancels) return { subscription: late, invoices: [{ ...left, next_attempt_at: null }], events };
      const end = ended(subscription, others, { at: now, now, reason: PAYMENT_FAILED });
      return {
        subscription: end.subscription,
        invoices: [{ ...left, status: "UNCOLLECTIBLE", next_attempt_at: null }, ...end.invoices],
        events: [failed, { type: "invoice.uncollectible", invoiceId: invoice.id }, ...end.events],
      };
    }
    default:
      return next satisfies never;
  }
}

/** Stops attempts on an invoice whose card was removed, until the subscription has another card. */
export function cannotBeTried({ subscription, invoice }: Billed, now: string): Move {
  const isLate = isRunning(subscription.status) && subscription.status !== "PAST_DUE";
  return {
    subscription: isLate ? changed(subscription, { status: "PAST_DUE" }, now) : subscription,
    invoices: [{ ...invoice, next_attempt_at: null, updated_at: now }],
    events: [
      { type: "invoice.payment_failed", invoiceId: invoice.id },
      ...(isLate ? [{ type: "subscription.past_due" } as const] : []),
    ],
  };
}
