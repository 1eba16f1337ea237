import { type CreditNoteRow, listCreditNotes } from "@/db/queries/invoices/credit-notes";
import { type CreditNote, creditNoteNumber, readCreditNoteNumber } from "@/lib/contract/invoices/credit-notes";
import type { ShownTax } from "@/lib/contract/invoices/tax";
import type { Service } from "../context";
import { openReceipt } from "../receipts/receipts";
import { type OpenedInvoice, presentHosted } from "./hosted-invoice";

/** The tax of a document as it was written; null without one. */
function taxOf({ tax_name: name, tax_rate: rate, tax_amount, amount }: CreditNoteRow): ShownTax | null {
  if (name === null || rate === null || tax_amount === null) return null;
  return { name, rate, net: amount - tax_amount, amount: tax_amount };
}

async function findRow(
  { db }: Pick<Service, "db">,
  environmentId: string,
  paymentIds: readonly string[],
  text: string,
): Promise<CreditNoteRow | null> {
  const number = readCreditNoteNumber(text);
  if (number === null) return null;
  const rows = await listCreditNotes(db.within(environmentId).sql, environmentId, paymentIds);
  return rows.find((row) => row.number === number) ?? null;
}

const documentOf = (row: CreditNoteRow) => ({
  number: creditNoteNumber(row.number),
  amount: row.amount,
  currency: row.currency,
  tax: taxOf(row),
  issued_at: row.created_at,
  voided_at: row.voided_at,
});

/** A credit note of an opened invoice, by its number; null for any other text. */
export async function findOfInvoice(
  service: Service,
  opened: OpenedInvoice,
  number: string,
): Promise<CreditNote | null> {
  const { environment_id: environmentId, payment_ids: paymentIds } = opened.row;
  const row = await findRow(service, environmentId, paymentIds, number);
  if (row === null) return null;
  const invoice = await presentHosted(service, opened);
  return {
    ...documentOf(row),
    shop: invoice.shop,
    locale: invoice.locale,
    time_zone: invoice.time_zone,
    of: { kind: "invoice", number: invoice.number },
    customer_email: invoice.customer_email,
    card: invoice.card,
  };
}

/** The document of a refund by its receipt's token and its own number; null for any other text. */
export async function findOfReceipt(
  service: Pick<Service, "db">,
  token: string,
  number: string,
): Promise<CreditNote | null> {
  const opened = await openReceipt(service, token);
  const row = opened && (await findRow(service, opened.environmentId, [opened.paymentId], number));
  if (!opened || !row) return null;
  const { receipt } = opened;
  const { invoice_number: invoiceNumber } = receipt;
  return {
    ...documentOf(row),
    shop: receipt,
    locale: receipt.locale,
    time_zone: receipt.time_zone,
    of:
      invoiceNumber === null ? { kind: "receipt", number: receipt.number } : { kind: "invoice", number: invoiceNumber },
    customer_email: null,
    card: receipt.card,
  };
}
