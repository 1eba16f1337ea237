import { type CreditNoteRow, listCreditNotes } from "@/db/queries/invoices/credit-notes";
import { findPayment } from "@/db/queries/payments/payments";
import { findCustomerLocale } from "@/db/queries/subscriptions/mails";
import { findInvoice, findSubscription, runOn } from "@/db/queries/subscriptions/rows";
import type { InvoiceRow } from "@/db/schema/subscriptions";
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { creditNoteNumber, type ListedCreditNote } from "@/lib/contract/invoices/credit-notes";
import type { HostedInvoice, InvoicePayment } from "@/lib/contract/invoices/hosted";
import { taxIn } from "@/lib/contract/invoices/tax";
import { newId } from "@/lib/ids";
import { newInvoiceSession } from "../checkout/internal-sessions";
import { findShop, type OpenShop } from "../checkout/shop";
import { environmentNow, type Service } from "../context";
import { invoiceNumber } from "../subscriptions/present";
import { requireRunningClock } from "../test-clock/test-clock";
import { invoiceUrl, readInvoiceToken } from "./hosted-link";
import { invoiceState } from "./pay-invoice";

/** An invoice that its customer has opened. `open`: its merchant and environment. */
export type OpenedInvoice = { readonly open: OpenShop; readonly row: InvoiceRow };

/** The invoice of a link; null for any other text, and while it is a DRAFT. */
export async function openInvoice(service: Service, token: string): Promise<OpenedInvoice | null> {
  const key = readInvoiceToken(service, token);
  const open = key && (await findShop(service, key.environment_id));
  if (!key || !open) return null;
  const run = runOn(service.db.within(key.environment_id).sql);
  const row = await findInvoice(run, key.environment_id, key.id);
  return row && row.status !== "DRAFT" && row.event_sequence > 0 ? { open, row } : null;
}

/** The invoice as its page shows it. */
export async function presentHosted(service: Service, { open, row }: OpenedInvoice): Promise<HostedInvoice> {
  const { environment, shop } = open;
  const { status } = row;
  if (row.number === null || status === "DRAFT") throw new Error(`invoice ${row.id} has no number`);
  const { sql } = service.db.within(environment.id);
  const subscription = await findSubscription(runOn(sql), environment.id, row.subscription_id);
  if (!subscription) throw new Error(`invoice ${row.id} has no subscription`);
  const now = environmentNow({ service, environment }).toISOString();
  const [locale, notes] = await Promise.all([
    readLocale(service, { open, row }),
    listCreditNotes(sql, environment.id, row.payment_ids),
  ]);
  return {
    shop,
    number: invoiceNumber(row.number),
    status,
    locale,
    customer_email: subscription.customer_email,
    time_zone: subscription.time_zone,
    lines: row.lines,
    total: row.total,
    tax: taxIn(row.total, row),
    credit_used: row.credit_used,
    amount_due: row.amount_due,
    currency: row.currency,
    created_at: row.created_at,
    paid_at: row.paid_at,
    card: await findPayingCard(service, row),
    failed: status === "OPEN" && row.attempts > 0 && row.open_payment_id === null,
    // An attempt that is due now is about to begin.
    next_attempt_at: row.next_attempt_at !== null && row.next_attempt_at > now ? row.next_attempt_at : null,
    payment: paymentOf(open, row),
    credit_notes: notes.map(presentListed),
  };
}

/** The language of the invoice, and of the form that pays it. */
export async function readLocale(
  { db }: Pick<Service, "db">,
  { open: { environment }, row }: OpenedInvoice,
): Promise<CheckoutLocale> {
  return (await findCustomerLocale(db.within(environment.id).sql, environment.id, row.subscription_id)) ?? "en";
}

/**
 * Address of the payment form that pays the invoice; null after too many attempts. Throws `invalid_state` or
 * `outcome_pending` if it can't be paid now.
 */
export async function payOpened(service: Service, { open, row }: OpenedInvoice): Promise<string | null> {
  const { environment } = open;
  if (paymentOf(open, row) !== "payable") throw invoiceState(row, "paid");
  const ctx = await requireRunningClock({
    service,
    environment,
    actor: { type: "customer", id: null },
    request: { id: newId(), endpoint: "createClientSession", path: "/invoice/{token}/pay" },
    idempotency: null,
    reauthorize: async () => {},
  });
  const form = await newInvoiceSession(ctx, { invoiceId: row.id, returnUrl: invoiceUrl(service, row) });
  return form?.url ?? null;
}

export const presentListed = (row: CreditNoteRow): ListedCreditNote => ({
  number: creditNoteNumber(row.number),
  amount: row.amount,
  currency: row.currency,
  at: row.created_at,
  voided_at: row.voided_at,
});

function paymentOf({ suspended }: OpenShop, { status, open_payment_id: inProgress }: InvoiceRow): InvoicePayment {
  if (status !== "OPEN") return "none";
  if (inProgress !== null) return "in_progress";
  return suspended ? "unavailable" : "payable";
}

async function findPayingCard({ db }: Service, row: InvoiceRow): Promise<HostedInvoice["card"]> {
  const paymentId = row.payment_ids.at(-1);
  if (row.status !== "PAID" || paymentId === undefined) return null;
  const { sql } = db.within(row.environment_id);
  const charge = (await findPayment(sql, row.environment_id, paymentId))?.transactions[0];
  return charge?.card_last4 ? { brand: charge.card_brand, last4: charge.card_last4 } : null;
}
