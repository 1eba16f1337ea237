/** The dashboard's list of invoices: its address, and its rows. Without zod. */
import { CURRENCIES } from "@/lib/contract/currencies";
import type { FilterRow, FilterRows, FilterValues } from "@/lib/contract/lists/filters";
import { firstPlace, formatList, type ListQuery, type ListSpec, parseList } from "@/lib/contract/lists/query";
import { INVOICE_KINDS, INVOICE_STATUSES } from "@/lib/contract/subscriptions/statuses";
import type { Invoice } from "./invoice";

const FILTERS = {
  status: { kind: "words", values: INVOICE_STATUSES, param: "status", label: "Status", form: "Status" },
  payment: {
    kind: "words",
    values: ["failed", "waiting"],
    labels: { failed: "Failed, not paid yet", waiting: "No attempt planned" },
    param: "payment",
    label: "Payment",
    form: "Status",
  },
  q: { kind: "text", max: 200, param: "q", label: "Search", form: "Customer" },
  customer_id: { kind: "text", max: 255, param: "customer", label: "Customer", form: "Customer" },
  subscription_id: { kind: "text", max: 255, param: "subscription", label: "Subscription", form: "Customer" },
  created_at: { kind: "times", param: "created", label: "Created", form: "Created" },
  currency: { kind: "words", values: CURRENCIES, param: "currency", label: "Currency", form: "More" },
  kind: {
    kind: "words",
    values: INVOICE_KINDS,
    labels: { TRIAL: "Trial", PERIOD: "Period", CHANGE: "Plan change" },
    param: "kind",
    label: "For",
    form: "More",
  },
} as const satisfies Record<string, FilterRow>;

type InvoiceFilters = FilterValues<typeof FILTERS>;
export const INVOICE_FILTER_ROWS: FilterRows = Object.entries(FILTERS);

export type InvoiceSort = "created_at" | "status" | "customer_id" | "amount_due";

export const INVOICE_LIST: ListSpec<InvoiceSort> = {
  rows: INVOICE_FILTER_ROWS,
  defaultSort: "created_at",
  sorts: {
    created_at: { first: "desc", desc: "newest first", asc: "oldest first" },
    status: { first: "asc", asc: "by status", desc: "by status, reversed" },
    customer_id: { first: "asc", asc: "by customer", desc: "by customer, reversed" },
    amount_due: {
      first: "desc",
      desc: "by currency, largest amount first",
      asc: "by currency, smallest amount first",
    },
  },
};

export type InvoiceQuery = ListQuery<InvoiceFilters, InvoiceSort>;
export const FIRST_INVOICES: InvoiceQuery = firstPlace(INVOICE_LIST);

export const parseInvoices = (params: Iterable<readonly [string, string]>) =>
  parseList<InvoiceFilters, InvoiceSort>(INVOICE_LIST, params);
export const formatInvoices = (query: InvoiceQuery): string => formatList(INVOICE_LIST, query);

/** Address of the list; any filter may be absent. */
export function invoicesHref(mode: string, query: Partial<InvoiceQuery> = {}): string {
  const text = formatInvoices({ ...FIRST_INVOICES, ...query });
  return `/${mode}/invoices${text && `?${text}`}`;
}

/** A row of the list: the API's object with its customer, and its plan's name. */
export type ListedInvoice = Invoice & {
  customer_name: string | null;
  customer_email: string | null;
  plan_name: string;
};

/** Amounts of one currency in minor units. */
type InvoiceSum = { currency: string; due: number; paid: number; open: number };

export type ListedInvoices = {
  data: readonly ListedInvoice[];
  /** The page has rows before it, and after it. */
  has_before: boolean;
  has_after: boolean;
  total: number;
  total_capped: boolean;
  /** Sums over the whole list, or over its first rows if it is longer than `total`. */
  sums: readonly InvoiceSum[];
};
