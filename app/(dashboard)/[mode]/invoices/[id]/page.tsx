import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { InvoicePage } from "@/components/invoices/invoice-page";
import { NoPermission } from "@/components/ui/empty-state";
import { titleId } from "@/lib/contract/format";
import { getInvoiceDetail } from "@/lib/domain/invoices/invoice-detail";
import { listPaymentMethods } from "@/lib/domain/payment-methods/payment-methods";
import { type DashboardPage, dashboardPage, orNull } from "@/lib/http/page";

type InvoiceRouteProps = { params: Promise<{ mode: string; id: string }> };

export async function generateMetadata({ params }: InvoiceRouteProps): Promise<Metadata> {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("invoice.read")) return { title: "Invoice" };
  const found = await findDetail(page, id);
  return { title: found === null ? "Invoice not found" : (found.invoice.number ?? titleId(found.invoice.id)) };
}

const CARDS_SHOWN = 100;

export default async function InvoiceRoute({ params }: InvoiceRouteProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("invoice.read")) return <NoPermission what="invoices" />;
  const detail = await findDetail(page, id);
  if (detail === null) notFound();
  const { customer_id } = detail.invoice;
  const isPayable = detail.available_actions.includes("pay") && page.can("payment_method.read");
  const cards = isPayable ? (await listPaymentMethods(page.ctx, { customer_id, limit: CARDS_SHOWN })).data : [];
  return <InvoicePage detail={detail} cards={cards} canReadEvents={page.can("event.read")} mode={page.mode} />;
}

/** Cached because the page and its title both need it. */
const findDetail = cache((page: DashboardPage, id: string) => orNull(getInvoiceDetail(page.ctx, { id })));
