import type { Metadata } from "next";
import Link from "next/link";
import { InvoiceDocument } from "@/components/invoices/invoice-document";
import { PrintButton } from "@/components/invoices/print-button";
import { invoicePath } from "@/components/invoices/status";
import { NoPermission } from "@/components/ui/empty-state";
import { buttonStyles } from "@/components/ui/styles";
import { getBusiness } from "@/lib/domain/accounts/business";
import { getLogo } from "@/lib/domain/accounts/logo";
import { getInvoiceDetail } from "@/lib/domain/invoices/invoice-detail";
import { dashboardPage, orNotFound } from "@/lib/http/page";

export const metadata: Metadata = { title: "Print invoice" };

type PrintRouteProps = { params: Promise<{ mode: string; id: string }> };

export default async function PrintRoute({ params }: PrintRouteProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("invoice.read")) return <NoPermission what="invoices" />;
  const [detail, business, logo] = await Promise.all([
    orNotFound(getInvoiceDetail(page.ctx, { id })),
    getBusiness(page.ctx),
    getLogo(page.ctx),
  ]);
  return (
    <>
      <div className="mx-auto mb-4 flex max-w-3xl items-center justify-between gap-4 print:hidden">
        <Link href={invoicePath(page.mode, detail.invoice.id)} className={buttonStyles({ variant: "ghost" })}>
          Back to the invoice
        </Link>
        <PrintButton />
      </div>
      <InvoiceDocument detail={detail} merchant={business} logo={logo} />
    </>
  );
}
