import { Layers } from "lucide-react";
import type { Metadata } from "next";
import type { ReactNode } from "react";
import { PageFilters } from "@/components/lists/page-filters";
import { ExportButton } from "@/components/reporting/export-button";
import { BatchTable } from "@/components/settlement/payout-list";
import { SettlementTabs } from "@/components/settlement/settlement-tabs";
import { EmptyState, NoMatches, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks, withFilters } from "@/components/ui/page-links";
import { oneOfRow } from "@/lib/contract/lists/filters";
import { listSettlementBatchesQuery } from "@/lib/contract/settlement/endpoints";
import { listOwnCurrencies } from "@/lib/domain/reporting/overview";
import { listSettlementBatches } from "@/lib/domain/settlement/read-batches";
import { dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Payouts: settlement batches" };

type BatchesPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function BatchesPage({ params, searchParams }: BatchesPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("balance.read")) return <NoPermission what="settlement batches" />;
  const path = `/${page.mode}/settlement-batches`;
  const headerWith = (exporting: ReactNode) => (
    <>
      <PageHeader
        title="Payouts"
        description="Every night, captured charges and accepted refunds settle together, one batch per currency."
        actions={exporting}
      />
      <SettlementTabs mode={page.mode} current="settlement-batches" />
    </>
  );
  const query = listSettlementBatchesQuery.safeParse(await searchParams);
  if (!query.success) {
    return (
      <>
        {headerWith(null)}
        <WrongFilter what="settlement batches" path={path} issues={query.error.issues} />
      </>
    );
  }
  const [batches, currencies] = await Promise.all([
    listSettlementBatches(page.ctx, query.data),
    listOwnCurrencies(page.ctx),
  ]);
  const { currency } = query.data;
  const href = withFilters(path, { currency });
  return (
    <>
      {headerWith(
        batches.data.length > 0 && (
          <ExportButton
            address={withFilters(`${path}/export`, { currency })}
            noun="row"
            total={batches.total}
            totalCapped={batches.total_capped}
          />
        ),
      )}
      {(currencies.length > 1 || currency) && (
        <PageFilters
          path={path}
          what="batches"
          rows={[oneOfRow("currency", "Currency", currencies)]}
          values={{ currency }}
        />
      )}
      {batches.data.length === 0 && (batches.total > 0 || currency) ? (
        <NoMatches what="batches" path={path} first={href} total={batches.total} />
      ) : batches.data.length === 0 ? (
        <EmptyState
          icon={<Layers aria-hidden="true" />}
          title="No settlement batches"
          description="Payments captured today settle tonight."
        />
      ) : (
        <BatchTable batches={batches.data} mode={page.mode} />
      )}
      <PageLinks what="batches" page={batches} href={href} />
    </>
  );
}
