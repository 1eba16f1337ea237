import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { PaymentPage } from "@/components/payments/payment-page";
import { NoPermission } from "@/components/ui/empty-state";
import { AppError } from "@/lib/contract/errors";
import { moneyText, titleId } from "@/lib/contract/format";
import { getPaymentDetail } from "@/lib/domain/payments/payment-detail";
import { type DashboardPage, dashboardPage } from "@/lib/http/page";

type PaymentRouteProps = { params: Promise<{ mode: string; id: string }> };

export async function generateMetadata({ params }: PaymentRouteProps): Promise<Metadata> {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("payment.read")) return { title: "Payment" };
  const { payment } = await readPayment(page, id);
  return { title: `${moneyText(payment.amount, payment.currency)} · ${titleId(payment.id)}` };
}

export default async function PaymentRoute({ params }: PaymentRouteProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("payment.read")) return <NoPermission what="payments" />;
  const detail = await readPayment(page, id);
  return <PaymentPage key={id} initial={detail} />;
}

/** Cached because the page and its title both need it. */
const readPayment = cache(async ({ ctx }: DashboardPage, id: string) => {
  try {
    return await getPaymentDetail(ctx, { id });
  } catch (error) {
    if (error instanceof AppError && error.code === "resource_not_found") notFound();
    throw error;
  }
});
