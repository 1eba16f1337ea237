import { Gavel } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import type { ReactNode } from "react";
import { DisputeTable } from "@/components/disputes/dispute-table";
import { PageFilters } from "@/components/lists/page-filters";
import { ExportButton } from "@/components/reporting/export-button";
import { EmptyState, NoMatches, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks, withFilters } from "@/components/ui/page-links";
import { buttonStyles } from "@/components/ui/styles";
import { DISPUTE_FILTERS, disputePageQuery } from "@/lib/contract/disputes/list";
import { listDisputeTable } from "@/lib/domain/disputes/dispute-pages";
import { dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Disputes" };

type DisputesPageProps = { params: Promise<{ mode: string }>; searchParams: Promise<SearchParams> };

export default async function DisputesPage({ params, searchParams }: DisputesPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("dispute.read")) return <NoPermission what="disputes" />;
  const path = `/${page.mode}/disputes`;
  const headerWith = (actions: ReactNode) => (
    <PageHeader
      title="Disputes"
      description="Payments that a cardholder’s bank wants back. The next deadline comes first."
      actions={actions}
    />
  );
  const query = disputePageQuery.safeParse(await searchParams);
  if (!query.success) {
    return (
      <>
        {headerWith(null)}
        <WrongFilter what="disputes" path={path} issues={query.error.issues} />
      </>
    );
  }
  const { status, reason, deadline, customer } = query.data;
  const filters = { status: status?.join(","), reason: reason?.join(","), deadline, customer };
  const isFiltered = Object.values(filters).some(Boolean);
  const disputes = await listDisputeTable(page.ctx, query.data);
  const href = withFilters(path, filters);
  if (disputes.total === 0 && !isFiltered) {
    return (
      <>
        <PageHeader title="Disputes" />
        <EmptyState
          icon={<Gavel aria-hidden="true" />}
          title={page.mode === "test" ? "No disputes yet" : "No live disputes yet"}
          description="When a cardholder’s bank disputes a payment, it appears here with the deadline for your response."
          actions={
            page.mode === "test" && (
              <Link href="/docs/testing#dispute" className={buttonStyles()}>
                Test cards that are disputed
              </Link>
            )
          }
        />
      </>
    );
  }
  return (
    <>
      {headerWith(
        <ExportButton
          address={withFilters(`${path}/export`, filters)}
          noun="dispute"
          total={disputes.total}
          totalCapped={disputes.total_capped}
        />,
      )}
      <PageFilters path={path} what="disputes" rows={DISPUTE_FILTERS} values={filters} />
      {disputes.data.length === 0 ? (
        <NoMatches what="disputes" path={path} first={href} total={disputes.total} />
      ) : (
        <DisputeTable disputes={disputes.data} mode={page.mode} />
      )}
      <PageLinks what="disputes" page={disputes} href={href} />
    </>
  );
}
