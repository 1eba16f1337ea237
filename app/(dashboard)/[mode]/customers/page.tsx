import { Users } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import type { ReactNode } from "react";
import { CustomerTable } from "@/components/customers/customer-table";
import { PageFilters } from "@/components/lists/page-filters";
import { ExportButton } from "@/components/reporting/export-button";
import { Banner } from "@/components/ui/banner";
import { EmptyState, NoMatches, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks, withFilters } from "@/components/ui/page-links";
import { buttonStyles } from "@/components/ui/styles";
import { type ListCustomersQuery, listCustomersQuery } from "@/lib/contract/customers/customer";
import { AppError } from "@/lib/contract/errors";
import type { FilterRows } from "@/lib/contract/lists/filters";
import { listCustomers } from "@/lib/domain/customers/customers";
import { type DashboardPage, dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Customers" };

type CustomersPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function CustomersPage({ params, searchParams }: CustomersPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("transaction.search")) return <NoPermission what="customers" />;
  const path = `/${page.mode}/customers`;
  const headerWith = (exporting: ReactNode) => (
    <PageHeader
      title="Customers"
      description="Everyone who has paid you, tried to, or subscribed, by customer id or e-mail address. The latest comes first."
      actions={exporting}
    />
  );
  const { q: typed, ...rest } = await searchParams;
  const text = typeof typed === "string" ? typed.trim() : "";
  // An empty search box means all customers.
  const query = listCustomersQuery.safeParse(text === "" && !Array.isArray(typed) ? rest : { ...rest, q: typed });
  if (!query.success) {
    return (
      <>
        {headerWith(null)}
        <WrongFilter what="customers" path={path} issues={query.error.issues} />
      </>
    );
  }
  const { customers, refusal } = await read(page, query.data);
  if (customers === null) {
    return (
      <>
        {headerWith(null)}
        <CustomerFilters path={path} text={text} />
        <Banner tone="amber" title="This list cannot be shown">
          {refusal}
        </Banner>
      </>
    );
  }
  if (customers.total === 0 && text === "") {
    return (
      <>
        <PageHeader title="Customers" />
        <EmptyState
          icon={<Users aria-hidden="true" />}
          title="No customers yet"
          description="Anyone who pays or subscribes appears here within seconds, if the payment has an e-mail address or a customer id. A payment link asks for the address."
          actions={
            page.can("client_session.create") && (
              <Link href={`/${page.mode}/checkout/links/new`} className={buttonStyles({ variant: "primary" })}>
                Create a payment link
              </Link>
            )
          }
        />
      </>
    );
  }
  const href = withFilters(path, { q: text });
  return (
    <>
      {headerWith(
        customers.data.length > 0 && (
          <ExportButton
            address={withFilters(`${path}/export`, { q: text })}
            noun="customer"
            total={customers.total}
            totalCapped={customers.total_capped}
          />
        ),
      )}
      <CustomerFilters path={path} text={text} />
      {customers.data.length === 0 ? (
        <NoMatches what="customers" path={path} first={href} total={customers.total} />
      ) : (
        <CustomerTable customers={customers.data} path={path} />
      )}
      <PageLinks what="customers" page={customers} href={href} />
    </>
  );
}

const FILTERS: FilterRows = [["q", { kind: "text", max: 200, param: "q", label: "Words", form: "Search" }]];

function CustomerFilters({ path, text }: { path: string; text: string }) {
  return (
    <PageFilters
      path={path}
      what="customers"
      rows={FILTERS}
      values={{ q: text }}
      search={{ placeholder: "Name, e-mail or your customer id" }}
    />
  );
}

/** Refusals are shown at the search box; anything else goes to the error page. */
async function read(page: DashboardPage, query: ListCustomersQuery) {
  try {
    return { customers: await listCustomers(page.ctx, query), refusal: null };
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_parameter") {
      return { customers: null, refusal: error.message };
    }
    throw error;
  }
}
