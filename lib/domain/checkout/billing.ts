import { refuseSessionTrial } from "@/db/queries/checkout/card-checks";
import type { CheckoutRow } from "@/db/queries/checkout/client-sessions";
import type { InvoiceClaim } from "@/db/queries/subscriptions/claims";
import {
  findInvoice,
  findSubscription,
  forgetTrials,
  lockOpenInvoices,
  lockSubscription,
  type Run,
  runOn,
} from "@/db/queries/subscriptions/rows";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import { type Context, environmentNow, newEnvironmentId } from "../context";
import { expire } from "../subscriptions/advance";
import { writeMove } from "../subscriptions/write-move";
import { sessionUnusable } from "./client-sessions";
import { isTrialUsed, type Subscriber, subscriptionOf, trialKeysOf } from "./subscribe";

/** The invoice that a session's payment is for, on the customer's initiative. `planId`: UUID. */
export type SessionBill = {
  readonly claim: InvoiceClaim;
  readonly planId: string;
  readonly subscriber: Subscriber;
  readonly amount: number;
};

const runOf = ({ service, environment }: Context) => runOn(service.db.within(environment.id).sql);

/** True if a payment of the session pays an invoice. */
export const isBilled = (row: CheckoutRow): boolean => row.bought_plan !== null || row.invoice_id !== null;

/**
 * The invoice that an attempt at the session pays: the named one, that of a subscription whose first payment
 * failed after a challenge, or that of a new subscription. "trial_refused": the trial was used up, so nothing
 * may be charged before the shopper has agreed to the plan without it. `card`: its fingerprint, as far as it
 * is known.
 */
export async function billOf(
  ctx: Context,
  row: CheckoutRow,
  { subscriber, card }: { subscriber: Subscriber; card: string | null },
): Promise<SessionBill | "trial_refused"> {
  if (row.invoice_id !== null) return attemptAt(row.customer_email, await openInvoice(ctx, row, row.invoice_id));
  const begun = row.subscription_id && (await findSubscription(runOf(ctx), ctx.environment.id, row.subscription_id));
  if (begun && begun.status !== "EXPIRED") {
    if (begun.status !== "INCOMPLETE" || begun.latest_invoice_id === null) throw sessionUnusable(row);
    if (begun.customer_id === subscriber.customerId)
      return attemptAt(subscriber.email, await openInvoice(ctx, row, begun.latest_invoice_id));
    const by = { actor: ctx.actor, requestId: ctx.request.id };
    const { sql } = ctx.service.db.within(ctx.environment.id);
    if (!(await sql.begin((tx) => expireBegun(runOn(tx), ctx, begun.id, by)))) throw sessionUnusable(row);
  }
  const keys = trialKeysOf(row, subscriber, card);
  if (await isTrialUsed(runOf(ctx), row, keys)) {
    await refuseSessionTrial(ctx.service.db.within(ctx.environment.id).orm, row, environmentNow(ctx).toISOString());
    return "trial_refused";
  }
  const { subscription, invoice } = subscriptionOf(row, subscriber, {
    id: newEnvironmentId(ctx),
    invoiceId: newEnvironmentId(ctx),
    paymentMethodId: null,
    timeZone: row.merchant_time_zone,
    now: environmentNow(ctx).toISOString(),
  });
  if (invoice === null) throw new Error(`session ${row.id} begins with a free trial`);
  return {
    planId: subscription.plan_id,
    subscriber,
    amount: invoice.amount_due,
    claim: {
      kind: "first",
      invoiceId: invoice.id,
      subscriptionId: subscription.id,
      subscription,
      invoice,
      trialKeys: keys,
    },
  };
}

/** An open invoice without a payment in progress, and its subscription. Throws 409 otherwise. */
async function openInvoice(
  ctx: Context,
  row: CheckoutRow,
  invoiceId: string,
): Promise<{ invoice: InvoiceRow; subscription: SubscriptionRow }> {
  const invoice = await findInvoice(runOf(ctx), ctx.environment.id, invoiceId);
  const subscription = invoice && (await findSubscription(runOf(ctx), ctx.environment.id, invoice.subscription_id));
  if (!invoice || !subscription || invoice.status !== "OPEN" || invoice.open_payment_id !== null)
    throw sessionUnusable(row);
  return { invoice, subscription };
}

const attemptAt = (
  email: string | null,
  { invoice, subscription }: { invoice: InvoiceRow; subscription: SubscriptionRow },
): SessionBill => ({
  planId: subscription.plan_id,
  subscriber: { customerId: invoice.customer_id, email: email ?? subscription.customer_email },
  amount: invoice.amount_due,
  claim: {
    kind: "attempt",
    invoiceId: invoice.id,
    subscriptionId: subscription.id,
    attempts: invoice.attempts,
    automatic: false,
  },
});

/**
 * Ends a subscription that an earlier shopper of the session began and did not complete, and frees its trial.
 * False: it has been paid on its invoice's page, or is being paid.
 */
export async function expireBegun(
  run: Run,
  where: Pick<Context, "service" | "environment">,
  subscriptionId: string,
  by: Parameters<typeof writeMove>[2]["by"],
): Promise<boolean> {
  const { environment } = where;
  const row = await lockSubscription(run, environment.id, subscriptionId);
  if (row?.status !== "INCOMPLETE") return row?.status === "EXPIRED";
  const open = await lockOpenInvoices(run, environment.id, subscriptionId);
  const now = environmentNow(where).toISOString();
  const move = expire(row, open, now);
  if (move === null) return false;
  await writeMove(run, where, { locked: { subscription: row, invoices: open }, move, by, now });
  await forgetTrials(run, environment.id, subscriptionId);
  return true;
}
