import { Users } from "lucide-react";
import type { Metadata } from "next";
import { CustomerSearch } from "@/components/customers/customer-search";
import { CustomerTable } from "@/components/customers/customer-table";
import { Banner } from "@/components/ui/banner";
import { EmptyState, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks, withFilters } from "@/components/ui/page-links";
import { type ListCustomersQuery, listCustomersQuery } from "@/lib/contract/customers/customer";
import { AppError } from "@/lib/contract/errors";
import { listCustomers } from "@/lib/domain/customers/customers";
import { type DashboardPage, dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Customers" };

type CustomersPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function CustomersPage({ params, searchParams }: CustomersPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("transaction.search")) return <NoPermission what="customers" />;
  const path = `/${page.mode}/customers`;
  const header = (
    <PageHeader title="Customers" description="Everyone who has paid you. The latest payment comes first." />
  );
  const { q: typed, ...rest } = await searchParams;
  const text = typeof typed === "string" ? typed.trim() : "";
  // An empty search box means all customers.
  const query = listCustomersQuery.safeParse(text === "" && !Array.isArray(typed) ? rest : { ...rest, q: typed });
  if (!query.success) {
    return (
      <>
        {header}
        <WrongFilter what="customers" path={path} issues={query.error.issues} />
      </>
    );
  }
  const { customers, refusal } = await read(page, query.data);
  if (customers === null) {
    return (
      <>
        {header}
        <CustomerSearch path={path} text={text} />
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
          description="Send customer_id or customer_email with a payment, and the customer appears here within seconds."
        />
      </>
    );
  }
  const href = withFilters(path, { q: text });
  return (
    <>
      {header}
      <CustomerSearch path={path} text={text} />
      {customers.data.length === 0 ? (
        <EmptyState kind="no-results" what="customers" filters={text === "" ? [] : [`Words: ${text}`]} path={path} />
      ) : (
        <CustomerTable customers={customers.data} path={path} />
      )}
      <PageLinks what="customers" page={customers} href={href} />
    </>
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
