import { Layers } from "lucide-react";
import type { Metadata } from "next";
import { BatchTable } from "@/components/settlement/payout-list";
import { SettlementTabs } from "@/components/settlement/settlement-tabs";
import { EmptyState, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks } from "@/components/ui/page-links";
import { listSettlementBatchesQuery } from "@/lib/contract/settlement/endpoints";
import { listSettlementBatches } from "@/lib/domain/settlement/read-batches";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Settlement batches" };

type BatchesPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function BatchesPage({ params, searchParams }: BatchesPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("balance.read")) return <NoPermission what="settlement batches" />;
  const path = `/${page.mode}/settlement-batches`;
  const header = (
    <>
      <PageHeader
        title="Settlement batches"
        description="Every night, captured charges and accepted refunds settle together, one batch per currency."
      />
      <SettlementTabs mode={page.mode} current="settlement-batches" />
    </>
  );
  const query = listSettlementBatchesQuery.safeParse(await searchParams);
  if (!query.success) {
    return (
      <>
        {header}
        <WrongFilter what="settlement batches" path={path} issues={query.error.issues} />
      </>
    );
  }
  const batches = await listSettlementBatches(page.ctx, query.data);
  const { currency } = query.data;
  return (
    <>
      {header}
      {batches.data.length === 0 ? (
        <EmptyState
          icon={<Layers aria-hidden="true" />}
          title="No settlement batches"
          description="Payments captured today settle tonight."
        />
      ) : (
        <BatchTable batches={batches.data} mode={page.mode} />
      )}
      <PageLinks what="batches" page={batches} href={currency ? `${path}?currency=${currency}` : path} />
    </>
  );
}
