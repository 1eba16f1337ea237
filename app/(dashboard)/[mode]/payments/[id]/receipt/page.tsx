import type { Metadata } from "next";
import Link from "next/link";
import { notFound, redirect } from "next/navigation";
import { EmptyState, NoPermission } from "@/components/ui/empty-state";
import { buttonStyles } from "@/components/ui/styles";
import { AppError } from "@/lib/contract/errors";
import { readCreditNoteNumber } from "@/lib/contract/invoices/credit-notes";
import { getReceiptPath } from "@/lib/domain/receipts/receipts";
import { type DashboardPage, dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Receipt" };

type ReceiptRouteProps = {
  params: Promise<{ mode: string; id: string }>;
  searchParams: Promise<{ credit_note?: string | string[] }>;
};

/** Redirects to a payment's receipt or, with `credit_note`, to a refund's document. The receipt's public address is created on first use. */
export default async function ReceiptRoute({ params, searchParams }: ReceiptRouteProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("payment.read")) return <NoPermission what="payments" />;
  const path = await pathOf(page, id);
  const { credit_note: note } = await searchParams;
  const isNote = typeof note === "string" && readCreditNoteNumber(note) !== null;
  if (path !== null) redirect(isNote ? `${path}/credit-note/${note}` : path);
  return (
    <EmptyState
      page
      title="No receipt yet"
      description="Payments get a receipt once they’re captured. This one isn’t yet."
      actions={
        <Link href={`/${page.mode}/payments/${id}`} className={buttonStyles()}>
          Back to the payment
        </Link>
      }
    />
  );
}

/** The receipt's path; null if nothing was charged. */
async function pathOf({ ctx }: DashboardPage, id: string): Promise<string | null> {
  try {
    return await getReceiptPath(ctx, { id });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "resource_not_found") notFound();
    if (error.code === "invalid_state") return null;
    throw error;
  }
}
