import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import type { DeclineCode } from "@/lib/contract/errors";
import { PAYMENT_FAILED } from "@/lib/contract/subscriptions/statuses";
import { paid } from "./compose-invoice";
import { afterSoftDecline, afterUnsentAttempt, type Dunning, isHardDecline } from "./dunning";
import { changed, ended, type Move, type MoveEvent, voided } from "./move";
import { hasEnded, isRunning } from "./states";

/** The state of an invoice's payment after an outcome. */
export type PaymentResult =
  /** `methodId`: the card that was charged, or stored by the payment (`isStored`). */
  | { readonly kind: "paid"; readonly methodId: string | null; readonly isStored: boolean }
  /**
   * `declineCode`: null if it was voided. `needsCustomer`: the issuer wants the customer to confirm a payment
   * that the merchant began.
   */
  | {
      readonly kind: "failed";
      readonly declineCode: DeclineCode | null;
      readonly methodId: string | null;
      readonly needsCustomer?: boolean;
    }
  /** It reached no issuer, so the card may still be good. */
  | { readonly kind: "unsent"; readonly methodId: string | null }
  /** It waits for a challenge or a capture, or its outcome is unknown. */
  | { readonly kind: "waits" };

/** The rows that a payment's outcome may change. `others`: the subscription's other unpaid invoices. */
export type Billed = {
  readonly subscription: SubscriptionRow;
  readonly invoice: InvoiceRow;
  readonly others: readonly InvoiceRow[];
};

/** The time of a payment's outcome, and the merchant's dunning. */
type At = { readonly now: string; readonly dunning: Dunning };

/**
 * Applies a payment's outcome to its invoice and subscription. "forget": the payment would have begun a
 * subscription or a change that no caller has seen, so its rows are removed.
 */
export function applyPayment(billed: Billed, result: PaymentResult, at: At): Move | "forget" {
  switch (result.kind) {
    case "paid":
      return invoicePaid(billed, result, at.now);
    case "waits":
      return announce(billed, at.now);
    case "failed":
    case "unsent":
      return invoiceFailed(billed, result, at);
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
export function announce(billed: Billed, now: string): Move {
  const { subscription, invoice } = billed;
  const isNew = invoice.status === "DRAFT";
  return {
    subscription: isNew ? changed(subscription, { latest_invoice_id: invoice.id }, now) : subscription,
    invoices: isNew ? [{ ...invoice, status: "OPEN", updated_at: now }] : [],
    events: firstEvents(billed),
  };
}

function invoicePaid(
  billed: Billed,
  { methodId, isStored }: Extract<PaymentResult, { kind: "paid" }>,
  now: string,
): Move {
  const { invoice, others } = billed;
  const was = billed.subscription;
  // A card that the customer's payment stored becomes the subscription's, as does the first one of all.
  const isNewCard = methodId !== null && (isStored || was.payment_method_id === null);
  const events = [...firstEvents(billed), { type: "invoice.paid", invoiceId: invoice.id } as const];
  // An ended subscription owes nothing: a payment that began before its end is refunded by the engine.
  if (hasEnded(was.status)) {
    // The end may have been read from the clock while this outcome waited for the row; refunds look for what was paid since.
    const settled = paid(invoice, was.ended_at !== null && was.ended_at > now ? was.ended_at : now);
    const refund_due = was.refund_due + settled.amount_paid;
    return { subscription: changed(was, { refund_due }, now), invoices: [settled], events };
  }
  const invoices = [paid(invoice, now)];
  const { credit: creditChange = 0, ...change } = invoice.change_on_payment ?? {};
  const isUnpaid = others.some(isOverdue);
  const isResumed = was.status === "PAUSED" && change.paused_at === null;
  const values: Partial<SubscriptionRow> = {
    ...change,
    credit: Math.max(0, was.credit + creditChange),
    ...(invoice.event_sequence === 0 && { latest_invoice_id: invoice.id }),
    ...((isNewCard || methodId === was.payment_method_id) && { card_refused: false }),
    ...(isNewCard && { payment_method_id: methodId }),
  };
  const isTriedAgain = isRunning(was.status) && isNewCard;
  const became = (status: SubscriptionRow["status"], ...more: MoveEvent[]): Move => ({
    subscription: changed(was, { ...values, status }, now),
    // Invoices left unpaid before the pause, or with the old card, are due again.
    invoices: [
      ...invoices,
      ...(isResumed || isTriedAgain
        ? others
            .filter(({ open_payment_id }) => isResumed || open_payment_id === null)
            .map((one) => ({ ...one, next_attempt_at: now, updated_at: now }))
        : []),
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
  const isChanged = Object.keys(change).length > 0 || creditChange !== 0 || isNewCard;
  return became(was.status, ...(isChanged ? [{ type: "subscription.updated" } as const] : []));
}

function invoiceFailed(
  billed: Billed,
  result: Extract<PaymentResult, { kind: "failed" | "unsent" }>,
  { now, dunning }: At,
): Move | "forget" {
  const { subscription, invoice, others } = billed;
  const failed = { type: "invoice.payment_failed", invoiceId: invoice.id } as const;
  if (invoice.status === "DRAFT") {
    const isWaiting = result.kind === "failed" && result.needsCustomer === true && subscription.event_sequence === 0;
    return isWaiting ? unconfirmed(billed, failed, now) : "forget";
  }
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
  if (result.kind === "unsent") {
    if (!invoice.open_is_automatic) return { subscription, invoices: [left], events: [] };
    const again = afterUnsentAttempt(invoice.unsent_attempts, now);
    if (again !== null) {
      const unsent_attempts = invoice.unsent_attempts + 1;
      return { subscription, invoices: [{ ...left, next_attempt_at: again, unsent_attempts }], events: [] };
    }
  }
  return declined({ subscription, invoice: { ...left, unsent_attempts: 0 }, others }, result, { now, dunning });
}

/**
 * A new subscription whose first payment the issuer wants the customer to confirm: they can pay its invoice.
 */
function unconfirmed(billed: Billed, failed: MoveEvent, now: string): Move {
  const { subscription, invoice } = billed;
  const open: InvoiceRow = { ...invoice, status: "OPEN", open_payment_id: null, updated_at: now };
  return {
    subscription: changed(subscription, { latest_invoice_id: invoice.id }, now),
    invoices: [open],
    events: [...firstEvents(billed), failed],
  };
}

/** A decline of a running subscription's invoice, whose payment has been cleared. */
function declined(
  { subscription, invoice, others }: Billed,
  result: Extract<PaymentResult, { kind: "failed" | "unsent" }>,
  { now, dunning }: At,
): Move {
  const isSameCard = result.methodId === subscription.payment_method_id;
  const isRefused = isSameCard && result.kind === "failed" && isHardDecline(result.declineCode);
  const isLate = subscription.status !== "PAST_DUE";
  const events: MoveEvent[] = [
    { type: "invoice.payment_failed", invoiceId: invoice.id },
    ...(isLate ? [{ type: "subscription.past_due" } as const] : []),
  ];
  const late = changed(subscription, { status: "PAST_DUE", card_refused: isRefused || subscription.card_refused }, now);
  const move = (next: Partial<InvoiceRow>): Move => ({
    subscription: isLate || isRefused ? late : subscription,
    invoices: [{ ...invoice, ...next }],
    events,
  });
  if (isRefused) return move({ next_attempt_at: null });
  if (!invoice.open_is_automatic) return move({});
  // The subscription got another card while this one was charged.
  if (!isSameCard) return move({ next_attempt_at: now });
  const { dunning_step: step } = invoice;
  const next = afterSoftDecline(dunning, { step, now, timeZone: subscription.time_zone });
  if (next.kind === "later") return move({ next_attempt_at: next.at, dunning_step: next.step });
  if (dunning.after_last_attempt === "KEEP") return move({ next_attempt_at: null });
  const end = ended(subscription, others, { at: now, now, reason: PAYMENT_FAILED });
  return {
    subscription: end.subscription,
    invoices: [{ ...invoice, status: "UNCOLLECTIBLE", next_attempt_at: null }, ...end.invoices],
    events: [
      { type: "invoice.payment_failed", invoiceId: invoice.id },
      { type: "invoice.uncollectible", invoiceId: invoice.id },
      ...end.events,
    ],
  };
}

/**
 * Stops attempts on an invoice whose card was removed or refused, until the subscription has another card.
 */
export function unscheduleAttempts({ subscription, invoice }: Billed, now: string): Move {
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
