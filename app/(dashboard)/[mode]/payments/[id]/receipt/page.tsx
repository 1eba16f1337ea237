import type { Metadata } from "next";
import Link from "next/link";
import { notFound, redirect } from "next/navigation";
import { EmptyState, NoPermission } from "@/components/ui/empty-state";
import { buttonStyles } from "@/components/ui/styles";
import { AppError } from "@/lib/contract/errors";
import { getReceiptPath } from "@/lib/domain/receipts/receipts";
import { type DashboardPage, dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Receipt" };

type ReceiptRouteProps = { params: Promise<{ mode: string; id: string }> };

/** Redirects to a payment's receipt, whose public address is created on first use. */
export default async function ReceiptRoute({ params }: ReceiptRouteProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("payment.read")) return <NoPermission what="payments" />;
  const path = await pathOf(page, id);
  if (path !== null) redirect(path);
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
