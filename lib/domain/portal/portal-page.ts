import { findClientSession } from "@/db/queries/checkout/client-sessions";
import { listCreditNotes } from "@/db/queries/invoices/credit-notes";
import { listPaymentMethodsById } from "@/db/queries/payment-methods";
import { findInvoice, listInvoices, listSubscriptions, runOn } from "@/db/queries/subscriptions/rows";
import { readSubscriptionSettings } from "@/db/queries/subscriptions/settings";
import type { PaymentMethodRow } from "@/db/schema/payment-methods";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { ListedCreditNote } from "@/lib/contract/invoices/credit-notes";
import type {
  PortalActions,
  PortalCard,
  PortalInvoice,
  PortalNotice,
  PortalPage,
  PortalSubscription,
} from "@/lib/contract/portal/portal-page";
import type { SubscriptionSettings } from "@/lib/contract/subscriptions/settings";
import { type Environment, environmentNow, type Service } from "../context";
import { presentListed } from "../invoices/hosted-invoice";
import { invoiceUrl } from "../invoices/hosted-link";
import { presentPaymentMethod } from "../payment-methods/stored-card";
import { invoiceNumber, presentSubscription } from "../subscriptions/present";
import { hasEnded, isRunning } from "../subscriptions/states";
import type { Visit } from "./portal-sessions";

/** Max subscriptions and invoices on the page, newest first. */
const MAX_SUBSCRIPTIONS = 50;
const MAX_INVOICES = 100;

/** Result that the page should show: of the last action, or of the payment form's session. */
export type AskedNotice = {
  readonly done: string | null;
  /** `sub_…` */
  readonly subscription: string | null;
  /** `cs_…` */
  readonly clientSession: string | null;
};

/** Everything that the customer sees. */
export async function readPortal(service: Service, visit: Visit, asked: AskedNotice): Promise<PortalPage> {
  const { environment, shop, suspended } = visit.open;
  const { customer_id: customerId } = visit.session;
  const { sql } = service.db.within(environment.id);
  const run = runOn(sql);
  const page = (limit: number) => ({ limit, offset: 0, after: null });
  const [settings, rows, invoices] = await Promise.all([
    readSubscriptionSettings(sql, environment.id),
    listSubscriptions(run, environment.id, { customerId }, page(MAX_SUBSCRIPTIONS)),
    listInvoices(run, environment.id, { customerId }, page(MAX_INVOICES)),
  ]);
  const cards = await readCards(service, environment, rows);
  const subscriptions = rows.map((row) => {
    const card = hasEnded(row.status) ? null : (cards.get(row.payment_method_id) ?? null);
    return presentOwn(row, { visit, settings, invoices, card });
  });
  const notes = await listCreditNotes(
    sql,
    environment.id,
    invoices.flatMap(({ payment_ids }) => payment_ids),
  );
  const zones = new Map(rows.map(({ id, time_zone }) => [id, time_zone]));
  return {
    shop,
    suspended,
    return_url: visit.session.return_url,
    subscriptions: [
      ...subscriptions.filter(({ status }) => !hasEnded(status)),
      ...subscriptions.filter(({ status }) => hasEnded(status)),
    ],
    invoices: settings.portal_invoices
      ? invoices.flatMap((row) => {
          const zone = zones.get(row.subscription_id) ?? "UTC";
          const own = notes.filter(({ payment_id }) => row.payment_ids.includes(payment_id)).map(presentListed);
          return presentOwnInvoice(service, visit, row, { zone, notes: own });
        })
      : null,
    notice: await findNotice(service, visit, asked, { subscriptions, cards }),
  };
}

/** The actions that a subscription's status and the merchant allow. */
export function portalActions(
  row: SubscriptionRow,
  settings: SubscriptionSettings,
  { suspended }: Visit["open"],
): PortalActions {
  const mayCancel = settings.portal_cancel && isRunning(row.status);
  return {
    card: settings.portal_change_card && !suspended && (isRunning(row.status) || row.status === "PAUSED"),
    cancel: mayCancel && !row.cancel_at_period_end,
    continue: mayCancel && row.cancel_at_period_end,
  };
}

/** True if the customer can pay the invoice now. */
export const isPayable = ({ status, open_payment_id }: InvoiceRow, { suspended }: Visit["open"]): boolean =>
  status === "OPEN" && open_payment_id === null && !suspended;

type Around = {
  visit: Visit;
  settings: SubscriptionSettings;
  invoices: readonly InvoiceRow[];
  card: PortalCard | null;
};

function presentOwn(row: SubscriptionRow, { visit, settings, invoices, card }: Around): PortalSubscription {
  const { mode } = visit.open.environment;
  const { id, plan, quantity, next_invoice_at, next_invoice_amount } = presentSubscription(row, mode, null);
  const { pending_change: change } = row;
  const unpaid = invoices.filter(({ subscription_id, status }) => subscription_id === row.id && status === "OPEN");
  // The first attempt to pay an invoice follows within seconds.
  const owed = unpaid.filter(({ attempts, next_attempt_at }) => attempts > 0 || next_attempt_at === null);
  const attempts = owed.flatMap(({ next_attempt_at }) => next_attempt_at ?? []).toSorted();
  return {
    id,
    status: row.status,
    plan_name: plan.name,
    quantity,
    currency: row.currency,
    price: plan.amount * quantity,
    every: plan.interval,
    time_zone: row.time_zone,
    period_end_at: row.period_end_at,
    ended_at: row.ended_at,
    is_in_trial: row.period_number === 0,
    cancel_at_period_end: row.cancel_at_period_end,
    next_invoice_at,
    next_invoice_amount,
    change: change && { plan_name: change.plan.name, at: change.at },
    card,
    owed:
      owed.length === 0
        ? null
        : {
            amount: owed.reduce((sum, { amount_due }) => sum + amount_due, 0),
            next_attempt_at: attempts[0] ?? null,
          },
    actions: portalActions(row, settings, visit.open),
  };
}

/** Subscriptions' cards as their customer sees them, by UUID. */
async function readCards(
  service: Service,
  environment: Environment,
  subscriptions: readonly SubscriptionRow[],
): Promise<Cards> {
  const ids = subscriptions.flatMap(({ payment_method_id: id }) => id ?? []);
  const { orm } = service.db.within(environment.id);
  const rows = await listPaymentMethodsById(orm, environment.id, ids);
  return new Map(rows.map((row) => [row.id, presentCard(service, environment, row)]));
}

function presentCard(service: Service, environment: Environment, row: PaymentMethodRow): PortalCard | null {
  const { card, status } = presentPaymentMethod(row, environment.mode, environmentNow({ service, environment }));
  if (!card) return null;
  return { brand: card.brand, last4: card.last4, exp_month: card.exp_month, exp_year: card.exp_year, status };
}

function presentOwnInvoice(
  service: Service,
  { open }: Visit,
  row: InvoiceRow,
  { zone, notes }: { zone: string; notes: readonly ListedCreditNote[] },
): PortalInvoice[] {
  if (row.number === null || row.status === "DRAFT") return [];
  return [
    {
      id: encodeId("invoice", row.id),
      number: invoiceNumber(row.number),
      status: row.status,
      amount_due: row.amount_due,
      currency: row.currency,
      created_at: row.created_at,
      time_zone: zone,
      url: invoiceUrl(service, row),
      is_payable: isPayable(row, open),
      credit_notes: notes,
    },
  ];
}

type Cards = Map<string | null, PortalCard | null>;
type Current = { readonly subscriptions: readonly PortalSubscription[]; readonly cards: Cards };

/** Reports an action only if the current state confirms it: anyone can write an address. */
async function findNotice(
  service: Service,
  visit: Visit,
  { done, subscription: subscriptionId, clientSession }: AskedNotice,
  { subscriptions, cards }: Current,
): Promise<PortalNotice | null> {
  if (clientSession !== null) return findFormNotice(service, visit, clientSession, cards);
  if (done === "changed" || done === "busy") return { kind: done };
  const subscription = subscriptions.find(({ id }) => id === subscriptionId);
  if (!subscription) return null;
  if (done === "cancelled" && subscription.actions.continue) return { kind: done, subscription };
  if (done === "continued" && subscription.actions.cancel) return { kind: done, subscription };
  return null;
}

/** The result of the payment form from which the customer comes back. */
async function findFormNotice(service: Service, { open, session }: Visit, publicId: string, cards: Cards) {
  const { environment } = open;
  const { sql } = service.db.within(environment.id);
  const id = decodeId("clientSession", publicId);
  const form = id && (await findClientSession(sql, environment.id, id));
  if (!form || form.customer_id !== session.customer_id) return null;
  if (form.open_payment_id !== null) return { kind: "paying" as const };
  if (form.status !== "COMPLETED") return null;
  if (form.invoice_id !== null) {
    const invoice = await findInvoice(runOn(sql), environment.id, form.invoice_id);
    if (invoice?.status !== "PAID" || invoice.number === null) return null;
    return { kind: "paid" as const, number: invoiceNumber(invoice.number) };
  }
  // A form in another tab may have put a later card on the subscription.
  const card = form.payment_method_id && cards.get(form.payment_method_id);
  return card ? { kind: "card" as const, card } : null;
}
