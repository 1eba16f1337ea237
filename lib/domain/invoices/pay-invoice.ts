import { findInvoice, findSubscription, runOn } from "@/db/queries/subscriptions/rows";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import type { PayInvoiceBody } from "@/lib/contract/invoices/invoice";
import type { InvoiceAction } from "@/lib/contract/invoices/invoice-detail";
import { type Context, type Reply, resourceNotFound } from "../context";
import { requireAction } from "../subscriptions/actions";
import { withReplay } from "../subscriptions/change-plan";
import { cardToCharge, changeInProgress, charge, getMethod, requireMethod } from "../subscriptions/charge";
import { listOpenInvoices } from "./read-invoices";

/** Charges an OPEN invoice now, to the subscription's card or another of the customer's cards. */
export function payInvoice(ctx: Context, input: PayInvoiceBody & { id: string }): Promise<Reply> {
  return withReplay(ctx, async () => {
    const run = runOn(ctx.service.db.within(ctx.environment.id).sql);
    const id = decodeId("invoice", input.id);
    const invoice = id && (await findInvoice(run, ctx.environment.id, id));
    if (!invoice || invoice.event_sequence === 0) throw resourceNotFound("invoice", input.id);
    if (invoice.status !== "OPEN") throw invoiceState(invoice, "paid");
    const subscription = await getSubscriptionOf(ctx, invoice);
    return payNow(ctx, subscription, invoice, input.payment_method_id);
  });
}

/** Charges the oldest unpaid invoice of a subscription now. */
export function retrySubscription(ctx: Context, input: { id: string }): Promise<Reply> {
  return withReplay(ctx, async () => {
    const run = runOn(ctx.service.db.within(ctx.environment.id).sql);
    const id = decodeId("subscription", input.id);
    const subscription = id && (await findSubscription(run, ctx.environment.id, id));
    if (!subscription || subscription.event_sequence === 0) throw resourceNotFound("subscription", input.id);
    requireAction(subscription.status, "retry");
    const [invoice] = await listOpenInvoices(ctx, subscription.id);
    if (!invoice) {
      throw new AppError("invalid_state", "The subscription has no open invoice to retry.", {
        extra: { current_status: subscription.status, allowed_actions: ["update", "cancel", "pause"] },
      });
    }
    return payNow(ctx, subscription, invoice, undefined);
  });
}

async function payNow(
  ctx: Context,
  subscription: SubscriptionRow,
  invoice: InvoiceRow,
  methodId: string | undefined,
): Promise<Reply> {
  if (invoice.open_payment_id !== null) throw changeInProgress();
  const method = await (methodId === undefined
    ? getMethod(ctx, subscription)
    : requireMethod(ctx, methodId, invoice.customer_id));
  const claim = {
    kind: "attempt" as const,
    invoiceId: invoice.id,
    subscriptionId: subscription.id,
    attempts: invoice.attempts,
    automatic: false,
  };
  return charge(ctx, { subscription, invoice, claim, card: await cardToCharge(ctx, method) });
}

async function getSubscriptionOf(ctx: Context, invoice: InvoiceRow): Promise<SubscriptionRow> {
  const run = runOn(ctx.service.db.within(ctx.environment.id).sql);
  const row = await findSubscription(run, ctx.environment.id, invoice.subscription_id);
  if (!row) throw new Error(`invoice ${invoice.id} has no subscription`);
  return row;
}

/** Actions that the invoice's status allows. */
export function invoiceActions({ status }: Pick<InvoiceRow, "status">): InvoiceAction[] {
  if (status === "OPEN") return ["pay", "void", "mark-uncollectible"];
  return status === "UNCOLLECTIBLE" ? ["void"] : [];
}

export function invoiceState(invoice: InvoiceRow, what: string): AppError {
  const allowed = invoiceActions(invoice);
  const then = allowed.length > 0 ? ` It allows ${allowed.join(", ")}.` : "";
  return new AppError("invalid_state", `The invoice is ${invoice.status} and cannot be ${what}.${then}`, {
    extra: { current_status: invoice.status, allowed_actions: allowed },
  });
}
