import { countFormPayments, findInvoiceSession } from "@/db/queries/checkout/invoice-sessions";
import { findSubscription, lockInvoice, runIn, runOn } from "@/db/queries/subscriptions/rows";
import { encodeId } from "@/lib/contract/ids";
import { sha256 } from "@/lib/secret";
import { type Context, environmentNow, resourceNotFound } from "../context";
import { invoiceState } from "../invoices/pay-invoice";
import { changeInProgress } from "../subscriptions/charge";
import { invoiceNumber } from "../subscriptions/present";
import { formUrl, openSession } from "./client-sessions";

const NO_DETAILS = {
  capture_method: "automatic",
  billing_address: null,
  allowed_origins: [],
  appearance: null,
  metadata: {},
} as const;

/**
 * Opens a form that stores a card for a customer's later payments. With a subscription (UUID), the card
 * replaces that subscription's, and its unpaid invoices are attempted immediately. Returns the form's
 * address.
 */
export async function newSetupSession(
  ctx: Context,
  input: { customerId: string; subscriptionId: string | null; returnUrl: string | null },
): Promise<{ url: string }> {
  const { service, environment } = ctx;
  const { customerId, subscriptionId, returnUrl } = input;
  const run = runOn(service.db.within(environment.id).sql);
  const subscription = subscriptionId && (await findSubscription(run, environment.id, subscriptionId));
  if (subscriptionId && (!subscription || subscription.customer_id !== customerId))
    throw resourceNotFound("subscription", encodeId("subscription", subscriptionId));
  const { iframe_url: url } = await service.db.within(environment.id).orm.transaction((tx) =>
    openSession(ctx, tx, {
      ...NO_DETAILS,
      allowed_origins: [],
      mode: "setup",
      subscription_id: subscriptionId,
      customer_id: customerId,
      customer_email: subscription ? subscription.customer_email : null,
      description: subscription ? subscription.plan.name : null,
      return_url: returnUrl,
    }),
  );
  return { url };
}

/**
 * Max attempts on one invoice within a day by anyone who has its link. Open forms may exceed it.
 */
const MAX_ATTEMPTS_A_DAY = 20;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Min remaining lifetime of a form that is reused. */
const MIN_LIFE_MS = 60 * 60 * 1000;

/**
 * Opens a form that pays an open invoice on the customer's initiative, stores the card and puts it on the
 * subscription; an open form of the same invoice (UUID) is used again. Returns the form's address, null after
 * too many attempts. Throws 409 unless the invoice is OPEN, without a payment in progress.
 */
export function newInvoiceSession(
  ctx: Context,
  { invoiceId, returnUrl }: { invoiceId: string; returnUrl: string | null },
): Promise<{ url: string } | null> {
  const { service, environment } = ctx;
  const { id: environmentId } = environment;
  return service.db.within(environmentId).orm.transaction(async (tx) => {
    const run = runIn(tx);
    // Concurrent visits get the same form.
    const invoice = await lockInvoice(run, environmentId, invoiceId);
    if (!invoice || invoice.event_sequence === 0) throw resourceNotFound("invoice", encodeId("invoice", invoiceId));
    if (invoice.status !== "OPEN") throw invoiceState(invoice, "paid");
    if (invoice.open_payment_id !== null) throw changeInProgress();
    const now = environmentNow(ctx).getTime();
    const since = new Date(now - DAY_MS).toISOString();
    const attempts = await countFormPayments(tx, environmentId, { ids: invoice.payment_ids, since });
    if (attempts >= MAX_ATTEMPTS_A_DAY) return null;
    const tokenOf = (id: string) => `cst_${service.secret.digest("invoice-form", id).toString("base64url")}`;
    const until = new Date(now + MIN_LIFE_MS).toISOString();
    const found = await findInvoiceSession(tx, environmentId, { invoiceId, returnUrl, until });
    // A token made with an earlier secret is not known anymore.
    if (found && sha256(tokenOf(found.id)).equals(found.token_sha256)) return { url: formUrl(ctx, tokenOf(found.id)) };
    const subscription = await findSubscription(run, environmentId, invoice.subscription_id);
    if (!subscription) throw new Error(`invoice ${invoiceId} has no subscription`);
    const terms = {
      ...NO_DETAILS,
      allowed_origins: [],
      amount: invoice.amount_due,
      currency: invoice.currency,
      subscription_id: subscription.id,
      invoice_id: invoice.id,
      customer_id: invoice.customer_id,
      customer_email: subscription.customer_email,
      description: [subscription.plan.name, invoice.number && invoiceNumber(invoice.number)].filter(Boolean).join(", "),
      return_url: returnUrl,
    };
    const { iframe_url: url } = await openSession(ctx, tx, terms, tokenOf);
    return { url };
  });
}
