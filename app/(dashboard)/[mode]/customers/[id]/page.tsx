import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { CustomerPage, customerFilter } from "@/components/customers/customer-page";
import { customerName } from "@/components/customers/customer-table";
import { NoPermission } from "@/components/ui/empty-state";
import { titleId } from "@/lib/contract/format";
import { getCustomer } from "@/lib/domain/customers/customers";
import { listCustomerDisputes } from "@/lib/domain/disputes/dispute-pages";
import { listInvoices } from "@/lib/domain/invoices/read-invoices";
import { listPaymentMethods } from "@/lib/domain/payment-methods/payment-methods";
import { listSubscriptions } from "@/lib/domain/subscriptions/read-subscriptions";
import { searchTransactionTable } from "@/lib/domain/transactions/read-transactions";
import { type DashboardPage, dashboardPage, orNull } from "@/lib/http/page";

/** Rows per list; a link leads to the rest. */
const SHOWN = 5;

type CustomerRouteProps = { params: Promise<{ mode: string; id: string }> };

export async function generateMetadata({ params }: CustomerRouteProps): Promise<Metadata> {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("transaction.search")) return { title: "Customer" };
  const customer = await findCustomer(page, id);
  return { title: customer === null ? "Customer not found" : `${customerName(customer)} · ${titleId(customer.id)}` };
}

export default async function CustomerRoute({ params }: CustomerRouteProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("transaction.search")) return <NoPermission what="customers" />;
  const customer = await findCustomer(page, id);
  if (customer === null) notFound();
  const latest = await searchTransactionTable(page.ctx, {
    filters: customerFilter(customer),
    sort: { field: "created_at", order: "desc" },
    limit: 10,
    offset: 0,
  });
  const { customer_id } = customer;
  const [stored, subscriptions, invoices] =
    customer_id === null
      ? [null, null, null]
      : await Promise.all([
          page.can("payment_method.read") ? listPaymentMethods(page.ctx, { customer_id }) : null,
          page.can("subscription.read") ? listSubscriptions(page.ctx, { customer_id, limit: SHOWN }) : null,
          page.can("invoice.read") ? listInvoices(page.ctx, { customer_id, limit: SHOWN }) : null,
        ]);
  const disputes = page.can("dispute.read") ? await listCustomerDisputes(page.ctx, customer.id, SHOWN) : null;
  return (
    <CustomerPage
      customer={customer}
      latest={latest.data}
      stored={stored?.data ?? null}
      subscriptions={subscriptions}
      invoices={invoices}
      disputes={disputes}
      canSubscribe={page.can("subscription.write")}
      mode={page.mode}
    />
  );
}

/** Cached because the page and its title both need it. */
const findCustomer = cache((page: DashboardPage, id: string) => orNull(getCustomer(page.ctx, { id })));
