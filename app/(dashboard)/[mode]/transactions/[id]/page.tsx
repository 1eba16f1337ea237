import { notFound, redirect } from "next/navigation";
import { AppError } from "@/lib/contract/errors";
import { getPaymentIdOfTransaction } from "@/lib/domain/transactions/act-on-transactions";
import { type DashboardPage, dashboardPage } from "@/lib/http/page";

type TransactionRouteProps = { params: Promise<{ mode: string; id: string }> };

/** A transaction is shown on its payment's page. */
export default async function TransactionRoute({ params }: TransactionRouteProps) {
  const { mode, id } = await params;
  const paymentId = await paymentOf(await dashboardPage(mode), id);
  redirect(`/${mode}/payments/${paymentId}#${id}`);
}

async function paymentOf({ ctx }: DashboardPage, id: string): Promise<string> {
  try {
    return await getPaymentIdOfTransaction(ctx, { id });
  } catch (error) {
    if (error instanceof AppError && error.code === "resource_not_found") notFound();
    throw error;
  }
}
