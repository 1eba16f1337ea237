import { findInvoice, lockInvoice, lockOpenInvoices, lockSubscription, runIn } from "@/db/queries/subscriptions/rows";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import { decodeId } from "@/lib/contract/ids";
import { type Context, environmentNow, type Reply, resourceNotFound } from "../context";
import { runOnce } from "../idempotency/run-once";
import { isOverdue } from "../subscriptions/apply-payment";
import { changeInProgress } from "../subscriptions/charge";
import { changed, type Move, voided } from "../subscriptions/move";
import { presentInvoice } from "../subscriptions/present";
import { hasEnded, INVOICE_TRANSITIONS } from "../subscriptions/states";
import { writeMove } from "../subscriptions/write-move";
import { invoiceState } from "./pay-invoice";

/** Voids an unpaid invoice. The credit that it used goes back to the subscription. */
export function voidInvoice(ctx: Context, input: { id: string }): Promise<Reply> {
  return endInvoice(ctx, input.id, "VOID", ({ row, invoice, others, now }) => {
    const isPaidUp = row.status === "PAST_DUE" && !others.some(isOverdue);
    const values: Partial<SubscriptionRow> = {
      credit: row.credit + invoice.credit_used,
      ...(isPaidUp && { status: "ACTIVE" as const }),
    };
    const isChanged = isPaidUp || invoice.credit_used > 0;
    return {
      subscription: isChanged ? changed(row, values, now) : row,
      invoices: [voided(invoice, now)],
      events: [
        { type: "invoice.voided", invoiceId: invoice.id },
        ...(isPaidUp ? [{ type: "subscription.activated" } as const] : []),
        ...(isChanged && !isPaidUp && !hasEnded(row.status) ? [{ type: "subscription.updated" } as const] : []),
      ],
    };
  });
}

/** Ends attempts to charge an invoice, which stays owed. */
export function markInvoiceUncollectible(ctx: Context, input: { id: string }): Promise<Reply> {
  return endInvoice(ctx, input.id, "UNCOLLECTIBLE", ({ row, invoice, now }) => ({
    subscription: row,
    invoices: [{ ...invoice, status: "UNCOLLECTIBLE", next_attempt_at: null, updated_at: now }],
    events: [{ type: "invoice.uncollectible", invoiceId: invoice.id }],
  }));
}

type Held = { row: SubscriptionRow; invoice: InvoiceRow; others: InvoiceRow[]; now: string };

function endInvoice(
  ctx: Context,
  publicId: string,
  to: "VOID" | "UNCOLLECTIBLE",
  decide: (held: Held) => Move,
): Promise<Reply> {
  return runOnce(ctx, async (tx) => {
    const run = runIn(tx);
    const { id: environmentId } = ctx.environment;
    const id = decodeId("invoice", publicId);
    const found = id && (await findInvoice(run, environmentId, id));
    if (!found || found.event_sequence === 0) throw resourceNotFound("invoice", publicId);
    const row = await lockSubscription(run, environmentId, found.subscription_id);
    const open = await lockOpenInvoices(run, environmentId, found.subscription_id);
    const invoice = await lockInvoice(run, environmentId, found.id);
    if (!row || !invoice) throw new Error(`invoice ${found.id} is gone`);
    if (!INVOICE_TRANSITIONS[invoice.status].includes(to)) {
      throw invoiceState(invoice, to === "VOID" ? "voided" : "marked as uncollectible");
    }
    // The payment in progress may still succeed.
    if (invoice.open_payment_id !== null) throw changeInProgress();
    const now = environmentNow(ctx).toISOString();
    const others = open.filter((one) => one.id !== invoice.id);
    const move = decide({ row, invoice, others, now });
    const by = { actor: ctx.actor, requestId: ctx.request.id };
    const locked = { subscription: row, invoices: [invoice] };
    const { invoices } = await writeMove(run, ctx, { locked, move, by, now });
    return presentInvoice(ctx, invoices[0] ?? invoice);
  });
}
