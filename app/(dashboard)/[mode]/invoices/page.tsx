import type { Metadata } from "next";
import { InvoicesView } from "@/components/invoices/invoices-view";
import { NoPermission } from "@/components/ui/empty-state";
import { parseInvoices } from "@/lib/contract/invoices/list";
import { searchInvoiceTable } from "@/lib/domain/invoices/search-invoices";
import { listOwnCurrencies } from "@/lib/domain/reporting/overview";
import { addressParams, dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Invoices" };

type InvoicesPageProps = { params: Promise<{ mode: string }>; searchParams: Promise<SearchParams> };

export default async function InvoicesPage({ params, searchParams }: InvoicesPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("invoice.read")) return <NoPermission what="invoices" />;
  const given = addressParams(await searchParams);
  const { query, problems } = parseInvoices(given);
  const [list, currencies] = await Promise.all([
    searchInvoiceTable(page.ctx, query, page.merchant.timeZone),
    listOwnCurrencies(page.ctx),
  ]);
  return (
    <InvoicesView
      list={list}
      query={query}
      problems={problems}
      view={given.find(([name]) => name === "view")?.[1] ?? null}
      currencies={currencies}
    />
  );
}
