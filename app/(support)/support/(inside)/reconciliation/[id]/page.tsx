import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { Reconciliation } from "@/components/processors/reconciliation";
import { PageHeader } from "@/components/ui/page-header";
import { AppError } from "@/lib/contract/errors";
import { getSupportReconciliation } from "@/lib/domain/support/reconciliation";
import { type SearchParams, supportPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Reconciliation · Support" };

type SupportReconciliationProps = {
  params: Promise<{ id: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function SupportReconciliationPage({ params, searchParams }: SupportReconciliationProps) {
  const [{ id }, { run }, page] = [await params, await searchParams, await supportPage()];
  const wanted = { connection: id, run: typeof run === "string" ? run : undefined };
  const view = await getSupportReconciliation(page, wanted).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "resource_not_found") notFound();
    throw error;
  });
  return (
    <>
      <PageHeader
        crumbs={[{ label: "Reconciliation", href: "/support/reconciliation" }]}
        title={view.label}
        description="As the merchant sees it: Cardlane’s payments and refunds compared with the processor’s own list."
      />
      <Reconciliation
        view={view}
        path={`/support/reconciliation/${view.connection_id}`}
        paymentHref={(payment) => `/support/payments/${payment}`}
      />
    </>
  );
}
