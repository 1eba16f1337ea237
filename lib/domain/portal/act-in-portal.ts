import { findInvoice, findSubscription, runOn } from "@/db/queries/subscriptions/rows";
import { readSubscriptionSettings } from "@/db/queries/subscriptions/settings";
import type { SubscriptionRow } from "@/db/schema/subscriptions";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { PORTAL_BACK, type PortalActions } from "@/lib/contract/portal/portal-page";
import { newId } from "@/lib/ids";
import { newInvoiceSession, newSetupSession } from "../checkout/internal-sessions";
import { type Context, resourceNotFound, type Service } from "../context";
import { updateSubscription } from "../subscriptions/actions";
import { requireRunningClock } from "../test-clock/test-clock";
import { isPayable, portalActions } from "./portal-page";
import type { Visit } from "./portal-sessions";

/** The call of a customer, who can do only what this file does. `path`: without the token. */
function customerContext(service: Service, { open, session }: Visit, endpoint: string, path: string): Context {
  return {
    service,
    environment: open.environment,
    actor: { type: "customer", id: session.id },
    request: { id: newId(), endpoint, path },
    idempotency: null,
    reauthorize: async () => {},
  };
}

/**
 * Throws unless the subscription is the customer's, and its status and the merchant allow what is to be done.
 */
async function requireOwn(
  service: Service,
  { open, session }: Visit,
  publicId: string,
  isAllowed: (actions: PortalActions) => boolean,
): Promise<SubscriptionRow> {
  const { sql } = service.db.within(open.environment.id);
  const id = decodeId("subscription", publicId);
  const row = id && (await findSubscription(runOn(sql), open.environment.id, id));
  if (!row || row.event_sequence === 0 || row.customer_id !== session.customer_id) {
    throw resourceNotFound("subscription", publicId);
  }
  const settings = await readSubscriptionSettings(sql, open.environment.id);
  if (!isAllowed(portalActions(row, settings, open))) throw notNow(row.status);
  return row;
}

const notNow = (current_status: string) =>
  new AppError("invalid_state", "This can't be done now.", { extra: { current_status, allowed_actions: [] } });

/** Ends the subscription with its period, or undoes that. Doing so twice changes nothing. */
export async function setCancelled(service: Service, visit: Visit, id: string, isCancelled: boolean): Promise<void> {
  await requireOwn(service, visit, id, (actions) => actions.cancel || actions.continue);
  const path = `/portal/{token}/${isCancelled ? "cancel" : "continue"}`;
  const ctx = await requireRunningClock(customerContext(service, visit, "updateSubscription", path));
  await updateSubscription(ctx, { id, cancel_at_period_end: isCancelled });
}

/** Address of the form that stores another card for the subscription, which then pays what is owed. */
export async function changeCard(service: Service, visit: Visit, id: string): Promise<string> {
  const row = await requireOwn(service, visit, id, (actions) => actions.card);
  const call = customerContext(service, visit, "createClientSession", "/portal/{token}/card");
  const ctx = await requireRunningClock(call);
  const { url } = await newSetupSession(ctx, {
    customerId: row.customer_id,
    subscriptionId: row.id,
    returnUrl: service.baseUrl + PORTAL_BACK,
  });
  return url;
}

/** Address of the form that pays the customer's open invoice; null after too many attempts. */
export async function payOwnInvoice(service: Service, visit: Visit, publicId: string): Promise<string | null> {
  const { environment } = visit.open;
  const { sql } = service.db.within(environment.id);
  const id = decodeId("invoice", publicId);
  const invoice = id && (await findInvoice(runOn(sql), environment.id, id));
  const settings = await readSubscriptionSettings(sql, environment.id);
  const isOwn = invoice && invoice.event_sequence > 0 && invoice.customer_id === visit.session.customer_id;
  if (!isOwn || !settings.portal_invoices) throw resourceNotFound("invoice", publicId);
  if (!isPayable(invoice, visit.open)) throw notNow(invoice.status);
  const ctx = await requireRunningClock(customerContext(service, visit, "createClientSession", "/portal/{token}/pay"));
  const form = await newInvoiceSession(ctx, { invoiceId: invoice.id, returnUrl: service.baseUrl + PORTAL_BACK });
  return form?.url ?? null;
}
