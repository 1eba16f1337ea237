"use client";

import { ReceiptText } from "lucide-react";
import Link from "next/link";
import { listFilters } from "@/components/lists/filter-bar";
import { type ListKind, ListView, sortLabels } from "@/components/lists/list-view";
import { SumsTable } from "@/components/lists/sums-table";
import { builtInViews } from "@/components/lists/view-tabs";
import { EmptyState } from "@/components/ui/empty-state";
import { missingPart } from "@/components/ui/missing-part";
import { buttonStyles } from "@/components/ui/styles";
import { useDashboard } from "@/lib/client/dashboard-context";
import {
  FIRST_INVOICES,
  formatInvoices,
  INVOICE_FILTER_ROWS,
  INVOICE_LIST,
  type InvoiceQuery,
  type ListedInvoices,
} from "@/lib/contract/invoices/list";
import type { QueryProblem } from "@/lib/contract/lists/address";
import { InvoiceTable } from "./invoice-table";

const INVOICES: ListKind = {
  noun: "invoice",
  spec: INVOICE_LIST,
  filters: listFilters(
    INVOICE_FILTER_ROWS,
    () => import("./filter-form").then((module) => module.InvoiceFilterForm, missingPart),
    sortLabels(INVOICE_LIST),
  ),
  builtIn: builtInViews(FIRST_INVOICES, formatInvoices, {
    All: {},
    Open: { status: ["OPEN"] },
    "Payment failed": { payment: ["failed"] },
    Paid: { status: ["PAID"] },
    Void: { status: ["VOID"] },
    Uncollectible: { status: ["UNCOLLECTIBLE"] },
  }),
  placeholder: "Number, name, e-mail, customer or invoice id",
};

type InvoicesViewProps = {
  list: ListedInvoices;
  query: InvoiceQuery;
  view: string | null;
  problems: readonly QueryProblem[];
  /** The merchant's currencies, most used first. */
  currencies: readonly string[];
};

/** Searches and lists invoices. */
export function InvoicesView(props: InvoicesViewProps) {
  const { list } = props;
  return (
    <ListView {...props} kind={INVOICES} firstUse={<FirstUse />} totals={<Totals list={list} />}>
      {(sorting) => <InvoiceTable rows={list.data} {...sorting} />}
    </ListView>
  );
}

function Totals({ list }: Pick<InvoicesViewProps, "list">) {
  return (
    <section aria-label="Totals" className="flex min-h-16 flex-wrap gap-x-12 gap-y-3 pt-3 text-[13px]">
      <SumsTable
        title={list.total_capped ? `${list.total.toLocaleString("en-US")} of these invoices` : "All of these"}
        headings={["Invoiced", "Paid", "Open"]}
        rows={list.sums.map(({ currency, due, paid, open }) => ({ currency, amounts: [due, paid, open] }))}
      />
    </section>
  );
}

function FirstUse() {
  const { mode } = useDashboard();
  return (
    <EmptyState
      icon={<ReceiptText aria-hidden="true" />}
      title={mode === "test" ? "No invoices yet" : "No live invoices yet"}
      description="Subscriptions create them: one for each period, paid trial and change of plan."
      actions={
        <Link href={`/${mode}/subscriptions`} className={buttonStyles({ variant: "primary" })}>
          View subscriptions
        </Link>
      }
    />
  );
}
