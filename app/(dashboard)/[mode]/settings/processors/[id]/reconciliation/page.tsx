import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import { CompareNow } from "@/components/processors/compare-now";
import { Reconciliation } from "@/components/processors/reconciliation";
import { NoPermission } from "@/components/ui/empty-state";
import { SectionHeader } from "@/components/ui/page-header";
import { AppError } from "@/lib/contract/errors";
import { getReconciliation } from "@/lib/domain/processors/read-reconciliation";
import { dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Reconciliation" };

type ReconciliationPageProps = {
  params: Promise<{ mode: string; id: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function ReconciliationPage({ params, searchParams }: ReconciliationPageProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("balance.read")) return <NoPermission what="reconciliation" />;
  const { run } = await searchParams;
  const view = await getReconciliation(page.ctx, {
    connection: id,
    run: typeof run === "string" ? run : undefined,
  }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "resource_not_found") notFound();
    throw error;
  });
  return (
    <>
      <SectionHeader
        title={`Reconciliation: ${view.label}`}
        description={
          <>
            Compares Cardlane&apos;s payments and refunds with the processor&apos;s own list. Nothing is changed
            automatically.{" "}
            <Link href="/docs/processors#reconciliation" className="text-accent underline">
              What it compares
            </Link>
          </>
        }
        actions={
          view.comparable &&
          page.can("settings.manage") && <CompareNow mode={page.mode} connectionId={view.connection_id} />
        }
      />
      <Reconciliation
        view={view}
        path={`/${page.mode}/settings/processors/${view.connection_id}/reconciliation`}
        paymentHref={(payment) => `/${page.mode}/payments/${payment}`}
      />
    </>
  );
}
