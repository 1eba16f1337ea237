import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { wordLabel } from "@/lib/contract/format";
import { INVOICE_FILTER_ROWS, type ListedInvoice, parseInvoices } from "@/lib/contract/invoices/list";
import { usedIn } from "@/lib/contract/lists/filters";
import { exportInvoices } from "@/lib/domain/invoices/search-invoices";
import { listExportRoute } from "./list-export";
import type { SheetColumn } from "./spreadsheet";
import { majorText } from "./transaction-sheet";

const ENDPOINT = dashboardEndpoint({
  name: "exportInvoices",
  method: "GET",
  path: "/{mode}/invoices/export",
  permission: "invoice.read",
  status: 200,
  response: z.unknown(),
});

type Column = SheetColumn<ListedInvoice>;

const of = (name: string, heading: string, kind: Column["kind"], read: Column["read"]): Column => ({
  name,
  heading,
  kind,
  read,
});
const amount = (name: "total" | "credit_used" | "amount_due" | "amount_paid", heading: string): Column =>
  of(name, heading, "amount", (row) => majorText(row[name], row.currency));

/** Files are read by position: new columns go to the end. */
const COLUMNS: readonly Column[] = [
  of("id", "Invoice", "text", ({ id }) => id),
  of("number", "Number", "text", ({ number }) => number),
  { ...of("status", "Status", "text", ({ status }) => status), word: ({ status }) => wordLabel(status) },
  { ...of("kind", "For", "text", ({ kind }) => kind), word: ({ kind }) => wordLabel(kind) },
  of("customer_id", "Customer id", "text", ({ customer_id }) => customer_id),
  of("customer_email", "E-mail", "text", ({ customer_email }) => customer_email),
  of("subscription_id", "Subscription", "text", ({ subscription_id }) => subscription_id),
  of("plan_name", "Plan", "text", ({ plan_name }) => plan_name),
  of("period_start_at", "Period from", "time", ({ period }) => period.start_at),
  of("period_end_at", "Period to", "time", ({ period }) => period.end_at),
  amount("total", "Total"),
  amount("credit_used", "Credit used"),
  amount("amount_due", "Due"),
  amount("amount_paid", "Paid"),
  of("currency", "Currency", "text", ({ currency }) => currency),
  of("attempts", "Attempts", "number", ({ attempts }) => attempts),
  of("next_attempt_at", "Next attempt", "time", ({ next_attempt_at }) => next_attempt_at),
  of("paid_at", "Paid at", "time", ({ paid_at }) => paid_at),
  of("voided_at", "Voided at", "time", ({ voided_at }) => voided_at),
  of("metadata", "Metadata", "text", ({ metadata }) =>
    Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata),
  ),
  of("created_at", "Created", "time", ({ created_at }) => created_at),
  of("updated_at", "Updated", "time", ({ updated_at }) => updated_at),
  of("customer_name", "Customer", "text", ({ customer_name }) => customer_name),
  of("tax_name", "Tax name", "text", ({ tax }) => tax?.name ?? null),
  of("tax_percentage", "Tax percent", "number", ({ tax }) => tax?.percentage ?? null),
  of("tax_net", "Net", "amount", ({ tax, currency }) => tax && majorText(tax.net, currency)),
  of("tax_amount", "Tax", "amount", ({ tax, currency }) => tax && majorText(tax.amount, currency)),
];

/** Streams all invoices of the page's query as a file. */
export const invoiceExportRoute = (request: Request, mode: string): Promise<Response> =>
  listExportRoute(request, mode, {
    endpoint: ENDPOINT,
    what: "invoices",
    title: "Invoices",
    columns: () => COLUMNS,
    parse: parseInvoices,
    used: (query) => usedIn(INVOICE_FILTER_ROWS, query).map(({ name }) => name),
    open: exportInvoices,
  });
